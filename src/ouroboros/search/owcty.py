"""OWCTY, one way catch them young: Algorithm 1 of the OWCTY_HC paper, on a graph that is explored already.

S holds the states that may lie on, or be reachable from, an accepting cycle. Each iteration keeps what accepting
states of S reach, and then eliminates what has no predecessor left; what remains at the fixpoint has a cycle.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.graph import Beside
from ouroboros.engine.generation import Arrival
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.jit import kernel, prefetch
from ouroboros.memory import Ids, reserve
from ouroboros.search.product_search import ProductSearch
from ouroboros.search.propagation import propagate

# A state's entry: whether it is in S, above the number of its predecessors in S.
_IN = np.uint32(1 << 31)
_OUT = np.uint32(0)
_SHIFT = np.uint32(31)
_ONE = np.uint32(1)
_AHEAD = 24

Marks = npt.NDArray[np.uint8]


@kernel("int64(uint32[::1], uint8[::1], boolean, uint32[::1], int64[::1])")
def _seed(entries: Ids, accepting: Marks, whole: bool, ring: Ids, ends: Ends) -> int:
    """Empty S but for its accepting states, and queue these; returns their number. Initially S is the `whole` graph."""
    seeds = 0
    for state in range(entries.size):
        if accepting[state] and (whole or entries[state] & _IN):
            entries[state] = _IN
            push(ring, ends, np.uint32(state))
            seeds += 1
        else:
            entries[state] = _OUT
    return seeds


@kernel("int64(uint32[::1], uint32[::1], uint32[::1], int64[::1])")
def _reach(targets: Ids, entries: Ids, ring: Ids, ends: Ends) -> int:
    """REACHABILITY, lines 22 to 26: count a predecessor of each target; returns how many targets are new in S."""
    new = 0
    for k in range(targets.size):
        if k + _AHEAD < targets.size:
            prefetch(entries, np.int64(targets[k + _AHEAD]))
        target = targets[k]
        entry = entries[target]
        if entry & _IN == 0:
            entry |= _IN
            push(ring, ends, target)
            new += 1
        entries[target] = entry + _ONE
    return new


@kernel("void(uint32[::1], uint32[::1])")
def _count_inside(targets: Ids, entries: Ids) -> None:
    """Count a predecessor of each target that is in S."""
    for k in range(targets.size):
        if k + _AHEAD < targets.size:
            prefetch(entries, np.int64(targets[k + _AHEAD]))
        target = targets[k]
        if entries[target] & _IN:
            entries[target] += _ONE


@kernel("int64(uint32[::1], uint32[::1], int64[::1])")
def _orphans(entries: Ids, ring: Ids, ends: Ends) -> int:
    """Remove from S, and queue, the states without predecessors in it; returns their number."""
    removed = 0
    for state in range(entries.size):
        if entries[state] == _IN:
            entries[state] = _OUT
            push(ring, ends, np.uint32(state))
            removed += 1
    return removed


@kernel("int64(uint32[::1], uint32[::1], uint32[::1], int64[::1])")
def _eliminate(targets: Ids, entries: Ids, ring: Ids, ends: Ends) -> int:
    """ELIMINATION, lines 30 to 34: a predecessor of each target is gone; returns how many leave S for it."""
    removed = 0
    for k in range(targets.size):
        if k + _AHEAD < targets.size:
            prefetch(entries, np.int64(targets[k + _AHEAD]))
        target = targets[k]
        entry = entries[target]
        if entry & _IN:
            entry -= _ONE
            if entry == _IN:
                entry = _OUT
                push(ring, ends, target)
                removed += 1
            entries[target] = entry
    return removed


class Owcty:
    """One worker's share of the algorithm."""

    def __init__(self, search: ProductSearch) -> None:
        states = search.explorer.store.count
        self.search = search
        search.claim("predecessors", 8)
        # Only now: the edges are given up rather than that there be no memory for the algorithm.
        self.edges = search.edges()
        self.queue = Queue(max(1, states))
        self.entries = reserve(states, np.uint32)[:states]
        self.accepting = search.accepting[:states]
        self.size = 0
        """Of this worker's share of S."""

    def run(self, weak: bool) -> bool:
        """Shrink S to its fixpoint; True if something is left: then there is an accepting cycle in S."""
        if weak:
            return self._one_pass()
        left = self.search.total(self.search.explorer.store.count)
        whole = True
        restored = self.search.restored("owcty")
        if restored:
            self.entries[:] = restored.beside.columns["inside"] * _IN
            left, whole = restored.numbers["left"], False
        while left:
            before = left
            self._reachability(whole)
            left = self._elimination()
            self.search.iterations += 1
            if left == before:
                return True
            whole = False
            self.search.boundary("owcty", 1, self._beside, left=left)
        return False

    def _beside(self) -> Beside:
        """Which states are in S: all that an iteration needs to know of the last."""
        return Beside({"inside": (self.entries >> _SHIFT).astype(np.uint8)})

    def _one_pass(self) -> bool:
        """In the product with a weak automaton a cycle has only accepting states, or none. So S is the accepting
        states, only edges inside it count, and what elimination leaves, which all has a predecessor there, has a cycle.
        """
        self.size = _seed(self.entries, self.accepting, True, self.queue.ring, self.queue.ends)

        def receive(arrival: Arrival) -> None:
            _count_inside(arrival.targets, self.entries)

        propagate(self.search, "predecessors", self.edges, self.queue, receive)
        self.search.end_phase("predecessors", self.search.total(self.size))
        self.search.iterations = 1
        return self._elimination() > 0

    def _reachability(self, whole: bool) -> None:
        self.size = _seed(self.entries, self.accepting, whole, self.queue.ring, self.queue.ends)

        def receive(arrival: Arrival) -> None:
            self.size += _reach(arrival.targets, self.entries, self.queue.ring, self.queue.ends)

        propagate(self.search, "reachability", self.edges, self.queue, receive)
        self.search.end_phase("reachability", self.search.total(self.size))

    def _elimination(self) -> int:
        self.size -= _orphans(self.entries, self.queue.ring, self.queue.ends)

        def receive(arrival: Arrival) -> None:
            self.size -= _eliminate(arrival.targets, self.entries, self.queue.ring, self.queue.ends)

        propagate(self.search, "elimination", self.edges, self.queue, receive)
        left = self.search.total(self.size)
        self.search.end_phase("elimination", left)
        return left

    def candidates(self) -> npt.NDArray[np.bool_]:
        """The accepting states in S."""
        inside: npt.NDArray[np.bool_] = np.logical_and(self.entries & _IN, self.accepting)
        return inside
