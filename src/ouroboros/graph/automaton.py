"""An automaton beside a system, as tables for kernels: its state is a field of the vector."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ouroboros.graph.stepping import Marks
from ouroboros.jit import inlined, record
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Words
from ouroboros.system.layout import Field, Layout


@record("int64, uint64, uint64, int64[::1], uint64[:, ::1], uint8[::1]")
class AutomatonTables(NamedTuple):
    word: int
    """Where a vector has the automaton's state: in these bits of this word."""
    shift: int
    mask: int
    first_edges: npt.NDArray[np.int64]
    """The first edge from each state of the automaton, and behind them the number of all edges."""
    edges: Words
    """Mask, value and target of each: it is open where the masked valuation is the value."""
    accepting: Marks

    @classmethod
    def of(cls, automaton: Automaton, layout: Layout, field: Field) -> AutomatonTables:
        word, shift, _ = layout.placements[field]
        edges = [(edge.mask, edge.value, edge.target) for group in automaton.edges for edge in group]
        return cls(
            word,
            shift,
            (1 << field.bits) - 1,
            np.cumsum([0, *map(len, automaton.edges)], dtype=np.int64),
            np.array(edges, np.uint64).reshape(-1, 3),
            np.array(automaton.accepting, np.uint8),
        )

    @classmethod
    def nothing(cls) -> AutomatonTables:
        """No automaton."""
        return cls(0, 0, 0, np.zeros(1, np.int64), np.zeros((0, 3), np.uint64), np.zeros(1, np.uint8))


@inlined
def location_in(vectors: Words, at: int, beside: AutomatonTables) -> np.uint64:
    """The automaton's state in the vector that begins at a word."""
    return np.uint64((vectors[at + beside.word] >> beside.shift) & beside.mask)


@inlined
def open_edges(beside: AutomatonTables, location: np.uint64, letter: int | np.uint64) -> int:
    """How many edges can be taken."""
    count = 0
    for e in range(beside.first_edges[location], beside.first_edges[location + np.uint64(1)]):
        count += np.uint64(letter) & beside.edges[e, 0] == beside.edges[e, 1]
    return count
