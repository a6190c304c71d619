"""A table that numbers keys, made small: what all exact stores keep vectors, nodes and roots in.

Keys stand in the order of their ids. An index of 32-bit entries finds them: an entry is the id plus one, and, in the
bits above the widest id that fits for now, a tag from the key's hash, so that most mismatches touch no key; zero is
empty. Any number of slots will do, so that the index grows by small steps and is never much larger than it must be. It
is rebuilt in place, from the keys: it never exists twice.

Keys are stored without bytes that are always zero: the upper half of the last word, if it is `short`; and of pairs of
references, which have one in each half of a word, as many bytes as the largest needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ouroboros.engine.hashing import hash_words
from ouroboros.jit import Width, kernel, load, pasted, prefetch, prepare, record, save, width_of, words_in
from ouroboros.memory import Budget, Bytes, Ids, OutOfMemory, Words, reserve

Number = Any
"""In kernels np.uint64, for an index that might be negative costs a test at each access; an int for who calls them."""

_HALF, _WHOLE, _EIGHT = np.uint64(32), np.uint64(64), np.uint64(8)
_LOWER, _ALL = np.uint64((1 << 32) - 1), np.uint64((1 << 64) - 1)
_NONE, _ONE = np.uint64(0), np.uint64(1)
_EMPTY = np.uint32(0)

# Look-ups between asking for an index entry and needing it, and between asking for the key that it names and that.
_AHEAD = np.uint64(32)
_KEY_AHEAD = np.uint64(16)
_LEAD = _AHEAD + _KEY_AHEAD
IN_FLIGHT = 64
"""Look-ups that are under way at once at most, and a power of two."""
_RING = np.uint64(IN_FLIGHT - 1)
_FARTHER = np.uint64(6)
"""Slots from home to where a search has often not ended yet: that may be in the next cache line."""

_FIRST_SLOTS = 1 << 12
_MOST_SLOTS = (1 << 32) - 1
_NEAR_SLOTS = np.uint64(1 << 16)
"""An index of so many slots is in a near cache: there is nothing to hide, and it may be sparse."""
_SPARSE = 0.25
_ROOMY = 0.6
_CROWDED = 0.8
_MANY_SLOTS = 1 << 22
_SMALL_STEP = 1.25
"""From so many slots on an index grows by smaller steps, if it is not to be roomy: there memory is what counts."""

_AT_ONCE = 1 << 14

_PLAIN = 8, 32
"""Bytes of a stored word, and how many bits of them are the lower half: here all."""


@pasted
def squeezed(word: Number, low: Number) -> Number:
    """The halves of a word, close together: the upper one stands `low` bits up."""
    return word & (_LOWER >> (_HALF - low)) | word >> _HALF << low


@pasted
def stretched(word: Number, low: Number) -> Number:
    return word & (_LOWER >> (_HALF - low)) | word >> low << _HALF


@pasted
def fetched(stored: Bytes, at: Number, step: Number) -> Number:
    """The stored word of `step` bytes at a place."""
    return load(stored, at) & (_ALL >> (_WHOLE - _EIGHT * step))


@pasted
def _home(value: Number, slots: Number) -> Number:
    """Where to look first: the share of the slots that the upper half of the hash is of its range."""
    return ((value >> _HALF) * slots) >> _HALF


@record("uint8[::1], uint64, uint64, uint64, uint64, uint32[::1], uint32, uint64[::1], uint32[::1]")
class Table(NamedTuple):
    """A table of keys, as kernels see it."""

    stored: Bytes
    step: Number
    """Bytes of a stored word."""
    low: Number
    """How many bits of it are the lower half."""
    last: Number
    """The bits of a stored key's last word that may be set."""
    stride: Number
    """Bytes of a stored key."""
    entries: Ids
    tag_mask: np.uint32
    hashes: Words
    """Of the look-ups that are under way, and in `found` the slots."""
    found: Ids


@kernel("UniTuple(uint64, 2)(uint64[::1], uint64, uint64, Table, uint64, uint64, uint32[::1], width)")
def intern_keys(
    keys: Words, done: Number, total: Number, table: Table, count: Number, room: Number, ids: Ids, width: Width
) -> tuple[Number, Number]:
    """Give each key from `done` on its id, storing the new ones, until there are `room` keys.

    Returns how many keys are done and how many are stored then. In a large index the first slot that is empty or has
    the right tag is found a while before it is needed. What comes between fills only empty slots, so the search can go
    on from there.
    """
    words = words_in(width)
    stored, step, low, last, stride, index, tag_mask, hashes, found = table
    slots = np.uint64(index.size)
    near = slots <= _NEAR_SLOTS
    lead = _NONE if near else _LEAD
    for far in range(done, total + lead):
        if far < total:
            value = hash_words(keys, far * words, words)
            home = _home(value, slots)
            hashes[far & _RING] = value
            found[far & _RING] = home
            if not near:
                prefetch(index, home)
                prefetch(index, home + _FARTHER)
        if not near and done + _AHEAD <= far < total + _AHEAD:
            soon = (far - _AHEAD) & _RING
            tag = np.uint32(hashes[soon]) & tag_mask
            slot = np.uint64(found[soon])
            entry = index[slot]
            while entry != _EMPTY and entry & tag_mask != tag:
                slot += _ONE
                if slot == slots:
                    slot = _NONE
                entry = index[slot]
            found[soon] = slot
            if entry != _EMPTY:
                prefetch(stored, (np.uint64(entry & ~tag_mask) - _ONE) * stride)
        if far < done + lead:
            continue
        now = far - lead
        tag = np.uint32(hashes[now & _RING]) & tag_mask
        slot = np.uint64(found[now & _RING])
        new = now * words
        while True:
            entry = index[slot]
            if entry == _EMPTY:
                if count >= room:
                    return now, count
                at = count * stride
                for w in range(words):
                    # What this writes too much is where the next word or key will be.
                    save(stored, at + w * step, squeezed(keys[new + w], low))
                ids[now] = np.uint32(count)
                count += _ONE
                index[slot] = tag | np.uint32(count)
                break
            if entry & tag_mask == tag:
                identifier = np.uint64(entry & ~tag_mask) - _ONE
                old = identifier * stride
                difference = _NONE
                for w in range(words):
                    counted = last if w + _ONE == words else _ALL >> (_WHOLE - _EIGHT * step)
                    difference |= (load(stored, old + w * step) ^ squeezed(keys[new + w], low)) & counted
                if difference == _NONE:
                    ids[now] = np.uint32(identifier)
                    break
            slot += _ONE
            if slot == slots:
                slot = _NONE
    return total, count


@kernel("void(uint8[::1], uint64, uint64, uint64, uint64, uint32[::1], uint64[::1], width)")
def _gather(
    stored: Bytes, step: Number, low: Number, last: Number, stride: Number, identifiers: Ids, keys: Words, width: Width
) -> None:
    """Write keys one after the other, with all their bytes."""
    words = words_in(width)
    total = np.uint64(identifiers.size)
    for k in range(total):
        if k + _KEY_AHEAD < total:
            prefetch(stored, np.uint64(identifiers[k + _KEY_AHEAD]) * stride)
        at = np.uint64(identifiers[k]) * stride
        for w in range(words):
            counted = last if w + _ONE == words else _ALL >> (_WHOLE - _EIGHT * step)
            keys[k * words + w] = stretched(load(stored, at + w * step) & counted, low)


@kernel("void(uint64[::1], uint64, uint64, uint32[::1], uint32, uint64[::1], width)")
def _enter(
    keys: Words, first: Number, total: Number, index: Ids, tag_mask: np.uint32, hashes: Words, width: Width
) -> None:
    """Enter keys that are known to be different, with ids from `first` on."""
    words = words_in(width)
    slots = np.uint64(index.size)
    for ahead in range(total + _AHEAD):
        if ahead < total:
            value = hash_words(keys, ahead * words, words)
            hashes[ahead & _RING] = value
            prefetch(index, _home(value, slots))
        if ahead < _AHEAD:
            continue
        k = ahead - _AHEAD
        value = hashes[k & _RING]
        slot = _home(value, slots)
        while index[slot] != _EMPTY:
            slot += _ONE
            if slot == slots:
                slot = _NONE
        index[slot] = (np.uint32(value) & tag_mask) | np.uint32(first + k + _ONE)


@kernel("void(uint8[::1], uint64, uint64, uint64, uint64, uint64)")
def _widen(stored: Bytes, count: Number, step: Number, low: Number, new_step: Number, new_low: Number) -> None:
    """Give all words more bytes, from the last to the first, so that none is overwritten before it is read."""
    whole = _ALL >> (_WHOLE - _EIGHT * new_step)
    for back in range(count):
        k = count - _ONE - back
        word = stretched(fetched(stored, k * step, step), low)
        at = k * new_step
        save(stored, at, load(stored, at) & ~whole | squeezed(word, new_low))


class KeyTable:
    """Keys of some words, numbered from zero in the order of their first arrival."""

    def __init__(
        self,
        words: int,
        budget: Budget,
        purpose: str,
        *,
        short: bool = False,
        pairs: bool = False,
        roomy: bool = False,
    ) -> None:
        """`short`: the upper half of the last word of every key is zero. `pairs`: each word is a pair of references.
        `roomy`: the index is for speed rather than for memory."""
        self.words = words
        self.count = 0
        self.step, self.low = (2, 8) if pairs else _PLAIN
        self._short = short
        self._roomy = roomy
        self._width = width_of(words)
        prepare(intern_keys, self._width)
        self._budget = budget
        self._purpose = purpose
        self.most_keys = min(int(_MOST_SLOTS * _CROWDED), budget.limit // self.stride)
        self._hashes = np.zeros(IN_FLIGHT, np.uint64)
        self._found = np.zeros(IN_FLIGHT, np.uint32)
        # Eight bytes are read and written even for the last word of the last key.
        self.stored = reserve(budget.limit + 8, np.uint8)
        self._index_space = reserve(min(_MOST_SLOTS, budget.limit // 4), np.uint32)
        self._use_slots(min(_FIRST_SLOTS, self._index_space.size))

    @property
    def stride(self) -> int:
        """Bytes of a stored key."""
        return self.words * self.step - 4 * self._short

    @property
    def last(self) -> int:
        """The bits of a stored key's last word that may be set."""
        return (1 << 8 * (self.step - 4 * self._short)) - 1

    @property
    def table(self) -> Table:
        return Table(
            self.stored,
            self.step,
            self.low,
            self.last,
            self.stride,
            self._index,
            self._tag_mask,
            self._hashes,
            self._found,
        )

    @property
    def room(self) -> int:
        """How many keys fit for now."""
        return self._room

    def _use_slots(self, slots: int) -> None:
        self._claim(slots)
        self._index = self._index_space[:slots]
        crowded = _SPARSE if slots <= _NEAR_SLOTS else _ROOMY if self._roomy else _CROWDED
        self._room = min(int(slots * crowded), self.most_keys)
        self._tag_mask = np.uint32(0xFFFFFFFF >> self._room.bit_length() << self._room.bit_length())

    def _claim(self, slots: int) -> None:
        self._budget.claim(self._purpose, self.count * self.stride + slots * 4)

    @property
    def bytes(self) -> int:
        return self.count * self.stride + self._index.size * 4

    @property
    def size(self) -> int:
        """The bytes without those that the index has in reserve."""
        return self.count * (self.stride + 4)

    def refer_to(self, nodes: int) -> None:
        """Have room for references to so many nodes in both halves of each word."""
        while nodes > 1 << self.low:
            step, low = self.step + 2, self.low + 8
            self._budget.claim(self._purpose, self.count * self.words * step + self._index.size * 4)
            _widen(self.stored, self.count * self.words, self.step, self.low, step, low)
            self.step, self.low = step, low

    def intern(self, keys: Words, total: int, ids: Ids) -> None:
        """Set ids[k] for each of the keys. New ones get the next ids in the order of arrival."""
        done = 0
        while True:
            done, self.count = self._intern_some(keys, done, total, self._room, ids)
            self._claim(self._index.size)
            if done == total:
                return
            self.grow()

    def _intern_some(self, keys: Words, done: int, total: int, room: int, ids: Ids) -> tuple[int, int]:
        return intern_keys(keys, done, total, self.table, self.count, room, ids, self._width)

    def grow(self) -> None:
        """Make room for more keys."""
        growth = 2 if self._roomy or self._index.size < _MANY_SLOTS else _SMALL_STEP
        slots = min(int(self._index.size * growth), self._index_space.size)
        if self.count >= self.most_keys or slots == self._index.size:
            raise OutOfMemory(self._purpose)
        before = self._index
        self._use_slots(slots)
        before[:] = _EMPTY
        for start in range(0, self.count, _AT_ONCE):
            keys = self.range(start, min(start + _AT_ONCE, self.count))
            _enter(keys, start, keys.size // self.words, self._index, self._tag_mask, self._hashes, self._width)

    def close(self) -> None:
        """Give the index back: the keys stay, and nothing can be stored or found any more."""
        self._index_space = self._index = reserve(1, np.uint32)
        self._room = self.count
        self._claim(0)

    def range(self, start: int, stop: int) -> Words:
        """Keys with consecutive ids, one after the other; not to be changed."""
        if (self.step, self.low) == _PLAIN and not self._short:
            return self.stored[start * self.stride : stop * self.stride].view(np.uint64)
        return self.gather(np.arange(start, stop, dtype=np.uint32))

    def gather(self, identifiers: Ids) -> Words:
        """A copy of any keys, one after the other."""
        keys = np.empty(identifiers.size * self.words, np.uint64)
        _gather(self.stored, self.step, self.low, self.last, self.stride, identifiers, keys, self._width)
        return keys

    def find(self, *key: int) -> int | None:
        """The id of a key, if it is stored."""
        found = np.zeros(1, np.uint32)
        # An insertion that may add no key: it stops before the first.
        done, _ = self._intern_some(np.array(key, np.uint64), 0, 1, self.count, found)
        return int(found[0]) if done else None
