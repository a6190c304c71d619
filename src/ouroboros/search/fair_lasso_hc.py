"""Counterexamples under fairness, found among hashes: the lasso is made again, step by step, of whole states.

Two states that share a hash are one in the graph that the rounds see, so that a cycle of it may be none of the model.
Here the steps are made from a start state on. Each must lead to a state that is known by the hash that is next, by the
action that was noted, and must enable what was noted; and the last must be the state where the cycle begins, bit by
bit.
What passes this is a run of the model, whatever its hashes are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from ouroboros.engine.parents import Place
from ouroboros.engine.retrace import Untraceable, successors_of_one
from ouroboros.engine.stores.hashed import HashedStore
from ouroboros.graph.fair import FairGraph
from ouroboros.search.response import FairRounds, P, Q
from ouroboros.system.layout import Vector


class Visit(NamedTuple):
    """A state on the walk, and the step that leads to it."""

    place: Place
    label: int
    enabled: tuple[int, ...]
    """The words of the fair actions that are enabled there."""


class _State(NamedTuple):
    """What a whole state has of its own."""

    successors: list[tuple[Vector, int]]
    """With the label of the step to each."""
    enabled: tuple[int, ...]
    marks: int


class HashedLasso:
    def __init__(self, rounds: FairRounds) -> None:
        self._explorer = rounds.search.explorer
        self._exchange = rounds.search.exchange
        self._store = cast(HashedStore, self._explorer.store)
        self._graph = cast(FairGraph, self._explorer.graph)
        self._stutters = rounds.stutters
        self._begins_at_p = rounds.begins_at_p

    def states(
        self, start: Visit, way: Sequence[Visit], around: Sequence[Visit]
    ) -> tuple[list[Vector], list[Vector]] | None:
        """The states from an initial one along the way, and those around the cycle; None if this is no run.

        Collective: every worker makes the same steps.
        """
        made: list[Vector] = []

        def confirm(first: Vector) -> bool:
            walk = self._walk(first, start, [*way, *around])
            if walk is None or walk[-1] != walk[len(way)]:
                return False
            made[:] = walk[1:]
            return True

        try:
            stem = self._explorer.path_to(start.place, confirm)
        except Untraceable:
            return None
        return [*stem, *made[: len(way)]], made[len(way) :]

    def _walk(self, first: Vector, start: Visit, visits: Sequence[Visit]) -> list[Vector] | None:
        if self._places([first]) != [start.place]:
            return None
        state = self._state(first)
        if self._begins_at_p and not state.marks & int(P):
            return None
        walk = [first]
        for visit in (start, *visits):
            if visit is not start:
                after = [vector for vector, label in state.successors if label == visit.label]
                places = self._places(after)
                if visit.place not in places:
                    return None
                walk.append(after[places.index(visit.place)])
                state = self._state(walk[-1])
            if state.enabled != visit.enabled or (self._begins_at_p and state.marks & int(Q)):
                return None
        return walk

    def _state(self, vector: Vector) -> _State:
        vectors, _ = successors_of_one(self._graph, vector)
        successors = list(zip(vectors, self._graph.edge_labels.tolist(), strict=False))
        if self._stutters:
            successors.append((vector, 0))
        enabled = tuple(map(int, self._graph.enabled[:, 0].view(np.int64)))
        return _State(successors, enabled, int(self._graph.marks[0]))

    def _places(self, vectors: Sequence[Vector]) -> list[Place | None]:
        """Where states are stored that have the same hashes. Collective."""
        own = np.zeros((len(vectors), 2), np.int64)
        for row, vector in zip(own, vectors, strict=True):
            found = self._store.find(vector) if self._explorer.is_own(vector) else None
            if found is not None:
                row[:] = self._exchange.rank, found + 1
        return [Place(int(owner), int(number) - 1) if number else None for owner, number in self._exchange.total(own)]
