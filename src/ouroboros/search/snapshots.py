"""Queues of states as response checking has them without saved expansions: each entry has the bits of its time.

A state that learns something while it waits is queued once more; what was queued before is expanded all the same, with
what was known then.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.queue import Queue
from ouroboros.jit import kernel
from ouroboros.memory import Ids, OutOfMemory, Words, reserve
from ouroboros.search.graph_search import GraphSearch

_QUEUED = np.uint64(1 << 62)
_COUNTED = np.uint64(1 << 60)


@kernel("void(uint32[::1], int64, int64, uint64[:, ::1], uint64[:, ::1])")
def _note(ring: Ids, first: int, count: int, entries: Words, snapshots: Words) -> None:
    for k in range(count):
        at = (first + k) % ring.size
        for w in range(entries.shape[0]):
            snapshots[w, at] = entries[w, ring[at]]


@kernel("int64(uint32[::1], int64, uint64[:, ::1], uint64[:, ::1], uint64[:, ::1])")
def _load(states: Ids, first: int, snapshots: Words, entries: Words, sending: Words) -> int:
    """Set what the states send; returns how many can be sent together: none that is to be counted comes twice.

    Of entries of the same state the last decides what all of them send.
    """
    for state in states:
        entries[0, state] &= ~_QUEUED
    for k in range(states.size):
        state = states[k]
        if entries[0, state] & (_COUNTED | _QUEUED) == _QUEUED:
            return k
        entries[0, state] |= _QUEUED
        for w in range(entries.shape[0]):
            sending[w, state] = snapshots[w, first + k]
        sending[0, state] = (sending[0, state] & ~_COUNTED) | (entries[0, state] & _COUNTED)
    return states.size


class SnapshotQueue(Queue):
    """Of states with so many fair actions: each is queued at most once for each bit that it gets, and once more."""

    def __init__(self, search: GraphSearch, entries: Words, fair_actions: int) -> None:
        words, states = entries.shape
        super().__init__(max(1, states) * (fair_actions + 2))
        self.sending = reserve(entries.size, np.uint64)[: entries.size].reshape(words, states)
        """What each of the states that `arranged` has returned sends."""
        self._search = search
        self._entries = entries
        self._snapshots = reserve(words * self.ring.size, np.uint64).reshape(words, self.ring.size)
        self._noted = 0

    def arranged(self, most: int) -> Ids:
        """In the order in which they came: that of the snapshots."""
        tail = int(self.ends[0])
        _note(self.ring, self._noted, (tail - self._noted) % self.ring.size, self._entries, self._snapshots)
        self._noted = tail
        self._claim()
        states = self.peek(most)
        first = (tail - self.count) % self.ring.size
        return states[: _load(states, first, self._snapshots, self._entries, self.sending)]

    def _claim(self) -> None:
        size = self.sending.nbytes + self.count * (4 + 8 * len(self.sending))
        try:
            self._search.budget.claim("snapshots", size)
        except OutOfMemory:
            # All workers learn of it in their next meeting.
            self._search.out_of_memory = OutOfMemory.weight
