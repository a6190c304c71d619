"""A barrier for threads that meet thousands of times a second.

A thread that comes early first waits actively, outside of the interpreter lock, for about as long as waking a sleeping
thread would take; only then it sleeps.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import numpy.typing as npt

from ouroboros.engine.jit import atomic_add, atomic_load, kernel

_ARRIVED, _MEETINGS = np.int64(0), np.int64(1)
_ACTIVE_WAITS = 20_000
_SLEEP = 50e-6  # seconds

Counters = npt.NDArray[np.int64]


@kernel("boolean(int64[::1], int64, int64, int64)")
def _arrive(counters: Counters, size: int, meeting: int, waits: int) -> bool:
    """Come to a meeting; True if all have come before the wait is over."""
    if atomic_add(counters, _ARRIVED, 1) + 1 == size * (meeting + 1):
        atomic_add(counters, _MEETINGS, 1)
        return True
    while waits > 0 and atomic_load(counters, _MEETINGS) <= meeting:
        waits -= 1
    return waits > 0


class Barrier:
    """Threads that call `wait` go on when all have called it, and raise BrokenBarrierError after an `abort`."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._counters = np.zeros(2, np.int64)
        self._broken = False

    def wait(self, meeting: int) -> None:
        """`meeting` counts the calls of each thread, from zero."""
        arrived = _arrive(self._counters, self._size, meeting, _ACTIVE_WAITS)
        while not arrived:
            if self._broken:
                raise threading.BrokenBarrierError
            time.sleep(_SLEEP)
            arrived = bool(self._counters[_MEETINGS] > meeting)
        if self._broken:
            raise threading.BrokenBarrierError

    def abort(self) -> None:
        self._broken = True
