"""Reachability: every state, breadth first.

The first state that violates what is asked ends the search; or the search goes on until for each thing that is asked a
nearest violation is known, or all states are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Limits
from ouroboros.engine.parents import Place
from ouroboros.engine.retrace import meets
from ouroboros.engine.stores.choice import StoreChoice
from ouroboros.graph.notes import (
    FALSE_AT,
    FIRED,
    INVALID_AT,
    NOTHING,
    ROOM_SITE,
    SEEN_TRUE,
)
from ouroboros.graph.protocol import Graph, ReducedGraph
from ouroboros.memory import OutOfMemory
from ouroboros.search.evidence import Evidence, hand_over
from ouroboros.search.exploration import Alarm, Exploration, Spent
from ouroboros.search.further import Met, further_violations
from ouroboros.search.matters import UNKNOWN_LETTER, Cause, Matter, Question
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Finding, Outcome, Statistics


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
    if store.searches_again:
        seen = _explored(graph, question, worker, evidence, reduced, replace(store, ways=False))
        if not isinstance(seen, Spent):
            return seen
        found = _explored(graph, question, worker, evidence, reduced, store)
        assert isinstance(found, Outcome)
        return _after(found, seen)
    found = _explored(graph, question, worker, evidence, reduced, store)
    assert isinstance(found, Outcome)
    return found


def _explored(
    graph: Graph,
    question: Question,
    worker: Worker,
    evidence: Evidence | None,
    reduced: ReducedGraph | None,
    store: StoreChoice,
) -> Outcome | Spent:
    """The outcome; or only what was spent, where there is a way to be told that was not kept."""
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
    if not store.ways and (alarmed or _is_anything_met(explorer, question)):
        statistics = exploration.statistics()
        return Spent(statistics.seconds, statistics.cpu_seconds)
    findings: tuple[Finding, ...] = ()
    if question.first:
        finding = nearest_violation(explorer, question) if alarmed else None
    else:
        findings = nearest_violations(explorer, question, worker.limits)
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


def _after(found: Outcome, spent: Spent) -> Outcome:
    """What was found by searching again, with the time for both."""
    statistics = found.statistics
    seconds, cpu_seconds = statistics.seconds + spent.seconds, statistics.cpu_seconds + spent.cpu_seconds
    return replace(found, statistics=replace(statistics, seconds=seconds, cpu_seconds=cpu_seconds))


def _is_anything_met(explorer: Explorer, question: Question) -> bool:
    """Whether any worker has met what there is to tell of. Collective."""
    notes = explorer.generation.notes
    causes = [UNKNOWN_LETTER, *(cause for matter in question.matters for cause in matter.causes)]
    met = any(notes[cause.note] != NOTHING for cause in causes)
    return bool(explorer.exchange.total(np.array([met], np.int64))[0])


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
    decided = bool(matters) and not question.further and all(matter.is_decided(notes) for matter in matters)
    return Alarm(now=decided and not later, after_level=decided and later)


def nearest_violation(explorer: Explorer, question: Question) -> Finding | None:
    """Agree on one violation of the level that the search has ended in, the nearest kind first. Collective."""
    if room := _lack_of_room(explorer):
        return room
    causes = [UNKNOWN_LETTER, *(cause for matter in question.matters for cause in matter.causes)]
    for cause in sorted(causes, key=lambda cause: cause.later):
        if found := _nearest(explorer, cause):
            return _path(explorer, found)
    return None


def nearest_violations(explorer: Explorer, question: Question, limits: Limits) -> tuple[Finding, ...]:
    """Agree on the nearest violations for each thing that is asked, one or more, the nearest first. Collective."""
    if room := _lack_of_room(explorer):
        return (room,)
    matters = [Matter([UNKNOWN_LETTER]), *question.matters]
    nearest = [_nearest_of(explorer, matter) for matter in matters]
    chosen = [[met] if met else [] for met in nearest]
    if question.further and any(nearest):
        more = further_violations(explorer, question.further, matters, limits)
        chosen = [others or one for one, others in zip(chosen, more, strict=True)]
    findings = [_path(explorer, met) for each in chosen for met in each]
    return tuple(sorted(findings, key=_length))


def _nearest_of(explorer: Explorer, matter: Matter) -> Met | None:
    """Collective."""
    met = [found for cause in matter.causes if (found := _nearest(explorer, cause))]
    return min(met, key=lambda each: each.length) if met else None


def _length(finding: Finding) -> int:
    return len(finding.path) + (finding.kind in ("failure", "overflow"))


def _nearest(explorer: Explorer, cause: Cause) -> Met | None:
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
    return min(
        (Met(cause, place, int(depth)) for place, depth in zip(places, depths, strict=True)), key=lambda met: met.depth
    )


def _path(explorer: Explorer, met: Met) -> Finding:
    """Collective."""
    note = met.cause.note
    path = explorer.path_to(met.place, meets(explorer.graph, note))
    return Finding(met.cause.kind, path, group=note - FALSE_AT if FALSE_AT <= note < FIRED else None)


def _lack_of_room(explorer: Explorer) -> Finding | None:
    """Collective."""
    sites = explorer.exchange.gather(explorer.generation.notes[ROOM_SITE] + 1)
    return Finding("room", [], site=int(sites.max()) - 1) if sites.any() else None
