"""Where a report is written to: how wide it is, and whether it has colours."""

from __future__ import annotations

import os
from io import StringIO
from typing import TextIO

from rich.console import Console, RenderableType

_WIDE = 100_000
"""Columns where there is no terminal: a line is not broken, so that other programs can read it."""

_CODES = {"bold": "1", "dim": "2", "underline": "4"}


class Page:
    """A terminal in its width and colours; elsewhere plain lines without trailing blanks. Nothing is kept back: what is
    long is written while it is made.

    `FORCE_COLOR` in the environment asks for colours elsewhere too, `NO_COLOR` for none at all.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.is_terminal = stream.isatty()
        forced = bool(os.environ.get("FORCE_COLOR"))
        self._coloured = (self.is_terminal or forced) and not os.environ.get("NO_COLOR")
        self.width: int | None = Console(file=stream).width if self.is_terminal else None

    def show(self, content: RenderableType) -> None:
        if self.is_terminal:
            Console(file=self._stream, highlight=False, no_color=not self._coloured).print(content)
            return
        buffer = StringIO()
        Console(
            file=buffer,
            width=_WIDE,
            highlight=False,
            force_terminal=self._coloured,
            color_system="standard" if self._coloured else None,
        ).print(content)
        self._stream.write("".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines()))

    def line(self, text: str) -> None:
        self._stream.write(f"{text}\n")

    def styled(self, text: str, style: str) -> str:
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self._coloured and text else text
