"""A queue of states in which each of a worker's states stands at most once at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.jit import inlined
from ouroboros.engine.memory import Ids, counters, reserve

_TAIL, _COUNT = 0, 1

Ends = npt.NDArray[np.int64]


class Queue:
    """A ring as large as the number of states. Kernels push to it with `push(ring, ends, state)`."""

    def __init__(self, states: int) -> None:
        self.ring = reserve(states, np.uint32)
        self.ends = counters(2)

    @property
    def count(self) -> int:
        return int(self.ends[_COUNT])

    def peek(self, most: int) -> Ids:
        """The first states, at most so many; fewer where the ring comes round."""
        head = (self.ends[_TAIL] - self.ends[_COUNT]) % self.ring.size
        return self.ring[head : min(head + min(most, self.count), self.ring.size)]

    def drop(self, states: int) -> None:
        """Remove the first states. What `peek` returned is not valid any more."""
        self.ends[_COUNT] -= states

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
