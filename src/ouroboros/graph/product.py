"""The product of a system with a Büchi automaton, on the fly and without generated code.

The automaton's state is a field of the vector. A state's valuation selects the edges of the automaton that are open,
and each successor of the system is paired with the target of each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ouroboros.graph.automaton import AutomatonTables, location_in, open_edges
from ouroboros.graph.flags import EVALUATION_FAILED
from ouroboros.graph.notes import (
    DEADLOCKS,
    INVALID_AT,
    SEEN_FALSE,
    SEEN_TRUE,
    TRANSITIONS,
    counted,
    first_note,
    take_back,
)
from ouroboros.graph.protocol import Batch
from ouroboros.graph.stepping import CROWDED, Marks, Stepping, Steps
from ouroboros.graph.successors import successors_of
from ouroboros.jit import Width, address_of, call_valuation, kernel, prepare, record, width_of, words_in
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Ids, Words
from ouroboros.native import Program
from ouroboros.system.interpret import successors, valuation
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import Proposition, System

_NONE = np.uint64(0)


@record("Steps, AutomatonTables, int64, boolean, int64")
class Product(NamedTuple):
    """What a kernel needs to expand states of a product."""

    steps: Steps
    beside: AutomatonTables
    valuation: int
    """The address of a program's valuation; 0: the automaton has no atoms."""
    extends: bool
    """Whether a run that ends repeats its last state for ever."""
    most: int
    """Successors of a state that there must be room for."""


@kernel("UniTuple(int64, 2)(Product, Batch, width)")
def expand_product(product: Product, batch: Batch, width: Width) -> tuple[int, int]:
    words = int(words_in(width))
    steps, beside = product.steps, product.beside
    vectors, identifiers, out, sources, notes = batch
    word, shift = beside.word, beside.shift
    hole = ~(np.uint64(beside.mask) << np.uint64(shift))
    first_edges, edges = beside.first_edges, beside.edges
    count = 0
    for i in range(identifiers.size):
        if count + product.most > sources.size:
            return i, count
        location = location_in(vectors, i * words, beside)
        state = address_of(vectors, i * words)
        letter = call_valuation(product.valuation, state) if product.valuation != 0 else _NONE
        if letter & EVALUATION_FAILED:
            # Nobody knows how the automaton goes on from here.
            first_note(notes, INVALID_AT, identifiers[i])
            continue
        notes[SEEN_TRUE] |= np.int64(letter)
        notes[SEEN_FALSE] |= np.int64(~letter)
        ways = open_edges(beside, location, letter)
        if ways == 0:
            # Whatever follows, also a failure, the automaton does not accept.
            continue
        before = counted(notes)
        deadlocks = notes[DEADLOCKS]
        room = sources.size - count
        found = successors_of(steps, state, out, count * words, room, words, identifiers[i], notes)
        if found * ways > room:
            found = CROWDED
        if found < 0:
            take_back(notes, before)
            return i, (found if i == 0 else count)
        if product.extends and notes[DEADLOCKS] > deadlocks:
            for w in range(words):
                out[count * words + w] = vectors[i * words + w]
            found = 1
        copies = 0
        for e in range(first_edges[location], first_edges[location + np.uint64(1)]):
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


@kernel("int64(uint64[::1], uint32[::1], int64, AutomatonTables, uint8[::1], width)")
def _mark_new(vectors: Words, targets: Ids, known: int, beside: AutomatonTables, marks: Marks, width: Width) -> int:
    words = int(words_in(width))
    for k in range(targets.size):
        if targets[k] == known:
            marks[known] = beside.accepting[location_in(vectors, k * words, beside)]
            known += 1
    return known


@kernel("void(uint64[::1], AutomatonTables, uint8[::1], width)")
def _mark_accepting(vectors: Words, beside: AutomatonTables, marks: Marks, width: Width) -> None:
    words = int(words_in(width))
    for i in range(marks.size):
        marks[i] = beside.accepting[location_in(vectors, i * words, beside)]


class ProductGraph:
    """`field` is the automaton's state in the system's layout; the program computes the propositions, which are the
    automaton's atoms.
    """

    edge_labels = None
    actions = 0

    def __init__(
        self,
        system: System,
        program: Program,
        automaton: Automaton,
        field: Field,
        propositions: Sequence[Proposition] = (),
    ) -> None:
        self.layout = system.layout
        self.initial = system.initial
        self.words = self.owning_words = program.words
        self.automaton = automaton
        most_edges = max((len(group) for group in automaton.edges), default=0)
        self.most_successors = max(1, program.most_successors) * max(1, most_edges)
        self.beside = AutomatonTables.of(automaton, system.layout, field)
        self.width = width_of(program.words)
        self._system = system
        self._field = field
        self._propositions = propositions
        self._stepping = Stepping(system, program)
        self._valuation = program.valuation if automaton.atoms else 0

    @property
    def accepting(self) -> Marks:
        """Of the automaton's states."""
        return self.beside.accepting

    @property
    def product(self) -> Product:
        """For kernels that call `expand_product` themselves."""
        extends = self._system.extends_finite_runs
        steps = self._stepping.steps(ends=False)
        self.most_successors = max(self.most_successors, self._stepping.most)
        return Product(steps, self.beside, self._valuation, extends, self.most_successors)

    def grow(self, reason: int, room: int) -> None:
        """After there was not enough for one state, though there was room for so many successors."""
        if reason < 0:
            self._stepping.grow(reason)
        if reason == CROWDED:
            self.most_successors = max(2 * self.most_successors, room, self._stepping.most)

    def prepare(self) -> None:
        prepare(expand_product, self.width)

    def expand(self, batch: Batch) -> tuple[int, int]:
        expanded, count = expand_product(self.product, batch, self.width)
        self.grow(count, batch.sources.size)
        return expanded, max(0, count)

    def mark_new(self, vectors: Words, targets: Ids, known: int, marks: Marks) -> int:
        """Set the marks of the new ones among these targets, as `mark_accepting` does: the first has the id `known`.

        Returns the id of the next state that will be new.
        """
        return int(_mark_new(vectors, targets, known, self.beside, marks, self.width))

    def mark_accepting(self, vectors: Words, marks: Marks) -> None:
        """Set marks[i] to 1 where vector i is accepting, else to 0."""
        _mark_accepting(vectors, self.beside, marks, self.width)

    @property
    def ends_accepted(self) -> bool:
        """Whether an accepting state, once reached, is enough: the automaton accepts all that can follow, and something
        always can: a run that ends is extended, unless an overflow ends it.
        """
        overflows = any(failure.kind == "overflow" for failure in self._system.failures)
        return self.automaton.strength == "terminal" and self._system.extends_finite_runs and not overflows

    def accepts(self, state: Vector) -> bool:
        return self.automaton.accepting[self._system.layout.read(state, self._field)]

    def follow(self, state: Vector) -> list[Vector]:
        """The accepting successors of a state, made by the reference; raises ExecutionError."""
        system, layout = self._system, self._system.layout
        letter = sum(truth << index for index, truth in enumerate(valuation(system, state, self._propositions)))
        edges = self.automaton.edges[layout.read(state, self._field)]
        targets = [edge.target for edge in edges if edge.allows(letter) and self.automaton.accepting[edge.target]]
        # Where nothing can happen, a run repeats its last state; a failing action ends it.
        steps = [step.state for step in successors(system, state)] or [state]
        result = []
        for step in steps:
            for target in targets if step is not None else ():
                assert step is not None
                words = list(step)
                layout.write(words, self._field, 0, target)
                result.append(tuple(words))
        return result
