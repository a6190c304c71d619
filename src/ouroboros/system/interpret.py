"""The reference interpreter: the meaning of a System, on Python integers.

Written for reading. It is the oracle of the machine code, drives simulation, and replays every counterexample before
anyone sees it; so it shares nothing with `native/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.blocks import (
    Block,
    Inner,
)
from ouroboros.system.choices import All, Choice, Do, First, Part, Switch, When
from ouroboros.system.execution import Execution
from ouroboros.system.expressions import (
    Expression,
)
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System


class Step(NamedTuple):
    """An enabled action and the state it leads to, or the site of the failure that it meets instead.

    Only an assertion that fails has both: the run goes on.
    """

    action: int | None
    """None where choosing an action failed, before any was run."""
    state: Vector | None
    failure: int | None = None
    before: tuple[Step, ...] = ()
    """The steps through transient states that come before this one, where several make one."""
    printed: str = ""
    """What the action says."""
    within: tuple[tuple[Inner, Vector], ...] = ()
    """The statements that the action is made of, where it tells them, and the state that each begins in."""
    parts: tuple[Part, ...] = ()
    """What is told of the step, where that is more than its action tells."""


def successors(system: System, state: Vector) -> list[Step]:
    """Every step from a state, in the order of the choice tree; steps through transient states are made one."""
    if system.exclusive is None:
        return single_steps(system, state)
    found: list[Step] = []
    path: list[Step] = []
    """The step to each transient state on the way to where we are."""
    waiting = [single_steps(system, state)[::-1]]
    while waiting:
        if not waiting[-1]:
            waiting.pop()
            del path[-1:]
            continue
        step = waiting[-1].pop()
        if step.state is None or not system.layout.read(step.state, system.exclusive.field):
            found.append(step._replace(before=tuple(path)))
        elif any(step.state == passed.state for passed in path):
            found.append(Step(step.action, None, system.exclusive.endless, tuple(path)))
        else:
            path.append(step)
            waiting.append(single_steps(system, step.state)[::-1])
    return found


def single_steps(system: System, state: Vector) -> list[Step]:
    """Every single action that can run in a state, also to and from transient ones, in the order of the choice tree."""
    if system.foreign:
        return list(system.foreign.steps(state))
    steps: list[Step] = []
    _collect(system, state, system.choices, steps)
    return steps


def evaluate(system: System, state: Vector, expression: Expression) -> int:
    """The value of an expression in a state; raises ExecutionError."""
    return Execution(system, list(state)).value(expression)


def valuation(system: System, state: Vector, propositions: Sequence[Proposition]) -> list[bool]:
    """The truth of each proposition; raises ExecutionError."""
    return [evaluate(system, state, proposition.expression) != 0 for proposition in propositions]


def execute(system: System, state: Vector, block: Block) -> Vector:
    """The state that statements lead to; raises ExecutionError."""
    execution = Execution(system, list(state))
    execution.run(block)
    return tuple(execution.words)


def _collect(system: System, state: Vector, choice: Choice, steps: list[Step]) -> None:
    match choice:
        case Do(index):
            step = _perform(system, state, index)
            if step:
                steps.append(step)
        case All(children):
            for child in children:
                _collect(system, state, child, steps)
        case First(children):
            before = len(steps)
            for child in children:
                _collect(system, state, child, steps)
                if len(steps) > before:
                    return
        case Switch(item, cases):
            value = system.layout.read(state, item)
            for label, child in cases:
                if label == value:
                    _collect(system, state, child, steps)
                    return
        case When(guard, child):
            try:
                holds = evaluate(system, state, guard)
            except ExecutionError as error:
                steps.append(Step(None, None, error.site))
                return
            if holds:
                _collect(system, state, child, steps)


def _perform(system: System, state: Vector, index: int) -> Step | None:
    action = system.actions[index]
    execution = Execution(system, list(state))
    try:
        if not execution.value(action.guard):
            return None
        execution.run(action.effect)
    except ExecutionError as error:
        disabled = error.site >= 0 and system.failures[error.site].kind == "disabled"
        return None if disabled else Step(index, None, error.site, within=tuple(execution.within))
    printed = "".join(execution.printed)
    return Step(index, tuple(execution.words), execution.asserted, printed=printed, within=tuple(execution.within))
