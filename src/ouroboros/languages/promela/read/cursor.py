"""A place in the tokens of a model, and what to say when something else was expected there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.tokens import KEYWORDS, Token
from ouroboros.source import Span

# All that comes after recurses on the tree, and so does Python on it: well below its limit.
DEEPEST_NESTING = 100


class Cursor:
    """Reads tokens one after the other; those of an inline's body in the place of its call."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0
        self._nesting = 0
        self._expanded = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._position]

    @property
    def previous(self) -> Token:
        return self._tokens[max(0, self._position - 1)]

    @property
    def position(self) -> int:
        return self._position

    @position.setter
    def position(self, position: int) -> None:
        self._position = position

    def following(self, distance: int = 1) -> Token:
        """A token after the next one; the last one if there are no more."""
        return self._tokens[min(self._position + distance, len(self._tokens) - 1)]

    def advance(self) -> Token:
        token = self._tokens[self._position]
        if token.kind != "end":
            self._position += 1
        return token

    def accept(self, *kinds: str) -> Token | None:
        """The next token if it is of one of these kinds; then it is read."""
        return self.advance() if self._tokens[self._position].kind in kinds else None

    def expect(self, kind: str, purpose: str, hint: str | None = None) -> Token:
        """The next token, which must be of this kind."""
        if self.next.kind != kind:
            raise self.unexpected(f"{spelled(kind)} {purpose}".rstrip(), hint)
        return self.advance()

    def unexpected(self, expected: str, hint: str | None = None) -> InputError:
        """The error that the next token is not what was expected."""
        token = self.next
        if token.kind == "end":
            return InputError(f"the text ends where {expected} is expected", token.span, hint)
        if token.kind == ";" and not token.text:
            return InputError(f"the line ends where {expected} is expected", token.span, hint)
        if token.kind == "other":
            return InputError(f"Promela has no character {token.text}", token.span, hint)
        return InputError(f"{expected} is expected here, not {token.text}", token.span, hint)

    def operator_hint(self) -> str | None:
        """What to write instead of an operator of other languages, if that is next."""
        if self.next.kind != "=":
            return None
        return "an implication is written ->" if self.following().kind == ">" else "a comparison is written =="

    def since(self, first: Token) -> Span:
        """The place of all that was read from a token on."""
        return joined(first.place, self.previous.place)

    def count_expanded(self, tokens: int, most: int, call: Token) -> None:
        """Note that an inline brings so many tokens; raises InputError where all of them are too many."""
        self._expanded += tokens
        if self._expanded > most:
            raise InputError(
                "the inlines expand to too long a text", call.span, f"at most {most:,} tokens are supported"
            )

    @contextmanager
    def inside(self, tokens: list[Token]) -> Iterator[None]:
        """Read other tokens first."""
        outer, self._tokens = self._tokens, tokens
        position, self._position = self._position, 0
        try:
            yield
        finally:
            self._tokens, self._position = outer, position

    @contextmanager
    def nested(self) -> Iterator[None]:
        """One level deeper, in parentheses or blocks."""
        self._nesting += 1
        if self._nesting > DEEPEST_NESTING:
            raise InputError(
                "this is nested too deeply", self.next.span, f"at most {DEEPEST_NESTING} levels are supported"
            )
        try:
            yield
        finally:
            self._nesting -= 1


def joined(first: Span, last: Span) -> Span:
    """From the one to the other, if both are of one text."""
    if first.source is not last.source:
        return first
    return Span(first.source, min(first.start, last.start), max(first.end, last.end))


def spelled(kind: str) -> str:
    """How to call a kind of token in a message."""
    if kind in KEYWORDS or not kind.isalpha():
        return f"`{kind}`"
    return f"a {kind}"
