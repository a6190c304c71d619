"""Expanding states where it matters which fair actions are enabled and which one a step takes.

The fair actions are numbered, and sets of them are bits in a few words. Steps that take the same set have the same
label, so that an edge carries two bytes. One kernel serves a system alone and its product with an automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from ouroboros.engine.expansion import (
    CROWDED,
    DEADLOCK_AT,
    DEADLOCKS,
    FAILURES,
    INVALID_AT,
    OVERFLOWS,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    Labels,
    Marks,
    Notes,
    endless_site,
    first_note,
    kinds_of_sites,
    note_failure,
    passage_of,
)
from ouroboros.engine.jit import (
    Width,
    address_of,
    call_successors,
    call_valuation,
    inlined,
    kernel,
    prepare,
    width_of,
    words_in,
)
from ouroboros.engine.memory import Ids, Words, reserve
from ouroboros.engine.transient import STACK_FULL, Frames, current, enter, go_on
from ouroboros.errors import UsageError
from ouroboros.ltl.automaton import Automaton
from ouroboros.native import EVALUATION_FAILED, FAILURE, FLAGS, TRANSIENT, Program
from ouroboros.system.fairness import Fairness
from ouroboros.system.layout import Field
from ouroboros.system.model import System

BITS = 58
"""Fair actions in a word; searches have other uses for the rest of it."""

_MOST_LABELS = 1 << 16
_EVALUATION_FAILED = np.uint64(EVALUATION_FAILED)
_FAILURE = np.uint32(FAILURE)
_TRANSIENT = np.uint32(TRANSIENT)
_FLAGS = np.uint32(FLAGS)
_NONE = np.uint64(0)
_LETTER = np.uint8(3)
"""The bits of a state's valuation that its marks begin with."""
LOOPS = np.uint8(4)
"""Mark: an edge leads from the state to itself."""
CONTENT = np.uint8(8)
"""Mark: the edges from the state to itself take all fair actions that are enabled in it."""


class FairBits:
    """The numbers of the fair actions, and the labels of steps. Label 0 takes none of them."""

    def __init__(self, system: System, fairness: Fairness, acceptance: bool = False) -> None:
        """With `acceptance`, accepting states must come again and again: like a weakly fair action that is never taken,
        and is disabled in accepting states only.
        """
        self.fairness = fairness
        self.count = len(fairness) + acceptance
        self.words = max(1, -(-self.count // BITS))
        self.acceptance = len(fairness) if acceptance else None
        sets: dict[frozenset[int], int] = {frozenset(): 0}
        self.labels: Labels = np.zeros(len(system.actions) + 1, np.uint16)
        for action in range(len(system.actions)):
            taken = frozenset(number for number, fair in enumerate(fairness) if action in fair.actions)
            if taken not in sets and len(sets) == _MOST_LABELS:
                raise UsageError(f"there are more than {_MOST_LABELS:,} kinds of fair steps: make fewer actions fair")
            self.labels[action] = sets.setdefault(taken, len(sets))
        self.taken = np.array([self.mask(taken) for taken in sets], np.uint64)
        """What a step with a label takes; a row for each label."""
        weak = [number for number, fair in enumerate(fairness) if fair.strength == "weak"]
        self.weak = self.mask([*weak, *([] if self.acceptance is None else [self.acceptance])])

        self._sets = list(sets)

    def fair_actions_of(self, label: int) -> frozenset[int]:
        """What a step with this label takes."""
        return self._sets[label]

    def mask(self, numbers: Sequence[int] | frozenset[int]) -> Words:
        """A set of fair actions, as words."""
        words = [0] * self.words
        for number in numbers:
            words[number // BITS] |= 1 << number % BITS
        return np.array(words, np.uint64)


@inlined
def _alone(
    vectors: Words,
    state: int,
    out: Words,
    first: int,
    successors: int,
    words: int,
    labels: Labels,
    taken: Words,
    enabled: Words,
    identifier: np.uint32,
) -> np.uint8:
    """The marks that say what a state owes to itself alone."""
    loops = False
    wanting = _NONE
    for w in range(taken.shape[1]):
        wanted = enabled[w, identifier]
        for k in range(successors):
            same = True
            for v in range(words):
                same &= out[first + k * words + v] == vectors[state + v]
            if same:
                loops = True
                wanted &= ~taken[labels[k], w]
        wanting |= wanted
    return (LOOPS if loops else np.uint8(0)) | (CONTENT if wanting == _NONE else np.uint8(0))


@inlined
def _successors_of(
    successors: int,
    state: int,
    out: Words,
    at: int,
    room: int,
    words: int,
    actions: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most: int,
    labels: Labels,
    taken: Words,
    enabled: Words,
    edge_labels: Labels,
    identifier: np.uint32,
    notes: Notes,
) -> int:
    """As `successors_of` of an expansion without fairness, and besides what is enabled, and the labels of the edges.

    Of steps through transient states the first decides.
    """
    found = int(call_successors(successors, state, address_of(out, at), address_of(actions, 0)))
    flags = np.uint32(0)
    for k in range(found):
        flags |= actions[k]
    if found < 0:
        return CROWDED
    kept = failed = 0
    if flags & _TRANSIENT == 0:
        for k in range(found):
            label = labels[actions[k] & ~_FLAGS]
            if actions[k] & _FAILURE:
                site = int(np.int64(out[at + k * words]))
                if not note_failure(notes, sites[site], site, identifier):
                    continue
                failed += 1
            for w in range(taken.shape[1]):
                enabled[w, identifier] |= taken[label, w]
            if actions[k] & _FAILURE:
                continue
            if kept < k:
                for w in range(words):
                    out[at + kept * words + w] = out[at + k * words + w]
            edge_labels[kept] = label
            kept += 1
    else:
        for k in range(found * words):
            passed[k] = out[at + k]
        enter(found, frames)
        depth = 0
        while True:
            depth, entry, _ = go_on(successors, depth, most, words, passed, actions, frames, notes)
            if depth < 0:
                break
            label = labels[actions[current(frames)] & ~_FLAGS]
            if actions[entry] & (_TRANSIENT | _FAILURE):
                site = endless if actions[entry] & _TRANSIENT else int(np.int64(passed[entry * words]))
                if not note_failure(notes, sites[site], site, identifier):
                    continue
                failed += 1
            for w in range(taken.shape[1]):
                enabled[w, identifier] |= taken[label, w]
            if actions[entry] & (_TRANSIENT | _FAILURE):
                continue
            if kept == room:
                return CROWDED
            for w in range(words):
                out[at + kept * words + w] = passed[entry * words + w]
            edge_labels[kept] = label
            kept += 1
        if depth == STACK_FULL:
            return STACK_FULL
    if kept + failed == 0:
        notes[DEADLOCKS] += 1
        first_note(notes, DEADLOCK_AT, identifier)
    return kept


@kernel(
    "UniTuple(int64, 2)(int64, int64, int64, boolean, boolean, uint64[::1], uint32[::1], uint64[::1], uint32[::1],"
    " uint32[::1], uint8[::1], int64, int64[:, ::1], uint64[::1], int64, int64[::1], uint16[::1], uint64[:, ::1],"
    " uint64[:, ::1], uint64[::1], uint8[::1], uint16[::1], int64, uint64, uint64, int64[::1], uint64[:, ::1],"
    " uint8[::1], width)"
)
def _expand_fairly(
    successors: int,
    valuation: int,
    most: int,
    extends: bool,
    stutters: bool,
    vectors: Words,
    identifiers: Ids,
    out: Words,
    sources: Ids,
    actions: Ids,
    sites: Marks,
    endless: int,
    frames: Frames,
    passed: Words,
    most_steps: int,
    notes: Notes,
    labels: Labels,
    taken: Words,
    enabled: Words,
    unaccepted: Words,
    marks: Marks,
    edge_labels: Labels,
    word: int,
    shift: int,
    mask: int,
    first_edges: npt.NDArray[np.int64],
    edges: Words,
    accepting: Marks,
    width: Width,
) -> tuple[int, int]:
    """Besides the successors: the label of each edge, and by state its marks and what is enabled in it."""
    words = int(words_in(width))
    hole = ~(np.uint64(mask) << np.uint64(shift))
    beside = np.uint64(mask) != _NONE
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        identifier = identifiers[i]
        state = address_of(vectors, i * words)
        letter = call_valuation(valuation, state) if valuation != 0 else _NONE
        if letter & _EVALUATION_FAILED:
            first_note(notes, INVALID_AT, identifier)
        notes[SEEN_TRUE] |= np.int64(letter)
        notes[SEEN_FALSE] |= np.int64(~letter)
        location = (vectors[i * words + word] >> shift) & mask
        if not beside:
            marks[identifier] = (marks[identifier] & ~_LETTER) | (np.uint8(letter) & _LETTER)
        for w in range(taken.shape[1]):
            enabled[w, identifier] = _NONE if accepting[location] else unaccepted[w]
        at = count * words
        counted = notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]
        deadlocks = notes[DEADLOCKS]
        kept = _successors_of(
            successors, state, out, at, sources.size - count, words, actions, sites, endless, frames, passed,
            most_steps, labels, taken, enabled, edge_labels[count:], identifier, notes,
        )  # fmt: skip
        open_edges = 0 if beside else 1
        if beside:
            for e in range(first_edges[location], first_edges[location + 1]):
                open_edges += letter & edges[e, 0] == edges[e, 1]
        if (kept + 1) * open_edges > sources.size - count:
            kept = CROWDED
        if kept < 0:
            notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = counted
            return i, (kept if i == 0 else count)
        if not beside:
            notes[TRANSITIONS] += kept
        if stutters or (extends and notes[DEADLOCKS] > deadlocks):
            for w in range(words):
                out[at + kept * words + w] = vectors[i * words + w]
            edge_labels[count + kept] = np.uint16(0)
            kept += 1
        if beside:
            copies = 0
            for e in range(first_edges[location], first_edges[location + 1]):
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
        marks[identifier] |= _alone(
            vectors, i * words, out, at, kept, words, edge_labels[count:], taken, enabled, identifier
        )
        sources[count : count + kept] = identifier
        count += kept
    return identifiers.size, count


class FairExpansion:
    """A system, or its product with an automaton, with what fairness needs to know of each state that was expanded."""

    actions = 0

    def __init__(
        self,
        program: Program,
        system: System,
        bits: FairBits,
        watcher: tuple[Automaton, Field] | None = None,
        stutters: bool = False,
    ) -> None:
        """With `stutters`, each state is its own successor, by a step that takes no action.

        Without a `watcher`, the first bits of the valuation are the marks of a state.
        """
        self.words = program.words
        self.bits = bits
        automaton, field = watcher or (None, None)
        groups = automaton.edges if automaton else ()
        # One more, for a state that repeats itself.
        steps = program.most_successors + 1
        self.most_successors = steps * max([1, *map(len, groups)])
        self.edge_labels: Labels = np.zeros(0, np.uint16)
        self.enabled: Words = reserve(1, np.uint64).reshape(1, 1)
        """The bits of the enabled fair actions; a row for each word, a column for each state."""
        self.marks: Marks = reserve(1, np.uint8)
        self._program = program
        self._valuation = program.valuation if automaton is None or automaton.atoms else 0
        self._extends = system.extends_finite_runs
        self._stutters = stutters
        word, shift, width = (*system.layout.placements[field][:2], field.bits) if field else (0, 0, 0)
        edges = [(edge.mask, edge.value, edge.target) for group in groups for edge in group]
        self._automaton = (
            word,
            shift,
            (1 << width) - 1,
            np.cumsum([0, *map(len, groups)], dtype=np.int64),
            np.array(edges, np.uint64).reshape(-1, 3),
            np.array(automaton.accepting if automaton else [False], np.uint8),
        )
        self._unaccepted = bits.mask([] if bits.acceptance is None else [bits.acceptance])
        self._sites = kinds_of_sites(system)
        self._endless = endless_site(system)
        self._passage = passage_of(system, program)
        self._width = width_of(program.words)

    def attach(self, most_states: int) -> None:
        """Have room for what is known of so many states."""
        self.enabled = reserve(self.bits.words * most_states, np.uint64).reshape(self.bits.words, most_states)
        self.marks = reserve(most_states, np.uint8)

    def apart(self) -> FairExpansion:
        """The same, but with what is known of one state only, which is that of the last one expanded."""
        other = copy(self)
        other.attach(1)
        return other

    @property
    def bytes_for_state(self) -> int:
        return 8 * self.bits.words + 1

    def prepare(self) -> None:
        prepare(_expand_fairly, self._width)

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        if self.edge_labels.size < sources.size:
            self.edge_labels = np.zeros(sources.size, np.uint16)
        passage = self._passage
        expanded, count = _expand_fairly(
            self._program.successors,
            self._valuation,
            self.most_successors,
            self._extends,
            self._stutters,
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
            self.bits.labels,
            self.bits.taken,
            self.enabled,
            self._unaccepted,
            self.marks,
            self.edge_labels,
            *self._automaton,
            self._width,
        )
        if count < 0:
            passage.grow(count)
        if count == CROWDED:
            self.most_successors = max(2 * self.most_successors, sources.size, passage.most + 1)
        return expanded, max(0, count)
