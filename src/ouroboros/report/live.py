"""The live line: where a running search stands, on a terminal only."""

from __future__ import annotations

import time
from typing import TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from ouroboros.engine.limits import Progress
from ouroboros.report.units import duration, size


class LiveLine:
    """An observer that keeps one line of a terminal up to date, and removes it at the end."""

    def __init__(self, stream: TextIO, visible: bool = True) -> None:
        console = Console(file=stream, highlight=False)
        self._live = Live(console=console, auto_refresh=False, transient=True) if visible and stream.isatty() else None
        self._started = time.monotonic()
        self._before: tuple[float, int] = (self._started, 0)
        self.last: Progress | None = None
        """The last moment that was observed, shown or not."""

    def start(self) -> None:
        if self._live:
            self._live.start()

    def stop(self) -> None:
        if self._live:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if self._live:
            now = time.monotonic()
            then, states = self._before
            rate = (progress.states - states) / max(now - then, 1e-9)
            self._before = now, progress.states
            text = Text(line(progress, rate, now - self._started), no_wrap=True, overflow="ellipsis")
            self._live.update(text, refresh=True)


def line(progress: Progress, rate: float, seconds: float) -> str:
    return (
        f"{progress.phase}  {progress.states:,} states  {max(0.0, rate):,.0f}/s  frontier {progress.frontier:,}"
        f"  depth {progress.depth:,}  {size(progress.bytes)}  {duration(seconds)}"
    )
