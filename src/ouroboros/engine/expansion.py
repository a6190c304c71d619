"""Expanding states of a system: the successors of a batch, and notes of what was met on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ouroboros.engine.jit import Width, call_successors, call_valuation, inlined, kernel, width_of, words_in
from ouroboros.engine.memory import Ids, Words, counters
from ouroboros.native import Program
from ouroboros.system.model import Failure

# What an expansion notes down, by index into its `notes`. A place that holds NOTHING was not met yet.
TRANSITIONS, DEADLOCKS, FAILURES, OVERFLOWS, DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT = range(8)
# Bit masks over the atoms of a product: which were true somewhere, and which were false.
SEEN_TRUE, SEEN_FALSE = 8, 9
NOTHING = -1

Notes = npt.NDArray[np.int64]
Marks = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint16]

WORD_BYTES = 8
_FAILURE_BIT = np.uint32(1 << 31)


def new_notes() -> Notes:
    notes = counters(10)
    notes[DEADLOCK_AT : OVERFLOW_AT + 1] = NOTHING
    return notes


def overflow_sites(failures: Sequence[Failure]) -> Marks:
    """Which sites of failure are overflows: these end a run, but are no violation by themselves."""
    return np.array([failure.kind == "overflow" for failure in failures] or [False], np.uint8)


class Expansion(Protocol):
    """How the states of a graph get their successors."""

    @property
    def words(self) -> int: ...

    @property
    def most_successors(self) -> int: ...

    @property
    def edge_labels(self) -> Labels | None:
        """The labels of the edges that were made last; None where edges have no labels."""

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        """Write the successors of the vectors to `out`, and to `sources` the identifier that each came from.

        Stops before a state whose successors might not fit, and returns how many states were expanded and how many
        successors there are. A failing action gives no successor, but a note.
        """


@inlined
def first_note(notes: Notes, note: int, identifier: np.uint32) -> None:
    if notes[note] == NOTHING:
        notes[note] = identifier


@inlined
def successors_of(
    successors: int,
    state: int,
    out: Words,
    at: int,
    words: int,
    labels: Ids,
    overflows: Marks,
    identifier: np.uint32,
    notes: Notes,
) -> int:
    """Write the successors of a state to `out` from word `at` on, but not those of failing actions; return how many."""
    found = int(call_successors(successors, state, out.ctypes.data + at * WORD_BYTES, labels.ctypes.data))
    if found == 0:
        notes[DEADLOCKS] += 1
        first_note(notes, DEADLOCK_AT, identifier)
    failed = np.uint32(0)
    for k in range(found):
        failed |= labels[k]
    if failed & _FAILURE_BIT == 0:
        return found
    kept = 0
    for k in range(found):
        if labels[k] & _FAILURE_BIT:
            overflow = overflows[out[at + k * words]]
            notes[OVERFLOWS if overflow else FAILURES] += 1
            first_note(notes, OVERFLOW_AT if overflow else FAILURE_AT, identifier)
            notes[TRANSITIONS] += 1
            continue
        for w in range(words):
            out[at + kept * words + w] = out[at + k * words + w]
        kept += 1
    return kept


@kernel(
    "UniTuple(int64, 2)(int64, int64, uint64, int64, uint64[::1], uint32[::1],"
    " uint64[::1], uint32[::1], uint32[::1], uint8[::1], int64[::1], width)"
)
def _expand(
    successors: int,
    valuation: int,
    required: int,
    most: int,
    vectors: Words,
    identifiers: Ids,
    out: Words,
    sources: Ids,
    labels: Ids,
    overflows: Marks,
    notes: Notes,
    width: Width,
) -> tuple[int, int]:
    words = int(words_in(width))
    state = vectors.ctypes.data
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        if valuation != 0 and (call_valuation(valuation, state) & required) != required:
            first_note(notes, INVALID_AT, identifiers[i])
        found = successors_of(successors, state, out, count * words, words, labels, overflows, identifiers[i], notes)
        sources[count : count + found] = identifiers[i]
        notes[TRANSITIONS] += found
        count += found
        state += words * WORD_BYTES
    return identifiers.size, count


class SystemExpansion:
    """The system alone. A state must have all the `required` bits in its valuation; one that does not is noted."""

    edge_labels = None

    def __init__(self, program: Program, failures: Sequence[Failure], required: int = 0) -> None:
        self.words = program.words
        self.most_successors = program.most_successors
        self._program = program
        self._required = required
        self._labels = np.zeros(max(1, program.most_successors), np.uint32)
        self._overflows = overflow_sites(failures)
        self._width = width_of(program.words)

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        return _expand(
            self._program.successors,
            self._program.valuation if self._required else 0,
            self._required,
            self.most_successors,
            vectors,
            identifiers,
            out,
            sources,
            self._labels,
            self._overflows,
            notes,
            self._width,
        )
