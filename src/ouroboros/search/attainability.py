"""Attainability, AG EF: from every reachable state, can a state be reached where a predicate holds?

The exploration keeps every edge where its target is owned. Then one backward pass: a state that satisfies predicates,
or from which such states can be reached, says so to the sources of its edges, until nobody learns anything new. All
predicates go together, a bit for each.
"""

from __future__ import annotations

import numpy as np

from ouroboros.engine.explorer import Explorer, Place
from ouroboros.engine.generation import Arrival
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget, Ids, OutOfMemory, Words
from ouroboros.search.exploration import Exploration
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Finding, Outcome, Statistics

_BYTES_FOR_EDGE = 4 + 4 + 2 + 8
"""Source, target and owner of the source; and the order by target."""


class _Incoming:
    """The edges that lead to this worker's states."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._count = 0
        self._parts: list[tuple[Ids, Ids, int]] = []

    def append(self, sent: int, arrivals: list[Arrival]) -> None:
        for arrival in arrivals:
            self._count += arrival.targets.size
            self._budget.claim("edges", self._count * _BYTES_FOR_EDGE)
            self._parts.append((arrival.targets.copy(), arrival.sources.copy(), arrival.sender))

    def by_target(self, states: int) -> tuple[Words, Ids, Ids]:
        """Where the edges to each state begin, and the sources and their owners, in that order."""
        empty = np.zeros(0, np.uint32)
        targets = np.concatenate([empty, *(part[0] for part in self._parts)])
        sources = np.concatenate([empty, *(part[1] for part in self._parts)])
        owners = np.concatenate([empty, *(np.full(part[0].size, part[2], np.uint32) for part in self._parts)])
        self._parts.clear()
        order = np.argsort(targets, kind="stable")
        begins = np.searchsorted(targets[order], np.arange(states + 1)).astype(np.uint64)
        return begins, sources[order], owners[order]


def attainability(graph: SystemGraph, predicates: int, worker: Worker) -> Outcome:
    """One worker's part; `findings` has for each predicate a path to a state from which it is out of reach.

    The predicates are the first propositions of the graph.
    """
    try:
        explorer = Explorer(graph, worker.exchange, worker.budget)
    except OutOfMemory:
        return Outcome(Statistics(), limit="memory")
    incoming = _Incoming(worker.budget)
    exploration = Exploration(
        explorer, graph.initial, worker.limits, worker.observer, visit=incoming.append, keeper=worker.keeper
    )
    exploration.run()
    statistics = exploration.statistics()
    if exploration.limit:
        return Outcome(statistics, limit=exploration.limit)
    known = graph.letters(explorer.exact.vectors(0, explorer.store.count))
    _spread_backwards(explorer, incoming, known)
    findings = tuple(_out_of_reach(explorer, known, bit) for bit in range(predicates))
    return Outcome(statistics, next((finding for finding in findings if finding), None), findings=findings)


def _spread_backwards(explorer: Explorer, incoming: _Incoming, known: Words) -> None:
    """Tell the sources of edges what can be reached through them. Collective."""
    exchange = explorer.exchange
    begins, sources, owners = incoming.by_target(known.size)
    news = np.flatnonzero(known)
    while int(exchange.total(np.array([news.size], np.int64))[0]):
        counts = (begins[news + 1] - begins[news]).astype(np.int64)
        first = np.repeat(begins[news].astype(np.int64), counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        edges = first + within
        told = np.repeat(known[news], counts)
        told_to, told_owners = sources[edges], owners[edges]
        boxes = [np.flatnonzero(told_owners == rank) for rank in range(exchange.size)]
        arrived, letters = exchange.swap([told_to[box] for box in boxes], [told[box] for box in boxes])
        before = known.copy()
        for states, bits in zip(arrived, letters, strict=True):
            np.bitwise_or.at(known, states, bits)
        news = np.flatnonzero(known != before)


def _out_of_reach(explorer: Explorer, known: Words, bit: int) -> Finding | None:
    """A path to a nearest state that does not know a way. Collective."""
    exchange = explorer.exchange
    missing = np.flatnonzero((known >> np.uint64(bit)) & np.uint64(1) == 0)
    places = np.zeros((2, exchange.size), np.int64)
    if missing.size:
        # Ids grow with the distance from the initial states.
        nearest = int(missing[0])
        places[:, exchange.rank] = nearest + 1, explorer.depth_of(nearest)
    places = exchange.total(places.reshape(-1)).reshape(2, -1)
    found = [rank for rank in range(exchange.size) if places[0, rank]]
    if not found:
        return None
    owner = min(found, key=lambda rank: int(places[1, rank]))
    return Finding("trapped", explorer.path_to(Place(owner, int(places[0, owner]) - 1)))
