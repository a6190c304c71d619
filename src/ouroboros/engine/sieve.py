"""Successors that were met a moment ago, so that one that comes again needs no look-up in the store.

In a breadth-first search neighbours have many successors in common: a third to a half of all edges lead to a state that
one of the last few thousand edges led to as well. Workers that share a search share its neighbourhoods: who receives
from several of them sees what they have in common.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import Column
from ouroboros.engine.hashing import quick_hash
from ouroboros.engine.parents import Owners, Runs
from ouroboros.jit import Width, array_at, kernel, pasted, prefetch, prepare, record, width_of, words_in
from ouroboros.memory import Budget, Ids, Words

_BYTES = 1 << 17
"""Small enough to stay in a core's own cache, next to the successors themselves."""
_PIECE = 1 << 7
"""Edges of a message that are taken at once at most: few, for what workers find at the same time has most in common."""

_AHEAD = np.uint64(128)
"""Edges between asking for one that another worker has written and needing it: about a piece."""

Counts = npt.NDArray[np.int64]


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


@record("int64[::1], int64[::1], int64[::1]")
class Messages(NamedTuple):
    """Where the messages are, and how many edges are in each."""

    vectors: Counts
    sources: Counts
    counts: Counts


@kernel(
    "UniTuple(int64, 2)(Messages, uint64, uint64[::1], uint64, uint64[::1], uint32[::1], uint16[::1], int64[::1],"
    " uint64[::1], width)"
)
def _mix(
    messages: Messages,
    halvings: np.uint64,
    recent: Words,
    mask: np.uint64,
    out: Words,
    sources: Ids,
    senders: Owners,
    ends: Counts,
    hashes: Words,
    width: Width,
) -> tuple[int, int]:
    """Take a piece of each message in turn, and keep of it what was not met lately; returns edges and runs.

    Messages are cut into pieces by halving them so many times.
    """
    words = words_in(width)
    vectors_at, sources_at, counts = messages
    kept = np.uint64(0)
    runs = 0
    several = counts.size > 1
    for piece in range(np.uint64(1) << halvings):
        for sender in range(counts.size):
            before = kept
            vectors = array_at(vectors_at[sender], counts[sender] * np.int64(words), out)
            from_here = array_at(sources_at[sender], counts[sender], sources)
            count = np.uint64(counts[sender])
            first, last = count * piece >> halvings, count * (piece + np.uint64(1)) >> halvings
            for k in range(last - first):
                hashes[k] = quick_hash(vectors, (first + k) * words, words)
            for k in range(first, last):
                start, to = k * words, kept * words
                if several:
                    prefetch(vectors, start + _AHEAD * words)
                # Written in any case: what is new cannot be predicted, and a wrong guess costs more than a store.
                new = is_new(recent, mask, hashes[k - first], vectors, start, words)
                for w in range(words):
                    out[to + w] = vectors[start + w]
                sources[kept] = from_here[k]
                kept += np.uint64(new)
            if kept > before:
                runs += runs == 0 or senders[runs - 1] != sender
                senders[runs - 1] = sender
                ends[runs - 1] = kept
    return int(kept), runs


@dataclass(frozen=True)
class Mixture:
    """Edges that lead to states owned here, from all workers, but for those to a state that one led to a moment ago."""

    targets: Ids
    sources: Ids
    vectors: Words
    runs: Runs


class Sieve:
    """A vector can stand at one place only, and a later one takes it over."""

    def __init__(self, words: int, budget: Budget) -> None:
        places = 1 << max(1, (_BYTES // (8 * words)).bit_length() - 1)
        self.recent = np.zeros(places * words, np.uint64)
        self.mask = np.uint64(places - 1)
        self._hashes = np.zeros(_PIECE, np.uint64)
        self._width = width_of(words)
        prepare(_mix, self._width)
        budget.claim_buffers("sieve", self.recent.nbytes)

    def mix(self, vectors_in: Column, sources_in: Column, out: Words, sources: Ids) -> tuple[int, Runs]:
        """Put together what workers have sent, but for what was met lately; returns how many edges these are.

        Workers expand neighbours at the same time, so what they found belongs together. What a single one has sent can
        be put together where it stands.
        """
        counts = np.array([column.size for column in sources_in], np.int64)
        halvings = (int(counts.max()) // _PIECE).bit_length()
        senders = np.empty(counts.size << halvings, np.uint16)
        ends = np.empty(counts.size << halvings, np.int64)
        kept, runs = _mix(
            Messages(_addresses(vectors_in), _addresses(sources_in), counts),
            np.uint64(halvings),
            self.recent,
            self.mask,
            out,
            sources,
            senders,
            ends,
            self._hashes,
            self._width,
        )
        return kept, Runs(senders[:runs], ends[:runs])


def _addresses(column: Column) -> Counts:
    return np.array([array.__array_interface__["data"][0] for array in column], np.int64)
