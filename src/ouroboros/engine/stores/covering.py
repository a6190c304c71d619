"""Inclusion: of the states that are alike but for what repeats, only those are kept that no other one covers.

A state covers another one if each of its numbers in the repeating part is at least as large: a zone that includes the
other's (Daws and Tripakis 1998). States that differ in that part alone are in a chain. A new one that is covered is
not stored; and those that it covers leave the chain. They keep their ids, for paths lead through them, but what is not
expanded yet need not be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.choice import Repeating
from ouroboros.engine.stores.keys import KeyTable, Number
from ouroboros.engine.stores.sharing import cut_out
from ouroboros.jit import kernel, prepare, record
from ouroboros.memory import Budget, Bytes, Ids, Words, reserve
from ouroboros.system.layout import WORD_BITS, Vector

_OLD = np.uint32(OLD)
_NONE, _ONE = np.uint32(0), np.uint32(1)
_BYTES_FOR_STATE = 13
_BYTES_FOR_PLACE = 4
_AT_ONCE = 1 << 12

Counts = npt.NDArray[np.int64]


@record("uint32[::1], uint32[::1], uint32[::1], uint32[::1], uint8[::1]")
class Chains(NamedTuple):
    """Of each place the first state; of each state the next, its place, its part, and whether it has left its chain."""

    heads: Ids
    following: Ids
    place_of: Ids
    part_of: Ids
    covered: Bytes


@kernel(
    "uint64(uint64, uint32[::1], uint32[::1], uint64[::1], uint64, uint64, Chains, uint64, uint32[::1], int64[::1])"
)
def _enter(
    total: Number,
    places: Ids,
    parts: Ids,
    contents: Words,
    size: Number,
    tops: Number,
    chains: Chains,
    count: Number,
    ids: Ids,
    superseded: Counts,
) -> Number:
    """Store what no stored state covers; returns how many states are stored then.

    `tops` has the sign of each of the numbers in a word of the contents of a part. In a chain no state covers another
    one, so that one that the new one covers and one that covers it are never in the same chain, unless all are equal.
    """
    heads, following, place_of, part_of, covered = chains
    for k in range(total):
        place, part = places[k], parts[k]
        entry, before = heads[place], _NONE
        is_old = False
        while entry != _NONE:
            state = entry - _ONE
            other = part_of[state]
            # Whether the new one is at most the other one, and at least.
            below = above = True
            if other != part:
                mine, theirs = np.uint64(part) * size, np.uint64(other) * size
                for w in range(size):
                    x, y = contents[mine + w] ^ tops, contents[theirs + w] ^ tops
                    if x != y:
                        at_most = ((y & ~x) | (~(x ^ y) & ((y | tops) - (x & ~tops)))) & tops
                        at_least = ((x & ~y) | (~(x ^ y) & ((x | tops) - (y & ~tops)))) & tops
                        below &= at_most == tops
                        above &= at_least == tops
                        if not below and not above:
                            break
            if below:
                is_old = True
                break
            after = following[state]
            if above:
                covered[state] = 1
                superseded[0] += 1
                if before == _NONE:
                    heads[place] = after
                else:
                    following[before - _ONE] = after
            else:
                before = entry
            entry = after
        if is_old:
            ids[k] = _OLD
            continue
        ids[k] = np.uint32(count)
        place_of[count] = place
        part_of[count] = part
        following[count] = heads[place]
        heads[place] = np.uint32(count) + _ONE
        count += np.uint64(1)
    return count


@kernel("void(uint64[::1], uint64, uint64, uint64, uint64, uint64[::1])")
def _leave_out(vectors: Words, total: Number, words: Number, first: Number, end: Number, rest: Words) -> None:
    """Of each vector the words before `first` and from `end` on."""
    size = end - first
    others = words - size
    for k in range(total):
        for w in range(others):
            rest[k * others + w] = vectors[k * words + (w if w < first else w + size)]


@kernel("void(uint32[::1], uint32[::1], uint64[::1], uint64[::1], uint64, uint64, uint64, uint64[::1])")
def _join(
    places: Ids, parts: Ids, rests: Words, contents: Words, words: Number, first: Number, end: Number, vectors: Words
) -> None:
    size = end - first
    others = words - size
    for k in range(np.uint64(places.size)):
        place, part = np.uint64(places[k]) * others, np.uint64(parts[k]) * size
        for w in range(others):
            vectors[k * words + (w if w < first else w + size)] = rests[place + w]
        for w in range(size):
            vectors[k * words + first + w] = contents[part + w]


class CoveringStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, most_arrivals: int, repeating: Repeating) -> None:
        self.words = words
        self.count = 0
        self._first, self._end = repeating.first, repeating.end
        size = self._end - self._first
        self._tops = sum(1 << shift for shift in range(repeating.bits - 1, WORD_BITS, repeating.bits))
        self._budget = budget
        self._places = KeyTable(words - size, budget, "places", roomy=True)
        self._parts = KeyTable(size, budget, "repeating parts", roomy=True)
        most_states = budget.limit // _BYTES_FOR_STATE + 1
        self._chains = Chains(
            reserve(budget.limit // _BYTES_FOR_PLACE + 1, np.uint32),
            reserve(most_states, np.uint32),
            reserve(most_states, np.uint32),
            reserve(most_states, np.uint32),
            reserve(most_states, np.uint8),
        )
        self._superseded = np.zeros(1, np.int64)
        self._found = np.zeros((2, most_arrivals), np.uint32)
        self._cut = np.zeros(most_arrivals * size, np.uint64)
        self._rest = np.zeros(most_arrivals * (words - size), np.uint64)
        budget.claim_buffers("parts of arrivals", self._found.nbytes + self._cut.nbytes + self._rest.nbytes)
        for each in (cut_out, _leave_out, _enter, _join):
            prepare(each)

    @property
    def superseded(self) -> int:
        """How many of the states a later one covers."""
        return int(self._superseded[0])

    @property
    def _own_bytes(self) -> int:
        return self.count * _BYTES_FOR_STATE + self._places.count * _BYTES_FOR_PLACE

    @property
    def bytes(self) -> int:
        return self._places.bytes + self._parts.bytes + self._own_bytes

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals; OLD, if a stored state covers it. New states get the next ids."""
        shape = self.words, self._first, self._end
        cut_out(arrivals, total, *shape, self._cut)
        _leave_out(arrivals, total, *shape, self._rest)
        parts, places = self._found
        self._parts.intern(self._cut, total, parts)
        self._places.intern(self._rest, total, places)
        self._budget.claim("states", self._own_bytes + total * _BYTES_FOR_STATE)
        self.count = _enter(
            total,
            places,
            parts,
            self._parts.range(0, self._parts.count),
            self._end - self._first,
            self._tops,
            self._chains,
            self.count,
            ids,
            self._superseded,
        )
        self._budget.claim("states", self._own_bytes)

    def waiting(self, start: int, stop: int) -> Ids:
        """Of consecutive ids those of states that no other one covers."""
        found: Ids = (np.flatnonzero(self._chains.covered[start:stop] == 0) + start).astype(np.uint32)
        return found

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids, or of the first of them."""
        return self.vectors(start, min(stop, start + _AT_ONCE))

    def vectors(self, start: int, stop: int) -> Words:
        """A copy of the vectors of consecutive ids, one after the other."""
        return self._joined(self._chains.place_of[start:stop], self._chains.part_of[start:stop])

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        return self._joined(self._chains.place_of[identifiers], self._chains.part_of[identifiers])

    def _joined(self, places: Ids, parts: Ids) -> Words:
        vectors = np.empty(places.size * self.words, np.uint64)
        rests, contents = (table.range(0, table.count) for table in (self._places, self._parts))
        _join(places, parts, rests, contents, self.words, self._first, self._end, vectors)
        return vectors

    def find(self, vector: Vector) -> int | None:
        """The id of a state that is stored, and that no other one covers."""
        part = self._parts.find(*vector[self._first : self._end])
        place = self._places.find(*vector[: self._first], *vector[self._end :])
        if part is None or place is None:
            return None
        entry = int(self._chains.heads[place])
        while entry and int(self._chains.part_of[entry - 1]) != part:
            entry = int(self._chains.following[entry - 1])
        return entry - 1 if entry else None

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
