"""The full store where a part of the vectors repeats, as zones do: exact, and each of these parts is kept once.

Of a state the other words are kept, and the number of the part that it shares with others: in the upper half of a word
that does not use it, or else behind them.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.stores.choice import Repeating
from ouroboros.engine.stores.keys import KeyTable, Number
from ouroboros.jit import kernel, prepare
from ouroboros.memory import Budget, Ids, Words
from ouroboros.system.layout import Vector

_AT_ONCE = 1 << 12
"""Vectors that are put together at once."""
_HALF = np.uint64(32)
_LOWER = np.uint64((1 << 32) - 1)


@kernel("void(uint64[::1], uint64, uint64, uint64, uint64, uint64[::1])")
def cut_out(vectors: Words, total: Number, words: Number, first: Number, end: Number, parts: Words) -> None:
    """Of each vector the words from `first` up to `end`."""
    size = end - first
    for k in range(total):
        for w in range(size):
            parts[k * size + w] = vectors[k * words + first + w]


@kernel("void(uint64[::1], uint32[::1], uint64, uint64, uint64, uint64, uint64, uint64, uint64[::1])")
def _reduce(
    vectors: Words,
    parts: Ids,
    total: Number,
    words: Number,
    first: Number,
    end: Number,
    home: Number,
    key_words: Number,
    keys: Words,
) -> None:
    """The keys of vectors: their other words, with the number of the part in the upper half of word `home`, or behind
    them.
    """
    others = words - (end - first)
    for k in range(total):
        at = k * key_words
        for w in range(others):
            keys[at + w] = vectors[k * words + (w if w < first else w + (end - first))]
        if home < others:
            keys[at + home] |= np.uint64(parts[k]) << _HALF
        else:
            keys[at + others] = np.uint64(parts[k])


@kernel("void(uint64[::1], uint64[::1], uint64, uint64, uint64, uint64, uint64, uint64, uint64[::1])")
def _restore(
    keys: Words,
    parts: Words,
    total: Number,
    words: Number,
    first: Number,
    end: Number,
    home: Number,
    key_words: Number,
    vectors: Words,
) -> None:
    """The vectors of keys, with all parts one after the other."""
    size = end - first
    others = words - size
    for k in range(total):
        at = k * key_words
        for w in range(others):
            word = keys[at + w]
            if w == home:
                word &= _LOWER
            vectors[k * words + (w if w < first else w + size)] = word
        part = keys[at + home] >> _HALF if home < others else keys[at + others]
        for w in range(size):
            vectors[k * words + first + w] = parts[part * size + w]


class SharingStore:
    """States of one worker, numbered from zero in the order of their first arrival."""

    def __init__(self, words: int, budget: Budget, most_arrivals: int, repeating: Repeating) -> None:
        self.words = words
        self._first, self._end = repeating.first, repeating.end
        others = words - (self._end - self._first)
        home = repeating.home
        fits = home is not None
        # A word behind the repeating ones stands that much nearer to the front in a key.
        self._home = others if home is None else home - (self._end - self._first) * (home >= self._end)
        self._key_words = others + (not fits)
        self._parts = KeyTable(self._end - self._first, budget, "repeating parts", roomy=True)
        self._states = KeyTable(self._key_words, budget, "states", short=not fits, roomy=True)
        self._found = np.zeros(most_arrivals, np.uint32)
        self._cut = np.zeros(most_arrivals * (self._end - self._first), np.uint64)
        self._keys = np.zeros(most_arrivals * self._key_words, np.uint64)
        budget.claim_buffers("parts of arrivals", self._found.nbytes + self._cut.nbytes + self._keys.nbytes)
        self._window = range(0)
        """The ids of the vectors that were put together last."""
        self._together = np.zeros(0, np.uint64)
        for each in (cut_out, _reduce, _restore):
            prepare(each)

    @property
    def count(self) -> int:
        return self._states.count

    @property
    def bytes(self) -> int:
        return self._states.bytes + self._parts.bytes

    def insert(self, arrivals: Words, total: int, ids: Ids, sources: Ids | None = None) -> None:
        """Set ids[k] for each of the arrivals. New states get the next ids in the order of arrival."""
        cut_out(arrivals, total, self.words, self._first, self._end, self._cut)
        self._parts.intern(self._cut, total, self._found)
        _reduce(arrivals, self._found, total, *self._shape, self._keys)
        self._states.intern(self._keys, total, ids)

    @property
    def _shape(self) -> tuple[int, int, int, int, int]:
        return self.words, self._first, self._end, self._home, self._key_words

    def batch(self, start: int, stop: int) -> Words:
        """The vectors of consecutive ids that are about to be expanded, or of the first of them."""
        if not self._window.start <= start < self._window.stop:
            self._window = range(start, min(stop, start + _AT_ONCE))
            self._together = self.vectors(start, self._window.stop)
        first, end = start - self._window.start, min(stop, self._window.stop) - self._window.start
        return self._together[first * self.words : end * self.words]

    def vectors(self, start: int, stop: int) -> Words:
        """A copy of the vectors of consecutive ids, one after the other."""
        return self._restored(self._states.range(start, stop))

    def gather(self, identifiers: Ids) -> Words:
        """A copy of the vectors of any ids, one after the other."""
        return self._restored(self._states.gather(identifiers))

    def _restored(self, keys: Words) -> Words:
        total = keys.size // self._key_words
        vectors = np.empty(total * self.words, np.uint64)
        _restore(keys, self._parts.range(0, self._parts.count), total, *self._shape, vectors)
        return vectors

    def find(self, vector: Vector) -> int | None:
        """The id of a vector, if it is stored."""
        part = self._parts.find(*vector[self._first : self._end])
        if part is None:
            return None
        key = np.zeros(self._key_words, np.uint64)
        _reduce(np.array(vector, np.uint64), np.array([part], np.uint32), 1, *self._shape, key)
        return self._states.find(*map(int, key))

    def vector(self, identifier: int) -> Vector:
        return tuple(int(word) for word in self.vectors(identifier, identifier + 1))
