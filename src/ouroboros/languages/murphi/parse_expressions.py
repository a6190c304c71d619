"""Expressions and types, by recursive descent: one method for each level of precedence that needs one."""

from __future__ import annotations

from typing import Literal, cast

from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.lex import Token, number
from ouroboros.languages.murphi.tokens import Tokens

# From the loosest to the tightest; `!` stands between `&` and the comparisons.
_LOOSE = (("||",), ("&&",), ("|",), ("^",), ("&",))
_COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
_TIGHT = (("<<", ">>"), ("+", "-"), ("*", "/", "%"))


class ExpressionParser:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens

    # Expressions

    def expression(self) -> ast.Expression:
        # Where the left side begins with a parenthesis, that is no part of it, but of the whole.
        first = self.tokens.next
        condition = self.implication()
        if not self.tokens.accept("?"):
            return condition
        then = self.expression()
        self.tokens.expect(":", "in a conditional expression `… ? … : …`")
        otherwise = self.expression()
        return ast.Conditional(self.tokens.span_from(first), condition, then, otherwise)

    def implication(self) -> ast.Expression:
        first = self.tokens.next
        left = self.disjunction()
        if not self.tokens.accept("->"):
            return left
        right = self.disjunction()
        return ast.Binary(self.tokens.span_from(first), "->", left, right)

    def disjunction(self, level: int = 0) -> ast.Expression:
        """The operators that take truth values or bits; no implication, unless in parentheses."""
        if level == len(_LOOSE):
            return self._negation()
        first = self.tokens.next
        left = self.disjunction(level + 1)
        while operator := self.tokens.accept(*_LOOSE[level]):
            right = self.disjunction(level + 1)
            left = ast.Binary(self.tokens.span_from(first), operator.kind, left, right)
        return left

    def _negation(self) -> ast.Expression:
        sign = self.tokens.accept("!")
        if sign:
            operand = self._negation()
            return ast.Unary(self.tokens.span_from(sign), "!", operand)
        first = self.tokens.next
        left = self._arithmetic()
        operator = self.tokens.accept(*_COMPARISONS)
        if not operator:
            return left
        right = self._comparand()
        if self.tokens.next.kind in _COMPARISONS:
            self.tokens.fail("comparisons cannot be chained: put one in parentheses")
        return ast.Binary(self.tokens.span_from(first), operator.kind, left, right)

    def _comparand(self) -> ast.Expression:
        """The right side of a comparison, which may be a negation: `a = !b`."""
        sign = self.tokens.accept("!")
        if not sign:
            return self._arithmetic()
        operand = self._comparand()
        return ast.Unary(self.tokens.span_from(sign), "!", operand)

    def _arithmetic(self, level: int = 0) -> ast.Expression:
        if level == len(_TIGHT):
            return self._signed()
        first = self.tokens.next
        left = self._arithmetic(level + 1)
        while operator := self.tokens.accept(*_TIGHT[level]):
            right = self._arithmetic(level + 1)
            left = ast.Binary(self.tokens.span_from(first), operator.kind, left, right)
        return left

    def _signed(self) -> ast.Expression:
        sign = self.tokens.accept("-", "+", "~")
        if not sign:
            return self._designator()
        operand = self._signed()
        if sign.kind == "+":
            return operand
        return ast.Unary(self.tokens.span_from(sign), sign.kind, operand)

    def _designator(self) -> ast.Expression:
        first = self.tokens.next
        result = self._primary()
        while True:
            if self.tokens.accept("."):
                name = self.tokens.expect("name", "of a field after `.`")
                result = ast.Member(self.tokens.span_from(first), result, name.text)
            elif self.tokens.accept("["):
                index = self.expression()
                self.tokens.expect("]", "after an index")
                result = ast.Index(self.tokens.span_from(first), result, index)
            else:
                return result

    def _primary(self) -> ast.Expression:
        token = self.tokens.next
        match token.kind:
            case "number":
                self.tokens.take()
                return ast.Number(self.tokens.span_from(token), number(self.tokens.source, token))
            case "true" | "false":
                self.tokens.take()
                return ast.Truth(self.tokens.span_from(token), token.kind == "true")
            case "undefined":
                self.tokens.take()
                return ast.Undefined(self.tokens.span_from(token))
            case "name":
                self.tokens.take()
                if self.tokens.next.kind == "(":
                    return self._call(token)
                return ast.Name(self.tokens.span_from(token), token.text)
            case "(":
                self.tokens.take()
                inner = self.expression()
                self.tokens.expect(")", "after an expression")
                return inner
            case "forall" | "exists":
                return self._quantified()
            case "isundefined":
                self.tokens.take()
                self.tokens.expect("(", "after `isundefined`")
                operand = self.expression()
                self.tokens.expect(")", "after the argument of `isundefined`")
                return ast.IsUndefined(self.tokens.span_from(token), operand)
            case "ismember":
                return self._is_member()
            case "multisetcount":
                return self._multiset_count()
        raise self.tokens.error("expected an expression")

    def _call(self, name: Token) -> ast.Call:
        self.tokens.take()
        arguments: list[ast.Expression] = []
        if self.tokens.next.kind != ")":
            arguments.append(self.expression())
            while self.tokens.accept(","):
                arguments.append(self.expression())
        self.tokens.expect(")", "after the arguments of a call")
        return ast.Call(self.tokens.span_from(name), name.text, tuple(arguments))

    def call(self) -> ast.Call:
        return self._call(self.tokens.expect("name", "of a function"))

    def _quantified(self) -> ast.Quantified:
        keyword = self.tokens.take()
        binding = self.binding()
        self.expect_do("after what a quantifier ranges over")
        body = self.expression()
        self.tokens.skip_semicolons()
        self.tokens.close(f"of `{keyword.kind}`")
        quantifier = cast(Literal["forall", "exists"], keyword.kind)
        return ast.Quantified(self.tokens.span_from(keyword), quantifier, binding, body)

    def _is_member(self) -> ast.IsMember:
        keyword = self.tokens.take()
        self.tokens.expect("(", "after `ismember`")
        operand = self.expression()
        self.tokens.expect(",", "after the first argument of `ismember`")
        kind = self.type()
        self.tokens.expect(")", "after the arguments of `ismember`")
        return ast.IsMember(self.tokens.span_from(keyword), operand, kind)

    def _multiset_count(self) -> ast.MultisetCount:
        keyword = self.tokens.take()
        name, multiset, condition = self.multiset_condition()
        return ast.MultisetCount(self.tokens.span_from(keyword), name, multiset, condition)

    def multiset_condition(self) -> tuple[str, ast.Expression, ast.Expression]:
        """`(i: multiset, condition)`"""
        self.tokens.expect("(", "after the name of an operation on multisets")
        name = self.tokens.expect("name", "for the elements")
        self.tokens.expect(":", "after the name for the elements")
        multiset = self.expression()
        self.tokens.expect(",", "after the multiset")
        condition = self.expression()
        self.tokens.expect(")", "after the condition")
        return name.text, multiset, condition

    def binding(self) -> ast.Binding:
        name = self.tokens.expect("name", "for what is quantified")
        if self.tokens.accept(":="):
            first = self.expression()
            self.tokens.expect("to", "after the first value")
            last = self.expression()
            step = self.expression() if self.tokens.accept("by") else None
            return ast.Binding(self.tokens.span_from(name), name.text, None, first, last, step)
        self.tokens.expect(":", "or `:=` after the name")
        return ast.Binding(self.tokens.span_from(name), name.text, self.type())

    def expect_do(self, where: str) -> None:
        if not self.tokens.accept("do", ":"):
            self.tokens.fail(f"expected `do` {where}")

    # Types

    def type(self) -> ast.Type:
        token = self.tokens.next
        match token.kind:
            case "enum":
                return self._enumeration()
            case "record":
                return self._record()
            case "array":
                return self._array()
            case "multiset":
                return self._multiset()
            case "union":
                return self._union()
            case "scalarset":
                self.tokens.take()
                self.tokens.expect("(", "after `scalarset`")
                size = self.expression()
                self.tokens.expect(")", "after the size of a scalarset")
                return ast.ScalarsetType(self.tokens.span_from(token), size)
            case "real":
                self.tokens.fail("`real` types are not supported: a state has integers only")
            case "name" if token.text.lower() == "interleaved" and self.tokens.following.kind in ("array", "multiset"):
                self.tokens.take()
                return self.type()
            case "name" if self._names_type():
                self.tokens.take()
                return ast.NamedType(self.tokens.span_from(token), token.text)
        low = self.disjunction()
        self.tokens.expect("..", "in a range of integers")
        high = self.disjunction()
        return ast.RangeType(self.tokens.span_from(token), low, high)

    def _names_type(self) -> bool:
        """A name begins a range, where an operator follows, or stands for a type."""
        return self.tokens.following.kind not in ("..", "+", "-", "*", "/", "%", "<<", ">>", ".", "[", "(")

    def _enumeration(self) -> ast.EnumType:
        keyword = self.tokens.take()
        self.tokens.expect("{", "after `enum`")
        names: list[ast.Name] = []
        while token := self.tokens.accept("name"):
            names.append(ast.Name(self.tokens.span_from(token), token.text))
            if not self.tokens.accept(","):
                break
        if not names:
            self.tokens.fail("expected a name of a value")
        self.tokens.expect("}", "after the values of an enumeration")
        return ast.EnumType(self.tokens.span_from(keyword), tuple(names))

    def _union(self) -> ast.UnionType:
        keyword = self.tokens.take()
        self.tokens.expect("{", "after `union`")
        members = [self.type()]
        while self.tokens.accept(","):
            members.append(self.type())
        self.tokens.expect("}", "after the members of a union")
        return ast.UnionType(self.tokens.span_from(keyword), tuple(members))

    def _record(self) -> ast.RecordType:
        keyword = self.tokens.take()
        fields: list[tuple[ast.Name, ast.Type]] = []
        self.tokens.skip_semicolons()
        while self.tokens.next.kind == "name":
            names = self.names("of a field")
            self.tokens.expect(":", "after the name of a field")
            kind = self.type()
            fields += [(name, kind) for name in names]
            self.tokens.skip_semicolons()
        self.tokens.close("of a record")
        return ast.RecordType(self.tokens.span_from(keyword), tuple(fields))

    def _array(self) -> ast.ArrayType:
        keyword = self.tokens.take()
        self.tokens.expect("[", "after `array`")
        index = self.type()
        self.tokens.expect("]", "after the index type of an array")
        self.tokens.expect("of", "and the type of the elements")
        element = self.type()
        return ast.ArrayType(self.tokens.span_from(keyword), index, element)

    def _multiset(self) -> ast.MultisetType:
        keyword = self.tokens.take()
        self.tokens.expect("[", "after `multiset`")
        size = self.expression()
        self.tokens.expect("]", "after the size of a multiset")
        self.tokens.expect("of", "and the type of the elements")
        element = self.type()
        return ast.MultisetType(self.tokens.span_from(keyword), size, element)

    def names(self, where: str) -> list[ast.Name]:
        """One name or several, separated by commas."""
        names: list[ast.Name] = []
        while True:
            token = self.tokens.expect("name", where)
            names.append(ast.Name(self.tokens.span_from(token), token.text))
            if not self.tokens.accept(","):
                return names
