"""Declarations and statements, by recursive descent. Semicolons separate, but hardly any is required."""

from __future__ import annotations

from typing import Literal, cast

from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.lex import CLOSERS
from ouroboros.languages.murphi.parse_expressions import ExpressionParser

_DECLARATIONS = ("const", "type", "var")
_AFTER_STATEMENTS = CLOSERS | {"else", "elsif", "case", "end of text"}
_MULTISET_OPERATIONS = ("multisetadd", "multisetremove", "multisetremovepred")
STATEMENT_KEYWORDS = frozenset(
    (
        "if",
        "switch",
        "for",
        "while",
        "alias",
        "return",
        "assert",
        "assume",
        "cover",
        "error",
        "put",
        "clear",
        "undefine",
    )
).union(_MULTISET_OPERATIONS)


class StatementParser(ExpressionParser):
    # Declarations

    def local_declarations(self) -> list[ast.Declaration]:
        """The sections `const`, `type` and `var`, in any order and number."""
        declarations: list[ast.Declaration] = []
        self.tokens.skip_semicolons()
        while section := self.tokens.accept(*_DECLARATIONS):
            self.tokens.skip_semicolons()
            while self.tokens.next.kind == "name":
                declarations += self._declaration(section.kind)
                self.tokens.skip_semicolons()
        return declarations

    def _declaration(self, section: str) -> list[ast.Declaration]:
        names = self.names("that is declared")
        self.tokens.expect(":", "after what is declared")
        if section == "const":
            value = self.expression()
            return [ast.ConstantDeclaration(name.span, name.name, value) for name in names]
        kind = self.type()
        if section == "type":
            return [ast.TypeDeclaration(name.span, name.name, kind) for name in names]
        return [ast.VariableDeclaration(name.span, name.name, kind) for name in names]

    def function(self) -> ast.Function:
        keyword = self.tokens.take()
        name = self.tokens.expect("name", f"of a {keyword.kind}")
        parameters = self._parameters() if self.tokens.accept("(") else []
        result: ast.Type | None = None
        if keyword.kind == "function":
            self.tokens.expect(":", "and the type of the function's result")
            result = self.type()
        header = self.tokens.span_from(keyword)
        self.tokens.skip_semicolons()
        declarations = self.local_declarations()
        self.tokens.accept("begin")
        body = self.statements()
        self.tokens.close(f"of a {keyword.kind}")
        return ast.Function(header, name.text, tuple(parameters), result, tuple(declarations), body)

    def _parameters(self) -> list[ast.Parameter]:
        parameters: list[ast.Parameter] = []
        while not self.tokens.accept(")"):
            by_reference = self.tokens.accept("var") is not None
            names = self.names("of a parameter")
            self.tokens.expect(":", "and the type of the parameter")
            kind = self.type()
            parameters += [ast.Parameter(name.span, name.name, kind, by_reference) for name in names]
            if not self.tokens.accept(";", ",") and self.tokens.next.kind != ")":
                self.tokens.fail("expected `;` or `)` after a parameter")
        return parameters

    # Statements

    def statements(self) -> tuple[ast.Statement, ...]:
        """Statements up to what cannot be one of them."""
        found: list[ast.Statement] = []
        self.tokens.skip_semicolons()
        while self.tokens.next.kind not in _AFTER_STATEMENTS:
            found.append(self._statement())
            self.tokens.skip_semicolons()
        return tuple(found)

    def _statement(self) -> ast.Statement:
        token = self.tokens.next
        match token.kind:
            case "if":
                return self._if()
            case "switch":
                return self._switch()
            case "for":
                return self._for()
            case "while":
                return self._while()
            case "alias":
                return self._alias()
            case "return":
                self.tokens.take()
                ends = self.tokens.next.kind in _AFTER_STATEMENTS or self.tokens.next.kind == ";"
                value = None if ends else self.expression()
                return ast.Return(self.tokens.span_from(token), value)
            case "assert" | "assume" | "cover":
                return self._property()
            case "error":
                self.tokens.take()
                message = self.tokens.expect("string", "after `error`").text
                return ast.Error(self.tokens.span_from(token), message)
            case "put":
                self.tokens.take()
                shown = None if self.tokens.accept("string") else self.expression()
                return ast.Put(self.tokens.span_from(token), shown)
            case "clear" | "undefine":
                self.tokens.take()
                target = self._designator()
                kind: Literal["clear", "undefine"] = "clear" if token.kind == "clear" else "undefine"
                return ast.Reset(self.tokens.span_from(token), kind, target)
            case "multisetadd" | "multisetremove":
                return self._multiset_operation()
            case "multisetremovepred":
                self.tokens.take()
                name, multiset, condition = self.multiset_condition()
                return ast.MultisetRemoveWhere(self.tokens.span_from(token), name, multiset, condition)
            case "name" if self.tokens.following.kind == "(":
                call = self.call()
                if self.tokens.next.kind in (":=", ".", "["):
                    self.tokens.fail("the result of a call is not a place that can be assigned to")
                return ast.CallStatement(call.span, call)
            case "name":
                target = self._designator()
                self.tokens.expect(":=", "after what is assigned to")
                value = self.expression()
                return ast.Assignment(self.tokens.span_from(token), target, value)
            case "liveness" | "invariant":
                self.tokens.fail(f"`{token.kind}` is a property of the whole model, and no statement")
        raise self.tokens.error("expected a statement")

    def _if(self) -> ast.If:
        keyword = self.tokens.take()
        branches = [self._branch()]
        otherwise: tuple[ast.Statement, ...] = ()
        while self.tokens.accept("elsif"):
            branches.append(self._branch())
        if self.tokens.accept("else"):
            otherwise = self.statements()
        self.tokens.close("of `if`")
        return ast.If(self.tokens.span_from(keyword), tuple(branches), otherwise)

    def _branch(self) -> tuple[ast.Expression, tuple[ast.Statement, ...]]:
        condition = self.expression()
        self.tokens.expect("then", "after the condition of `if`")
        return condition, self.statements()

    def _switch(self) -> ast.Switch:
        keyword = self.tokens.take()
        value = self.expression()
        self.tokens.skip_semicolons()
        cases: list[tuple[tuple[ast.Expression, ...], tuple[ast.Statement, ...]]] = []
        while self.tokens.accept("case"):
            labels = [self.expression()]
            while self.tokens.accept(","):
                labels.append(self.expression())
            self.tokens.expect(":", "after the values of a case")
            cases.append((tuple(labels), self.statements()))
        otherwise: tuple[ast.Statement, ...] = ()
        if self.tokens.accept("else"):
            self.tokens.accept(":")
            otherwise = self.statements()
        self.tokens.close("of `switch`")
        return ast.Switch(self.tokens.span_from(keyword), value, tuple(cases), otherwise)

    def _for(self) -> ast.For:
        keyword = self.tokens.take()
        binding = self.binding()
        self.expect_do("after what a loop ranges over")
        body = self.statements()
        self.tokens.close("of `for`")
        return ast.For(self.tokens.span_from(keyword), binding, body)

    def _while(self) -> ast.While:
        keyword = self.tokens.take()
        condition = self.expression()
        self.expect_do("after the condition of `while`")
        body = self.statements()
        self.tokens.close("of `while`")
        return ast.While(self.tokens.span_from(keyword), condition, body)

    def _alias(self) -> ast.AliasStatement:
        keyword = self.tokens.take()
        aliases = self.aliases()
        body = self.statements()
        self.tokens.close("of `alias`")
        return ast.AliasStatement(self.tokens.span_from(keyword), aliases, body)

    def aliases(self) -> tuple[ast.Alias, ...]:
        """`name: expression; … do`"""
        found: list[ast.Alias] = []
        while self.tokens.next.kind == "name":
            name = self.tokens.take()
            self.tokens.expect(":", "after the name of an alias")
            value = self.expression()
            found.append(ast.Alias(self.tokens.span_from(name), name.text, value))
            self.tokens.skip_semicolons()
        self.tokens.expect("do", "after the aliases")
        return tuple(found)

    def _property(self) -> ast.PropertyStatement:
        keyword = self.tokens.take()
        message = self.tokens.accept("string")
        condition = self.expression()
        message = message or self.tokens.accept("string")
        kind = cast(Literal["assert", "assume", "cover"], keyword.kind)
        span = self.tokens.span_from(keyword)
        return ast.PropertyStatement(span, kind, condition, message.text if message else None)

    def _multiset_operation(self) -> ast.MultisetAdd | ast.MultisetRemove:
        keyword = self.tokens.take()
        self.tokens.expect("(", f"after `{keyword.kind}`")
        first = self.expression()
        self.tokens.expect(",", "between the arguments")
        multiset = self.expression()
        self.tokens.expect(")", "after the arguments")
        kind = ast.MultisetAdd if keyword.kind == "multisetadd" else ast.MultisetRemove
        return kind(self.tokens.span_from(keyword), first, multiset)
