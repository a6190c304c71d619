"""What all that searches, stores, exchanges or saves states knows of where they come from."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ouroboros.graph.notes import Notes
from ouroboros.graph.stepping import Marks
from ouroboros.jit import record
from ouroboros.memory import Ids, Words
from ouroboros.system.layout import Layout, Vector

Labels = npt.NDArray[np.uint16]


@record("uint64[::1], uint32[::1], uint64[::1], uint32[::1], int64[::1]")
class Batch(NamedTuple):
    """States to be expanded, and where goes what is found."""

    vectors: Words
    identifiers: Ids
    out: Words
    """The successors, and for each of them in `sources` the identifier of the state that it came from."""
    sources: Ids
    notes: Notes


class Graph(Protocol):
    """States, from the initial ones on, and how each gets its successors."""

    @property
    def layout(self) -> Layout:
        """How a state is told from its words, and where stores may cut them."""

    @property
    def words(self) -> int:
        """Of a state."""

    @property
    def owning_words(self) -> int:
        """The first so many words decide who stores a state: all of them, or fewer where a store compares states that
        begin alike."""

    @property
    def initial(self) -> tuple[Vector, ...]: ...

    @property
    def most_successors(self) -> int:
        """That there must be room for where a state is expanded. May become more."""

    @property
    def actions(self) -> int:
        """How many actions there are, where it is noted which of them were made; else none."""

    @property
    def edge_labels(self) -> Labels | None:
        """The labels of the edges that were made last; None where edges have no labels."""

    def prepare(self) -> None:
        """Have all that `expand` needs, before the clock of a search starts."""

    def expand(self, batch: Batch) -> tuple[int, int]:
        """Write the successors of a batch of states, and where each came from; returns how many states were expanded
        and how many successors there are.

        Stops before a state whose successors might not fit. A failing action gives no successor, but a note. Where
        there is room for `most_successors`, and still not for those of the first state, none is expanded, and the next
        call may do better: `most_successors` may be larger then. One state may have any number of ways through
        transient states.
        """


class ReducedGraph(Graph, Protocol):
    """A graph that leaves out steps, and can leave out fewer."""

    again: bool
    """Whether states are expanded once more, with all steps that are wanted."""

    def take_reduced(self) -> Ids:
        """The states, since the last call, of which steps were left out, in the order of their expansion."""


class AcceptingGraph(Graph, Protocol):
    """A graph with accepting states."""

    @property
    def ends_accepted(self) -> bool:
        """Whether an accepting state, once reached, is enough: all that can follow is accepted, and something can."""

    def mark_new(self, vectors: Words, targets: Ids, known: int, marks: Marks) -> int:
        """Set the marks of the new ones among these targets, as `mark_accepting` does: the first has the id `known`.

        Returns the id of the next state that will be new.
        """

    def mark_accepting(self, vectors: Words, marks: Marks) -> None:
        """Set marks[i] to 1 where vector i is accepting, else to 0."""

    def accepts(self, state: Vector) -> bool: ...

    def follow(self, state: Vector) -> list[Vector]:
        """The accepting successors of a state, made by the reference; raises ExecutionError."""
