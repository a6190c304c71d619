"""The base graph: a system alone, whose steps machine code makes, compiled by us or of another origin."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ouroboros.graph.flags import EVALUATION_FAILED, REDUCED
from ouroboros.graph.notes import (
    DEADLOCK_AT,
    NOTHING,
    SEEN_TRUE,
    TRANSITIONS,
    counted,
    note_false,
    take_back,
)
from ouroboros.graph.protocol import Batch
from ouroboros.graph.stepping import CROWDED, Stepping, Steps
from ouroboros.graph.successors import successors_of
from ouroboros.jit import Width, address_of, call_valuation, kernel, prepare, record, width_of, words_in
from ouroboros.memory import Ids, Words
from ouroboros.native import Program
from ouroboros.system.model import System

_NOBODY: Ids = np.zeros(1, np.uint32)


@record("int64, uint64, uint64")
class Watch(NamedTuple):
    """What is looked at in each state."""

    valuation: int = 0
    """The address of a program's valuation; 0: nothing is."""
    required: int = 0
    """The bits that every state must have."""
    ending: int = 0
    """The bit of states that a run may end in."""


@kernel("UniTuple(int64, 2)(Steps, Watch, Batch, int64, uint32[::1], width)")
def _expand(steps: Steps, watch: Watch, batch: Batch, most: int, reduced: Ids, width: Width) -> tuple[int, int]:
    """Where there is room, `reduced` gets the states of which steps were left out; their number comes first."""
    words = int(words_in(width))
    vectors, identifiers, out, sources, notes = batch
    labels, required = steps.labels, watch.required
    count = 0
    for i in range(identifiers.size):
        if count + most > sources.size:
            return i, count
        state = address_of(vectors, i * words)
        letter = call_valuation(watch.valuation, state) if watch.valuation != 0 else np.uint64(0)
        if letter & required != required:
            note_false(notes, required, letter, identifiers[i])
        notes[SEEN_TRUE] |= np.int64(letter)
        before = counted(notes)
        deadlock = notes[DEADLOCK_AT]
        labels[0] = 0
        found = successors_of(steps, state, out, count * words, sources.size - count, words, identifiers[i], notes)
        if found < 0:
            take_back(notes, before)
            return i, (found if i == 0 else count)
        if notes[DEADLOCK_AT] != deadlock and letter & watch.ending:
            notes[DEADLOCK_AT] = NOTHING
        if labels[0] & REDUCED and reduced.size > 1:
            reduced[0] += 1
            reduced[reduced[0]] = identifiers[i]
        sources[count : count + found] = identifiers[i]
        notes[TRANSITIONS] += found
        count += found
    return identifiers.size, count


@kernel("void(int64, uint64[::1], int64, uint64[::1])")
def _evaluate(valuation: int, vectors: Words, words: int, letters: Words) -> None:
    for i in range(letters.size):
        letter = call_valuation(valuation, address_of(vectors, i * words))
        letters[i] = np.uint64(0) if letter & EVALUATION_FAILED else letter


class SystemGraph:
    """Of each `required` bit, which are the first of a valuation, the first state without it is noted; and so is one
    that has no successors, unless it has the bit `ending`.
    """

    edge_labels = None

    def __init__(
        self,
        system: System,
        program: Program,
        required: int = 0,
        ending: int = 0,
        watches: bool = False,
        reviewed: bool = False,
    ) -> None:
        """`watches` says that states are evaluated in any case, to see which propositions are ever true; `reviewed`
        that somebody asks of which states steps were left out.
        """
        self.layout = system.layout
        self.initial = system.initial
        self.words = self.owning_words = program.words
        self.actions = len(system.actions)
        self.most_successors = program.most_successors
        self.again = False
        self.reviewed = reviewed
        self._reduced: Ids = np.zeros(1, np.uint32)
        self._program = program
        self._stepping = Stepping(system, program)
        evaluates = watches or required != 0 or ending != 0
        self._watch = Watch(program.valuation, required, ending) if evaluates else Watch()
        self._width = width_of(program.words)

    def prepare(self) -> None:
        prepare(_expand, self._width)

    def expand(self, batch: Batch) -> tuple[int, int]:
        if self.reviewed and self._reduced.size <= self._reduced[0] + batch.identifiers.size:
            more = np.zeros(2 * (int(self._reduced[0]) + batch.identifiers.size) + 2, np.uint32)
            more[: self._reduced.size] = self._reduced
            self._reduced = more
        steps = self._stepping.steps(again=self.again)
        self.most_successors = max(self.most_successors, self._stepping.most)
        reduced = _NOBODY if self.again else self._reduced
        expanded, count = _expand(steps, self._watch, batch, self.most_successors, reduced, self._width)
        if count < 0:
            self._stepping.grow(count)
        if count == CROWDED:
            self.most_successors = max(2 * self.most_successors, batch.sources.size, self._stepping.most)
        return expanded, max(0, count)

    def take_reduced(self) -> Ids:
        taken = self._reduced[1 : self._reduced[0] + 1].copy()
        self._reduced[0] = 0
        return taken

    def letters(self, vectors: Words) -> Words:
        """The valuation of each state; zero where it cannot be told."""
        letters = np.zeros(vectors.size // self.words, np.uint64)
        _evaluate(self._program.valuation, vectors, self.words, letters)
        return letters
