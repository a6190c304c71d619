"""Replay: the interpreter makes every step of a path again, and confirms what is wrong at its end.

The path comes from machine code and compressed tables; the interpreter shares nothing with these. What it cannot
follow is a bug of ours, and is reported as such, never as a violation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from ouroboros.errors import SelfCheckError
from ouroboros.search.outcome import Finding
from ouroboros.system.interpret import ExecutionError, evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.trace.trace import Trace, TraceStep, Violation


def replay(system: System, finding: Finding, required: Sequence[Proposition] = ()) -> Trace:
    """The trace of a finding; `required` are the propositions that every state had to satisfy."""
    if not finding.path or finding.path[0] not in system.initial:
        raise SelfCheckError("the counterexample does not begin in an initial state")
    steps = [_follow(system, before, after, number) for number, (before, after) in enumerate(pairwise(finding.path), 1)]
    last = finding.path[-1]
    match finding.kind:
        case "deadlock":
            violation = _confirm_deadlock(system, last)
        case "proposition":
            violation = _confirm_false(system, last, required)
        case "failure":
            failing = _failing_step(system, last)
            steps.append(failing)
            assert failing.failure is not None
            violation = Violation("failure", failing.failure.message, failing.failure.span)
    return Trace(system, finding.path[0], tuple(steps), violation)


def _follow(system: System, before: Vector, after: Vector, number: int) -> TraceStep:
    for step in successors(system, before):
        if step.state == after:
            return TraceStep(step.action, after)
    raise SelfCheckError(f"the interpreter cannot make step {number} of the counterexample")


def _confirm_deadlock(system: System, state: Vector) -> Violation:
    if successors(system, state):
        raise SelfCheckError("the interpreter can go on from the state that was reported as a deadlock")
    return Violation("deadlock", "no step is possible")


def _confirm_false(system: System, state: Vector, required: Sequence[Proposition]) -> Violation:
    for proposition in required:
        try:
            if evaluate(system, state, proposition.expression):
                continue
            message = f"`{proposition.name}` is false"
        except ExecutionError as error:
            message = f"`{proposition.name}` cannot be evaluated: {system.failures[error.site].message}"
        return Violation("proposition", message, proposition.span, proposition)
    raise SelfCheckError("the interpreter finds every required proposition true in the state that was reported")


def _failing_step(system: System, state: Vector) -> TraceStep:
    for step in successors(system, state):
        if step.failure is not None:
            return TraceStep(step.action, None, system.failures[step.failure])
    raise SelfCheckError("the interpreter finds no failing action in the state that was reported to have one")
