"""One worker's share of a breadth-first exploration, in rounds: expand, route, exchange, insert."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import NOTES, NOTHING, TRANSITIONS, adopt, expand, owner_of_vector, route
from ouroboros.engine.jit import width_of
from ouroboros.engine.memory import Budget, Ids, Words, reserve
from ouroboros.engine.stores.full import MOST_STATES, FullStore
from ouroboros.native import Program
from ouroboros.system.layout import Vector

_BUFFER_BYTES_ALONE = 1 << 18
_BUFFER_BYTES_TOGETHER = 1 << 20
"""Successors of a round: few enough for the cache, and, with others, enough to be worth a meeting."""

INITIAL = (1 << 32) - 1
"""The parent of an initial state."""


@dataclass(frozen=True)
class Place:
    """A stored state: its owner and its id there."""

    owner: int
    identifier: int


class Explorer:
    """States are expanded in the order of their ids, level by level, so that a state's parent is one step nearer to
    the initial states. The frontier is a range of ids and needs no memory of its own.
    """

    def __init__(self, program: Program, exchange: Exchange, budget: Budget, required: int = 0) -> None:
        words, most = program.words, program.most_successors
        alone = exchange.size == 1
        record = words * 8
        room = max(4 * most, (_BUFFER_BYTES_ALONE if alone else _BUFFER_BYTES_TOGETHER) // record)
        self.exchange = exchange
        self.budget = budget
        self.notes = np.zeros(NOTES, np.int64)
        self.notes[TRANSITIONS + 3 :] = NOTHING
        self._program = program
        self._required = required
        self._width = width_of(words)
        self._out = np.zeros(room * words, np.uint64)
        self._sources = np.zeros(room, np.uint32)
        self._labels = np.zeros(max(1, most), np.uint32)
        self._ids = np.zeros(room, np.uint32)
        self._vector_boxes = np.zeros((exchange.size, 0 if alone else room * words), np.uint64)
        self._source_boxes = np.zeros((exchange.size, 0 if alone else room), np.uint32)
        self._filled = np.zeros(exchange.size, np.int64)
        budget.claim("buffers", self._out.nbytes * 2 + self._vector_boxes.nbytes + self._source_boxes.nbytes)
        self.store = FullStore(words, budget, room)
        most_states = min(MOST_STATES, budget.limit // record)
        self.parents = reserve(most_states, np.uint32)
        self.parent_owners = reserve(1 if alone else most_states, np.uint16)
        self._bytes_for_parent = 4 if alone else 6
        self.next = 0
        """The first id that is not expanded yet."""
        self.level_end = 0
        """The first id of the next level."""

    @property
    def remaining(self) -> int:
        return self.level_end - self.next

    def start(self, initial: Sequence[Vector]) -> None:
        """Store the initial states that this worker owns: they are level zero."""
        for vector in initial:
            words = np.array(vector, np.uint64)
            if owner_of_vector(words, self.exchange.size) == self.exchange.rank:
                self._receive(words, np.array([INITIAL], np.uint32), 0)
        self.level_end = self.store.count

    def round(self) -> None:
        """Expand some of the level's states and store what the others and this worker found that is owned here."""
        words = self._program.words
        expanded, count = expand(
            self._program.successors,
            self._program.valuation if self._required else 0,
            self._required,
            self.store.vectors(self.next, self.level_end),
            self.next,
            self.remaining,
            self._program.most_successors,
            self._out,
            self._sources,
            self._labels,
            self.notes,
            self._width,
        )
        self.next += expanded
        if self.exchange.size == 1:
            self._receive(self._out[: count * words], self._sources[:count], 0)
            return
        route(
            self._out,
            self._sources,
            count,
            self.exchange.size,
            self._vector_boxes,
            self._source_boxes,
            self._filled,
            self._width,
        )
        vectors, sources = self.exchange.swap(
            [box[: n * words] for box, n in zip(self._vector_boxes, self._filled, strict=True)],
            [box[:n] for box, n in zip(self._source_boxes, self._filled, strict=True)],
        )
        for sender in range(self.exchange.size):
            self._receive(vectors[sender], sources[sender], sender)

    def _receive(self, vectors: Words, sources: Ids, sender: int) -> None:
        known = self.store.count
        self.store.insert(vectors, sources.size, self._ids)
        self.budget.claim("parents", self.store.count * self._bytes_for_parent)
        adopt(self._ids, sources, sources.size, known, self.parents)
        if self.exchange.size > 1:
            self.parent_owners[known : self.store.count] = sender

    def advance(self) -> None:
        """Go on to the next level: what was found since the last call."""
        self.level_end = self.store.count

    def path_to(self, place: Place) -> list[Vector]:
        """The states from an initial one to the given one. Collective; every worker gets the whole path."""
        path: list[Vector] = []
        words = self._program.words
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
