"""A position in the tokens of a text, with the moves that a recursive descent makes."""

from __future__ import annotations

from typing import NoReturn

from ouroboros.errors import InputError
from ouroboros.languages.murphi.lex import CLOSERS, KEYWORDS, Token, tokenize
from ouroboros.source import Source, Span

_NAMES = {"name": "a name", "number": "a number", "string": "a string", "end of text": "the end of the text"}


class Tokens:
    """The tokens of a source, and the place where reading goes on."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._tokens = tokenize(source)
        self._at = 0

    @property
    def next(self) -> Token:
        return self._tokens[self._at]

    @property
    def following(self) -> Token:
        """The token after the next."""
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    @property
    def place(self) -> int:
        """Something to come back to."""
        return self._at

    def back_to(self, place: int) -> None:
        self._at = place

    def take(self) -> Token:
        token = self.next
        if token.kind != "end of text":
            self._at += 1
        return token

    def accept(self, *kinds: str) -> Token | None:
        """The next token, if it is of one of these kinds."""
        return self.take() if self.next.kind in kinds else None

    def expect(self, kind: str, where: str) -> Token:
        """The next token, which must be of this kind; `where` is what it belongs to."""
        if self.next.kind != kind:
            self.fail(f"expected {describe(kind)} {where}")
        return self.take()

    def close(self, what: str) -> Token:
        """The `end` of a construct, which may also be spelled `endrule` and so on."""
        if self.next.kind not in CLOSERS:
            self.fail(f"expected `end` {what}")
        return self.take()

    def skip_semicolons(self) -> None:
        while self.accept(";"):
            pass

    def fail(self, hint: str) -> NoReturn:
        raise self.error(hint)

    def error(self, hint: str) -> InputError:
        """What is wrong with the next token."""
        token = self.next
        at_end = token.kind == "end of text"
        start = len(self.source.text.rstrip()) if at_end else token.start
        span = Span(self.source, start, start if at_end else token.end)
        if at_end:
            message = "the text ends too early"
        elif token.kind in KEYWORDS and "a name" in hint:
            message = f"`{token.text}` is a keyword"
        else:
            message = f"unexpected `{span.text}`"
        return InputError(message, span, hint)

    def span_from(self, start: Token | Span) -> Span:
        """From a token or a node to what was read last."""
        first = start.start
        return Span(self.source, first, max(first, self._tokens[max(0, self._at - 1)].end))


def describe(kind: str) -> str:
    return _NAMES.get(kind, f"`{kind}`")
