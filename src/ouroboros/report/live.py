"""The live line: where a running search stands, on a terminal only."""

from __future__ import annotations

import time
from typing import TextIO

from ouroboros.engine.limits import Progress
from ouroboros.report.line import TerminalLine
from ouroboros.units import duration, size


class LiveLine(TerminalLine):
    """An observer that shows where a search stands."""

    def __init__(self, stream: TextIO, visible: bool = True, memory: int | None = None) -> None:
        """`memory` is the limit that was asked for."""
        super().__init__(stream, visible)
        self._memory = memory
        self._levels = Levels()
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
            share = self._levels.share(progress) if progress.phase == "exploration" else None
            self.show(line(progress, rate, now - self._started, self._memory, share))

    def say(self, what: str) -> None:
        """What is being done where nothing is counted."""
        self.show(f"{duration(time.monotonic() - self._started)}  {what} …")


def line(
    progress: Progress,
    rate: float,
    seconds: float,
    memory: int | None = None,
    share: tuple[float, float] | None = None,
) -> str:
    """What matters first: on a terminal of 80 columns the end is cut off, if anything."""
    room = f"{_bytes(progress.bytes)}{f'/{_bytes(memory)}' if memory else ''}"
    done = f"  {100 * share[0]:.0f}-{share[1]:.0%}" if share else ""
    phase = "" if progress.phase == "exploration" else f"{progress.phase}  "
    return (
        f"{_short(seconds)}  {phase}{_about(progress.states)} states  {_about(max(0.0, rate))}/s"
        f"  {_about(progress.frontier)} to go  depth {progress.depth:,}  {room}{done}"
    )


def _short(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _bytes(count: float) -> str:
    """Without digits that nobody needs."""
    number, unit = size(count).split()
    return f"{float(number):.0f} {unit}" if len(number) > 3 else f"{number} {unit}"


def _about(count: float) -> str:
    """With three digits that mean something, and no more than six characters."""
    for unit in ("", "k", "M"):
        if count < 1000:
            return f"{count:.0f}{unit}" if not unit or count >= 100 else f"{count:.3g}{unit}"
        count /= 1000
    return f"{count:.3g}G"


class Levels:
    """How far a search by levels is, as far as their sizes tell.

    Levels grow, and then shrink. Once they shrink, two guesses of what is left are made: that they go on shrinking by
    the factor by which they have shrunk since the widest; and that they shrink as they have grown. Neither is sure, and
    the truth may lie outside: so both are told.
    """

    def __init__(self) -> None:
        self._widths: dict[int, int] = {}

    def share(self, progress: Progress) -> tuple[float, float] | None:
        """The least and the largest share of the states that may be found by now; None as long as levels grow."""
        widths = self._widths
        widths[progress.depth] = max(widths.get(progress.depth, 0), progress.frontier)
        if len(widths) < _LEAST_LEVELS:
            return None
        widest = max(widths, key=lambda depth: widths[depth])
        last = max(widths)
        passed = last - widest
        if passed < _LEAST_LEVELS // 2 or widths[last] > _SHRUNK * widths[widest]:
            return None
        factor = (max(1, widths[last]) / widths[widest]) ** (1 / passed)
        geometric = progress.frontier * factor / (1 - factor)
        mirrored = sum(width for depth, width in widths.items() if depth < 2 * widest - last)
        least, most = sorted(progress.states / (progress.states + left) for left in (geometric, mirrored))
        # Nothing is done before it is.
        return min(least, 0.99), min(most, 0.99)


_LEAST_LEVELS = 6
_SHRUNK = 0.8
"""Of the widest level: before that, it may not have been the widest."""
