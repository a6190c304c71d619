"""The time of searches: the clock stands still while a kernel is made ready, for that is no search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

_stood = [0.0, 0.0]
"""For so long it has, in this process: in seconds, and in seconds of CPU time."""


def now() -> float:
    """Seconds, from some moment on; as `time.monotonic`, but for what is no search."""
    return time.monotonic() - _stood[0]


def cpu_now() -> float:
    """Seconds of CPU time of this thread; likewise."""
    return time.thread_time() - _stood[1]


@contextmanager
def standing_still() -> Iterator[None]:
    begun = time.monotonic(), time.thread_time()
    try:
        yield
    finally:
        _stood[0] += time.monotonic() - begun[0]
        _stood[1] += time.thread_time() - begun[1]
