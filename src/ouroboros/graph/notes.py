"""What is noted while a graph is expanded: numbers in one array, each with its name and its place here alone."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.graph.flags import FLAGS
from ouroboros.jit import inlined
from ouroboros.memory import counters

Notes = npt.NDArray[np.int64]

# How often it was met.
TRANSITIONS, DEADLOCKS, FAILURES, OVERFLOWS = range(4)

# The first state where it was met, or NOTHING: a deadlock, a state that is not as required, a step that fails, one that
# overflows, an assertion that is false while the run goes on.
DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT, ASSERTED_AT = PLACES = tuple(range(4, 9))

# The site of a failure for which the layout is too small, or NOTHING.
ROOM_SITE = 9

# Bit masks over the propositions: which were true somewhere, and, in a product, which were false.
SEEN_TRUE, SEEN_FALSE = 10, 11

# From here on, for each action whether it was made. Where nobody wants to know, there is no room for that.
FIRED = 12

NOTHING = -1


def new_notes(actions: int = 0) -> Notes:
    """Notes of a search that wants to know of so many actions whether they were made."""
    notes = counters(FIRED + actions)
    notes[DEADLOCK_AT : ROOM_SITE + 1] = NOTHING
    return notes


@inlined
def first_note(notes: Notes, note: int, identifier: np.uint32) -> None:
    if notes[note] == NOTHING:
        notes[note] = identifier


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
