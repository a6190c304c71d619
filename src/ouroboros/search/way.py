"""A shortest way from some states to a given one, in little memory: by hash compaction, and whole states compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ouroboros.engine.explorer import Explorer
from ouroboros.engine.generation import Arrival
from ouroboros.engine.parents import Place
from ouroboros.engine.retrace import successors_of_one
from ouroboros.engine.stores.choice import StoreChoice
from ouroboros.graph.protocol import Graph
from ouroboros.memory import OutOfMemory
from ouroboros.search.exploration import Alarm, Exploration
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Vector
from ouroboros.verdict.outcome import LimitName

_TRIES = 3
"""With other hashes: that a state on the way is missed each time is as good as impossible."""


def find_way(
    graph: Graph, worker: Worker, starts: tuple[Vector, ...], goal: Vector
) -> tuple[list[Vector], LimitName | None]:
    """The states on a shortest way of at least one step to the goal, which is known to exist; or the limit that ended
    the search for it. Collective.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            store = StoreChoice("compact", bits=64, seed=worker.store.seed + attempt)
            way = _Way(graph, replace(worker, budget=worker.budget.anew(), store=store), goal)
        except OutOfMemory:
            # Every worker has the same limit, so all are here.
            return [], "memory"
        exploration = Exploration(way.explorer, starts, worker.limits, worker.observer, way.alarm, way.visit)
        if exploration.run():
            return way.path(), None
        if exploration.limit:
            return [], exploration.limit
    raise AssertionError("a state that was reached cannot be reached again")


class _Way:
    def __init__(self, graph: Graph, worker: Worker, goal: Vector) -> None:
        self.explorer = Explorer(graph, worker.exchange, worker.budget, worker.store)
        self._goal = goal
        self._row = np.array(goal, np.uint64)
        self._before: Place | None = None

    def alarm(self) -> Alarm:
        # As soon as possible: nothing that this level still brings is nearer.
        return Alarm(now=self._before is not None)

    def visit(self, sent: int, arrivals: list[Arrival]) -> None:
        for arrival in arrivals:
            assert arrival.vectors is not None or not arrival.targets.size
            if arrival.vectors is None or self._before:
                continue
            rows = arrival.vectors[: arrival.targets.size * self._row.size].reshape(-1, self._row.size)
            found = np.flatnonzero((rows == self._row).all(axis=1))
            if found.size:
                self._before = Place(arrival.sender, int(arrival.sources[found[0]]))

    def path(self) -> list[Vector]:
        """Collective."""
        exchange = self.explorer.exchange
        # Only the owner of the goal has found it.
        own = (self._before.owner + 1, self._before.identifier) if self._before else (0, 0)
        owner, identifier = map(int, exchange.total(np.array(own, np.int64)))

        def leads_to_goal(vector: Vector) -> bool:
            return self._goal in successors_of_one(self.explorer.graph, vector)[0]

        return [*self.explorer.path_to(Place(owner - 1, identifier), leads_to_goal), self._goal]
