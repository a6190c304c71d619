"""Successors that were met a moment ago, so that one that comes again needs no look-up in the store and no message.

In a breadth-first search neighbours have many successors in common: a third to a half of all edges lead to a state that
one of the last few thousand edges led to as well.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.hashing import hash_words
from ouroboros.engine.jit import Width, kernel, pasted, width_of, words_in
from ouroboros.engine.memory import Budget, Ids, Words

_BYTES = 1 << 17
"""Small enough to stay in a core's own cache, next to the successors themselves."""


@pasted
def is_new(recent: Words, mask: np.uint64, value: np.uint64, out: Words, start: np.uint64, words: np.uint64) -> bool:
    """Whether a vector with this hash does not stand at its place in `recent`, where it stands from now on.

    An empty place looks like the vector of zeros, so that one is always new.
    """
    place = (value & mask) * words
    difference = content = np.uint64(0)
    for w in range(words):
        word = out[start + w]
        difference |= recent[place + w] ^ word
        content |= word
        recent[place + w] = word
    return bool(difference != np.uint64(0)) | bool(content == np.uint64(0))


@kernel("int64(uint64[::1], uint32[::1], int64, uint64[::1], uint64, width)")
def _sift(out: Words, sources: Ids, count: int, recent: Words, mask: np.uint64, width: Width) -> int:
    words = words_in(width)
    kept = np.uint64(0)
    for k in range(np.uint64(count)):
        start, to = k * words, kept * words
        new = is_new(recent, mask, hash_words(out, start, words), out, start, words)
        # Written in any case: which successors are new cannot be predicted, and a wrong guess costs more than a store.
        for w in range(words):
            out[to + w] = out[start + w]
        sources[kept] = sources[k]
        kept += np.uint64(new)
    return int(kept)


class Sieve:
    """A vector can stand at one place only, and a later one takes it over."""

    def __init__(self, words: int, budget: Budget) -> None:
        places = 1 << max(1, (_BYTES // (8 * words)).bit_length() - 1)
        self.recent = np.zeros(places * words, np.uint64)
        self.mask = np.uint64(places - 1)
        self._width = width_of(words)
        budget.claim("sieve", self.recent.nbytes)

    def sift(self, out: Words, sources: Ids, count: int) -> int:
        """Move the successors that were not met lately to the front, with their sources; returns how many."""
        return int(_sift(out, sources, count, self.recent, self.mask, self._width))
