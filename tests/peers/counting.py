"""Counting the states of a model with the interpreter alone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from ouroboros.system.interpret import evaluate, single_steps, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import System


class TooLarge(Exception):
    """The model has more states than a test should visit."""


@dataclass
class Counted:
    states: int
    transitions: int
    ends_badly: bool
    """Whether a run ends where it may not."""
    failures: frozenset[str]
    """The kinds of the failures that were met."""

    @property
    def fatal(self) -> bool:
        """Whether a run was cut off; then Spin has other counts."""
        return bool(self.failures - {"assertion"})


class Countable(Protocol):
    @property
    def system(self) -> System: ...

    def grow(self, sites: Iterable[int]) -> None: ...


def count(model: Countable, most_states: int, most_steps: int = 8_000) -> Counted:
    """Visit all states; raises TooLarge."""
    while True:
        system = model.system
        seen: set[Vector] = set(system.initial)
        queue = list(system.initial)
        missing: set[int] = set()
        failures: set[str] = set()
        transitions = work = 0
        ends_badly = False
        for state in queue:
            work += ways(system, state, 400)
            if len(queue) > most_states or work > most_steps:
                raise TooLarge
            steps = successors(system, state)
            if not steps and system.valid_end is not None:
                ends_badly = ends_badly or not evaluate(system, state, system.valid_end)
            for step in steps:
                transitions += 1
                for each in (*step.before, step):
                    if each.failure is not None:
                        kind = system.failures[each.failure].kind
                        failures.add(kind)
                        if kind == "room":
                            missing.add(each.failure)
                if step.state is not None and step.state not in seen:
                    seen.add(step.state)
                    queue.append(step.state)
            if missing:
                break
        if not missing:
            return Counted(len(seen), transitions, ends_badly, frozenset(failures))
        model.grow(missing)


def ways(system: System, state: Vector, most: int) -> int:
    """The steps that are made through transient states; raises TooLarge where these are too many."""
    if system.exclusive is None:
        return 1
    waiting: list[tuple[Vector | None, tuple[Vector, ...]]] = [(step.state, ()) for step in single_steps(system, state)]
    for number, (reached, path) in enumerate(waiting):
        if number > most:
            raise TooLarge
        if reached is not None and reached not in path and system.layout.read(reached, system.exclusive.field):
            waiting += [(step.state, (*path, reached)) for step in single_steps(system, reached)]
    return len(waiting)
