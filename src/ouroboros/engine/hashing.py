"""The hash of a state: it selects the owner, the table slot and the tag."""

from __future__ import annotations

import numpy as np

from ouroboros.engine.jit import inlined
from ouroboros.engine.memory import Words

_SEED = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER = np.uint64(0xFF51AFD7ED558CCD)
_FINISHER = np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(32)
_LOWER = np.uint64(0xFFFFFFFF)
_LAST = np.uint64(29)


@inlined
def hash_words(vectors: Words, start: np.uint64, words: np.uint64) -> np.uint64:
    """Mix words by multiplication and folding the high half back, with the finaliser of MurmurHash3's family."""
    value = _SEED
    for k in range(words):
        value ^= vectors[start + k]
        value *= _MULTIPLIER
        value ^= value >> _HALF
    value *= _FINISHER
    return value ^ (value >> _LAST)


@inlined
def owner_of(value: np.uint64, workers: int) -> np.uint64:
    """The worker that stores a state with this hash: a fair share of the range of the lower half.

    Table slots come from the upper half, so the states of one worker still use all slots of its table.
    """
    return ((value & _LOWER) * workers) >> _HALF
