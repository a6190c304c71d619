"""Reachability: every state, breadth first.

The first state that violates what is asked ends the search; or the search goes on until for each thing that is asked a
nearest violation is known, or all states are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from ouroboros.engine.explorer import Explorer
from ouroboros.engine.parents import Place
from ouroboros.engine.retrace import meets
from ouroboros.graph.notes import (
    ASSERTED_AT,
    DEADLOCK_AT,
    FAILURE_AT,
    FALSE_AT,
    FIRED,
    INVALID_AT,
    MOST_APART,
    NOTHING,
    OVERFLOW_AT,
    ROOM_SITE,
    SEEN_TRUE,
    Notes,
)
from ouroboros.graph.protocol import Graph, ReducedGraph
from ouroboros.memory import OutOfMemory
from ouroboros.search.evidence import Evidence, hand_over
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Finding, Outcome, Statistics


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


def reachability(
    graph: Graph,
    question: Question,
    worker: Worker,
    evidence: Evidence | None = None,
    reduced: ReducedGraph | None = None,
) -> Outcome:
    """One worker's part; every worker returns the same outcome. The evidence gets the states if nothing is found.

    `reduced` is the graph, if steps that it leaves out must be made where they would be left out for ever.
    """
    store = worker.store.fitted(graph.layout)
    try:
        explorer = Explorer(graph, worker.exchange, worker.budget, store, reduced)
    except OutOfMemory:
        # Every worker has the same limit, so all are here.
        return Outcome(Statistics(), limit="memory")
    exploration = Exploration(
        explorer,
        graph.initial,
        worker.limits,
        worker.observer,
        lambda: violation_alarm(explorer, question),
        keeper=worker.keeper,
    )
    alarmed = exploration.run()
    findings: tuple[Finding, ...] = ()
    if question.first:
        finding = nearest_violation(explorer, question) if alarmed else None
    else:
        findings = nearest_violations(explorer, question)
        finding = findings[0] if findings else None
    statistics = replace(exploration.statistics(), fired=_fired_by_any(explorer))
    if question.watched:
        statistics = replace(statistics, seen_true=_seen_by_any(explorer))
    if evidence and not finding and not exploration.limit:
        hand_over(explorer, evidence)
    return Outcome(
        statistics,
        finding,
        exploration.limit,
        findings=findings,
        exhausted=not alarmed and exploration.limit is None,
        forecasts=explorer.forecast(store, exploration.limit),
    )


def _seen_by_any(explorer: Explorer) -> int:
    """Which propositions were true in a state of any worker. Collective."""
    own = int(explorer.generation.notes[SEEN_TRUE])
    bits = np.array([own >> bit & 1 for bit in range(63)], np.int64)
    return sum(1 << bit for bit, seen in enumerate(explorer.exchange.total(bits)) if seen)


def _fired_by_any(explorer: Explorer) -> frozenset[int]:
    """Which actions were made by any worker. Collective."""
    made = explorer.exchange.total(explorer.generation.notes[FIRED:])
    return frozenset(int(action) for action in np.flatnonzero(made))


def violation_alarm(explorer: Explorer, question: Question) -> Alarm:
    """A bad state of this level is as near as any; a failing action is one step farther than its state."""
    notes = explorer.generation.notes
    if notes[ROOM_SITE] != NOTHING or notes[INVALID_AT] != NOTHING:
        return Alarm(now=True)
    matters = question.matters
    met = [cause for matter in matters for cause in matter.causes if notes[cause.note] != NOTHING]
    later = any(cause.later for cause in met)
    if question.first:
        return Alarm(now=not all(cause.later for cause in met), after_level=later)
    decided = bool(matters) and all(matter.is_decided(notes) for matter in matters)
    return Alarm(now=decided and not later, after_level=decided and later)


def nearest_violation(explorer: Explorer, question: Question) -> Finding | None:
    """Agree on one violation of the level that the search has ended in, the nearest kind first. Collective."""
    if room := _lack_of_room(explorer):
        return room
    causes = [UNKNOWN_LETTER, *(cause for matter in question.matters for cause in matter.causes)]
    for cause in sorted(causes, key=lambda cause: cause.later):
        if found := _nearest(explorer, cause):
            return _path(explorer, cause, found)
    return None


def nearest_violations(explorer: Explorer, question: Question) -> tuple[Finding, ...]:
    """Agree on a nearest violation for each thing that is asked, the nearest first. Collective."""
    if room := _lack_of_room(explorer):
        return (room,)
    findings: list[Finding] = []
    for causes in [[UNKNOWN_LETTER], *(matter.causes for matter in question.matters)]:
        met = [(cause, found) for cause in causes if (found := _nearest(explorer, cause))]
        if met:
            findings.append(_path(explorer, *min(met, key=lambda each: each[1].depth + each[0].later)))
    return tuple(sorted(findings, key=_length))


def _length(finding: Finding) -> int:
    return len(finding.path) + (finding.kind in ("failure", "overflow"))


class _Met(NamedTuple):
    place: Place
    depth: int


def _nearest(explorer: Explorer, cause: Cause) -> _Met | None:
    """The nearest state in which any worker has met it. Collective."""
    exchange = explorer.exchange
    own = explorer.noted(cause.note)
    told = exchange.gather([own.owner + 1, own.identifier] if own else [0, 0])
    places = [Place(int(owner) - 1, int(identifier)) for owner, identifier in told if owner]
    if not places:
        return None
    # Only its owner knows how far a state is.
    depths = exchange.total(
        np.array(
            [explorer.depth_of(place.identifier) if place.owner == exchange.rank else 0 for place in places], np.int64
        )
    )
    return min((_Met(place, int(depth)) for place, depth in zip(places, depths, strict=True)), key=lambda met: met[1])


def _path(explorer: Explorer, cause: Cause, met: _Met) -> Finding:
    """Collective."""
    path = explorer.path_to(met.place, meets(explorer.graph, cause.note))
    return Finding(cause.kind, path, group=cause.note - FALSE_AT if FALSE_AT <= cause.note < FIRED else None)


def _lack_of_room(explorer: Explorer) -> Finding | None:
    """Collective."""
    sites = explorer.exchange.gather(explorer.generation.notes[ROOM_SITE] + 1)
    return Finding("room", [], site=int(sites.max()) - 1) if sites.any() else None
