"""Counterexamples: a shortest cycle through an accepting state, and a shortest stem to that cycle."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ouroboros.engine.edges import Edges
from ouroboros.engine.parents import Place
from ouroboros.engine.queue import Ends, Queue, push
from ouroboros.jit import kernel
from ouroboros.memory import Ids, OutOfMemory, Words, reserve
from ouroboros.search.graph_search import GraphSearch
from ouroboros.verdict.outcome import Finding

_UNSEEN = np.uint64(0)
_NOWHERE = np.uint64((1 << 64) - 1)
_FAR = 1 << 40
_ONE = np.uint64(1)
_OWNER_SHIFT = np.uint64(40)
_MOST = 1 << 16


@kernel("void(uint32[::1], uint32[::1], uint64, uint64[::1], uint32[::1], int64[::1])")
def _discover(targets: Ids, sources: Ids, sender: int, parents: Words, ring: Ids, ends: Ends) -> None:
    """Note the parent of each target that is seen for the first time, and queue it."""
    for k in range(targets.size):
        if parents[targets[k]] == _UNSEEN:
            parents[targets[k]] = (np.uint64(sender) << _OWNER_SHIFT) | (np.uint64(sources[k]) + _ONE)
            push(ring, ends, targets[k])


class LassoFinder:
    """Searches breadth first for cycles through accepting states. What one search has seen, a later one leaves out:
    a state from which there is no way back leads only to cycles that other candidates find as well, or to none.
    """

    def __init__(self, search: GraphSearch, edges: Edges) -> None:
        # Where the exploration ended early, the search for a cycle may meet more states than are stored now.
        capacity = search.explorer.most_states
        search.claim("predecessors", 12)
        self.search = search
        self.edges = edges
        self.explored = search.explorer.store.count
        self.queue = Queue(capacity)
        self.parents = reserve(capacity, np.uint64)

    def find(self, accepting: Place) -> Finding | None:
        """A lasso whose cycle goes through this state, if there is one. Collective."""
        cycle = self._cycle_through(accepting)
        if cycle is None:
            return None
        # Enter the cycle where the way to it is shortest.
        depths = self._depths(cycle)
        at = int(np.argmin(depths))
        stem = self.search.explorer.path_to(cycle[at])
        around = [*cycle[at + 1 :], *cycle[: at + 1]]
        self.search.end_phase("counterexample", len(around))
        return Finding("cycle", stem, self.search.explorer.vectors_of(around))

    def find_any(self, candidates: npt.NDArray[np.bool_]) -> Finding:
        """A lasso through one of the candidates, of which OWCTY guarantees that one is on a cycle. Collective."""
        for place in self._places(candidates):
            finding = self.find(place)
            if finding:
                return finding
        raise AssertionError("no candidate lies on a cycle")

    def _places(self, candidates: npt.NDArray[np.bool_]) -> Iterator[Place]:
        """The candidates that no search has seen yet, oldest first, one after the other."""
        own = np.flatnonzero(candidates)
        at = 0
        while True:
            while at < own.size and self.parents[own[at]] != _UNSEEN:
                at += 1
            offers = self.search.exchange.gather(own[at] + 1 if at < own.size else 0)
            owners = np.flatnonzero(offers)
            if owners.size == 0:
                return
            owner = int(owners[np.argmin(offers[owners])])
            yield Place(owner, int(offers[owner]) - 1)

    def _cycle_through(self, start: Place) -> list[Place] | None:
        """The places of a shortest cycle, the start last; None if there is none. Level by level over all workers."""
        here = start.owner == self.search.exchange.rank
        ring, ends = self.queue.ring, self.queue.ends
        if here:
            self.queue.push(start.identifier)
        while True:
            level = self.queue.count
            if self.search.watch("counterexample", level) == 0:
                if here:
                    self.parents[start.identifier] = _NOWHERE
                return None
            while self.search.total(level):
                try:
                    done = self.edges.fill(self.queue.peek(min(level, _MOST)))
                    arrivals = self.edges.deliver()
                except OutOfMemory:
                    # The others are in the middle of the level; at its end all of them stop.
                    self.search.out_of_memory = OutOfMemory.weight
                    done, arrivals = level, []
                self.queue.drop(done)
                level -= done
                for arrival in arrivals:
                    _discover(arrival.targets, arrival.sources, arrival.sender, self.parents, ring, ends)
            if self.search.total(here and self.parents[start.identifier] != _UNSEEN):
                self.queue.drop(self.queue.count)
                return self._walk_back(start)

    def _walk_back(self, start: Place) -> list[Place]:
        cycle = [start]
        while True:
            message = np.zeros(1, np.int64)
            if cycle[-1].owner == self.search.exchange.rank:
                message[0] = self.parents[cycle[-1].identifier]
            parent = int(self.search.exchange.total(message)[0])
            before = Place(parent >> int(_OWNER_SHIFT), (parent & ((1 << int(_OWNER_SHIFT)) - 1)) - 1)
            if before == start:
                return cycle[::-1]
            cycle.append(before)

    def _depths(self, places: list[Place]) -> npt.NDArray[np.int64]:
        """Steps from the initial states to each place, as far as the exploration knows the way there."""
        depths = np.zeros(len(places), np.int64)
        for at, place in enumerate(places):
            if place.owner == self.search.exchange.rank:
                known = place.identifier < self.explored
                depths[at] = self.search.explorer.depth_of(place.identifier) if known else _FAR
        return self.search.exchange.total(depths)
