"""Reachability: every state, breadth first; the first one that violates what is asked ends the search."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import (
    ASSERTED_AT,
    DEADLOCK_AT,
    FAILURE_AT,
    INVALID_AT,
    NOTHING,
    OVERFLOW_AT,
    ROOM_SITE,
    SEEN_TRUE,
    SystemExpansion,
)
from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.fired import FIRED
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.memory import Budget, OutOfMemory
from ouroboros.engine.retrace import meets
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.native import Program
from ouroboros.search.evidence import Evidence, hand_over
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.system.model import System
from ouroboros.verdict.outcome import Finding, Outcome, Statistics


@dataclass(frozen=True)
class Question:
    """What must not be found. With nothing forbidden the search counts the whole state space."""

    required: int = 0
    """The bits of the valuation that every state must have."""
    ending: int = 0
    """The bit of the valuation that says that a run may end in a state."""
    deadlock: bool = False
    """Also where the run ends because an assignment overflows."""
    failure: bool = False
    assertion: bool = False
    """An assertion that fails, and the run goes on."""
    watched: int = 0
    """The bits of the valuation of which it is asked whether they are ever true."""
    symmetry: bool = False
    """Whether of states that differ only by a permutation one is enough."""
    reviewed: bool = False
    """Whether steps that the program leaves out must be made where they would be left out for ever."""


def reachability(
    system: System,
    program: Program,
    question: Question,
    limits: Limits,
    exchange: Exchange,
    budget: Budget,
    observer: Observer | None = None,
    store: StoreChoice = FULL,
    evidence: Evidence | None = None,
    keeper: Keeper | None = None,
) -> Outcome:
    """One worker's part; every worker returns the same outcome. The evidence gets the states if nothing is found."""
    canonicaliser, initial = None, system.initial
    if question.symmetry and system.symmetry:
        # Its kernel is compiled when it is first needed.
        from ouroboros.engine.symmetry import Canonicaliser

        canonicaliser = Canonicaliser(system.layout, system.symmetry)
        initial = tuple(dict.fromkeys(map(canonicaliser.representative, initial)))
    try:
        expansion = SystemExpansion(
            program,
            system,
            question.required,
            question.ending,
            question.watched != 0,
            canonicaliser,
            question.reviewed,
        )
        reduced = expansion if question.reviewed else None
        explorer = Explorer(expansion, exchange, budget, store.fitted(system.layout), reduced)
    except OutOfMemory:
        # Every worker has the same limit, so all are here.
        return Outcome(Statistics(), limit="memory")
    exploration = Exploration(
        explorer, initial, limits, observer, lambda: violation_alarm(explorer, question), keeper=keeper
    )
    finding = nearest_violation(explorer, question) if exploration.run() else None
    statistics = replace(exploration.statistics(), fired=_fired_by_any(explorer))
    if question.watched:
        statistics = replace(statistics, seen_true=_seen_by_any(explorer))
    if evidence and not finding and not exploration.limit:
        hand_over(explorer, evidence)
    return Outcome(
        statistics,
        finding,
        exploration.limit,
        forecasts=explorer.forecast(store.fitted(system.layout), exploration.limit),
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
            return Finding(kind, explorer.path_to(place, meets(explorer.expansion, note)))
    return None
