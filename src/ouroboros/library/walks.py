"""A run at random as a sequence of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from ouroboros.library.states import State, Step, step_of
from ouroboros.simulation.simulation import Simulation


class Walk(Sequence[Step]):
    """The steps of one run, one action after the other, from an initial state on."""

    def __init__(self, simulation: Simulation) -> None:
        system = simulation.system
        self.initial = State(system, simulation.initial)
        self._steps = tuple(step_of(system, State(system, taken.before), taken.step) for taken in simulation.taken)
        self.failure = simulation.failure.message if simulation.failure else None
        """What went wrong in the last step; None if nothing did."""

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Walk) and (self.initial, self._steps) == (other.initial, other._steps)

    def __hash__(self) -> int:
        return hash((self.initial, len(self._steps)))

    def __repr__(self) -> str:
        return f"<Walk of {len(self)} steps{f': {self.failure}' if self.failure else ''}>"
