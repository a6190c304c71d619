"""What a search returns: what it has found, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ouroboros.system.layout import Vector

LimitName = Literal["memory", "disk", "time", "states", "interrupted"]
"""What may end a search before it is complete."""


@dataclass(frozen=True)
class Forecast:
    """What another store would have made of the same memory."""

    store: str
    bytes_per_state: float
    """With parents, and what else the search would keep of each state."""
    states: int
    """That there would be room for, over all workers."""


@dataclass(frozen=True)
class Phase:
    """A part of a search that is worth its own line in the report."""

    name: str
    seconds: float
    bytes: int
    """Memory of tables, arrays and buffers at its end."""
    states: int
    """States that it left for the next phase."""


@dataclass(frozen=True)
class FairNumbers:
    """Of a search for fair cycles."""

    start_states: int
    """Where p holds, and q does not; or the initial states."""
    pending_states: int
    """That a start state reaches without coming to q."""
    end_states: int
    """Where q holds."""
    expansions: int
    """Times that pending states sent their bits."""


@dataclass(frozen=True)
class Statistics:
    """Numbers of a search, over all workers.

    As in DiVinE, every step that fails leads to one and the same error state, which has no successors: where one was
    met, it is counted among the states and the deadlocks, and the steps that lead to it among the transitions.
    """

    states: int = 0
    transitions: int = 0
    deadlocks: int = 0
    failures: int = 0
    """Steps that fail, but for overflows."""
    overflows: int = 0
    """Steps that end a run because a value does not fit the variable that it is assigned to."""
    depth: int = 0
    """Steps from the initial states to the farthest state that was found."""
    bytes: int = 0
    """Memory of tables, arrays and buffers."""
    buffers: int = 0
    """What of it is as large for few states as for many: messages between workers, and what is generated at once."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    iterations: int = 0
    """Rounds of shrinking the set of candidates, in a search for accepting cycles."""
    phases: tuple[Phase, ...] = ()
    seen_true: int = 0
    """Bit i: proposition i, or atom i of an automaton, was true in some state."""
    seen_false: int = 0
    fair: FairNumbers | None = None
    identity_bits: int | None = None
    """Where a store keeps only hashes: two states are taken for one if so many bits of theirs are the same."""

    fired: frozenset[int] | None = None
    """The actions that were made, where the search has noted it."""
    coverage: float | None = None
    """Where a store is a filter: an estimate of the share of the states met that were visited."""
    moved: int = 0
    """States that were expanded by another worker than their owner."""
    balance_gain: float = 1.0
    """By how much this has shortened the longest queues, which the other workers wait for."""

    @property
    def omission(self) -> float:
        """A bound on the probability that a state was missed, if the hash is as good as a random one.

        A state is missed if it is taken for one of those that are stored. Of all that was looked up, which is a state
        for each transition, each is with a probability of at most states / 2**bits.
        """
        if self.coverage is not None:
            return 1.0
        if self.identity_bits is None:
            return 0.0
        return min(1.0, float(self.states) * max(1, self.transitions) / 2.0**self.identity_bits)


@dataclass(frozen=True)
class Finding:
    """Why a property is violated: a path to …"""

    kind: Literal["proposition", "deadlock", "failure", "overflow", "trapped", "cycle", "room"]
    """… a state where a required proposition is false or cannot be evaluated; … where nothing can happen; … where an
    action fails; … where an assignment overflows; … from which a wanted state is out of reach; … a cycle with an
    accepting state. All but the last are as short as any. `room` is no violation and has no path: the layout is too
    small for what a step creates."""
    path: list[Vector]
    """From an initial state; for a cycle, up to its first state."""
    cycle: list[Vector] | None = None
    """The states of a cycle after its first, which ends `path`; the last one is that state again."""
    taken: list[frozenset[int]] | None = None
    """The fair actions that each step of the cycle takes, by their numbers, where it must be fair."""
    site: int | None = None
    """What there was no room for."""
    group: int | None = None
    """Of what is required, the group that is false, where it is told apart."""

    @property
    def states(self) -> list[Vector]:
        return [*self.path, *(self.cycle or [])]

    def steps(self) -> Iterator[tuple[Vector, Vector, frozenset[int] | None]]:
        """The state before and after each step, and the fair actions that it takes, where that matters."""
        known: list[frozenset[int]] = self.taken or []
        unknown = len(self.states) - 1 - len(known)
        for number, (before, after) in enumerate(pairwise(self.states)):
            yield before, after, known[number - unknown] if number >= unknown else None


@dataclass(frozen=True)
class Outcome:
    statistics: Statistics
    finding: Finding | None = None
    limit: LimitName | None = None
    """The limit that ended the search before it was complete."""
    findings: tuple[Finding | None, ...] = ()
    """One for each predicate, where a search answers for several; or for each of them that is violated."""
    exhausted: bool = False
    """Whether all was seen, although something was found."""
    forecasts: tuple[Forecast, ...] = ()
    """Where memory was not enough: for how many states other stores would have room."""
    evidence_limit: LimitName | None = None
    """The limit for which there is no evidence, though nothing was found."""
    collided: bool = False
    """Whether there is a cycle among hashes, and none of those looked at is one of the model."""
