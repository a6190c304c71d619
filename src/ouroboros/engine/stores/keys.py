"""A table that numbers keys, made small: what a tree's nodes and roots are kept in.

Keys stand in the order of their ids. An index of 32-bit entries finds them: an entry is the id plus one, and, in the
bits above the widest id that fits for now, a tag from the key's hash, so that most mismatches touch no key; zero is
empty. Any number of slots will do, so that the index grows by small steps and is never much larger than it must be. It
is rebuilt in place, from the keys: it never exists twice.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ouroboros.engine.hashing import hash_words
from ouroboros.engine.jit import Width, inlined, kernel, prefetch, width_of, words_in
from ouroboros.engine.memory import Budget, Ids, OutOfMemory, Words, reserve

Number = Any
"""In kernels np.uint64, for an index that might be negative costs a test at each access; an int for who calls them."""

_HALF = np.uint64(32)
_NONE, _ONE = np.uint64(0), np.uint64(1)
_EMPTY = np.uint32(0)

# Look-ups between asking for a cache line and needing it: a key's, and before that its index entry's.
_AHEAD = np.uint64(16)
_FAR_AHEAD = np.uint64(48)
_BETWEEN = _FAR_AHEAD - _AHEAD
_AT_ONCE = 64

_FIRST_SLOTS = 1 << 12
_MOST_SLOTS = (1 << 32) - 1
_NEAR_SLOTS = np.uint64(1 << 16)
"""An index of so many slots is in a near cache: there is nothing to hide, and it may be sparse."""
_SPARSE = 0.5
_CROWDED = 0.8
_MANY_SLOTS = 1 << 23
"""From this size on an index grows by smaller steps: memory is what matters then, and not the time to rebuild it."""


@inlined
def _home(value: np.uint64, slots: np.uint64) -> np.uint64:
    """Where to look first: the share of the slots that the upper half of the hash is of its range."""
    return ((value >> _HALF) * slots) >> _HALF


@kernel(
    "UniTuple(uint64, 2)"
    "(uint64[::1], uint64, uint64, uint64[::1], uint64, uint32[::1], uint64, uint32, uint64[::1], uint32[::1], width)"
)
def _intern(
    keys: Words,
    done: Number,
    total: Number,
    stored: Words,
    count: Number,
    index: Ids,
    room: Number,
    tag_mask: np.uint32,
    hashes: Words,
    ids: Ids,
    width: Width,
) -> tuple[Number, Number]:
    """Give each key from `done` on its id, storing the new ones, until there are `room` keys.

    Returns how many keys are done and how many are stored then. In a large index the first slot that is empty or has
    the right tag is found a while before it is needed, and waits in `ids`. What comes between fills only empty slots,
    so the search can go on from there.
    """
    words = words_in(width)
    slots = np.uint64(index.size)
    lead = _NONE if slots <= _NEAR_SLOTS else _FAR_AHEAD
    for k in range(done, total):
        value = hash_words(keys, k * words, words)
        hashes[k] = value
        ids[k] = np.uint32(_home(value, slots))
    for ahead in range(done, total + lead):
        if lead:
            if ahead < total:
                prefetch(index, np.uint64(ids[ahead]))
            soon = ahead - _BETWEEN
            if done + _BETWEEN <= ahead < total + _BETWEEN:
                tag = np.uint32(hashes[soon]) & tag_mask
                slot = np.uint64(ids[soon])
                while True:
                    entry = index[slot]
                    if entry == _EMPTY:
                        break
                    if entry & tag_mask == tag:
                        prefetch(stored, (np.uint64(entry & ~tag_mask) - _ONE) * words)
                        break
                    slot += _ONE
                    if slot == slots:
                        slot = _NONE
                ids[soon] = np.uint32(slot)
            if ahead < done + lead:
                continue
        now = ahead - lead
        tag = np.uint32(hashes[now]) & tag_mask
        slot = np.uint64(ids[now])
        new = now * words
        while True:
            entry = index[slot]
            if entry == _EMPTY:
                if count >= room:
                    return now, count
                at = count * words
                for w in range(words):
                    stored[at + w] = keys[new + w]
                ids[now] = np.uint32(count)
                count += _ONE
                index[slot] = tag | np.uint32(count)
                break
            if entry & tag_mask == tag:
                identifier = np.uint64(entry & ~tag_mask) - _ONE
                old = identifier * words
                difference = _NONE
                for w in range(words):
                    difference |= stored[old + w] ^ keys[new + w]
                if difference == _NONE:
                    ids[now] = np.uint32(identifier)
                    break
            slot += _ONE
            if slot == slots:
                slot = _NONE
    return total, count


@kernel("void(uint64[::1], int64, uint32[::1], uint32, uint64[::1], width)")
def _rebuild(stored: Words, count: int, index: Ids, tag_mask: np.uint32, hashes: Words, width: Width) -> None:
    """Enter all keys into the index, some at once, so that their cache misses overlap."""
    words = words_in(width)
    slots = np.uint64(index.size)
    index[:] = _EMPTY
    for start in range(0, count, _AT_ONCE):
        stop = min(start + _AT_ONCE, count)
        for k in range(start, stop):
            value = hash_words(stored, np.uint64(k) * words, words)
            hashes[k - start] = value
            prefetch(index, np.int64(_home(value, slots)))
        for k in range(start, stop):
            value = hashes[k - start]
            slot = _home(value, slots)
            while index[slot] != _EMPTY:
                slot += _ONE
                if slot == slots:
                    slot = _NONE
            index[slot] = (np.uint32(value) & tag_mask) | np.uint32(k + 1)


class KeyTable:
    """Keys of some words, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, purpose: str, most_arrivals: int) -> None:
        self.words = words
        self.count = 0
        self._width = width_of(words)
        self._budget = budget
        self._purpose = purpose
        self._most_keys = min(int(_MOST_SLOTS * _CROWDED), budget.limit // (8 * words))
        self._hashes = np.zeros(max(most_arrivals, _AT_ONCE), np.uint64)
        self._stored = reserve(self._most_keys * words, np.uint64)
        self._index_space = reserve(min(_MOST_SLOTS, budget.limit // 4), np.uint32)
        self._use_slots(min(_FIRST_SLOTS, self._index_space.size))

    def _use_slots(self, slots: int) -> None:
        self._claim(slots)
        self._index = self._index_space[:slots]
        self._room = min(int(slots * (_SPARSE if slots <= _NEAR_SLOTS else _CROWDED)), self._most_keys)
        self._tag_mask = np.uint32(0xFFFFFFFF >> self._room.bit_length() << self._room.bit_length())

    def _claim(self, slots: int) -> None:
        self._budget.claim(self._purpose, self.count * self.words * 8 + slots * 4 + self._hashes.nbytes)

    @property
    def bytes(self) -> int:
        return self.count * self.words * 8 + self._index.size * 4

    @property
    def size(self) -> int:
        """The bytes without those that the index has in reserve."""
        return self.count * (self.words * 8 + 4)

    @property
    def keys(self) -> Words:
        """All keys, one after the other."""
        return self._stored[: self.count * self.words]

    def intern(self, keys: Words, total: int, ids: Ids) -> None:
        """Set ids[k] for each of the keys. New ones get the next ids in the order of arrival."""
        done = 0
        while True:
            done, self.count = self._intern_some(keys, done, total, self._room, ids)
            self._claim(self._index.size)
            if done == total:
                return
            self._grow()

    def _intern_some(self, keys: Words, done: int, total: int, room: int, ids: Ids) -> tuple[int, int]:
        return _intern(
            keys,
            done,
            total,
            self._stored,
            self.count,
            self._index,
            room,
            self._tag_mask,
            self._hashes,
            ids,
            self._width,
        )

    def _grow(self) -> None:
        growth = 2 if self._index.size < _MANY_SLOTS else 1.4
        slots = min(int(self._index.size * growth), self._index_space.size)
        if self.count >= self._most_keys or slots == self._index.size:
            raise OutOfMemory(self._purpose)
        self._use_slots(slots)
        _rebuild(self._stored, self.count, self._index, self._tag_mask, self._hashes, self._width)

    def find(self, *key: int) -> int | None:
        """The id of a key, if it is stored."""
        found = np.zeros(1, np.uint32)
        # An insertion that may add no key: it stops before the first.
        done, _ = self._intern_some(np.array(key, np.uint64), 0, 1, self.count, found)
        return int(found[0]) if done else None
