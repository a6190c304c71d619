"""Tokens to expressions, by precedence."""

from __future__ import annotations

from typing import Literal

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast
from ouroboros.languages.uppaal.read.cursor import Cursor

_LEVELS: tuple[frozenset[str], ...] = tuple(
    map(
        frozenset,
        (
            {"||"},
            {"&&"},
            {"|"},
            {"^"},
            {"&"},
            {"==", "!="},
            {"<", "<=", ">", ">="},
            {"<?", ">?"},
            {"<<", ">>"},
            {"+", "-"},
            {"*", "/", "%"},
        ),
    )
)
_ASSIGNMENTS = {
    "=": "", ":=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%", "&=": "&", "|=": "|", "^=": "^",
    "<<=": "<<", ">>=": ">>",
}  # fmt: skip
_QUANTIFIERS: dict[str, Literal["forall", "exists", "sum"]] = {"forall": "forall", "exists": "exists", "sum": "sum"}


class ExpressionParser(Cursor):
    def expression(self) -> ast.Expression:
        """Words bind less than any symbol: `or` and `imply` least, then `and`, then `not`."""
        start = self.token
        left = self._conjunction()
        while word := self.accept("or", "imply"):
            right = self._conjunction()
            left = ast.Binary(self.since(start), "||" if word.text == "or" else "imply", left, right)
        return left

    def _conjunction(self) -> ast.Expression:
        start = self.token
        left = self._negation()
        while self.accept("and"):
            right = self._negation()
            left = ast.Binary(self.since(start), "&&", left, right)
        return left

    def _negation(self) -> ast.Expression:
        start = self.token
        if self.accept("not"):
            operand = self._negation()
            return ast.Unary(self.since(start), "!", operand)
        return self._assignment()

    def _assignment(self) -> ast.Expression:
        """Assignments are expressions, and group to the right."""
        start = self.token
        left = self._conditional()
        if self.token.kind == "symbol" and self.token.text in _ASSIGNMENTS:
            operator = _ASSIGNMENTS[self.take().text]
            value = self._assignment()
            return ast.Assignment(self.since(start), operator, left, value)
        return left

    def expressions(self) -> tuple[ast.Expression, ...]:
        """One or more, with commas between them."""
        found = [self.expression()]
        while self.accept(","):
            found.append(self.expression())
        return tuple(found)

    def _conditional(self) -> ast.Expression:
        start = self.token
        condition = self._binary(0)
        if not self.accept("?"):
            return condition
        then = self.expression()
        self.expect(":")
        otherwise = self._conditional()
        return ast.Conditional(self.since(start), condition, then, otherwise)

    def _binary(self, level: int) -> ast.Expression:
        if level == len(_LEVELS):
            return self._unary()
        start = self.token
        left = self._binary(level + 1)
        while self.token.kind in ("symbol", "keyword") and self.token.text in _LEVELS[level]:
            operator = self.take().text
            right = self._binary(level + 1)
            left = ast.Binary(self.since(start), operator, left, right)
        if self.at("**"):
            raise InputError("powers are not supported", self.token.span, "write the product")
        return left

    def _unary(self) -> ast.Expression:
        start = self.token
        if self.at("not"):
            return self._negation()
        if start.kind == "keyword" and start.text in _QUANTIFIERS:
            return self._quantifier(_QUANTIFIERS[start.text])
        if operator := self.accept("++", "--"):
            operand = self._unary()
            return ast.Increment(self.since(start), 1 if operator.text == "++" else -1, operand, before=True)
        if self.accept("!"):
            operand = self._unary()
            return ast.Unary(self.since(start), "!", operand)
        if self.accept("-"):
            operand = self._unary()
            return ast.Unary(self.since(start), "-", operand)
        if self.accept("+"):
            operand = self._unary()
            return ast.Unary(self.since(start), "+", operand)
        return self._postfix()

    def _quantifier(self, kind: Literal["forall", "exists", "sum"]) -> ast.Expression:
        start = self.take()
        self.expect("(")
        name = self.name("the name of a variable")
        self.expect(":")
        of = self.type()
        self.expect(")")
        body = self.expression()
        return ast.Quantifier(self.since(start), kind, name.text, of, body)

    def _postfix(self) -> ast.Expression:
        start = self.token
        value = self._primary()
        while True:
            if self.accept("["):
                at = self.expression()
                self.expect("]")
                value = ast.Index(self.since(start), value, at)
            elif self.accept("."):
                name = self.take()
                if name.kind not in ("name", "keyword"):
                    raise InputError("a name is expected after the dot", name.span)
                value = ast.Member(self.since(start), value, name.text)
            elif self.accept("("):
                arguments = () if self.at(")") else self.expressions()
                self.expect(")")
                value = ast.Call(self.since(start), value, arguments)
            elif operator := self.accept("++", "--"):
                value = ast.Increment(self.since(start), 1 if operator.text == "++" else -1, value, before=False)
            elif self.accept("'"):
                value = ast.Rate(self.since(start), value)
            else:
                return value

    def _primary(self) -> ast.Expression:
        token = self.token
        if token.kind == "number":
            self.take()
            if int(token.text) >= 1 << 31:
                raise InputError("this number has more than 32 bits", token.span)
            return ast.Number(token.span, int(token.text))
        if token.kind == "name":
            self.take()
            return ast.Name(token.span, token.text)
        if self.accept("true", "false"):
            return ast.Number(token.span, int(token.text == "true"), truth=True)
        if self.accept("deadlock"):
            return ast.Deadlock(token.span)
        if self.accept("("):
            inside = self.expression()
            self.expect(")")
            return inside
        if self.at("spawn", "exit", "dynamic"):
            raise InputError(f"`{token.text}`: processes that are created in a run are not supported", token.span)
        if token.kind == "string":
            raise InputError("strings are not supported", token.span)
        raise self.failure("an expression")

    # Types stand in expressions, too: quantifiers have them.

    def at_type(self) -> bool:
        """Whether a type begins here, as far as that can be told without knowing which names are types."""
        return self.at(
            "int", "bool", "clock", "chan", "void", "const", "meta", "urgent", "broadcast", "struct", "scalar",
            "double", "string", "hybrid",
        )  # fmt: skip

    def type(self) -> ast.Type:
        start = self.token
        prefixes: set[str] = set()
        while prefix := self.accept("const", "meta", "urgent", "broadcast", "hybrid"):
            if prefix.text == "hybrid":
                raise InputError("hybrid clocks are not supported", prefix.span)
            prefixes.add(prefix.text)
        base = self._base_type()
        return ast.Type(self.since(start), frozenset(prefixes), base)

    def _base_type(self) -> ast.Basic | ast.Range | ast.Scalar | ast.Named | ast.Struct:
        token = self.take()
        if token.kind == "name":
            return ast.Named(token.span, token.text)
        match token.text if token.kind == "keyword" else "":
            case "int":
                if not self.accept("["):
                    return ast.Basic(token.span, "int")
                low = self.expression()
                self.expect(",")
                high = self.expression()
                self.expect("]")
                return ast.Range(self.since(token), low, high)
            case "bool":
                return ast.Basic(token.span, "bool")
            case "clock":
                return ast.Basic(token.span, "clock")
            case "chan":
                return ast.Basic(token.span, "chan")
            case "void":
                return ast.Basic(token.span, "void")
            case "scalar":
                self.expect("[")
                size = self.expression()
                self.expect("]")
                return ast.Scalar(self.since(token), size)
            case "struct":
                return ast.Struct(self.since(token), self._struct_fields())
            case "double":
                raise InputError("floating point numbers (double) are not supported", token.span)
            case "string":
                raise InputError("strings are not supported", token.span)
        raise InputError(f"a type is expected here, and not `{token.text}`", token.span)

    def _struct_fields(self) -> tuple[ast.Variable, ...]:
        self.expect("{")
        fields: list[ast.Variable] = []
        while not self.accept("}"):
            of = self.type()
            fields.append(self.declarator(of))
            while self.accept(","):
                fields.append(self.declarator(of))
            self.expect(";")
        return tuple(fields)

    def declarator(self, of: ast.Type, initialised: bool = False) -> ast.Variable:
        """A name, the dimensions of an array behind it, and its initial value."""
        name = self.name("a name")
        dimensions = self.dimensions()
        initial = None
        if initialised and self.accept("=", ":="):
            initial = self.initial()
        return ast.Variable(name.span, of, name.text, dimensions, initial)

    def dimensions(self) -> tuple[ast.Expression | ast.Type, ...]:
        found: list[ast.Expression | ast.Type] = []
        while self.accept("["):
            found.append(self.type() if self.at_type() else self.expression())
            self.expect("]")
        return tuple(found)

    def initial(self) -> ast.Expression:
        start = self.token
        if not self.accept("{"):
            return self.expression()
        items: list[tuple[str | None, ast.Expression]] = []
        while not self.at("}"):
            name = None
            if self.token.kind == "name" and self.ahead().text == ":":
                name = self.take().text
                self.expect(":")
            items.append((name, self.initial()))
            if not self.accept(","):
                break
        self.expect("}")
        return ast.Braces(self.since(start), tuple(items))
