"""Line markers of a preprocessor that ran before: `# 12 "file"` says where the lines after it come from."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from ouroboros.source import Source

_MARKER = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d{1,9})[ \t]+"([^"\n]+)".*$', re.MULTILINE)


@dataclass(frozen=True, eq=False)
class MarkedSource(Source):
    """A text of which some lines come from another file: that is its name, and lines are counted as they are there."""

    shift: int
    """What has to be added to a line of the text."""

    def position(self, offset: int) -> tuple[int, int]:
        line, column = super().position(offset)
        return line + self.shift, column

    def line_text(self, line: int) -> str:
        return super().line_text(line - self.shift)


class Markers:
    """Of the texts that are asked for."""

    def __init__(self) -> None:
        self._known: dict[Source, tuple[list[int], list[Source]]] = {}

    def source_at(self, source: Source, offset: int) -> Source:
        """The same text, as the last marker before a place names it."""
        if source not in self._known:
            markers = list(_MARKER.finditer(source.text))
            # The line after a marker has the number that it says.
            marked = [
                MarkedSource(found[2], source.text, int(found[1]) - source.position(found.start())[0] - 1)
                for found in markers
            ]
            self._known[source] = ([found.end() for found in markers], [source, *marked])
        ends, sources = self._known[source]
        return sources[bisect_right(ends, offset)]
