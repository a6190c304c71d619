"""A Bloom filter of states: a few bits for each, in a table that never grows.

The more states are in it, the more new ones look like old ones. It is for hunting bugs in state spaces that nothing
else holds: what is found is real, and what is not found says little.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ouroboros.engine.hashing import hash_pair
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.keys import Number
from ouroboros.jit import Width, inlined, kernel, prefetch, prepare, record, width_of, words_in
from ouroboros.memory import Budget, Ids, Words, reserve

_ONE, _SIX, _WORD = np.uint64(1), np.uint64(6), np.uint64(63)
_AHEAD = 16
_STEPS = 1000
"""Of the numerical integration in `coverage`."""


@inlined
def is_new(bits: Words, mask: Number, hashes: int, first: Number, second: Number) -> bool:
    """Set the bits of a state; True if one of them was not set."""
    new = False
    at = first
    for _ in range(hashes):
        place = at & mask
        bit = _ONE << (place & _WORD)
        word = bits[place >> _SIX]
        new |= word & bit == 0
        bits[place >> _SIX] = word | bit
        # Odd, so that the steps of different states come to different places.
        at += second | _ONE
    return new


@record("uint64[::1], uint64, int64, uint64")
class Filter(NamedTuple):
    """A Bloom filter, as kernels see it."""

    bits: Words
    mask: Number
    """One less than the number of bits, which is a power of two."""
    hashes: int
    """Bits for each state."""
    seed: Number


@kernel("int64(uint64[::1], int64, Filter, int64, uint64[:, ::1], uint32[::1], uint64[::1], width)")
def _insert(
    arrivals: Words, total: int, bloom: Filter, count: int, pairs: Words, ids: Ids, fresh: Words, width: Width
) -> int:
    bits, mask, hashes, seed = bloom
    words = words_in(width)
    for k in range(total):
        first, second = hash_pair(arrivals, np.uint64(k) * words, words, seed)
        pairs[0, k], pairs[1, k] = first, second
    known = count
    for k in range(total):
        if k + _AHEAD < total:
            at = pairs[0, k + _AHEAD]
            for _ in range(hashes):
                prefetch(bits, np.int64((at & mask) >> _SIX))
                at += pairs[1, k + _AHEAD] | _ONE
        ids[k] = np.uint32(OLD)
        if is_new(bits, mask, hashes, pairs[0, k], pairs[1, k]):
            at = np.uint64(count - known) * words
            for w in range(words):
                fresh[at + w] = arrivals[np.uint64(k) * words + w]
            ids[k] = np.uint32(count)
            count += 1
    return count


class BloomFilter:
    """The states of one worker, which are numbered from zero in the order of their first arrival."""

    identity_bits: int | None = None

    def __init__(self, words: int, budget: Budget, most_arrivals: int, size: int, hashes: int, seed: int) -> None:
        """`size` in bytes is rounded down to a power of two."""
        self.count = 0
        self.hashes = hashes
        self.seed = seed
        size = 1 << max(3, size.bit_length() - 1)
        self._pairs = np.zeros((2, most_arrivals), np.uint64)
        budget.claim("filter", size + self._pairs.nbytes)
        self.bits = reserve(size // 8, np.uint64)
        self.mask = size * 8 - 1
        self._width = width_of(words)
        prepare(_insert, self._width)

    @property
    def filter(self) -> Filter:
        return Filter(self.bits, self.mask, self.hashes, self.seed)

    @property
    def bytes(self) -> int:
        return int(self.bits.nbytes)

    @property
    def coverage(self) -> float | None:
        return coverage(self.count, self.bits.nbytes * 8, self.hashes)

    def insert(self, arrivals: Words, total: int, ids: Ids, fresh: Words) -> int:
        """Set ids[k] for each of the arrivals: the next ids for new states, OLD for the others.

        The vectors of the new ones are copied to `fresh`; returns how many there are.
        """
        known = self.count
        self.count = _insert(arrivals, total, self.filter, known, self._pairs, ids, fresh, self._width)
        return self.count - known


def coverage(states: int, bits: int, hashes: int) -> float:
    """An estimate of the share of the states met that were visited.

    When j states are in a filter of m bits, a share of 1 - exp(-kj/m) of the bits is set, and a new state is taken for
    an old one with the probability that all its k bits are. So for each state that was entered then, p / (1 - p) were
    missed. States that only missed ones lead to were never met, and are not counted.
    """
    missed = 0.0
    for step in range(_STEPS):
        entered = states * (step + 0.5) / _STEPS
        taken_for_old = (1 - math.exp(-hashes * entered / bits)) ** hashes
        missed += states / _STEPS * taken_for_old / max(1e-12, 1 - taken_for_old)
    return states / (states + missed) if states else 1.0
