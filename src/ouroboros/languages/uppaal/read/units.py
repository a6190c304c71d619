"""Pieces of text inside of a file: each character knows where it stands there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ouroboros.source import Source, Span


@dataclass(frozen=True, eq=False)
class Unit:
    """One text of the language: a whole file, or the content of an element of XML."""

    source: Source
    text: str
    offsets: Sequence[int]
    """Where each character begins in the source, and where the last one ends."""

    def span(self, start: int, end: int) -> Span:
        return Span(self.source, self.offsets[start], max(self.offsets[end], self.offsets[start]))


def whole(source: Source) -> Unit:
    return Unit(source, source.text, range(len(source.text) + 1))
