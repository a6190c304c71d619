"""The full store: every vector as it is, exact."""

from __future__ import annotations

import numpy as np

from ouroboros.engine.stores.keys import KeyTable
from ouroboros.memory import Budget, Ids, Words
from ouroboros.system.layout import Vector

_AT_ONCE = 1 << 14


class FullStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, short: bool = False) -> None:
        """`short`: the upper half of the last word of every vector is zero."""
        self.words = words
        self.table = KeyTable(words, budget, "states", short=short, roomy=True)
        self._short = short
        self._window = range(0)
        """The ids of the vectors that were unpacked last."""
        self._unpacked = np.zeros(0, np.uint64)

    @property
    def count(self) -> int:
        return self.table.count

    @property
    def bytes(self) -> int:
        return self.table.bytes

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival."""
        self.table.intern(arrivals, total, ids)

    def close(self) -> None:
        """Give the index back: the states stay, and nothing can be stored or found any more."""
        self.table.close()

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids that are about to be expanded, or of the first of them."""
        if not self._short:
            return self.vectors(start, stop)
        if not self._window.start <= start < self._window.stop:
            self._window = range(start, min(stop, start + _AT_ONCE))
            self._unpacked = self.vectors(start, self._window.stop)
        first, end = start - self._window.start, min(stop, self._window.stop) - self._window.start
        return self._unpacked[first * self.words : end * self.words]

    def vectors(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, one after the other."""
        return self.table.range(start, stop)

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        return self.table.gather(identifiers)

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""
        return self.table.find(*vector)

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
