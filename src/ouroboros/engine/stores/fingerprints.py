"""A set of fingerprints: what hash compaction keeps of a state.

The table consists of lines of 64 bytes. A state's home is the line that the first 32 bits of its hash, as a share of
their range, point to; if that is full, the state goes to one of the next. An entry is a number of `bits`, and a byte
that says how many lines from home it stands, plus one; zero is empty. A line has the lowest bytes of all its numbers
first, then the distances, then what is left of the numbers: so a comparison of 16 bytes looks at all entries at once.

Of the first 32 bits only the lowest are stored: with the home they tell the others. So a state is known by many more
bits than it costs (Cleary's quotienting; Stern and Dill have it as well, in a table that cannot grow), and the table
grows by any factor, in place, without the states.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.keys import Number
from ouroboros.jit import (
    Width,
    equal_bytes,
    inlined,
    kernel,
    load,
    lowest_bit,
    pasted,
    prefetch,
    prepare,
    record,
    save,
    width_of,
    words_in,
)
from ouroboros.memory import Budget, Bytes, Ids, OutOfMemory, Words, reserve

LINE = 64
_LINE = np.uint64(LINE)
_HALF, _WHOLE = np.uint64(32), np.uint64(64)
_LOWER = np.uint64(0xFFFFFFFF)
_NONE, _ONE, _TWO, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(8)
_ALL = np.uint64((1 << 64) - 1)
_EMPTY = np.uint8(0)
_AHEAD = 32
_RING = 2 * _AHEAD - 1

_FARTHEST = 254
"""Lines from home, at most. So many lines more than homes are at the end: nothing comes round."""
_FIRST_LINES = 1 << 18
_MANY_LINES = 1 << 20
"""From this size on the table grows by small steps: it is swept in order, which is cheap."""
_SMALL_STEP = 1.25
_CROWDED = 0.88
_ASIDE = 1 << 16

_FOUND, _PLACED, _NO_ROOM = range(3)


@pasted
def _slots(bits: Number) -> Number:
    """The entries of a line."""
    return _LINE // (bits // _EIGHT + _ONE)


@pasted
def _upper(line: Number, slot: Number, bits: Number) -> Number:
    """Where the upper bytes of the number in a slot are."""
    return line * _LINE + _TWO * _slots(bits) + slot * (bits // _EIGHT - _ONE)


@inlined
def _place(table: Bytes, line: Number, entry: Number, bits: Number) -> int:
    """Look for an entry from its home on; if it is not there, put it into the first empty slot within reach."""
    slots = _slots(bits)
    upper_mask = _ALL >> (_WHOLE + _EIGHT - bits)
    upper = entry >> _EIGHT
    tag = np.uint8(1)
    while True:
        lowest = line * _LINE
        distances = lowest + slots
        matching = equal_bytes(table, lowest, np.uint8(entry)) & equal_bytes(table, distances, tag)
        matching &= (_ONE << slots) - _ONE
        while matching != _NONE:
            slot = lowest_bit(matching)
            if load(table, _upper(line, slot, bits)) & upper_mask == upper:
                return _FOUND
            matching &= matching - _ONE
        if table[distances + slots - _ONE] == _EMPTY:
            slot = lowest_bit(equal_bytes(table, distances, _EMPTY))
            table[lowest + slot] = entry
            table[distances + slot] = tag
            at = _upper(line, slot, bits)
            # The last bytes of a word may belong to the next entry.
            save(table, at, load(table, at) & ~upper_mask | upper)
            return _PLACED
        if tag == _FARTHEST + 1:
            return _NO_ROOM
        tag += np.uint8(1)
        line += _ONE


@inlined
def _home(place: Number, homes: Number) -> Number:
    return (place * homes) >> _HALF


@record("uint8[::1], uint64, uint64, uint64, uint64, uint64, uint64, uint64[::1], uint64[::1]")
class Lines(NamedTuple):
    """A table of fingerprints, as kernels see it."""

    table: Bytes
    homes: Number
    """How many lines are the home of an entry."""
    bits: Number
    """Of an entry."""
    rest_bits: Number
    """Those of them that do not say where its home is."""
    seed: Number
    place_mask: Number
    rest_mask: Number
    lines: Words
    """Of the look-ups that are under way, the homes; and in `entries` what is looked for."""
    entries: Words


@kernel("UniTuple(int64, 2)(uint64[::1], int64, int64, Lines, int64, int64, int64, uint32[::1], uint64[::1], width)")
def _insert(
    arrivals: Words,
    done: int,
    total: int,
    fingerprints: Lines,
    first_new: int,
    count: int,
    room: int,
    ids: Ids,
    fresh: Words,
    width: Width,
) -> tuple[int, int]:
    """Give each arrival from `done` on that is new an id, and copy it to `fresh`; until there are `room` states.

    The first in `fresh` has the id `first_new`. Returns how many arrivals are done and how many states there are then.
    """
    words = words_in(width)
    table, homes, bits, rest_bits, seed, place_mask, rest_mask, lines, entries = fingerprints
    mask = _ALL >> (_WHOLE - bits)
    for ahead in range(done, total + _AHEAD):
        if ahead < total:
            first, second = hash_pair(arrivals, np.uint64(ahead) * words, words, seed)
            place = (first >> _HALF) & place_mask
            line = _home(place, homes)
            lines[ahead & _RING] = line
            entries[ahead & _RING] = place << rest_bits & mask | second >> (_WHOLE - rest_bits) & rest_mask
            prefetch(table, np.int64(line * _LINE))
        k = ahead - _AHEAD
        if k < done:
            continue
        if count >= room:
            return k, count
        answer = _place(table, lines[k & _RING], entries[k & _RING], bits)
        if answer == _NO_ROOM:
            return k, count
        ids[k] = np.uint32(OLD)
        if answer == _PLACED:
            at = np.uint64(count - first_new) * words
            for w in range(words):
                fresh[at + w] = arrivals[np.uint64(k) * words + w]
            ids[k] = np.uint32(count)
            count += 1
    return total, count


@kernel("boolean(uint8[::1], uint64, uint64, uint64, uint64, uint64[::1], uint64[::1])")
def _spread(
    table: Bytes, homes: Number, more: Number, bits: Number, rest_bits: Number, taken: Words, aside: Words
) -> bool:
    """Move all entries from a table with `homes` to one with `more` homes, in the same place.

    From the last line to the first: an entry goes to where the sweep has been, for its new home is behind the old one;
    the few, near the beginning, that would go before the sweep are set aside until its end. Returns whether all have
    found a slot. There is room for the entries that are `taken` from a line, with their homes.
    """
    slots = _slots(bits)
    upper_mask = _ALL >> (_WHOLE + _EIGHT - bits)
    place_mask = _ALL >> (_WHOLE + rest_bits - bits)
    waiting = 0
    last_home = first_place = _NONE
    for back in range(homes + np.uint64(_FARTHEST + 1)):
        line = homes + np.uint64(_FARTHEST) - back
        at = line * _LINE
        found = 0
        for slot in range(slots):
            distance = table[at + slots + slot]
            if distance == _EMPTY:
                break
            home = line - np.uint64(distance) + _ONE
            entry = np.uint64(table[at + slot]) | (load(table, _upper(line, slot, bits)) & upper_mask) << _EIGHT
            # Of the places with this home, which are consecutive and not too many, the one with these lowest bits.
            if home != last_home:
                last_home, first_place = home, ((home << _HALF) + homes - _ONE) // homes
            taken[found] = _home(first_place + (((entry >> rest_bits) - first_place) & place_mask), more)
            taken[found + 1] = entry
            found += 2
        if found:
            table[at : at + _LINE] = _EMPTY
        for k in range(0, found, 2):
            if taken[k] < line or _place(table, taken[k], taken[k + 1], bits) == _NO_ROOM:
                if waiting + 2 > aside.size:
                    return False
                aside[waiting], aside[waiting + 1] = taken[k], taken[k + 1]
                waiting += 2
    placed = True
    for k in range(0, waiting, 2):
        placed &= _place(table, aside[k], aside[k + 1], bits) != _NO_ROOM
    return placed


class Fingerprints:
    """Fingerprints of states of one worker, which are numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, bits: int, seed: int, cut: int | None) -> None:
        """`cut` is for tests: only so many bits of the hash, at most 32, are used."""
        self.count = 0
        self.coverage: float | None = None
        self._bits = bits
        self._seed = seed
        self._width = width_of(words)
        prepare(_insert, self._width)
        self._budget = budget
        lines = budget.limit // LINE
        self._space = reserve((lines + 1) * LINE, np.uint8)
        self._most_homes = lines - _FARTHEST - 1
        homes = max(2, min(_FIRST_LINES, lines // 8))
        self._rest_bits = bits - (((1 << 32) - 1) // homes).bit_length()
        self._place_mask = 0xFFFFFFFF if cut is None else 0xFFFFFFFF >> (32 - cut) << (32 - cut)
        self._rest_mask = (1 << 64) - 1 if cut is None else 0
        self.identity_bits: int | None = 32 + self._rest_bits if cut is None else cut
        """Two states are taken for the same if so many bits of their hashes are."""
        self._in_flight = np.zeros((2, _RING + 1), np.uint64)
        self._use(homes)

    def _use(self, homes: int) -> None:
        if homes > self._most_homes:
            raise OutOfMemory("table")
        size = (homes + _FARTHEST + 1) * LINE
        self._budget.claim("table", size)
        self._homes = homes
        self._table = self._space[:size]
        self._room = int(homes * (LINE // (self._bits // 8 + 1)) * _CROWDED)

    @property
    def bytes(self) -> int:
        return int(self._table.size)

    def insert(self, arrivals: Words, total: int, ids: Ids, fresh: Words) -> int:
        """Set ids[k] for each of the arrivals: the next ids for new states, OLD for the others.

        The vectors of the new ones are copied to `fresh`; returns how many there are.
        """
        known = self.count
        done = 0
        while True:
            lines = Lines(
                self._table,
                self._homes,
                self._bits,
                self._rest_bits,
                self._seed,
                self._place_mask,
                self._rest_mask,
                *self._in_flight,
            )
            done, self.count = _insert(
                arrivals, done, total, lines, known, self.count, self._room, ids, fresh, self._width
            )
            if done == total:
                return self.count - known
            self._grow()

    def _grow(self) -> None:
        homes = self._homes
        self._use(int(homes * (_SMALL_STEP if homes >= _MANY_LINES else 2)))
        taken, aside = np.zeros(2 * LINE, np.uint64), np.zeros(_ASIDE, np.uint64)
        if not _spread(self._table, homes, self._homes, self._bits, self._rest_bits, taken, aside):
            raise OutOfMemory("table")
