"""A barrier for processes that meet thousands of times a second.

A process that comes early first waits actively, for about as long as waking a sleeping one would take. Then it lets
others use its core, and only if that lasts, too, it sleeps.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import give_way
from ouroboros.jit import atomic_add, atomic_load, kernel

_ARRIVED, _MEETINGS, _BROKEN = np.int64(0), np.int64(1), np.int64(2)
COUNTERS = 3

_ACTIVE_WAITS = 20_000
_YIELDS = 5_000
_SHORTEST_SLEEP, _LONGEST_SLEEP = 50e-6, 1e-3  # seconds

Counters = npt.NDArray[np.int64]


class Broken(Exception):
    """Somebody will not come any more."""


@kernel("void(int64[::1], int64, int64)")
def _arrive(counters: Counters, size: int, meeting: int) -> None:
    if atomic_add(counters, _ARRIVED, 1) + 1 == size * (meeting + 1):
        atomic_add(counters, _MEETINGS, 1)


@kernel("boolean(int64[::1], int64, int64)")
def _wait(counters: Counters, meeting: int, waits: int) -> bool:
    """True if all have come before the wait is over."""
    while waits > 0 and atomic_load(counters, _MEETINGS) <= meeting:
        waits -= 1
    return waits > 0


class Barrier:
    """Who calls `wait` goes on when all have called `arrive`, and raises Broken after an `abort`. Meetings are counted
    from zero, by each worker for itself.
    """

    def __init__(self, size: int, counters: Counters) -> None:
        """The counters are zeros, in memory that all share."""
        self._size = size
        self._counters = counters

    def arrive(self, meeting: int) -> None:
        _arrive(self._counters, self._size, meeting)

    def wait(self, meeting: int, is_lost: Callable[[], bool]) -> None:
        """Who waits for long asks now and then whether one of the others has ended; if it has not come before, the
        barrier is broken.
        """
        if not _wait(self._counters, meeting, _ACTIVE_WAITS):
            self._wait_patiently(meeting, is_lost)
        if self._counters[_BROKEN]:
            raise Broken

    def _wait_patiently(self, meeting: int, is_lost: Callable[[], bool]) -> None:
        yields, sleep = 0, _SHORTEST_SLEEP
        while self._counters[_MEETINGS] <= meeting and not self._counters[_BROKEN]:
            if yields < _YIELDS:
                yields += 1
                give_way()
                continue
            if is_lost() and self._counters[_MEETINGS] <= meeting:
                self.abort()
            time.sleep(sleep)
            sleep = min(2 * sleep, _LONGEST_SLEEP)

    def abort(self) -> None:
        self._counters[_BROKEN] = 1
