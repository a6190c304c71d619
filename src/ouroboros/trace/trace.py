"""A counterexample: a run of the system, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ouroboros.source import Span
from ouroboros.system.choices import Part
from ouroboros.system.layout import Vector
from ouroboros.system.model import Failure, Proposition, System


@dataclass(frozen=True)
class TraceStep:
    """An action and the state that it leads to; or, in the last step only, the failure that it meets instead."""

    action: int | None
    """None where choosing an action failed, before any was run."""
    state: Vector | None
    failure: Failure | None = None


@dataclass(frozen=True)
class Violation:
    """What is wrong where the trace ends."""

    kind: Literal["proposition", "deadlock", "failure"]
    message: str
    span: Span | None = None
    proposition: Proposition | None = None
    """The predicate that is false, or cannot be evaluated."""


@dataclass(frozen=True)
class Trace:
    """A run that the interpreter has confirmed, from an initial state on."""

    system: System
    initial: Vector
    steps: tuple[TraceStep, ...]
    violation: Violation
    loop_start: int | None = None
    """For a lasso: how many steps lead to the state that the last step returns to."""

    def transitions(self) -> Iterator[tuple[Vector, TraceStep]]:
        """Each step with the state that it is made from."""
        state = self.initial
        for step in self.steps:
            yield state, step
            if step.state is not None:
                state = step.state

    def parts(self, step: TraceStep) -> tuple[Part, ...]:
        return () if step.action is None else self.system.actions[step.action].parts
