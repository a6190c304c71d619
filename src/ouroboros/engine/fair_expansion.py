"""Expanding states where it matters which fair actions are enabled and which one a step takes.

The fair actions are numbered, and sets of them are bits in a few words. Steps that take the same set have the same
label, so that an edge carries two bytes. One kernel serves a system alone and its product with an automaton.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ouroboros.engine.expansion import (
    DEADLOCK_AT,
    DEADLOCKS,
    FAILURE_AT,
    FAILURES,
    INVALID_AT,
    OVERFLOW_AT,
    OVERFLOWS,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    Labels,
    Marks,
    Notes,
    first_note,
    kinds_of_sites,
)
from ouroboros.engine.jit import Width, call_successors, call_valuation, kernel, width_of, words_in
from ouroboros.engine.memory import Ids, Words, reserve
from ouroboros.engine.transient import WORD_BYTES
from ouroboros.errors import UsageError
from ouroboros.ltl.automaton import Automaton
from ouroboros.native import EVALUATION_FAILED, FAILURE, Program
from ouroboros.system.fairness import Fairness
from ouroboros.system.layout import Field
from ouroboros.system.model import System

BITS = 58
"""Fair actions in a word; searches have other uses for the rest of it."""

_MOST_LABELS = 1 << 16
_EVALUATION_FAILED = np.uint64(EVALUATION_FAILED)
_FAILURE = np.uint32(FAILURE)
_NONE = np.uint64(0)
_LETTER = np.uint8(3)
"""The bits of a state's valuation that its marks begin with."""


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


@kernel(
    "UniTuple(int64, 2)(int64, int64, int64, boolean, boolean, uint64[::1], uint32[::1], uint64[::1], uint32[::1],"
    " uint32[::1], uint8[::1], int64[::1], uint16[::1], uint64[:, ::1], uint64[:, ::1], uint64[::1], uint8[::1],"
    " uint16[::1], int64, uint64, uint64, int64[::1], uint64[:, ::1], uint8[::1], width)"
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
    overflows: Marks,
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
    state = vectors.ctypes.data
    hole = ~(np.uint64(mask) << np.uint64(shift))
    beside = np.uint64(mask) != _NONE
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        identifier = identifiers[i]
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
        found = int(call_successors(successors, state, out.ctypes.data + at * WORD_BYTES, actions.ctypes.data))
        kept = 0
        for k in range(found):
            label = labels[actions[k] & ~_FAILURE]
            for w in range(taken.shape[1]):
                enabled[w, identifier] |= taken[label, w]
            if actions[k] & _FAILURE:
                overflow = overflows[out[at + k * words]]
                notes[OVERFLOWS if overflow else FAILURES] += 1
                first_note(notes, OVERFLOW_AT if overflow else FAILURE_AT, identifier)
                notes[TRANSITIONS] += 1
                continue
            if kept < k:
                for w in range(words):
                    out[at + kept * words + w] = out[at + k * words + w]
            edge_labels[count + kept] = label
            kept += 1
        if not beside:
            notes[TRANSITIONS] += kept
        if found == 0:
            notes[DEADLOCKS] += 1
            first_note(notes, DEADLOCK_AT, identifier)
        if stutters or (extends and found == 0):
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
        sources[count : count + kept] = identifier
        count += kept
        state += words * WORD_BYTES
    return identifiers.size, count


class FairExpansion:
    """A system, or its product with an automaton, with what fairness needs to know of each state that was expanded."""

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
        if system.exclusive:
            raise UsageError("fairness is not supported for a model with atomic sequences")
        self.words = program.words
        self.bits = bits
        automaton, field = watcher or (None, None)
        groups = automaton.edges if automaton else ()
        steps = max(1, program.most_successors + stutters)
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
        self._actions = np.zeros(max(1, program.most_successors), np.uint32)
        self._overflows = kinds_of_sites(system)
        self._width = width_of(program.words)

    def attach(self, most_states: int) -> None:
        """Have room for what is known of so many states."""
        self.enabled = reserve(self.bits.words * most_states, np.uint64).reshape(self.bits.words, most_states)
        self.marks = reserve(most_states, np.uint8)

    @property
    def bytes_for_state(self) -> int:
        return 8 * self.bits.words + 1

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        if self.edge_labels.size < sources.size:
            self.edge_labels = np.zeros(sources.size, np.uint16)
        return _expand_fairly(
            self._program.successors,
            self._valuation,
            self.most_successors,
            self._extends,
            self._stutters,
            vectors,
            identifiers,
            out,
            sources,
            self._actions,
            self._overflows,
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
