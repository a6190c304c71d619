"""Expanding states of a system: the successors of a batch, and notes of what was met on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from ouroboros.engine.fired import FIRED, note_fired
from ouroboros.engine.jit import (
    Width,
    address_of,
    call_successors,
    call_valuation,
    inlined,
    kernel,
    load_word,
    pasted,
    prepare,
    width_of,
    words_in,
)
from ouroboros.engine.memory import Ids, Words, counters
from ouroboros.engine.transient import STACK_FULL, Frames, Passage, enter, go_on
from ouroboros.native import ASSERTED, FAILURE, REDUCED, SPECIAL, TRANSIENT, Program
from ouroboros.system.model import System

if TYPE_CHECKING:
    from ouroboros.engine.symmetry import Canonicaliser

# What an expansion notes down, by index into its `notes`. A place that holds NOTHING was not met yet.
TRANSITIONS, DEADLOCKS, FAILURES, OVERFLOWS, DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT, ASSERTED_AT = range(9)
# The site of a failure for which the layout is too small.
ROOM_SITE = 9
# Bit masks over the propositions: which were true somewhere, and, in a product, which were false.
SEEN_TRUE, SEEN_FALSE = 10, 11
NOTHING = -1
PLACES = (DEADLOCK_AT, INVALID_AT, FAILURE_AT, OVERFLOW_AT, ASSERTED_AT)
"""The notes that are ids of states."""

Notes = npt.NDArray[np.int64]
Marks = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.uint16]

_FAILURE = np.uint32(FAILURE)
_ASSERTED = np.uint32(ASSERTED)
_TRANSIENT = np.uint32(TRANSIENT)
_REDUCED = np.uint32(REDUCED)
_SPECIAL = np.uint32(SPECIAL)

# What a site of failure is to the engine: a violation; the end of a run that is no violation by itself; a lack of room
# in the layout; a step that is made, but whose state is dropped; a step that is not made at all.
_FAULT, OVERFLOW, _ROOM, DROPPED, DISABLED = (np.uint8(kind) for kind in range(5))

CROWDED = -1
"""Instead of a number of successors: there is no room for all of them."""

_FIRST_DEPTH = 64
_NOBODY: Ids = np.zeros(1, np.uint32)


def new_notes(actions: int = 0) -> Notes:
    """Notes of a search that wants to know of so many actions whether they were made."""
    notes = counters(FIRED + actions)
    notes[DEADLOCK_AT : ROOM_SITE + 1] = NOTHING
    return notes


def kinds_of_sites(system: System) -> Marks:
    """What each site of failure is to the engine."""
    kinds = {"overflow": OVERFLOW, "room": _ROOM, "dropped": DROPPED, "disabled": DISABLED}
    return np.array([kinds.get(failure.kind, _FAULT) for failure in system.failures] or [_FAULT], np.uint8)


def passage_of(system: System, program: Program) -> Passage:
    """The stack for steps through transient states; an empty one where there are none."""
    return Passage(program, _FIRST_DEPTH if system.exclusive else 0)


def endless_site(system: System) -> int:
    return system.exclusive.endless if system.exclusive else 0


class Expansion(Protocol):
    """How the states of a graph get their successors."""

    @property
    def words(self) -> int: ...

    @property
    def most_successors(self) -> int: ...

    @property
    def actions(self) -> int:
        """How many actions there are, where it is noted which of them were made; else none."""

    @property
    def edge_labels(self) -> Labels | None:
        """The labels of the edges that were made last; None where edges have no labels."""

    def prepare(self) -> None:
        """Have all that `expand` needs, before the clock of a search starts."""

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        """Write the successors of the vectors to `out`, and to `sources` the identifier that each came from.

        Stops before a state whose successors might not fit, and returns how many states were expanded and how many
        successors there are. A failing action gives no successor, but a note. Where there is room for
        `most_successors`, and still not for those of the first state, none is expanded, and the next call may do
        better: `most_successors` may be larger then. One state may have any number of ways through transient states.
        """


@inlined
def first_note(notes: Notes, note: int, identifier: np.uint32) -> None:
    if notes[note] == NOTHING:
        notes[note] = identifier


@inlined
def note_failure(notes: Notes, kind: np.uint8, site: int, identifier: np.uint32) -> bool:
    """Note what there is instead of a state; False where there was no step at all."""
    if kind == DISABLED:
        return False
    notes[TRANSITIONS] += 1
    if kind == _ROOM:
        notes[ROOM_SITE] = site
    elif kind != DROPPED:
        notes[OVERFLOWS if kind == OVERFLOW else FAILURES] += 1
        first_note(notes, OVERFLOW_AT if kind == OVERFLOW else FAILURE_AT, identifier)
    return True


@inlined
def _all_equal(out: Words, at: int, count: int, words: int, state: int) -> bool:
    """Whether `count` vectors from word `at` on are all the same as the one at an address."""
    for k in range(count):
        for w in range(words):
            if out[at + k * words + w] != load_word(state, w):
                return False
    return True


@pasted
def successors_of(
    successors: int,
    state: int,
    out: Words,
    at: int,
    room: int,
    words: int,
    labels: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most: int,
    identifier: np.uint32,
    notes: Notes,
    stuttering: bool,
) -> int:
    """Write the successors of a state to `out` from word `at` on, but not those of failing actions; return how many.

    A state without any is a deadlock; if `stuttering`, also one that all its steps lead back to. There must be room for
    as many as one step can have; if there is none for all, gives CROWDED or STACK_FULL.
    """
    found = int(call_successors(successors, state, address_of(out, at), address_of(labels, 0)))
    flags = np.uint32(0)
    for k in range(found):
        flags |= labels[k]
    if (flags & _SPECIAL) | np.uint32(found == 0) | np.uint32(stuttering):
        # Seldom, and so a call: handing over all of these arrays takes longer than to make the steps.
        found = _sort_out(
            successors, state, out, at, room, words, labels, sites, endless, frames, passed, most, identifier, notes,
            stuttering, found, flags,
        )  # fmt: skip
    else:
        for k in range(found):
            note_fired(notes, labels[k])
    return found


@inlined
def _sort_out(
    successors: int,
    state: int,
    out: Words,
    at: int,
    room: int,
    words: int,
    labels: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most: int,
    identifier: np.uint32,
    notes: Notes,
    stuttering: bool,
    found: int,
    flags: np.uint32,
) -> int:
    """What becomes of so many steps, of which not all lead to a state that is to be stored."""
    if found < 0:
        return CROWDED
    for k in range(found):
        if labels[k] & _FAILURE == 0:
            note_fired(notes, labels[k])
    if flags & _TRANSIENT:
        for k in range(found * words):
            passed[k] = out[at + k]
        enter(found, frames)
        return _pass_on(
            successors, state, out, at, room, words, labels, sites, endless, frames, passed, most, identifier, notes,
            stuttering,
        )  # fmt: skip
    kept = found
    leads_on = False
    if flags & _SPECIAL:
        kept = 0
        for k in range(found):
            if labels[k] & _FAILURE:
                site = out[at + k * words]
                if note_failure(notes, sites[site], site, identifier):
                    note_fired(notes, labels[k])
                    leads_on = True
                continue
            if labels[k] & _ASSERTED:
                first_note(notes, ASSERTED_AT, identifier)
            for w in range(words):
                out[at + kept * words + w] = out[at + k * words + w]
            kept += 1
    # Where steps were left out, nothing is known of all of them yet.
    stuttering = stuttering and flags & _REDUCED == 0
    if not leads_on and (kept == 0 or (stuttering and _all_equal(out, at, kept, words, state))):
        notes[DEADLOCKS] += 1
        first_note(notes, DEADLOCK_AT, identifier)
    return kept


@inlined
def _pass_on(
    successors: int,
    state: int,
    out: Words,
    at: int,
    room: int,
    words: int,
    labels: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most: int,
    identifier: np.uint32,
    notes: Notes,
    stuttering: bool,
) -> int:
    """Go through transient states, from those in the first frame on."""
    kept = 0
    failed = 0
    depth = 0
    while True:
        depth, entry, asserted = go_on(successors, depth, most, words, passed, labels, frames, notes)
        if asserted:
            first_note(notes, ASSERTED_AT, identifier)
        if depth < 0:
            break
        if labels[entry] & _TRANSIENT:
            failed += note_failure(notes, sites[endless], endless, identifier)
        elif labels[entry] & _FAILURE:
            site = passed[entry * words]
            failed += note_failure(notes, sites[site], site, identifier)
        else:
            if labels[entry] & _ASSERTED:
                first_note(notes, ASSERTED_AT, identifier)
            if kept == room:
                return CROWDED
            for w in range(words):
                out[at + kept * words + w] = passed[entry * words + w]
            kept += 1
    if depth == STACK_FULL:
        return STACK_FULL
    stuttering = stuttering and labels[0] & _REDUCED == 0
    if failed == 0 and (kept == 0 or (stuttering and _all_equal(out, at, kept, words, state))):
        notes[DEADLOCKS] += 1
        first_note(notes, DEADLOCK_AT, identifier)
    return kept


@kernel(
    "UniTuple(int64, 2)(int64, int64, uint64, uint64, int64, boolean, uint64[::1], uint32[::1],"
    " uint64[::1], uint32[::1], uint32[::1], uint8[::1], int64, int64[:, ::1], uint64[::1], int64, int64[::1],"
    " uint32[::1], width)"
)
def _expand(
    successors: int,
    valuation: int,
    required: int,
    ending: int,
    most: int,
    stuttering: bool,
    vectors: Words,
    identifiers: Ids,
    out: Words,
    sources: Ids,
    labels: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most_steps: int,
    notes: Notes,
    reduced: Ids,
    width: Width,
) -> tuple[int, int]:
    """Where there is room, `reduced` gets the states of which steps were left out; their number comes first."""
    words = int(words_in(width))
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        state = address_of(vectors, i * words)
        letter = call_valuation(valuation, state) if valuation != 0 else np.uint64(0)
        if letter & required != required:
            first_note(notes, INVALID_AT, identifiers[i])
        notes[SEEN_TRUE] |= np.int64(letter)
        counted = notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]
        room = sources.size - count
        deadlock = notes[DEADLOCK_AT]
        labels[0] = 0
        found = successors_of(
            successors, state, out, count * words, room, words, labels, sites, endless, frames, passed, most_steps,
            identifiers[i], notes, stuttering,
        )  # fmt: skip
        if found < 0:
            notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = counted
            return i, (found if i == 0 else count)
        if notes[DEADLOCK_AT] != deadlock and letter & ending:
            notes[DEADLOCK_AT] = NOTHING
        if labels[0] & _REDUCED and reduced.size > 1:
            reduced[0] += 1
            reduced[reduced[0]] = identifiers[i]
        sources[count : count + found] = identifiers[i]
        notes[TRANSITIONS] += found
        count += found
    return identifiers.size, count


class SystemExpansion:
    """The system alone. A state must have all the `required` bits in its valuation; one that does not is noted, and so
    is one that has no successors, unless it has the bit `ending`.
    """

    edge_labels = None

    def __init__(
        self,
        program: Program,
        system: System,
        required: int = 0,
        ending: int = 0,
        watches: bool = False,
        canonicaliser: Canonicaliser | None = None,
        reviewed: bool = False,
    ) -> None:
        """`watches` says that states are evaluated in any case, to see which propositions are ever true; `reviewed`
        that somebody asks of which states steps were left out.
        """
        self.again = False
        self._reviewed = reviewed
        self._reduced: Ids = np.zeros(1, np.uint32)
        self.words = program.words
        self.actions = len(system.actions)
        self.most_successors = program.most_successors
        self._program = program
        self._required = required
        self._ending = ending
        self._stuttering = system.deadlock == "stuttering"
        self._canonicaliser = canonicaliser
        self._evaluates = watches or required != 0 or ending != 0
        self._sites = kinds_of_sites(system)
        self._endless = endless_site(system)
        self._passage = passage_of(system, program)
        self._width = width_of(program.words)

    def prepare(self) -> None:
        prepare(_expand, self._width)

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        passage = self._passage
        if self._reviewed and self._reduced.size <= self._reduced[0] + identifiers.size:
            more = np.zeros(2 * (int(self._reduced[0]) + identifiers.size) + 2, np.uint32)
            more[: self._reduced.size] = self._reduced
            self._reduced = more
        expanded, count = _expand(
            self._program.more_successors if self.again else self._program.successors,
            self._program.valuation if self._evaluates else 0,
            self._required,
            self._ending,
            self.most_successors,
            self._stuttering,
            vectors,
            identifiers,
            out,
            sources,
            passage.labels,
            self._sites,
            self._endless,
            passage.frames,
            passage.vectors,
            passage.most,
            notes,
            _NOBODY if self.again else self._reduced,
            self._width,
        )
        if count < 0:
            passage.grow(count)
        if count == CROWDED:
            self.most_successors = max(2 * self.most_successors, sources.size, passage.most)
        count = max(0, count)
        if self._canonicaliser:
            self._canonicaliser.apply(out, count)
        return expanded, count

    def take_reduced(self) -> Ids:
        taken = self._reduced[1 : self._reduced[0] + 1].copy()
        self._reduced[0] = 0
        return taken
