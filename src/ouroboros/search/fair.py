"""Searches for fair cycles: one entry for response properties, and for accepting cycles beside an automaton."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ouroboros.graph.fair import FairGraph
from ouroboros.memory import OutOfMemory
from ouroboros.search.fair_lasso import FairLassoFinder
from ouroboros.search.fair_search import FairSearch
from ouroboros.search.graph_search import QUESTION, EdgePolicy, Stopped
from ouroboros.search.reachability import nearest_violation
from ouroboros.search.response import ALL, FairRounds, Optimisations
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Finding, Outcome, Statistics


@dataclass(frozen=True)
class FairMethod:
    """How to look for fair cycles."""

    edges: EdgePolicy = "auto"
    optimisations: Optimisations = ALL


def fair_cycle(graph: FairGraph, method: FairMethod, worker: Worker) -> Outcome:
    """One worker's part; every worker returns the same outcome.

    With an automaton, the cycle must be one that it accepts. Without, it must be on a way from p to q, the first two
    propositions of the program, before it comes to q.
    """
    try:
        # Without states there is nothing to make edges of.
        edges = method.edges if worker.store.exact else "keep"
        search = FairSearch(graph, worker, edges)
    except OutOfMemory:
        # Every worker has the same limit, so all are here before anything was explored.
        return Outcome(Statistics(), limit="memory")
    finding: Finding | None = None
    rounds: FairRounds | None = None
    collided = False
    try:
        if search.explore():
            finding = nearest_violation(search.explorer, QUESTION)
        elif not search.exploration.limit:
            rounds = FairRounds(search, graph.stutters and not graph.watched, method.optimisations)
            if graph.watched:
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
