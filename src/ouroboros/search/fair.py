"""Searches for fair cycles: one entry for response properties, and for accepting cycles beside an automaton."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.fair_expansion import FairBits, FairExpansion
from ouroboros.engine.limits import Limits, Observer
from ouroboros.engine.memory import Budget, OutOfMemory
from ouroboros.engine.stores.choice import FULL, StoreChoice
from ouroboros.ltl.automaton import Automaton
from ouroboros.native import Program
from ouroboros.search.fair_lasso import FairLassoFinder
from ouroboros.search.graph_search import QUESTION, EdgePolicy, Stopped
from ouroboros.search.reachability import nearest_violation
from ouroboros.search.response import ALL, FairRounds, FairSearch, Optimisations
from ouroboros.system.fairness import Fairness
from ouroboros.system.layout import Field
from ouroboros.system.model import System
from ouroboros.verdict.outcome import Finding, Outcome, Statistics


@dataclass(frozen=True)
class FairMethod:
    """How to look for fair cycles."""

    stutters: bool = False
    """Whether a run may stay in any state for a step, or for ever, in which no action is taken."""
    edges: EdgePolicy = "auto"
    optimisations: Optimisations = ALL


def fair_cycle(
    system: System,
    program: Program,
    fairness: Fairness,
    method: FairMethod,
    limits: Limits,
    exchange: Exchange,
    budget: Budget,
    observer: Observer | None = None,
    watcher: tuple[Automaton, Field] | None = None,
    store: StoreChoice = FULL,
    keeper: Keeper | None = None,
) -> Outcome:
    """One worker's part; every worker returns the same outcome.

    With a `watcher`, the cycle must be one that the automaton accepts; the program computes its atoms, and the system
    has the field for its state. Without, it must be on a way from p to q, the first two propositions of the program,
    before it comes to q.
    """
    bits = FairBits(system, fairness, acceptance=watcher is not None)
    # An automaton goes on while the system stutters, so that it needs the edges; else they need not exist.
    expansion = FairExpansion(program, system, bits, watcher, stutters=method.stutters and watcher is not None)
    try:
        # Without states there is nothing to make edges of.
        edges = method.edges if store.exact else "keep"
        fitted = store.fitted(system.layout, cycles=True)
        search = FairSearch(expansion, exchange, budget, limits, observer, edges, fitted, keeper)
    except OutOfMemory:
        # Every worker has the same limit, so all are here before anything was explored.
        return Outcome(Statistics(), limit="memory")
    finding: Finding | None = None
    rounds: FairRounds | None = None
    collided = False
    try:
        if search.explore(system.initial):
            finding = nearest_violation(search.explorer, QUESTION)
        elif not search.exploration.limit:
            rounds = FairRounds(search, method.stutters and watcher is None, method.optimisations)
            if watcher:
                rounds.begin_at(search.explorer.initial_states)
            else:
                rounds.begin_at_p()
            if rounds.run():
                finding = FairLassoFinder(rounds).find()
                collided = finding is None
    except Stopped as stopped:
        search.save_boundary()
        return Outcome(search.statistics(), limit=stopped.limit)
    statistics = replace(search.statistics(), fair=rounds.numbers() if rounds else None)
    return Outcome(statistics, finding, search.exploration.limit, collided=collided)
