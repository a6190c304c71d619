"""The full store: every vector as it is, exact.

Vectors stand in the order of their ids, without the upper half of the last word if that is always zero. An
open-addressing table of 2**k 32-bit entries finds them: the low k bits of an entry are the id plus one, the others are
bits of the hash, so that most mismatches touch no vector; zero is empty. A crowded table is made anew from the vectors,
in place and twice as large, and never exists twice.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.hashing import hash_words
from ouroboros.engine.jit import Width, inlined, kernel, load, prefetch, save, width_of, words_in
from ouroboros.engine.memory import Budget, Bytes, Ids, OutOfMemory, Words, reserve
from ouroboros.engine.stores.base import MOST_STATES
from ouroboros.system.layout import Vector

_HALF = np.uint64(32)
_HALF_WORD = np.uint64((1 << 32) - 1)
WHOLE_WORD = np.uint64((1 << 64) - 1)
_WORD_BYTES = np.uint64(8)
_NONE, _ONE = np.uint64(0), np.uint64(1)

# Look-ups between asking for a table entry and needing it, and between asking for the vector that it names and that.
_AHEAD = 32
_VECTOR_AHEAD = 16
IN_FLIGHT = 64
"""Look-ups that are under way at once at most: more than these together, and a power of two."""
_RING = IN_FLIGHT - 1
_AT_ONCE = 1 << 14

_FARTHER = 6
"""Slots from home to where a search has often not ended yet: that may be in the next cache line."""

_FIRST_SLOTS = 1 << 14
_CROWDED = 0.6
_MOST_SLOTS = 1 << 32


@inlined
def _home(value: np.uint64, mask: np.uint64) -> np.uint64:
    return (value >> _HALF) & mask


@inlined
def _tag(value: np.uint64, mask: np.uint64) -> np.uint64:
    """The bits of an entry above the id. From the lowest of the hash, for the owner was chosen by higher ones."""
    return (value * (mask + _ONE)) & _HALF_WORD


@kernel(
    "Tuple((int64, int64))(uint64[::1], int64, int64, uint8[::1], uint64, uint64, int64, uint32[::1], int64,"
    " uint64[::1], uint32[::1], uint32[::1], width)"
)
def insert_vectors(
    arrivals: Words,
    done: int,
    total: int,
    vectors: Bytes,
    stride: int,
    last: np.uint64,
    count: int,
    table: Ids,
    room: int,
    hashes: Words,
    slots: Ids,
    ids: Ids,
    width: Width,
) -> tuple[int, int]:
    """Give each arrival from `done` on its id, storing the new ones, until the table holds `room` states.

    A vector takes `stride` bytes, and `last` has the bits of its last word that count. Returns how many arrivals are
    done and how many states there are then.
    """
    words = words_in(width)
    mask = np.uint64(table.size - 1)
    for far in range(done, total + _AHEAD + _VECTOR_AHEAD):
        if far < total:
            value = hash_words(arrivals, np.uint64(far) * words, words)
            hashes[far & _RING] = value
            home = np.int64(_home(value, mask))
            prefetch(table, home)
            prefetch(table, home + _FARTHER)
        near = far - _AHEAD
        if done <= near < total:
            # Where the search for this arrival goes on when its turn comes: before that slot there is no match.
            tag = _tag(hashes[near & _RING], mask)
            slot = _home(hashes[near & _RING], mask)
            entry = np.uint64(table[slot])
            while entry != _NONE and entry & ~mask != tag:
                slot = (slot + _ONE) & mask
                entry = np.uint64(table[slot])
            slots[near & _RING] = slot
            if entry != _NONE:
                prefetch(vectors, np.int64(((entry & mask) - _ONE) * stride))
        k = near - _VECTOR_AHEAD
        if k < done:
            continue
        tag = _tag(hashes[k & _RING], mask)
        slot = np.uint64(slots[k & _RING])
        new = np.uint64(k) * words
        while True:
            entry = np.uint64(table[slot])
            if entry == _NONE:
                if count >= room:
                    return k, count
                at = np.uint64(count) * stride
                for w in range(words):
                    # What the last one writes too much is where the next vector will be.
                    save(vectors, at + w * _WORD_BYTES, arrivals[new + w])
                ids[k] = np.uint32(count)
                count += 1
                table[slot] = tag | np.uint64(count)
                break
            if entry & ~mask == tag:
                identifier = (entry & mask) - _ONE
                old = identifier * stride
                difference = _NONE
                for w in range(words):
                    counted = last if w + _ONE == words else WHOLE_WORD
                    difference |= (load(vectors, old + w * _WORD_BYTES) ^ arrivals[new + w]) & counted
                if difference == _NONE:
                    ids[k] = np.uint32(identifier)
                    break
            slot = (slot + _ONE) & mask
    return total, count


@kernel("void(uint8[::1], uint64, uint64, uint32[::1], uint64[::1], width)")
def _gather(vectors: Bytes, stride: int, last: np.uint64, identifiers: Ids, out: Words, width: Width) -> None:
    """Write vectors to `out`, one after the other, with all their words."""
    words = words_in(width)
    for k in range(np.uint64(identifiers.size)):
        if k + np.uint64(_VECTOR_AHEAD) < np.uint64(identifiers.size):
            prefetch(vectors, np.int64(np.uint64(identifiers[k + np.uint64(_VECTOR_AHEAD)]) * stride))
        at = np.uint64(identifiers[k]) * stride
        for w in range(words):
            counted = last if w + _ONE == words else WHOLE_WORD
            out[k * words + w] = load(vectors, at + w * _WORD_BYTES) & counted


@kernel("void(uint64[::1], int64, int64, uint32[::1], uint64[::1], width)")
def _enter(batch: Words, first: int, count: int, table: Ids, hashes: Words, width: Width) -> None:
    """Enter vectors that are known to be different, with ids from `first` on."""
    words = words_in(width)
    mask = np.uint64(table.size - 1)
    for ahead in range(count + _AHEAD):
        if ahead < count:
            value = hash_words(batch, np.uint64(ahead) * words, words)
            hashes[ahead & _RING] = value
            prefetch(table, np.int64(_home(value, mask)))
        k = ahead - _AHEAD
        if k >= 0:
            slot = _home(hashes[k & _RING], mask)
            while table[slot] != 0:
                slot = (slot + _ONE) & mask
            table[slot] = _tag(hashes[k & _RING], mask) | np.uint64(first + k + 1)


class FullStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, short: bool = False) -> None:
        """`short`: the upper half of the last word of every vector is zero."""
        self.words = words
        self.stride = words * 8 - 4 * short
        """Bytes of a stored vector."""
        self.last = _HALF_WORD if short else WHOLE_WORD
        """The bits of the last word that may be set."""
        self.count = 0
        self._width = width_of(words)
        self._budget = budget
        self._most_states = min(MOST_STATES, budget.limit // self.stride)
        # Eight bytes are read and written even for the last word of the last vector.
        self._vectors = reserve(self._most_states * self.stride + 8, np.uint8)
        self._hashes = np.zeros(IN_FLIGHT, np.uint64)
        self._slots = np.zeros(IN_FLIGHT, np.uint32)
        self._short = short
        self._window = range(0)
        """The ids of the vectors that were unpacked last."""
        self._unpacked = np.zeros(0, np.uint64)
        self._table_space = reserve(1 << (budget.limit // 4).bit_length(), np.uint32)
        self._use_slots(_FIRST_SLOTS)

    def _use_slots(self, slots: int) -> None:
        if slots > _MOST_SLOTS:
            raise OutOfMemory("table")
        self._budget.claim("table", slots * 4)
        self._table = self._table_space[:slots]
        self._room = min(int(slots * _CROWDED), self._most_states)

    @property
    def bytes(self) -> int:
        return self.count * self.stride + self._table.size * 4

    @property
    def arrays(self) -> tuple[Bytes, Ids, int]:
        """For kernels that call `insert_vectors` themselves: vectors, table, and how many states fit for now."""
        return self._vectors, self._table, self._room

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival."""
        done = 0
        while True:
            done, self.count = self._insert_some(arrivals, done, total, self._room, ids)
            self._budget.claim("states", self.count * self.stride)
            if done == total:
                return
            self.grow()

    def _insert_some(self, arrivals: Words, done: int, total: int, room: int, ids: Ids) -> tuple[int, int]:
        return insert_vectors(
            arrivals, done, total, self._vectors, self.stride, self.last, self.count, self._table, room, self._hashes,
            self._slots, ids, self._width,
        )  # fmt: skip

    def grow(self) -> None:
        """Make room for more states."""
        if self.count >= self._most_states:
            raise OutOfMemory("states")
        before = self._table
        self._use_slots(2 * before.size)
        before[:] = 0
        for start in range(0, self.count, _AT_ONCE):
            stop = min(start + _AT_ONCE, self.count)
            _enter(self.vectors(start, stop), start, stop - start, self._table, self._hashes, self._width)

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
        if self._short:
            return self.gather(np.arange(start, stop, dtype=np.uint32))
        return self._vectors[start * self.stride : stop * self.stride].view(np.uint64)

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        vectors = np.empty(identifiers.size * self.words, np.uint64)
        _gather(self._vectors, self.stride, self.last, identifiers, vectors, self._width)
        return vectors

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""
        wanted = np.array(vector, np.uint64)
        found = np.zeros(1, np.uint32)
        # An insertion that may add no state: it stops before the first.
        done, _ = self._insert_some(wanted, 0, 1, self.count, found)
        return int(found[0]) if done else None

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
