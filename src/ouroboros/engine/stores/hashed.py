"""Hash compaction with numbers: states by their hashes, for searches that come to a state again and again.

Of a state a hash of up to 64 bits is kept, and the number under which arrays have what an algorithm knows of it. So
this is larger than the compact store of fingerprints, which only says whether a state is new.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.stores.keys import KeyTable, Number
from ouroboros.engine.vectors import VectorQueue
from ouroboros.jit import Width, kernel, prepare, width_of, words_in
from ouroboros.memory import Budget, Ids, Words
from ouroboros.system.layout import Vector

_HALF = np.uint64(32)


@kernel("void(uint64[::1], int64, uint64, uint64, uint64[::1], uint32[::1], width)")
def _hash_all(arrivals: Words, total: int, seed: Number, shift: Number, keys: Words, checks: Ids, width: Width) -> None:
    words = words_in(width)
    for k in range(total):
        first, second = hash_pair(arrivals, np.uint64(k) * words, words, seed)
        keys[k] = first >> shift
        checks[k] = np.uint32(second >> _HALF)


@kernel("void(uint32[::1], int64, boolean[::1])")
def _mark_new(ids: Ids, known: int, new: npt.NDArray[np.bool_]) -> None:
    for k in range(ids.size):
        new[k] = ids[k] == known
        known += new[k]


def first_of_each(ids: Ids, known: int) -> npt.NDArray[np.bool_]:
    """Which of the ids are new, counting from `known` on."""
    new = np.empty(ids.size, np.bool_)
    _mark_new(ids, known, new)
    return new


class HashedStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, most_arrivals: int, bits: int, seed: int) -> None:
        self.words = words
        self.identity_bits: int | None = bits
        self.coverage: float | None = None
        self.exploring = True
        """Whether new states are queued to be expanded."""
        self.first = 0
        """The id of the first state in the queue."""
        self._bits = bits
        self._seed = seed
        self._width = width_of(words)
        prepare(_hash_all, self._width)
        self._table = KeyTable(1, budget, "states")
        self._queue = VectorQueue(words, budget, "frontier")
        self._keys = np.zeros(most_arrivals, np.uint64)
        self._checks = np.zeros(most_arrivals, np.uint32)
        budget.claim("hashes", self._keys.nbytes + self._checks.nbytes)

    @property
    def count(self) -> int:
        return self._table.count

    @property
    def bytes(self) -> int:
        return self._table.bytes + self._queue.count * self.words * 8

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival."""
        known = self._table.count
        self.hash(arrivals, total)
        self._table.intern(self._keys, total, ids)
        if self.exploring and self._table.count > known:
            new = np.flatnonzero(first_of_each(ids[:total], known))
            self._queue.append(arrivals[: total * self.words].reshape(-1, self.words)[new].reshape(-1))

    def hash(self, vectors: Words, total: int) -> Ids:
        """32 bits for each vector that are independent of what it is known by. Valid until the next call."""
        _hash_all(vectors, total, self._seed, 64 - self._bits, self._keys, self._checks, self._width)
        return self._checks[:total]

    def number(self, vectors: Words, total: int) -> Ids:
        """The ids of states that are stored."""
        ids = np.zeros(total, np.uint32)
        self.hash(vectors, total)
        self._table.intern(self._keys, total, ids)
        return ids

    def find(self, vector: Vector) -> int | None:
        """The id that a vector would have, if one is stored that has its hash."""
        self.hash(np.array(vector, np.uint64), 1)
        return self._table.find(int(self._keys[0]))

    def expanding(self, ids: Ids) -> Words:
        """Rows of states of the last batch."""
        rows: Words = self._queue.peek(self._queue.count).reshape(-1, self.words)[ids - np.uint32(self.first)]
        return rows

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, or of the first of them; what came before them is forgotten."""
        self._queue.drop(start - self.first)
        self.first = start
        return self._queue.peek(stop - start)
