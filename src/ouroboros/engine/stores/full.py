"""The full store: every vector as it is, exact.

Vectors stand in the order of their ids. An open-addressing table of 2**k 64-bit entries finds them: an entry is the
hash with its low k bits replaced by the id plus one, so that most mismatches touch no vector; zero is empty. The home
slot is taken from bits 32 and up, which every entry still has: a crowded table doubles in place, in one sweep that
looks at no vector, and never exists twice.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.hashing import hash_words
from ouroboros.engine.jit import Width, inlined, kernel, prefetch, width_of, words_in
from ouroboros.engine.memory import Budget, Ids, OutOfMemory, Words, reserve
from ouroboros.engine.stores.base import MOST_STATES
from ouroboros.system.layout import Vector

_HALF = np.uint64(32)
_NONE, _ONE = np.uint64(0), np.uint64(1)

# Look-ups between asking for a cache line and needing it: a vector's, and before that its table entry's.
_AHEAD = 16
_FAR_AHEAD = 48

_FIRST_SLOTS = 1 << 14
_CROWDED = 0.6
_MOST_SLOTS = 1 << 32  # in a larger table the ids would take the bits of the home slot


@kernel(
    "Tuple((int64, int64))"
    "(uint64[::1], int64, int64, uint64[::1], int64, uint64[::1], int64, uint64[::1], uint32[::1], width)"
)
def insert_vectors(
    arrivals: Words,
    done: int,
    total: int,
    vectors: Words,
    count: int,
    table: Words,
    room: int,
    hashes: Words,
    ids: Ids,
    width: Width,
) -> tuple[int, int]:
    """Give each arrival from `done` on its id, storing the new ones, until the table holds `room` states.

    Returns how many arrivals are done and how many states there are then.
    """
    words = words_in(width)
    mask = np.uint64(table.size - 1)
    for k in range(done, total):
        hashes[k] = hash_words(arrivals, np.uint64(k) * words, words)
    for k in range(done, min(done + _FAR_AHEAD, total)):
        prefetch(table, np.int64((hashes[k] >> _HALF) & mask))
    for k in range(done, total):
        if k + _FAR_AHEAD < total:
            prefetch(table, np.int64((hashes[k + _FAR_AHEAD] >> _HALF) & mask))
        if k + _AHEAD < total:
            entry = table[(hashes[k + _AHEAD] >> _HALF) & mask]
            if entry != _NONE:
                prefetch(vectors, np.int64(((entry & mask) - _ONE) * words))
        tag = hashes[k] & ~mask
        slot = (hashes[k] >> _HALF) & mask
        new = np.uint64(k) * words
        while True:
            entry = table[slot]
            if entry == _NONE:
                if count >= room:
                    return k, count
                at = np.uint64(count) * words
                for w in range(words):
                    vectors[at + w] = arrivals[new + w]
                ids[k] = np.uint32(count)
                count += 1
                table[slot] = tag | np.uint64(count)
                break
            if entry & ~mask == tag:
                identifier = (entry & mask) - _ONE
                old = identifier * words
                difference = _NONE
                for w in range(words):
                    difference |= vectors[old + w] ^ arrivals[new + w]
                if difference == _NONE:
                    ids[k] = np.uint32(identifier)
                    break
            slot = (slot + _ONE) & mask
    return total, count


@inlined
def _place(table: Words, mask: np.uint64, entry: np.uint64) -> None:
    slot = (entry >> _HALF) & mask
    while table[slot] != _NONE:
        slot = (slot + _ONE) & mask
    table[slot] = entry


@kernel("void(uint64[::1])")
def _double(table: Words) -> None:
    """Spread the entries in the lower half of the table over the whole of it.

    The sweep takes out one entry after the other and puts it where it belongs now: at its old slot or before, or in
    the upper half. What was put is never moved again, and between its home and its slot nothing is taken out later:
    the sweep starts behind an empty slot, and what stands before that, which may have its home at the old end, is set
    aside until all else is done.
    """
    half = table.size // 2
    mask = np.uint64(table.size - 1)
    kept = ~np.uint64(half)  # the id grows by one bit, at the expense of the hash
    first_empty = 0
    while table[first_empty] != _NONE:
        first_empty += 1
    aside = table[:first_empty].copy()
    table[:first_empty] = _NONE
    for slot in range(first_empty + 1, half):
        entry = table[slot]
        if entry != _NONE:
            table[slot] = _NONE
            _place(table, mask, entry & kept)
    for entry in aside:
        _place(table, mask, entry & kept)


class FullStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, most_arrivals: int) -> None:
        self.words = words
        self._width = width_of(words)
        self.count = 0
        self._budget = budget
        self._vectors = reserve(min(MOST_STATES * words, budget.limit // 8), np.uint64)
        self._hashes = np.zeros(most_arrivals, np.uint64)
        self._table_space = reserve(1 << (budget.limit // 8).bit_length(), np.uint64)
        self._use_slots(_FIRST_SLOTS)

    def _use_slots(self, slots: int) -> None:
        if slots > _MOST_SLOTS:
            raise OutOfMemory("table")
        self._budget.claim("table", slots * 8)
        self._table = self._table_space[:slots]
        self._room = min(int(slots * _CROWDED), self._vectors.size // self.words, MOST_STATES)

    @property
    def bytes(self) -> int:
        return (self.count * self.words + self._table.size) * 8

    @property
    def arrays(self) -> tuple[Words, Words, int]:
        """For kernels that call `insert_vectors` themselves: vectors, table, and how many states fit for now."""
        return self._vectors, self._table, self._room

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival."""
        done = 0
        while True:
            done, self.count = self._insert_some(arrivals, done, total, self._room, ids)
            self._budget.claim("states", self.count * self.words * 8)
            if done == total:
                return
            self.grow()

    def _insert_some(self, arrivals: Words, done: int, total: int, room: int, ids: Ids) -> tuple[int, int]:
        return insert_vectors(
            arrivals, done, total, self._vectors, self.count, self._table, room, self._hashes, ids, self._width
        )

    def grow(self) -> None:
        """Make room for more states."""
        if self.count >= min(self._vectors.size // self.words, MOST_STATES):
            raise OutOfMemory("states")
        self._use_slots(2 * self._table.size)
        _double(self._table)

    def close(self) -> None:
        """Give the table back: the states stay, and nothing can be stored or found any more."""
        self._table_space = self._table = reserve(1, np.uint64)
        self._room = self.count
        self._budget.claim("table", 0)

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids that are about to be expanded."""
        return self.vectors(start, stop)

    def vectors(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, one after the other."""
        return self._vectors[start * self.words : stop * self.words]

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        return self._vectors[: self.count * self.words].reshape(-1, self.words)[identifiers].reshape(-1)

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""
        wanted = np.array(vector, np.uint64)
        found = np.zeros(1, np.uint32)
        # An insertion that may add no state: it stops before the first.
        done, _ = self._insert_some(wanted, 0, 1, self.count, found)
        return int(found[0]) if done else None

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
