"""What a run does besides searching: it is told, and ends where the time does.

Searches look at the clock themselves. All else is Python, which a signal can interrupt at any point.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

from ouroboros.engine.limits import Clock
from ouroboros.errors import OutOfTime
from ouroboros.jit.clock import now
from ouroboros.report.live import LiveLine

LEAST = 5.0
"""Seconds in which a model may be read and compiled, however little time a search is given."""


class StagesOfRun:
    """What comes before the first search may take as long as the searches may; from then on, one clock counts."""

    def __init__(self, line: LiveLine, seconds: float | None, clock: Clock, alone: bool = True) -> None:
        """Who is not `alone` has others that would wait for ever where one ends: there is no limit."""
        self._line = line
        self._seconds = seconds if alone and current_thread() is main_thread() else None
        self._clock = clock
        self._spent = 0.0
        """In stages before the first search."""

    @contextmanager
    def __call__(self, doing: str, limited: bool = True) -> Iterator[None]:
        self._line.start()
        self._line.say(doing)
        if self._seconds is None or not limited:
            yield
            return
        begun, seconds = now(), self._seconds

        def left() -> float:
            if self._clock.runs:
                return seconds - self._clock.seconds
            return max(seconds, LEAST) - self._spent - (now() - begun)

        def ring(*_: int | FrameType | None) -> None:
            rest = left()
            if rest <= 0:
                raise OutOfTime(doing)
            # The clock has stood still meanwhile.
            signal.setitimer(signal.ITIMER_REAL, rest)

        others, before = signal.getitimer(signal.ITIMER_REAL), signal.signal(signal.SIGALRM, ring)
        try:
            ring()
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            signal.setitimer(signal.ITIMER_REAL, *others)
            if not self._clock.runs:
                self._spent += now() - begun


@contextmanager
def told(doing: str) -> Iterator[None]:
    """What is done when the search is over."""
    line = LiveLine(sys.stderr)
    line.start()
    line.say(doing)
    try:
        yield
    finally:
        line.stop()
