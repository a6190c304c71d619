"""MAP: maximal accepting predecessors (Brim, Černá, Moravec, Šimša), on a graph that is explored already.

Every accepting state sends its key along edges, and every state passes on the greatest key that it has seen. A state
that receives its own key lies on an accepting cycle. A state whose key is greater than all that it receives lies on
no cycle, and is accepting no more in the next iteration; in that, keys travel only between states that had the same
maximal accepting predecessor in the last one (`oldmap`), for a cycle lies inside one such predecessor subgraph. All
subgraphs are searched at the same time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.checkpoint.graph import Beside
from ouroboros.engine.generation import Arrival
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.jit import kernel, prefetch, record
from ouroboros.memory import Ids, Words, reserve
from ouroboros.search.product_search import ProductSearch, key_of
from ouroboros.search.propagation import propagate

_NONE = np.uint64(0)
_AHEAD = 24

Marks = npt.NDArray[np.uint8]


@kernel("int64(uint8[::1], uint64[::1], uint8[::1], uint32[::1], int64[::1], int64, int64, int64)")
def _start(
    candidates: Marks, greatest: Words, queued: Marks, ring: Ids, ends: Ends, rank: int, size: int, order: int
) -> int:
    """Let every candidate send its own key; all else has seen nothing. Returns the number of candidates."""
    count = 0
    for state in range(greatest.size):
        greatest[state] = _NONE
        if candidates[state]:
            greatest[state] = key_of(np.uint32(state), rank, size, order)
            queued[state] = 1
            push(ring, ends, np.uint32(state))
            count += 1
    return count


@record("uint8[::1], uint64[::1], uint64[::1], uint64[::1], uint8[::1]")
class Predecessors(NamedTuple):
    """What is known of the states."""

    candidates: Marks
    seen: Words
    """The greatest key that a state received: its maximal accepting predecessor."""
    greatest: Words
    """What it passes on: that, or its own key."""
    subgraph: Words
    queued: Marks


@kernel("int64(uint32[::1], uint64[::1], uint64[::1], Predecessors, uint32[::1], int64[::1], int64, int64, int64)")
def _receive(
    targets: Ids,
    keys: Words,
    subgraphs: Words,
    known: Predecessors,
    ring: Ids,
    ends: Ends,
    rank: int,
    size: int,
    order: int,
) -> int:
    """Take over greater keys from inside the same subgraph; returns a candidate that receives its own key, or -1."""
    candidates, seen, greatest, subgraph, queued = known
    found = -1
    for k in range(targets.size):
        if k + _AHEAD < targets.size:
            ahead = np.int64(targets[k + _AHEAD])
            prefetch(subgraph, ahead)
            prefetch(candidates, ahead)
            prefetch(seen, ahead)
            prefetch(greatest, ahead)
        target = targets[k]
        if subgraphs[k] != subgraph[target]:
            continue
        if candidates[target] and keys[k] == key_of(target, rank, size, order):
            found = int(target)
        if keys[k] > seen[target]:
            seen[target] = keys[k]
        if keys[k] > greatest[target]:
            greatest[target] = keys[k]
            if not queued[target]:
                queued[target] = 1
                push(ring, ends, target)
    return found


@kernel("int64(uint8[::1], uint64[::1], uint64[::1], int64, int64, int64)")
def _shrink(candidates: Marks, seen: Words, subgraph: Words, rank: int, size: int, order: int) -> int:
    """Keep the candidates that have a greater predecessor; returns how many. What was seen names the subgraphs."""
    left = 0
    for state in range(seen.size):
        if candidates[state]:
            if seen[state] > key_of(np.uint32(state), rank, size, order):
                left += 1
            else:
                candidates[state] = 0
        subgraph[state] = seen[state]
        seen[state] = _NONE
    return left


class Map:
    """One worker's share of the algorithm."""

    def __init__(self, search: ProductSearch) -> None:
        states = search.explorer.store.count
        search.claim("predecessors", 3 * 8 + 4 + 2)
        self.search = search
        # Only now: the edges are given up rather than that there be no memory for the algorithm.
        self.edges = search.edges(payloads=2)
        self.queue = Queue(max(1, states))
        self.candidates = search.accepting[:states].copy()
        self.seen = reserve(states, np.uint64)[:states]
        self.greatest = reserve(states, np.uint64)[:states]
        self.subgraph = reserve(states, np.uint64)[:states]
        self.queued = reserve(states, np.uint8)[:states]
        self._ordering = (search.exchange.rank, search.exchange.size, search.order)

    def run(self) -> bool:
        """True if there is an accepting cycle; then `search.suspect` of some worker lies on one."""
        restored = self.search.restored("map")
        if restored:
            self.candidates[:] = restored.beside.columns["candidates"]
            # The keys of before the checkpoint name the subgraphs; nobody compares them with keys of now.
            self.subgraph[:] = restored.beside.columns["subgraph"]
        while True:
            ring, ends = self.queue.ring, self.queue.ends
            count = _start(self.candidates, self.greatest, self.queued, ring, ends, *self._ordering)
            if self.search.total(count) == 0:
                return False
            propagate(
                self.search,
                "predecessors",
                self.edges,
                self.queue,
                self._receive,
                (self.greatest, self.subgraph),
                self._leaving,
            )
            self.search.iterations += 1
            if self.search.total(self.search.suspect >= 0):
                self.search.end_phase("predecessors", self.search.total(count))
                return True
            left = _shrink(self.candidates, self.seen, self.subgraph, *self._ordering)
            self.search.end_phase("predecessors", self.search.total(left))
            self.search.boundary("map", 9, self._beside)

    def _beside(self) -> Beside:
        """Who is a candidate in the next iteration, and in which subgraph."""
        return Beside({"candidates": self.candidates.copy(), "subgraph": self.subgraph.copy()})

    def _leaving(self, states: int) -> None:
        self.queued[self.queue.peek(states)] = 0

    def _receive(self, arrival: Arrival) -> None:
        keys, subgraphs = arrival.payloads
        known = Predecessors(self.candidates, self.seen, self.greatest, self.subgraph, self.queued)
        ring, ends = self.queue.ring, self.queue.ends
        suspect = _receive(arrival.targets, keys, subgraphs, known, ring, ends, *self._ordering)
        self.search.suspect = max(self.search.suspect, suspect)
