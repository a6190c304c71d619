"""Reachability: every state, breadth first; the first one that violates what is asked ends the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.retrace import meets
from ouroboros.graph.notes import (
    ASSERTED_AT,
    DEADLOCK_AT,
    FAILURE_AT,
    FIRED,
    INVALID_AT,
    NOTHING,
    OVERFLOW_AT,
    ROOM_SITE,
    SEEN_TRUE,
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
    finding = nearest_violation(explorer, question) if exploration.run() else None
    statistics = replace(exploration.statistics(), fired=_fired_by_any(explorer))
    if question.watched:
        statistics = replace(statistics, seen_true=_seen_by_any(explorer))
    if evidence and not finding and not exploration.limit:
        hand_over(explorer, evidence)
    return Outcome(statistics, finding, exploration.limit, forecasts=explorer.forecast(store, exploration.limit))


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
    return Alarm(
        now=bool(
            (question.deadlock and notes[DEADLOCK_AT] != NOTHING)
            or notes[INVALID_AT] != NOTHING
            or notes[ROOM_SITE] != NOTHING
        ),
        after_level=bool(
            (question.failure and notes[FAILURE_AT] != NOTHING)
            or (question.assertion and notes[ASSERTED_AT] != NOTHING)
            or (question.deadlock and notes[OVERFLOW_AT] != NOTHING)
        ),
    )


def nearest_violation(explorer: Explorer, question: Question) -> Finding | None:
    """Agree on one violation, the nearest kind first, and rebuild the path to it. Collective."""
    kinds: list[tuple[Literal["proposition", "deadlock", "failure", "overflow"], int, bool]] = [
        ("proposition", INVALID_AT, True),
        ("deadlock", DEADLOCK_AT, question.deadlock),
        ("failure", FAILURE_AT, question.failure),
        ("failure", ASSERTED_AT, question.assertion),
        ("overflow", OVERFLOW_AT, question.deadlock),
    ]
    exchange = explorer.exchange
    sites = exchange.gather(explorer.generation.notes[ROOM_SITE] + 1)
    if sites.any():
        return Finding("room", [], site=int(sites.max()) - 1)
    for kind, note, asked in kinds:
        own = explorer.noted(note)
        places = exchange.gather([own.owner + 1, own.identifier] if own else [0, 0])
        finders = np.flatnonzero(places[:, 0])
        if asked and finders.size:
            owner, identifier = places[finders[0]]
            place = Place(int(owner) - 1, int(identifier))
            return Finding(kind, explorer.path_to(place, meets(explorer.graph, note)))
    return None
