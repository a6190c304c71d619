"""Reachability: every state, breadth first; the first one that violates what is asked ends the search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.expansion import DEADLOCK_AT, FAILURE_AT, INVALID_AT, NOTHING, OVERFLOW_AT, SystemExpansion
from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.memory import Budget, OutOfMemory
from ouroboros.engine.retrace import meets
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.native import Program
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.search.outcome import Finding, Outcome, Statistics
from ouroboros.system.model import System


@dataclass(frozen=True)
class Question:
    """What must not be found. With nothing forbidden the search counts the whole state space."""

    required: int = 0
    """The bits of the valuation that every state must have."""
    deadlock: bool = False
    """Also where the run ends because an assignment overflows."""
    failure: bool = False


def reachability(
    system: System,
    program: Program,
    question: Question,
    limits: Limits,
    exchange: Exchange,
    budget: Budget,
    observer: Observer | None = None,
    store: StoreChoice = FULL,
) -> Outcome:
    """One worker's part; every worker returns the same outcome."""
    try:
        expansion = SystemExpansion(program, system.failures, question.required)
        explorer = Explorer(expansion, exchange, budget, store.fitted(system.layout))
    except OutOfMemory:
        # Every worker has the same limit, so all are here.
        return Outcome(Statistics(), limit="memory")
    exploration = Exploration(explorer, system.initial, limits, observer, lambda: violation_alarm(explorer, question))
    finding = nearest_violation(explorer, question) if exploration.run() else None
    return Outcome(exploration.statistics(), finding, exploration.limit)


def violation_alarm(explorer: Explorer, question: Question) -> Alarm:
    """A bad state of this level is as near as any; a failing action is one step farther than its state."""
    notes = explorer.generation.notes
    return Alarm(
        now=bool((question.deadlock and notes[DEADLOCK_AT] != NOTHING) or notes[INVALID_AT] != NOTHING),
        after_level=bool(
            (question.failure and notes[FAILURE_AT] != NOTHING) or (question.deadlock and notes[OVERFLOW_AT] != NOTHING)
        ),
    )


def nearest_violation(explorer: Explorer, question: Question) -> Finding | None:
    """Agree on one violation, the nearest kind first, and rebuild the path to it. Collective."""
    kinds: list[tuple[Literal["proposition", "deadlock", "failure", "overflow"], int, bool]] = [
        ("proposition", INVALID_AT, True),
        ("deadlock", DEADLOCK_AT, question.deadlock),
        ("failure", FAILURE_AT, question.failure),
        ("overflow", OVERFLOW_AT, question.deadlock),
    ]
    exchange = explorer.exchange
    for kind, note, asked in kinds:
        places = np.zeros(exchange.size, np.int64)
        places[exchange.rank] = explorer.generation.notes[note] + 1  # zero: nothing here
        places = exchange.total(places)
        owners = np.flatnonzero(places)
        if asked and owners.size:
            owner = int(owners[0])
            place = Place(owner, int(places[owner]) - 1)
            return Finding(kind, explorer.path_to(place, meets(explorer.expansion, note)))
    return None
