"""Stores that keep no states: of one that has been expanded only a fingerprint is kept, or a few bits of a filter, or
its word in an automaton.

But for the automaton, two states that look the same are taken for one, and the second is missed with all that only it
leads to. What is found is real nevertheless, for states that are not expanded yet are kept as they are.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from ouroboros.engine.vectors import VectorQueue
from ouroboros.memory import Budget, Ids, Words


class Known(Protocol):
    """What knows of a vector whether it was there before: for certain, or most likely."""

    @property
    def identity_bits(self) -> int | None: ...

    @property
    def coverage(self) -> float | None: ...

    @property
    def bytes(self) -> int: ...

    def insert(self, arrivals: Words, total: int, ids: Ids, fresh: Words) -> int:
        """Set ids[k] for each of the arrivals: the next ids for new states, OLD for the others.

        The vectors of the new ones are copied to `fresh`; returns how many there are.
        """


class CompactStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, most_arrivals: int, known: Known) -> None:
        self.words = words
        self._known = known
        self._queue = VectorQueue(words, budget, "frontier")
        self._fresh = np.zeros(most_arrivals * words, np.uint64)
        self._first = 0
        """The id of the first state in the queue."""
        budget.claim_buffers("new states", self._fresh.nbytes)

    @property
    def count(self) -> int:
        return self._first + self._queue.count

    @property
    def identity_bits(self) -> int | None:
        return self._known.identity_bits

    @property
    def coverage(self) -> float | None:
        return self._known.coverage

    @property
    def bytes(self) -> int:
        return self._known.bytes + self._queue.count * self.words * 8

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals: the next ids for new states, OLD for the others."""
        new = self._known.insert(arrivals, total, ids, self._fresh)
        self._queue.append(self._fresh[: new * self.words])

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, or of the first of them; what came before them is forgotten."""
        self._queue.drop(start - self._first)
        self._first = start
        return self._queue.peek(stop - start)
