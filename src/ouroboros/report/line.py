"""One line of a terminal that is kept up to date, and removed at the end."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text


class TerminalLine:
    """Shows nothing where there is no terminal."""

    def __init__(self, stream: TextIO, visible: bool = True) -> None:
        console = Console(file=stream, highlight=False)
        self._live = Live(console=console, auto_refresh=False, transient=True) if visible and stream.isatty() else None

    @property
    def visible(self) -> bool:
        return self._live is not None

    def start(self) -> None:
        if self._live:
            self._live.start()

    def stop(self) -> None:
        if self._live:
            self._live.stop()

    def show(self, text: str) -> None:
        if self._live:
            self._live.update(Text(text, no_wrap=True, overflow="ellipsis"), refresh=True)
