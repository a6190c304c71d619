"""How states were first reached: the parent of each, as an id, and its owner."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ouroboros.engine.generation import Arrival
from ouroboros.engine.jit import kernel
from ouroboros.engine.memory import Budget, Ids, reserve

INITIAL = (1 << 32) - 1
"""The parent of an initial state."""


@kernel("int64(uint32[::1], uint32[::1], int64, uint32[::1])")
def _adopt(targets: Ids, sources: Ids, known: int, parents: Ids) -> int:
    """Note the source of each new state: their ids follow on `known`, in order. Returns the states known then."""
    for k in range(targets.size):
        # Written in any case: which arrivals are new cannot be predicted, and a wrong guess costs more than a store.
        parents[known] = sources[k]
        known += targets[k] == known
    return known


class Parents:
    """Of the states of one worker."""

    def __init__(self, states: int, workers: int, budget: Budget) -> None:
        self._budget = budget
        self._alone = workers == 1
        self._parents = reserve(states, np.uint32)
        self._owners = reserve(1 if self._alone else states, np.uint16)
        self._known = 0

    def adopt(self, arrival: Arrival) -> None:
        """Note where the new ones among these targets came from."""
        before = self._known
        self._known = _adopt(arrival.targets, arrival.sources, before, self._parents)
        if not self._alone:
            self._owners[before : self._known] = arrival.sender
        self._claim()

    def columns(self) -> tuple[npt.NDArray[np.uint16], Ids]:
        """The owners of all parents, none where this worker is alone, and their ids."""
        return self._owners[: 0 if self._alone else self._known], self._parents[: self._known]

    def restore(self, states: Ids, owners: npt.NDArray[np.uint16], parents: Ids) -> None:
        """Set the parents of states that are stored already."""
        self._parents[states] = parents
        if not self._alone:
            self._owners[states] = owners

    def restored(self, states: int) -> None:
        """So many states have their parents now."""
        self._known = states
        self._claim()

    def _claim(self) -> None:
        self._budget.claim("parents", self._known * (4 if self._alone else 6))

    def parent(self, state: int) -> tuple[int, int]:
        """The owner of a state's parent, and its id there."""
        return 0 if self._alone else int(self._owners[state]), int(self._parents[state])
