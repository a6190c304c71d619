"""What a search of the states is asked, and each thing that it may find apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from ouroboros.graph.notes import (
    ASSERTED_AT,
    DEADLOCK_AT,
    FAILURE_AT,
    FALSE_AT,
    INVALID_AT,
    MOST_APART,
    NOTHING,
    OVERFLOW_AT,
    Notes,
)
from ouroboros.graph.protocol import Graph
from ouroboros.system.layout import Vector

CauseKind = Literal["proposition", "deadlock", "failure", "overflow"]


class Further(NamedTuple):
    """What more violations than the nearest are looked for with."""

    most: int
    """Of each thing that is asked."""
    graph: Graph
    """Whoever may leave out steps elsewhere: here none are."""
    what: Callable[[Literal["failure", "overflow"], Vector], Hashable]
    """What a step from a state fails by."""


@dataclass(frozen=True)
class Question:
    """What must not be found, besides states that are not as the graph requires. With nothing forbidden the search
    counts the whole state space."""

    deadlock: bool = False
    """Also where the run ends because an assignment overflows."""
    failure: bool = False
    assertion: bool = False
    """An assertion that fails, and the run goes on."""
    watched: bool = False
    """Whether it is asked which propositions are ever true."""
    groups: int = 0
    """How many propositions the graph requires; it must be known where the first violation does not end it all."""
    first: bool = True
    """Whether the first violation ends the search, whatever else is asked."""
    further: Further | None = None
    """What more violations than the nearest are looked for with, once all states are known."""

    @property
    def matters(self) -> list[Matter]:
        """All that is asked, each thing apart."""
        bits = MOST_APART if self.first else self.groups
        false = [Matter([Cause("proposition", FALSE_AT + bit)]) for bit in range(bits)]
        fails = Matter(
            [
                *([Cause("failure", FAILURE_AT, later=True)] if self.failure else []),
                *([Cause("failure", ASSERTED_AT, later=True)] if self.assertion else []),
            ]
        )
        ends = Matter([Cause("deadlock", DEADLOCK_AT), Cause("overflow", OVERFLOW_AT, later=True)])
        return [*false, *([ends] if self.deadlock else []), *([fails] if fails.causes else [])]


class Cause(NamedTuple):
    """Something that violates what is asked, and where an expansion notes it."""

    kind: Literal["proposition", "deadlock", "failure", "overflow"]
    note: int
    later: bool = False
    """Whether it is one step farther than the state where it is noted."""


class Matter(NamedTuple):
    causes: list[Cause]

    def is_decided(self, notes: Notes) -> bool:
        return any(notes[cause.note] != NOTHING for cause in self.causes)


UNKNOWN_LETTER = Cause("proposition", INVALID_AT)
"""Where something cannot be evaluated, nothing is known of the state."""
