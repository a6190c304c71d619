"""Hashes of a state: one selects the table slot and the tag, a quicker one the owner."""

from __future__ import annotations

import numpy as np

from ouroboros.jit import inlined, pasted
from ouroboros.memory import Words

_SEED = np.uint64(0x9E3779B97F4A7C15)
_MULTIPLIER = np.uint64(0xFF51AFD7ED558CCD)
_FINISHER = np.uint64(0xC4CEB9FE1A85EC53)
_HALF = np.uint64(32)
_NONE = np.uint64(0)
_LOWER = np.uint64(0xFFFFFFFF)
_QUARTER = np.uint64(16)
_SMALL_MULTIPLIER = np.uint64(0x9E3779B1)
_LAST = np.uint64(29)

# For the two lanes of `hash_pair`: digits of π, and odd multipliers with as many ones as zeros.
_FIRST_LANE, _SECOND_LANE = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)
_FIRST_MULTIPLIER, _SECOND_MULTIPLIER = np.uint64(0xA4093822299F31D1), np.uint64(0x9FB21C651E98DF25)
_FIRST_FINISHER, _SECOND_FINISHER = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xE7037ED1A0B428DB)


@pasted
def hash_words(vectors: Words, start: np.uint64, words: np.uint64) -> np.uint64:
    """Mix words by multiplication and folding the high half back, with the finaliser of MurmurHash3's family."""
    value = _SEED
    for k in range(words):
        value ^= vectors[start + k]
        value *= _MULTIPLIER
        value ^= value >> _HALF
    value *= _FINISHER
    return value ^ (value >> _LAST)


@pasted
def quick_hash(vectors: Words, start: np.uint64, words: np.uint64) -> np.uint64:
    """32 bits that spread vectors over a few places, and are independent of `hash_words`.

    Of each word, the product of its halves, as the function NH of UMAC has it: a processor multiplies many numbers of
    32 bits at once, and a loop that does nothing but this hashes several vectors at a time.
    """
    value = _NONE
    key = _SEED
    for k in range(words):
        word = vectors[start + k] + key
        value += (word & _LOWER) * (word >> _HALF)
        key += _SEED
    value ^= value >> _HALF
    return ((value & _LOWER) * _SMALL_MULTIPLIER) >> _QUARTER & _LOWER


@pasted
def owner_of(value: np.uint64, workers: int) -> np.uint64:
    """The worker that stores a state with this quick hash: a fair share of its range."""
    return (value * workers) >> _HALF


@inlined
def hash_pair(vectors: Words, start: np.uint64, words: np.uint64, seed: np.uint64) -> tuple[np.uint64, np.uint64]:
    """128 bits for stores that keep nothing else of a state. Independent of `hash_words`, and of other seeds."""
    first, second = seed ^ _FIRST_LANE, seed * _MULTIPLIER ^ _SECOND_LANE
    for k in range(words):
        word = vectors[start + k]
        first = (first ^ word) * _FIRST_MULTIPLIER
        first ^= first >> _HALF
        second = (second + word) * _SECOND_MULTIPLIER
        second ^= second >> _LAST
    # Each lane ends up in both halves of the result, so that two vectors must agree in both to agree in one.
    first += second * _FIRST_MULTIPLIER
    second ^= first >> _HALF
    return _finished(first, _FIRST_FINISHER), _finished(second + first * _SECOND_MULTIPLIER, _SECOND_FINISHER)


@inlined
def _finished(value: np.uint64, multiplier: np.uint64) -> np.uint64:
    value ^= value >> _HALF
    value *= multiplier
    value ^= value >> _LAST
    value *= _FINISHER
    return value ^ (value >> _HALF)
