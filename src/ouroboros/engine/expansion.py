"""Expanding states of a system: the successors of a batch, and notes of what was met on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from ouroboros.engine.jit import Width, call_successors, call_valuation, inlined, kernel, load_word, width_of, words_in
from ouroboros.engine.memory import Ids, Words, counters
from ouroboros.native import Program
from ouroboros.system.model import Deadlock, Failure

if TYPE_CHECKING:
    from ouroboros.engine.symmetry import Canonicaliser

# What an expansion notes down, by index into its `notes`. A place that holds NOTHING was not met yet.
TRANSITIONS, DEADLOCKS, FAILURES, OVERFLOWS, DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT = range(8)
# Bit masks over the propositions: which were true somewhere, and, in a product, which were false.
SEEN_TRUE, SEEN_FALSE = 8, 9
NOTHING = -1

Notes = npt.NDArray[np.int64]
Marks = npt.NDArray[np.uint8]

WORD_BYTES = 8
_FAILURE_BIT = np.uint32(1 << 31)


def new_notes() -> Notes:
    notes = counters(10)
    notes[DEADLOCK_AT : OVERFLOW_AT + 1] = NOTHING
    return notes


# What a site of failure means: a violation; the end of a run that is no violation by itself; a step that is made, but
# whose state is dropped; a step that is not made at all.
_VIOLATION, _OVERFLOW, _DROPPED, _DISABLED = range(4)
_MEANINGS = {"overflow": _OVERFLOW, "dropped": _DROPPED, "disabled": _DISABLED}


def overflow_sites(failures: Sequence[Failure]) -> Marks:
    """What each site of failure means for a search."""
    return np.array([_MEANINGS.get(failure.kind, _VIOLATION) for failure in failures] or [_VIOLATION], np.uint8)


class Expansion(Protocol):
    """How the states of a graph get their successors."""

    @property
    def words(self) -> int: ...

    @property
    def most_successors(self) -> int: ...

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
def _all_equal(out: Words, at: int, count: int, words: int, state: int) -> bool:
    """Whether `count` vectors from word `at` on are all the same as the one at an address."""
    for k in range(count):
        for w in range(words):
            if out[at + k * words + w] != load_word(state, w):
                return False
    return True


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
    stuttering: bool,
) -> int:
    """Write the successors of a state to `out` from word `at` on, but not those of failing actions; return how many.

    A state without any is a deadlock; if `stuttering`, also one that all its steps lead back to.
    """
    found = int(call_successors(successors, state, out.ctypes.data + at * WORD_BYTES, labels.ctypes.data))
    failed = np.uint32(0)
    for k in range(found):
        failed |= labels[k]
    kept = found
    leads_on = False
    if failed & _FAILURE_BIT:
        kept = 0
        for k in range(found):
            if labels[k] & _FAILURE_BIT:
                meaning = overflows[out[at + k * words]]
                if meaning == _DISABLED:
                    continue
                notes[TRANSITIONS] += 1
                leads_on = True
                if meaning != _DROPPED:
                    notes[OVERFLOWS if meaning == _OVERFLOW else FAILURES] += 1
                    first_note(notes, OVERFLOW_AT if meaning == _OVERFLOW else FAILURE_AT, identifier)
                continue
            for w in range(words):
                out[at + kept * words + w] = out[at + k * words + w]
            kept += 1
    if not leads_on and (kept == 0 or (stuttering and _all_equal(out, at, kept, words, state))):
        notes[DEADLOCKS] += 1
        first_note(notes, DEADLOCK_AT, identifier)
    return kept


@kernel(
    "UniTuple(int64, 2)(int64, int64, uint64, int64, boolean, uint64[::1], uint32[::1],"
    " uint64[::1], uint32[::1], uint32[::1], uint8[::1], int64[::1], width)"
)
def _expand(
    successors: int,
    valuation: int,
    required: int,
    most: int,
    stuttering: bool,
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
        if valuation != 0:
            letter = call_valuation(valuation, state)
            notes[SEEN_TRUE] |= np.int64(letter)
            if letter & required != required:
                first_note(notes, INVALID_AT, identifiers[i])
        found = successors_of(
            successors, state, out, count * words, words, labels, overflows, identifiers[i], notes, stuttering
        )
        sources[count : count + found] = identifiers[i]
        notes[TRANSITIONS] += found
        count += found
        state += words * WORD_BYTES
    return identifiers.size, count


class SystemExpansion:
    """The system alone. A state must have all the `required` bits in its valuation; one that does not is noted."""

    def __init__(
        self,
        program: Program,
        failures: Sequence[Failure],
        required: int = 0,
        deadlock: Deadlock = "stuck",
        watches: bool = False,
        canonicaliser: Canonicaliser | None = None,
    ) -> None:
        """`watches` says that states are evaluated in any case, to see which propositions are ever true."""
        self.words = program.words
        self.most_successors = program.most_successors
        self._program = program
        self._required = required
        self._stuttering = deadlock == "stuttering"
        self._canonicaliser = canonicaliser
        self._evaluates = watches or required != 0
        self._labels = np.zeros(max(1, program.most_successors), np.uint32)
        self._overflows = overflow_sites(failures)
        self._width = width_of(program.words)

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        expanded, count = _expand(
            self._program.successors,
            self._program.valuation if self._evaluates else 0,
            self._required,
            self.most_successors,
            self._stuttering,
            vectors,
            identifiers,
            out,
            sources,
            self._labels,
            self._overflows,
            notes,
            self._width,
        )
        if self._canonicaliser:
            self._canonicaliser.apply(out, count)
        return expanded, count
