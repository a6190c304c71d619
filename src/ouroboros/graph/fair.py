"""Expanding states where it matters which fair actions are enabled and which one a step takes.

One kernel serves a system alone and its product with an automaton.
"""

from __future__ import annotations

from copy import copy
from typing import NamedTuple

import numpy as np

from ouroboros.graph.automaton import AutomatonTables, location_in, open_edges
from ouroboros.graph.fair_bits import FairBits
from ouroboros.graph.flags import EVALUATION_FAILED, FAILURE, FLAGS, TRANSIENT
from ouroboros.graph.notes import (
    DEADLOCKS,
    INVALID_AT,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    Notes,
    counted,
    first_note,
    take_back,
)
from ouroboros.graph.protocol import Batch, Labels
from ouroboros.graph.stepping import CROWDED, STACK_FULL, Marks, Stepping, Steps
from ouroboros.graph.successors import note_deadlock, note_failure
from ouroboros.graph.transient import current, enter, go_on
from ouroboros.jit import (
    Width,
    address_of,
    call_successors,
    call_valuation,
    inlined,
    kernel,
    prepare,
    record,
    width_of,
    words_in,
)
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Words, reserve
from ouroboros.native import Program
from ouroboros.system.fairness import Fairness
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_NONE = np.uint64(0)
_LETTER = np.uint8(3)
"""The bits of a state's valuation that its marks begin with."""
LOOPS = np.uint8(4)
"""Mark: an edge leads from the state to itself."""
CONTENT = np.uint8(8)
"""Mark: the edges from the state to itself take all fair actions that are enabled in it."""


@record("uint16[::1], uint64[:, ::1], uint64[::1], uint64[:, ::1], uint8[::1], uint16[::1]")
class Fair(NamedTuple):
    """What kernels know of fairness, and where they write what they find."""

    labels: Labels
    """Of the actions."""
    taken: Words
    """What a step with a label takes; a row for each label."""
    unaccepted: Words
    """What is enabled in a state that is not accepting."""
    enabled: Words
    """What is enabled in a state; a row for each word, a column for each state."""
    marks: Marks
    """Of the states."""
    edge_labels: Labels
    """Of the edges that are made."""


@record("int64, boolean, boolean, int64")
class Ways(NamedTuple):
    """How runs go on."""

    valuation: int
    """The address of a program's valuation; 0: there is nothing to ask."""
    extends: bool
    """Whether a run that ends repeats its last state for ever."""
    stutters: bool
    """Whether each state is its own successor."""
    most: int
    """Successors of a state that there must be room for."""


@inlined
def _alone(
    fair: Fair, vectors: Words, state: int, out: Words, count: int, successors: int, words: int, identifier: np.uint32
) -> np.uint8:
    """The marks that say what a state owes to itself alone; its edges are those from `count` on."""
    taken, enabled = fair.taken, fair.enabled
    loops = False
    wanting = _NONE
    for w in range(taken.shape[1]):
        wanted = enabled[w, identifier]
        for k in range(count, count + successors):
            same = True
            for v in range(words):
                same &= out[k * words + v] == vectors[state + v]
            if same:
                loops = True
                wanted &= ~taken[fair.edge_labels[k], w]
        wanting |= wanted
    return (LOOPS if loops else np.uint8(0)) | (CONTENT if wanting == _NONE else np.uint8(0))


@inlined
def _successors_of(
    steps: Steps,
    fair: Fair,
    state: int,
    out: Words,
    count: int,
    room: int,
    words: int,
    identifier: np.uint32,
    notes: Notes,
) -> int:
    """As `successors_of` a state without fairness, and besides what is enabled, and the labels of the edges, which are
    those from `count` on.

    Of steps through transient states the first decides.
    """
    actions, sites, passed = steps.labels, steps.sites, steps.passed
    taken, enabled = fair.taken, fair.enabled
    at = count * words
    found = int(call_successors(steps.successors, state, address_of(out, at), address_of(actions, 0)))
    flags = np.uint32(0)
    for k in range(found):
        flags |= actions[k]
    if found < 0:
        return CROWDED
    kept = failed = 0
    if flags & TRANSIENT == 0:
        for k in range(found):
            label = fair.labels[actions[k] & ~FLAGS]
            if actions[k] & FAILURE:
                site = int(np.int64(out[at + k * words]))
                if not note_failure(notes, sites[site], site, identifier):
                    continue
                failed += 1
            for w in range(taken.shape[1]):
                enabled[w, identifier] |= taken[label, w]
            if actions[k] & FAILURE:
                continue
            if kept < k:
                for w in range(words):
                    out[at + kept * words + w] = out[at + k * words + w]
            fair.edge_labels[count + kept] = label
            kept += 1
    else:
        enter(found, out, at, words, steps)
        depth = 0
        while True:
            depth, entry, _ = go_on(steps, depth, words, notes)
            if depth < 0:
                break
            label = fair.labels[actions[current(steps.frames)] & ~FLAGS]
            if actions[entry] & (TRANSIENT | FAILURE):
                site = steps.endless if actions[entry] & TRANSIENT else int(np.int64(passed[entry * words]))
                if not note_failure(notes, sites[site], site, identifier):
                    continue
                failed += 1
            for w in range(taken.shape[1]):
                enabled[w, identifier] |= taken[label, w]
            if actions[entry] & (TRANSIENT | FAILURE):
                continue
            if kept == room:
                return CROWDED
            for w in range(words):
                out[at + kept * words + w] = passed[entry * words + w]
            fair.edge_labels[count + kept] = label
            kept += 1
        if depth == STACK_FULL:
            return STACK_FULL
    if kept + failed == 0:
        note_deadlock(notes, identifier)
    return kept


@kernel("UniTuple(int64, 2)(Steps, AutomatonTables, Fair, Ways, Batch, width)")
def _expand_fairly(
    steps: Steps, beside: AutomatonTables, fair: Fair, ways: Ways, batch: Batch, width: Width
) -> tuple[int, int]:
    """Besides the successors: the label of each edge, and by state its marks and what is enabled in it."""
    words = int(words_in(width))
    vectors, identifiers, out, sources, notes = batch
    word, shift = beside.word, beside.shift
    hole = ~(np.uint64(beside.mask) << np.uint64(shift))
    watched = np.uint64(beside.mask) != _NONE
    first_edges, edges = beside.first_edges, beside.edges
    marks, edge_labels = fair.marks, fair.edge_labels
    count = 0
    for i in range(identifiers.size):
        if count + ways.most > sources.size:
            return i, count
        identifier = identifiers[i]
        state = address_of(vectors, i * words)
        letter = call_valuation(ways.valuation, state) if ways.valuation != 0 else _NONE
        if letter & EVALUATION_FAILED:
            first_note(notes, INVALID_AT, identifier)
        notes[SEEN_TRUE] |= np.int64(letter)
        notes[SEEN_FALSE] |= np.int64(~letter)
        location = location_in(vectors, i * words, beside)
        if not watched:
            marks[identifier] = (marks[identifier] & ~_LETTER) | (np.uint8(letter) & _LETTER)
        for w in range(fair.taken.shape[1]):
            fair.enabled[w, identifier] = _NONE if beside.accepting[location] else fair.unaccepted[w]
        at = count * words
        before = counted(notes)
        deadlocks = notes[DEADLOCKS]
        room = sources.size - count
        kept = _successors_of(steps, fair, state, out, count, room, words, identifier, notes)
        copies = open_edges(beside, location, letter) if watched else 1
        if (kept + 1) * copies > room:
            kept = CROWDED
        if kept < 0:
            take_back(notes, before)
            return i, (kept if i == 0 else count)
        if not watched:
            notes[TRANSITIONS] += kept
        if ways.stutters or (ways.extends and notes[DEADLOCKS] > deadlocks):
            for w in range(words):
                out[at + kept * words + w] = vectors[i * words + w]
            edge_labels[count + kept] = np.uint16(0)
            kept += 1
        if watched:
            copies = 0
            for e in range(first_edges[location], first_edges[location + np.uint64(1)]):
                if letter & edges[e, 0] != edges[e, 1]:
                    continue
                base = at + copies * kept * words
                for k in range(kept * words):
                    out[base + k] = out[at + k]
                for k in range(kept):
                    edge_labels[count + copies * kept + k] = edge_labels[count + k]
                    field = base + k * words + word
                    out[field] = (out[field] & hole) | (edges[e, 2] << shift)
                copies += 1
            kept *= copies
            notes[TRANSITIONS] += kept
        marks[identifier] |= _alone(fair, vectors, i * words, out, count, kept, words, identifier)
        sources[count : count + kept] = identifier
        count += kept
    return identifiers.size, count


class FairGraph:
    """A system, or its product with an automaton, with what fairness needs to know of each state that was expanded."""

    actions = 0

    def __init__(
        self,
        system: System,
        program: Program,
        fairness: Fairness,
        watcher: tuple[Automaton, Field] | None = None,
        stutters: bool = False,
    ) -> None:
        """With a `watcher`, which is an automaton and where its state is, a run must come to accepting states again and
        again; without, the first bits of the valuation are the marks of a state. `stutters` is whether a run may stay
        in any state for a step, or for ever, in which no action is taken: such edges need only exist beside an
        automaton, which goes on then.
        """
        bits = FairBits(len(system.actions), fairness, acceptance=watcher is not None)
        self.layout = system.layout
        self.initial = system.initial
        self.words = self.owning_words = program.words
        self.bits = bits
        automaton = watcher[0] if watcher else None
        # One more, for a state that repeats itself.
        most = program.most_successors + 1
        self.most_successors = most * max([1, *map(len, automaton.edges if automaton else ())])
        self.edge_labels: Labels = np.zeros(0, np.uint16)
        self.enabled: Words = reserve(1, np.uint64).reshape(1, 1)
        """The bits of the enabled fair actions; a row for each word, a column for each state."""
        self.marks: Marks = reserve(1, np.uint8)
        self._beside = (
            AutomatonTables.of(watcher[0], system.layout, watcher[1]) if watcher else AutomatonTables.nothing()
        )
        self._valuation = program.valuation if automaton is None or automaton.atoms else 0
        self._extends = system.extends_finite_runs
        self.stutters = stutters
        self.watched = watcher is not None
        """Whether there is an automaton."""
        self._unaccepted = bits.mask([] if bits.acceptance is None else [bits.acceptance])
        self._stepping = Stepping(system, program)
        self._width = width_of(program.words)

    def attach(self, most_states: int) -> None:
        """Have room for what is known of so many states."""
        self.enabled = reserve(self.bits.words * most_states, np.uint64).reshape(self.bits.words, most_states)
        self.marks = reserve(most_states, np.uint8)

    def apart(self) -> FairGraph:
        """The same, but with what is known of one state only, which is that of the last one expanded."""
        other = copy(self)
        other.attach(1)
        return other

    @property
    def bytes_for_state(self) -> int:
        return 8 * self.bits.words + 1

    def prepare(self) -> None:
        prepare(_expand_fairly, self._width)

    def expand(self, batch: Batch) -> tuple[int, int]:
        if self.edge_labels.size < batch.sources.size:
            self.edge_labels = np.zeros(batch.sources.size, np.uint16)
        bits = self.bits
        fair = Fair(bits.labels, bits.taken, self._unaccepted, self.enabled, self.marks, self.edge_labels)
        steps = self._stepping.steps(ends=False)
        self.most_successors = max(self.most_successors, self._stepping.most + 1)
        ways = Ways(self._valuation, self._extends, self.stutters and self.watched, self.most_successors)
        expanded, count = _expand_fairly(steps, self._beside, fair, ways, batch, self._width)
        if count < 0:
            self._stepping.grow(count)
        if count == CROWDED:
            self.most_successors = max(2 * self.most_successors, batch.sources.size, self._stepping.most + 1)
        return expanded, max(0, count)
