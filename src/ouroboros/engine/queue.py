"""A queue of states in which each of a worker's states stands at most once at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.jit import inlined, kernel
from ouroboros.memory import Ids, counters, reserve

_TAIL, _COUNT = 0, 1

_WINDOW = 1 << 18
"""States that are arranged at once: about a level of a large graph."""
_BUCKETS = 1 << 11
_ENOUGH = 4
"""More states are arranged when fewer than this part of those that are asked for are."""

Ends = npt.NDArray[np.int64]


@kernel("void(uint32[::1], uint32[::1], int64[::1])")
def _arrange(states: Ids, scratch: Ids, starts: Ends) -> None:
    """Bring states that are near each other together: to the same of a few thousand buckets, which are in order."""
    least = most = states[0]
    for state in states:
        least = min(least, state)
        most = max(most, state)
    shift = 0
    while (most - least) >> shift >= starts.size:
        shift += 1
    starts[:] = 0
    for state in states:
        starts[(state - least) >> shift] += 1
    start = 0
    for bucket in range(starts.size):
        count = starts[bucket]
        starts[bucket] = start
        start += count
    for state in states:
        bucket = (state - least) >> shift
        scratch[starts[bucket]] = state
        starts[bucket] += 1
    for k in range(states.size):
        states[k] = scratch[k]


class Queue:
    """A ring as large as the number of states. Kernels push to it with `push(ring, ends, state)`."""

    def __init__(self, states: int) -> None:
        self.ring = reserve(states, np.uint32)
        self.ends = counters(2)
        self._arranged = 0
        """So many of the first states are."""
        self._scratch = np.empty(min(states, _WINDOW), np.uint32)
        self._starts = np.empty(_BUCKETS, np.int64)

    @property
    def count(self) -> int:
        return int(self.ends[_COUNT])

    def peek(self, most: int) -> Ids:
        """The first states, at most so many; fewer where the ring comes round."""
        head = (self.ends[_TAIL] - self.ends[_COUNT]) % self.ring.size
        return self.ring[head : head + min(most, self.count)]

    def arranged(self, most: int) -> Ids:
        """The same for who does not rely on the order: the first states are then those that are near each other.

        Where states come from several workers they stand in no order, and what is known of them is all over memory.
        """
        waiting = self.peek(self.count)
        if self._arranged < min(max(1, most // _ENOUGH), waiting.size):
            self._arranged = min(waiting.size, _WINDOW)
            _arrange(waiting[: self._arranged], self._scratch, self._starts)
        return waiting[: min(most, self._arranged)]

    def drop(self, states: int) -> None:
        """Remove the first states. What `peek` returned is not valid any more."""
        self.ends[_COUNT] -= states
        self._arranged -= states

    def push(self, state: int) -> None:
        tail = int(self.ends[_TAIL])
        self.ring[tail] = state
        self.ends[:] = (tail + 1) % self.ring.size, self.count + 1


@inlined
def push(ring: Ids, ends: Ends, state: np.uint32) -> None:
    ring[ends[_TAIL]] = state
    ends[_TAIL] += 1
    if ends[_TAIL] == ring.size:
        ends[_TAIL] = 0
    ends[_COUNT] += 1
