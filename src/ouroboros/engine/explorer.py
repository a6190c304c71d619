"""One worker's share of a breadth-first exploration, level by level."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import Expansion
from ouroboros.engine.generation import Arrival, Generation, most_arrivals
from ouroboros.engine.hashing import hash_words, owner_of
from ouroboros.engine.jit import kernel
from ouroboros.engine.memory import Budget, Ids, Words, reserve
from ouroboros.engine.stores.base import MOST_STATES
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.system.layout import Vector

INITIAL = (1 << 32) - 1
"""The parent of an initial state."""


@dataclass(frozen=True, order=True)
class Place:
    """A stored state: its owner and its id there."""

    owner: int
    identifier: int


@kernel("int64(uint32[::1], uint32[::1], int64, uint32[::1])")
def adopt(targets: Ids, sources: Ids, known: int, parents: Ids) -> int:
    """Note the source of each new state: their ids follow on `known`, in order. Returns the states known then."""
    for k in range(targets.size):
        # Written in any case: which arrivals are new cannot be predicted, and a wrong guess costs more than a store.
        parents[known] = sources[k]
        known += targets[k] == known
    return known


@kernel("int64(uint64[::1], uint64)")
def _owner_of_vector(vector: Words, workers: int) -> np.uint64:
    return owner_of(hash_words(vector, np.uint64(0), np.uint64(vector.size)), workers)


class Explorer:
    """States are expanded in the order of their ids, level by level, so that a state's parent is one step nearer to
    the initial states. The frontier is a range of ids and needs no memory of its own.
    """

    def __init__(self, expansion: Expansion, exchange: Exchange, budget: Budget, choice: StoreChoice = FULL) -> None:
        words = expansion.words
        alone = exchange.size == 1
        self.exchange = exchange
        self.budget = budget
        self.store = choice.create(words, budget, most_arrivals(expansion, exchange))
        self.generation = Generation(expansion, self.store, exchange, budget)
        self.most_states = min(MOST_STATES, budget.limit // choice.least_bytes(words)) + 1
        """For arrays over the states: more can never be stored."""
        self.parents = reserve(self.most_states, np.uint32)
        self.parent_owners = reserve(1 if alone else self.most_states, np.uint16)
        self._bytes_for_parent = 4 if alone else 6
        self.next = 0
        """The first id that is not expanded yet."""
        self.level_end = 0
        """The first id of the next level."""
        self._level_ends: list[int] = []

    @property
    def remaining(self) -> int:
        """States of this level that are still to be expanded here."""
        return self.level_end - self.next

    @property
    def frontier(self) -> int:
        return self.store.count - self.next

    def start(self, initial: Sequence[Vector]) -> None:
        """Store the initial states that this worker owns: they are level zero."""
        for vector in initial:
            words = np.array(vector, np.uint64)
            if _owner_of_vector(words, self.exchange.size) == self.exchange.rank:
                target = np.zeros(1, np.uint32)
                known = self.store.count
                self.store.insert(words, 1, target)
                adopt(target, np.array([INITIAL], np.uint32), known, self.parents)
        self.advance()

    def round(self, payloads: tuple[Words, ...] = (), every_edge: bool = True) -> tuple[int, list[Arrival]]:
        """Expand some of the level's states and store what the others and this worker found that is owned here.

        Returns the number of edges sent, and the edges that arrived. A payload is an array over this worker's ids.
        """
        stop = min(self.level_end, self.next + self.generation.outbox.room)
        known = self.store.count
        expanded, sent, arrivals = self.generation.send(
            self.store.batch(self.next, stop), np.arange(self.next, stop, dtype=np.uint32), payloads, every_edge
        )
        self.next += expanded
        for arrival in arrivals:
            before = known
            known = adopt(arrival.targets, arrival.sources, known, self.parents)
            if self.exchange.size > 1:
                self.parent_owners[before:known] = arrival.sender
        self.budget.claim("parents", known * self._bytes_for_parent)
        return sent, arrivals

    def advance(self) -> None:
        """Go on to the next level: what was found since the last call."""
        self.level_end = self.store.count
        self._level_ends.append(self.level_end)

    @property
    def initial_states(self) -> int:
        """The first so many ids are the initial states."""
        return self._level_ends[0]

    def depth_of(self, identifier: int) -> int:
        """Steps from the initial states to a state of this worker."""
        return bisect_right(self._level_ends, identifier)

    def path_to(self, place: Place) -> list[Vector]:
        """The states from an initial one to the given one. Collective; every worker gets the whole path."""
        path: list[Vector] = []
        words = self.store.words
        while True:
            message = np.zeros(words + 2, np.int64)
            if place.owner == self.exchange.rank:
                message[:words] = self.store.vectors(place.identifier, place.identifier + 1).view(np.int64)
                message[words] = self.parents[place.identifier]
                message[words + 1] = self.parent_owners[place.identifier] if self.exchange.size > 1 else 0
            message = self.exchange.total(message)
            path.append(tuple(int(word) for word in message[:words].view(np.uint64)))
            if message[words] == INITIAL:
                return path[::-1]
            place = Place(int(message[words + 1]), int(message[words]))
