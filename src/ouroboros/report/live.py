"""The live line: where a running search stands, on a terminal only."""

from __future__ import annotations

import time
from typing import TextIO

from ouroboros.engine.limits import Progress
from ouroboros.report.line import TerminalLine
from ouroboros.units import duration, size


class LiveLine(TerminalLine):
    """An observer that shows where a search stands."""

    def __init__(self, stream: TextIO, visible: bool = True) -> None:
        super().__init__(stream, visible)
        self._started = time.monotonic()
        self._before: tuple[float, int] = (self._started, 0)
        self.last: Progress | None = None
        """The last moment that was observed, shown or not."""

    def __call__(self, progress: Progress) -> None:
        self.last = progress
        if self.visible:
            now = time.monotonic()
            then, states = self._before
            rate = (progress.states - states) / max(now - then, 1e-9)
            self._before = now, progress.states
            self.show(line(progress, rate, now - self._started))


def line(progress: Progress, rate: float, seconds: float) -> str:
    return (
        f"{progress.phase}  {progress.states:,} states  {max(0.0, rate):,.0f}/s  frontier {progress.frontier:,}"
        f"  depth {progress.depth:,}  {size(progress.bytes)}  {duration(seconds)}"
    )
