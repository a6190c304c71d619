"""Kernels that turn a batch of states into their successors and sort these by owner."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.hashing import hash_words, owner_of
from ouroboros.engine.jit import Width, call_successors, call_valuation, kernel, words_in
from ouroboros.engine.memory import Ids, Words

# What an expansion notes down, by index into its `notes`. A place that holds NOTHING was not met yet.
TRANSITIONS, DEADLOCKS, FAILURES, DEADLOCK_AT, INVALID_AT, FAILURE_AT = range(6)
NOTES = 6
NOTHING = -1

_FAILURE_BIT = np.uint32(1 << 31)
_WORD = 8


@kernel(
    "UniTuple(int64, 2)(int64, int64, uint64, uint64[::1], int64, int64, int64,"
    " uint64[::1], uint32[::1], uint32[::1], int64[::1], width)"
)
def expand(
    successors: int,
    valuation: int,
    required: int,
    vectors: Words,
    first_id: int,
    states: int,
    most: int,
    out: Words,
    sources: Ids,
    labels: Ids,
    notes: npt.NDArray[np.int64],
    width: Width,
) -> tuple[int, int]:
    """Write the successors of vectors 0, 1, … to `out`, and to `sources` the id that each came from.

    Stops before a state whose successors might not fit. A state must have all the `required` bits in its valuation; a
    failing action gives no successor, but a note. Returns how many states were expanded, and how many successors there
    are.
    """
    words = int(words_in(width))
    state, target = vectors.ctypes.data, out.ctypes.data
    label = labels.ctypes.data
    room = sources.size
    count = 0
    for i in range(states):
        if count + most > room:
            return i, count
        invalid = valuation != 0 and (call_valuation(valuation, state) & required) != required
        if invalid and notes[INVALID_AT] == NOTHING:
            notes[INVALID_AT] = first_id + i
        found = call_successors(successors, state, target, label)
        notes[TRANSITIONS] += found
        if found == 0:
            notes[DEADLOCKS] += 1
            if notes[DEADLOCK_AT] == NOTHING:
                notes[DEADLOCK_AT] = first_id + i
        failed = np.uint32(0)
        for k in range(found):
            failed |= labels[k]
        if failed & _FAILURE_BIT:
            if notes[FAILURE_AT] == NOTHING:
                notes[FAILURE_AT] = first_id + i
            kept = 0
            for k in range(found):
                if labels[k] & _FAILURE_BIT:
                    notes[FAILURES] += 1
                    continue
                if kept != k:
                    for w in range(words):
                        out[(count + kept) * words + w] = out[(count + k) * words + w]
                kept += 1
            notes[TRANSITIONS] -= found - kept
            found = kept
        for k in range(found):
            sources[count + k] = np.uint32(first_id + i)
        count += found
        state += words * _WORD
        target += found * words * _WORD
    return states, count


@kernel("void(uint64[::1], uint32[::1], int64, uint64, uint64[:, ::1], uint32[:, ::1], int64[::1], width)")
def route(
    out: Words,
    sources: Ids,
    count: int,
    workers: int,
    vector_boxes: npt.NDArray[np.uint64],
    source_boxes: npt.NDArray[np.uint32],
    filled: npt.NDArray[np.int64],
    width: Width,
) -> None:
    """Copy each successor into the box of its owner; filled[r] is how many worker r gets."""
    words = words_in(width)
    filled[:] = 0
    for k in range(count):
        start = np.uint64(k) * words
        owner = owner_of(hash_words(out, start, words), workers)
        at = filled[owner]
        for w in range(words):
            vector_boxes[owner, np.uint64(at) * words + w] = out[start + w]
        source_boxes[owner, at] = sources[k]
        filled[owner] = at + 1


@kernel("int64(uint32[::1], uint32[::1], int64, int64, uint32[::1])")
def adopt(ids: Ids, sources: Ids, count: int, known: int, parents: Ids) -> int:
    """Note the source of each new state: their ids follow on `known`, in order. Returns the states known then."""
    for k in range(count):
        # Written in any case: which arrivals are new cannot be predicted, and a wrong guess costs more than a store.
        parents[known] = sources[k]
        known += ids[k] == known
    return known


@kernel("int64(uint64[::1], uint64)")
def owner_of_vector(vector: Words, workers: int) -> np.uint64:
    return owner_of(hash_words(vector, np.uint64(0), np.uint64(vector.size)), workers)
