"""What is noted while a graph is expanded: numbers in one array, each with its name and its place here alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.graph.flags import EVALUATION_FAILED, FLAGS
from ouroboros.jit import inlined
from ouroboros.memory import counters

Notes = npt.NDArray[np.int64]

# How often it was met.
TRANSITIONS, DEADLOCKS, FAILURES, OVERFLOWS = range(4)

# The first state where it was met, or NOTHING: a deadlock, a state that is not as required, a step that fails, one that
# overflows, an assertion that is false while the run goes on.
DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT, ASSERTED_AT = _MET_AT = tuple(range(4, 9))

# The site of a failure for which the layout is too small, or NOTHING.
ROOM_SITE = 9

# Bit masks over the propositions: which were true somewhere, and, in a product, which were false.
SEEN_TRUE, SEEN_FALSE = 10, 11

# The first state where each of the first propositions is required, and false; what is not as required for another
# reason cannot be evaluated.
FALSE_AT = 12
MOST_APART = 32

PLACES = (*_MET_AT, *range(FALSE_AT, FALSE_AT + MOST_APART))

# From here on, for each action whether it was made. Where nobody wants to know, there is no room for that.
FIRED = FALSE_AT + MOST_APART

NOTHING = -1


def new_notes(actions: int = 0) -> Notes:
    """Notes of a search that wants to know of so many actions whether they were made."""
    notes = counters(FIRED + actions)
    notes[DEADLOCK_AT : ROOM_SITE + 1] = NOTHING
    notes[FALSE_AT:FIRED] = NOTHING
    return notes


@inlined
def first_note(notes: Notes, note: int, identifier: np.uint32) -> None:
    if notes[note] == NOTHING:
        notes[note] = identifier


@inlined
def note_false(notes: Notes, required: int, letter: int | np.uint64, identifier: np.uint32) -> None:
    """Note what is required and false; where something cannot be evaluated, nothing else is known."""
    if letter & EVALUATION_FAILED:
        first_note(notes, INVALID_AT, identifier)
        return
    false = np.uint64(required) & ~np.uint64(letter)
    for bit in range(MOST_APART):
        if false >> np.uint64(bit) & np.uint64(1):
            first_note(notes, FALSE_AT + bit, identifier)


@inlined
def note_fired(notes: Notes, label: np.uint32) -> None:
    at = FIRED + np.int64(label & ~FLAGS)
    if at < notes.size:
        notes[at] = 1


@inlined
def counted(notes: Notes) -> tuple[int, int, int, int]:
    """What is counted of a state, to be taken back where it could not be expanded."""
    return notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]


@inlined
def take_back(notes: Notes, before: tuple[int, int, int, int]) -> None:
    notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = before
