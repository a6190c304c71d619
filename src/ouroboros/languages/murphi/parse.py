"""Murphi text to syntax trees.

By hand, not by a table: closers and separators that may be left out, sections in any order and the guard that is only
known by the `==>` behind it would need more rules in a grammar than functions here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, TypeVar, cast

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.lex import CLOSERS, Token
from ouroboros.languages.murphi.parse_statements import STATEMENT_KEYWORDS, StatementParser
from ouroboros.languages.murphi.tokens import Tokens
from ouroboros.source import Source, Span

Result = TypeVar("Result")

_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # Bytes that are not UTF-8 arrive as lone surrogates.
_NO_GUARD = STATEMENT_KEYWORDS | CLOSERS | {"const", "type", "var", "begin", ";"}
_OTHER_LIVENESS = frozenset({"eventually", "until", "cangetto"})


def parse_model(source: Source) -> ast.Model:
    """The syntax tree of a whole model; raises InputError."""
    if not source.text.strip():
        raise InputError("the file is empty", Span(source, 0, 0), "a Murphi model has a `startstate` and rules")
    return _parse(source, lambda tokens: _Parser(tokens).model())


def parse_expression(source: Source) -> ast.Expression:
    """The syntax tree of an expression that stands alone; raises InputError."""
    return _parse(source, lambda tokens: _Parser(tokens).alone())


def _parse(source: Source, read: Callable[[Tokens], Result]) -> Result:
    binary = _NO_TEXT.search(source.text)
    if binary:
        raise InputError("this is not a text file", Span(source, *binary.span()), "expected Murphi source text")
    tokens = Tokens(source)
    try:
        return read(tokens)
    except RecursionError:
        span = Span(source, tokens.next.start, tokens.next.end)
        raise InputError("this is nested too deeply", span) from None


class _Parser(StatementParser):
    def model(self) -> ast.Model:
        declarations: list[ast.Declaration] = []
        rules: list[ast.AnyRule] = []
        while True:
            declarations += self.local_declarations()
            self.tokens.skip_semicolons()
            match self.tokens.next.kind:
                case "function" | "procedure":
                    declarations.append(self.function())
                case "end of text":
                    return ast.Model(tuple(declarations), tuple(rules))
                case "externfun" | "externproc":
                    self.tokens.fail("external functions are not supported: write the function in Murphi")
                case _:
                    rules.append(self._rule())

    def alone(self) -> ast.Expression:
        expression = self.expression()
        if self.tokens.next.kind != "end of text":
            self.tokens.fail("expected an operator or the end of the expression")
        return expression

    def _rules(self, what: str) -> tuple[ast.AnyRule, ...]:
        found: list[ast.AnyRule] = []
        self.tokens.skip_semicolons()
        while self.tokens.next.kind not in CLOSERS:
            found.append(self._rule())
            self.tokens.skip_semicolons()
        self.tokens.close(f"of `{what}`")
        return tuple(found)

    def _rule(self) -> ast.AnyRule:
        token = self.tokens.next
        if token.pragma not in ("", "weak", "strong"):
            span = Span(self.tokens.source, token.start, token.end)
            raise InputError(
                f"`--@ {token.pragma}` says nothing of a rule", span, "expected `--@ weak` or `--@ strong`"
            )
        match token.kind:
            case "rule":
                return self._plain_rule()
            case "startstate":
                return self._start_state()
            case "invariant" | "assume" | "cover" | "assert" | "liveness":
                return self._rule_property()
            case "ruleset":
                self.tokens.take()
                bindings = self._bindings()
                rules = self._rules("ruleset")
                return ast.Ruleset(self.tokens.span_from(token), bindings, _with_pragma(rules, token))
            case "alias":
                self.tokens.take()
                aliases = self.aliases()
                rules = self._rules("alias")
                return ast.AliasRule(self.tokens.span_from(token), aliases, _with_pragma(rules, token))
            case "choose":
                self.tokens.take()
                name = self.tokens.expect("name", "for what is chosen")
                self.tokens.expect(":", "and the multiset to choose from")
                multiset = self._designator()
                self.expect_do("after the multiset")
                rules = self._rules("choose")
                return ast.Choose(self.tokens.span_from(token), name.text, multiset, _with_pragma(rules, token))
        raise self.tokens.error("expected a rule, a startstate, a property or a declaration")

    def _bindings(self) -> tuple[ast.Binding, ...]:
        bindings = [self.binding()]
        while True:
            self.tokens.skip_semicolons()
            self.tokens.accept(",")
            if self.tokens.next.kind != "name":
                self.tokens.expect("do", "after what a ruleset ranges over")
                return tuple(bindings)
            bindings.append(self.binding())

    def _plain_rule(self) -> ast.Rule:
        keyword = self.tokens.take()
        self.tokens.accept("number")  # CMurphi's priority: it orders what is fired, and nothing else.
        marked = self.tokens.next.kind == "name" and self.tokens.next.text.lower() == "unfair"
        if marked and self.tokens.following.kind in ("string", "begin", "name"):
            self.tokens.take()
        name = self.tokens.accept("string")
        header = self.tokens.span_from(keyword)
        guard = self._guard()
        declarations = self.local_declarations()
        self.tokens.accept("begin")
        body = self.statements()
        self.tokens.close("of a rule")
        return ast.Rule(header, name.text if name else None, guard, tuple(declarations), body, keyword.pragma)

    def _guard(self) -> ast.Expression | None:
        """What stands before `==>`. A statement can begin as a guard does: then there is none."""
        if self.tokens.accept("==>") or self.tokens.next.kind in _NO_GUARD:
            return None
        place = self.tokens.place
        guard = self.expression()
        if self.tokens.accept("==>"):
            return guard
        if self.tokens.next.kind != ":=" and not isinstance(guard, ast.Call):
            self.tokens.fail("expected an operator or `==>` after a guard")
        self.tokens.back_to(place)
        return None

    def _start_state(self) -> ast.StartState:
        keyword = self.tokens.take()
        name = self.tokens.accept("string")
        header = self.tokens.span_from(keyword)
        declarations = self.local_declarations()
        self.tokens.accept("begin")
        body = self.statements()
        self.tokens.close("of a startstate")
        return ast.StartState(header, name.text if name else None, tuple(declarations), body)

    def _rule_property(self) -> ast.Property | ast.Response:
        keyword = self.tokens.take()
        name = self.tokens.accept("string")
        if keyword.kind == "liveness" and self.tokens.next.kind == "name":
            word = self.tokens.next.text.lower()
            if word == "always" and self.tokens.following.kind not in (".", "["):
                return self._response(keyword, name)
            if word in _OTHER_LIVENESS:
                self.tokens.fail("of PReach's liveness, only `always p -> eventually q` is supported: give --ltl")
        condition = self.expression()
        name = name or self.tokens.accept("string")
        kind = "invariant" if keyword.kind == "assert" else keyword.kind
        return ast.Property(
            self.tokens.span_from(keyword),
            cast(Literal["invariant", "assume", "cover", "liveness"], kind),
            name.text if name else None,
            condition,
        )

    def _response(self, keyword: Token, name: Token | None) -> ast.Response:
        self.tokens.take()
        request = self.disjunction()
        self.tokens.expect("->", "in `always p -> eventually q`")
        if self.tokens.next.text.lower() != "eventually":
            self.tokens.fail("expected `eventually` after `->`: only `always p -> eventually q` is supported")
        self.tokens.take()
        answer = self.expression()
        return ast.Response(self.tokens.span_from(keyword), name.text if name else None, request, answer)


def _with_pragma(rules: tuple[ast.AnyRule, ...], opening: Token) -> tuple[ast.AnyRule, ...]:
    """A pragma before a ruleset is about all rules in it that have none of their own."""
    if not opening.pragma:
        return rules
    return tuple(_marked(rule, opening) for rule in rules)


def _marked(rule: ast.AnyRule, opening: Token) -> ast.AnyRule:
    match rule:
        case ast.Rule(span, name, guard, declarations, body, fairness):
            return ast.Rule(span, name, guard, declarations, body, fairness or opening.pragma)
        case ast.Ruleset(span, bindings, rules):
            return ast.Ruleset(span, bindings, _with_pragma(rules, opening))
        case ast.AliasRule(span, aliases, rules):
            return ast.AliasRule(span, aliases, _with_pragma(rules, opening))
        case ast.Choose(span, name, multiset, rules):
            return ast.Choose(span, name, multiset, _with_pragma(rules, opening))
        case _:
            return rule
