"""A place in a list of tokens, and what may be expected there."""

from __future__ import annotations

from typing import NoReturn

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read.lex import Token, tokens
from ouroboros.languages.uppaal.read.units import Unit
from ouroboros.source import Span


class Cursor:
    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self._tokens = tokens(unit)
        self._at = 0

    @property
    def token(self) -> Token:
        return self._tokens[self._at]

    def ahead(self, distance: int = 1) -> Token:
        return self._tokens[min(self._at + distance, len(self._tokens) - 1)]

    def take(self) -> Token:
        token = self.token
        if token.kind != "end":
            self._at += 1
        return token

    def at(self, *texts: str) -> bool:
        return self.token.kind in ("symbol", "keyword") and self.token.text in texts

    def accept(self, *texts: str) -> Token | None:
        return self.take() if self.at(*texts) else None

    def expect(self, text: str, why: str = "") -> Token:
        if not self.at(text):
            self.fail(f"`{text}`{why}")
        return self.take()

    def name(self, what: str) -> Token:
        if self.token.kind != "name":
            self.fail(what)
        return self.take()

    def finished(self, what: str) -> None:
        if self.token.kind != "end":
            self.fail(f"the end of {what}")

    def since(self, start: Token) -> Span:
        """From a token to the last one that was taken."""
        last = self._tokens[max(self._at - 1, 0)]
        return start.unit.span(start.start, max(last.end, start.end))

    def fail(self, expected: str) -> NoReturn:
        raise self.failure(expected)

    def failure(self, expected: str) -> InputError:
        token = self.token
        met = token.text if token.kind == "end" else f"`{token.text}`"
        message = f"{expected} is expected here, and not {met}"
        if token.kind == "keyword":
            message += ", which is a word of the language"
        return InputError(message, token.span)
