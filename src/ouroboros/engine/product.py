"""The product of a system with a Büchi automaton, on the fly and without generated code.

The automaton's state is a field of the vector. A state's valuation selects the edges of the automaton that are open,
and each successor of the system is paired with the target of each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.expansion import (
    CROWDED,
    DEADLOCKS,
    FAILURES,
    INVALID_AT,
    OVERFLOWS,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    Marks,
    Notes,
    endless_site,
    first_note,
    kinds_of_sites,
    passage_of,
    successors_of,
)
from ouroboros.engine.jit import Width, address_of, call_valuation, kernel, prepare, width_of, words_in
from ouroboros.engine.memory import Ids, Words
from ouroboros.engine.transient import Frames
from ouroboros.ltl.automaton import Automaton
from ouroboros.native import EVALUATION_FAILED, Program
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_EVALUATION_FAILED = np.uint64(EVALUATION_FAILED)
_NONE = np.uint64(0)


@kernel(
    "UniTuple(int64, 2)(int64, int64, int64, boolean, uint64[::1], uint32[::1], uint64[::1], uint32[::1], uint32[::1],"
    " uint8[::1], int64, int64[:, ::1], uint64[::1], int64, int64[::1], int64, uint64, uint64, int64[::1],"
    " uint64[:, ::1], width)"
)
def expand_product(
    successors: int,
    valuation: int,
    most: int,
    extends: bool,
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
    word: int,
    shift: int,
    mask: int,
    first_edges: npt.NDArray[np.int64],
    edges: Words,
    width: Width,
) -> tuple[int, int]:
    words = int(words_in(width))
    hole = ~(np.uint64(mask) << np.uint64(shift))
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        location = (vectors[i * words + word] >> shift) & mask
        state = address_of(vectors, i * words)
        letter = call_valuation(valuation, state) if valuation != 0 else _NONE
        if letter & _EVALUATION_FAILED:
            # Nobody knows how the automaton goes on from here.
            first_note(notes, INVALID_AT, identifiers[i])
            continue
        notes[SEEN_TRUE] |= np.int64(letter)
        notes[SEEN_FALSE] |= np.int64(~letter)
        open_edges = 0
        for e in range(first_edges[location], first_edges[location + 1]):
            open_edges += letter & edges[e, 0] == edges[e, 1]
        if open_edges == 0:
            # Whatever follows, also a failure, the automaton does not accept.
            continue
        counted = notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS]
        deadlocks = notes[DEADLOCKS]
        room = sources.size - count
        found = successors_of(
            successors, state, out, count * words, room, words, labels, sites, endless, frames, passed, most_steps,
            identifiers[i], notes, False,
        )  # fmt: skip
        if found * open_edges > room:
            found = CROWDED
        if found < 0:
            notes[TRANSITIONS], notes[DEADLOCKS], notes[FAILURES], notes[OVERFLOWS] = counted
            return i, (found if i == 0 else count)
        if extends and notes[DEADLOCKS] > deadlocks:
            for w in range(words):
                out[count * words + w] = vectors[i * words + w]
            found = 1
        copies = 0
        for e in range(first_edges[location], first_edges[location + 1]):
            if letter & edges[e, 0] != edges[e, 1]:
                continue
            base = (count + copies * found) * words
            for k in range(found * words):
                out[base + k] = out[count * words + k]
            for k in range(found):
                at = base + k * words + word
                out[at] = (out[at] & hole) | (edges[e, 2] << shift)
            copies += 1
        found *= copies
        sources[count : count + found] = identifiers[i]
        notes[TRANSITIONS] += found
        count += found
    return identifiers.size, count


@kernel("int64(uint64[::1], uint32[::1], int64, int64, uint64, uint64, uint8[::1], uint8[::1], width)")
def _mark_new(
    vectors: Words,
    targets: Ids,
    known: int,
    word: int,
    shift: int,
    mask: int,
    accepting: Marks,
    marks: Marks,
    width: Width,
) -> int:
    words = int(words_in(width))
    for k in range(targets.size):
        if targets[k] == known:
            marks[known] = accepting[(vectors[k * words + word] >> shift) & mask]
            known += 1
    return known


@kernel("void(uint64[::1], int64, uint64, uint64, uint8[::1], uint8[::1], width)")
def _mark_accepting(
    vectors: Words,
    word: int,
    shift: int,
    mask: int,
    accepting: Marks,
    marks: Marks,
    width: Width,
) -> None:
    words = int(words_in(width))
    for i in range(marks.size):
        marks[i] = accepting[(vectors[i * words + word] >> shift) & mask]


class ProductExpansion:
    """The product as a graph; `field` is the automaton's state in the system's layout."""

    edge_labels = None
    actions = 0

    def __init__(self, program: Program, system: System, automaton: Automaton, field: Field) -> None:
        self.words = program.words
        edges = [edge for group in automaton.edges for edge in group]
        most_edges = max((len(group) for group in automaton.edges), default=0)
        self.most_successors = max(1, program.most_successors) * max(1, most_edges)
        self._program = program
        self._extends = system.extends_finite_runs
        self._word, self._shift, _ = system.layout.placements[field]
        self._mask = (1 << field.bits) - 1
        self._first_edges = np.cumsum([0, *map(len, automaton.edges)], dtype=np.int64)
        self._edges = np.array([(edge.mask, edge.value, edge.target) for edge in edges], np.uint64).reshape(-1, 3)
        self.accepting = np.array(automaton.accepting, np.uint8)
        self._sites = kinds_of_sites(system)
        self._endless = endless_site(system)
        self._passage = passage_of(system, program)
        self._valuation = program.valuation if automaton.atoms else 0
        self._width = width_of(program.words)

    @property
    def program(self) -> tuple[int, int, int, bool]:
        """The first arguments of `expand_product`."""
        return self._program.successors, self._valuation, self.most_successors, self._extends

    @property
    def passage(self) -> tuple[Ids, Marks, int, Frames, Words, int]:
        """The arguments of `expand_product` that are about failures and transient states."""
        passage = self._passage
        return passage.labels, self._sites, self._endless, passage.frames, passage.vectors, passage.most

    def grow(self, reason: int, room: int) -> None:
        """After there was not enough for one state, though there was room for so many successors."""
        if reason < 0:
            self._passage.grow(reason)
        if reason == CROWDED:
            self.most_successors = max(2 * self.most_successors, room, self._passage.most)

    @property
    def tables(self) -> tuple[Any, ...]:
        """The last arguments of `expand_product`."""
        return self._word, self._shift, self._mask, self._first_edges, self._edges, self._width

    def prepare(self) -> None:
        prepare(expand_product, self._width)

    def expand(self, vectors: Words, identifiers: Ids, out: Words, sources: Ids, notes: Notes) -> tuple[int, int]:
        arguments: tuple[Any, ...] = (
            *self.program, vectors, identifiers, out, sources, *self.passage, notes, *self.tables
        )  # fmt: skip
        expanded, count = expand_product(*arguments)
        self.grow(count, sources.size)
        return expanded, max(0, count)

    def mark_new(self, vectors: Words, targets: Ids, known: int, marks: Marks) -> int:
        """Set the marks of the new ones among these targets, as `mark_accepting` does: the first has the id `known`.

        Returns the id of the next state that will be new.
        """
        at = (self._word, self._shift, self._mask)
        return int(_mark_new(vectors, targets, known, *at, self.accepting, marks, self._width))

    def mark_accepting(self, vectors: Words, marks: Marks) -> None:
        """Set marks[i] to 1 where vector i is accepting, else to 0."""
        _mark_accepting(vectors, self._word, self._shift, self._mask, self.accepting, marks, self._width)
