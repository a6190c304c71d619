"""Source texts and places in them: what every diagnostic and every trace step points at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple


@dataclass(frozen=True, eq=False)
class Source:
    """A text with the name that the user knows it by."""

    name: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(offset + 1 for offset, character in enumerate(self.text) if character == "\n")]

    @cached_property
    def sha256(self) -> str:
        return sha256(self.text.encode("utf-8", "surrogateescape")).hexdigest()

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from one."""
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """The other way round."""
        return min(self._line_starts[min(line, len(self._line_starts)) - 1] + column - 1, len(self.text))

    def line_text(self, line: int) -> str:
        start = self._line_starts[line - 1]
        end = self.text.find("\n", start)
        return self.text[start : end if end >= 0 else len(self.text)].rstrip("\r")


class Span(NamedTuple):
    """Characters start to end (exclusive) of a source."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.position(self.start)[0]

    @property
    def column(self) -> int:
        return self.source.position(self.start)[1]

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"
