"""The syntax of formulas: that of Spin and of DiVinE in one.

From the tightest to the loosest: the unary `! [] <> X`; then `U W R M`; then `&&`; `^`; `||`; and last `->` and `<->`
together. All binary operators associate to the left, `p U q U r` being `(p U q) U r` and `p -> q -> r` being
`(p -> q) -> r`, because that is how Spin reads them (its manual page says so of `U` and `V`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ouroboros.errors import InputError
from ouroboros.ltl.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
    Equivalent,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
)
from ouroboros.ltl.tokens import COMMON, Dialect, Token, tokenize
from ouroboros.source import Source, Span

# Deeper nesting is no formula that a person has written, and would exhaust the stack of what comes after.
DEEPEST = 100

_UNARY: dict[str, Callable[..., Formula]] = {"!": Not, "[]": Globally, "<>": Finally, "X": Next}
_BINARY: dict[str, Callable[..., Formula]] = {
    "U": Until,
    "W": WeakUntil,
    "R": Release,
    "M": StrongRelease,
    "&&": And,
    "^": Xor,
    "||": Or,
    "->": Implies,
    "<->": Equivalent,
}
_PRECEDENCE = {"U": 5, "W": 5, "R": 5, "M": 5, "&&": 4, "^": 3, "||": 2, "->": 1, "<->": 1}


@dataclass(frozen=True)
class AtomSpan:
    """An occurrence of an atom: its text, and where it stands, for errors that the model's language finds inside."""

    text: str
    span: Span


@dataclass(frozen=True)
class ParsedFormula:
    formula: Formula
    atoms: tuple[AtomSpan, ...]

    def span_of(self, atom: str) -> Span:
        """The first place where the atom stands."""
        return next(occurrence.span for occurrence in self.atoms if occurrence.text == atom)


def parse_formula(text: str) -> Formula:
    """The formula that a text says; `InputError` if it says none."""
    return parse_span(Span(Source("formula", text), 0, len(text))).formula


def parse_span(span: Span, dialect: Dialect = COMMON) -> ParsedFormula:
    """The formula in a part of a source, say of a model, with the places of its atoms."""
    return _Parser(tokenize(span, dialect)).parse()


class _Parser:
    """Precedence climbing over the tokens."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._atoms: list[AtomSpan] = []

    def parse(self) -> ParsedFormula:
        formula, _ = self._formula(lowest=1, nesting=0)
        if self._next.kind != "end":
            raise InputError("this parenthesis was never opened", self._next.span)
        return ParsedFormula(formula, tuple(self._atoms))

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _advance(self) -> Token:
        self._position += 1
        return self._tokens[self._position - 1]

    def _formula(self, lowest: int, nesting: int) -> tuple[Formula, int]:
        """A formula whose operators bind at least as tightly as the lowest precedence, and its height."""
        left, height = self._unary(nesting)
        closed = True  # `(a && b) && c` keeps its parentheses, `a && b && c` is one conjunction
        while _PRECEDENCE.get(self._next.kind, 0) >= lowest:
            token = self._advance()
            right, right_height = self._formula(_PRECEDENCE[token.kind] + 1, nesting)
            operator = _BINARY[token.kind]
            if isinstance(left, And | Or) and type(left) is operator and not closed:
                left = operator(*left.operands, right)
                height = max(height, right_height + 1)
            else:
                left = operator(left, right)
                height = max(height, right_height) + 1
            closed = False
            self._check_depth(nesting + height, token)
        return left, height

    def _unary(self, nesting: int) -> tuple[Formula, int]:
        token = self._advance()
        self._check_depth(nesting, token)
        if token.kind in _UNARY:
            operand, height = self._unary(nesting + 1)
            return _UNARY[token.kind](operand), height + 1
        match token.kind:
            case "true":
                return TRUE, 1
            case "false":
                return FALSE, 1
            case "atom":
                self._atoms.append(AtomSpan(token.text, token.span))
                return Atom(token.text), 1
            case "(":
                formula, height = self._formula(1, nesting + 1)
                if self._next.kind != ")":
                    raise InputError("this parenthesis is not closed", token.span)
                self._advance()
                return formula, height
            case "end":
                raise InputError("the formula ends where an operand is expected", token.span)
        raise InputError(f"a formula is expected here, not {token.text}", token.span)

    def _check_depth(self, depth: int, token: Token) -> None:
        if depth > DEEPEST:
            raise InputError(f"the formula is nested more than {DEEPEST} deep", token.span)
