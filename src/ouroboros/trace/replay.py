"""Replay: the interpreter makes every step of a path again, and confirms what is wrong at its end.

The path comes from machine code and compressed tables; the interpreter shares nothing with these. What it cannot
follow is a bug of ours, and is reported as such, never as a violation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

from ouroboros.errors import SelfCheckError
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import Step, evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import ASSUMPTIONS, Proposition, System
from ouroboros.trace.times import with_moments
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Trace, TraceStep, Violation

_MOST_LOOKED_AT = 1000

Representative = Callable[[Vector], Vector]


def replay(
    system: System,
    finding: Finding,
    required: Sequence[Proposition] = (),
    representative: Representative | None = None,
) -> Trace:
    """The trace of a finding; `required` are the propositions that every state had to satisfy.

    Where the path is one of representatives, the trace is a run of the system itself that they stand for.
    """
    steps: list[TraceStep] = []
    if representative is None:
        confirm_start(system, finding)
        first = finding.path[0]
        for number, (before, after) in enumerate(pairwise(finding.path), 1):
            steps += _follow(system, before, after, number)
    else:
        first, steps = _run_behind(system, finding, representative)
    last = first
    for made in steps:
        assert made.state is not None
        last = made.state
    match finding.kind:
        case "deadlock":
            violation = _confirm_deadlock(system, last)
        case "proposition":
            violation = _confirm_false(system, last, required)
        case "failure" | "overflow":
            failing, violation = failing_steps(system, last, finding.kind)
            steps += failing
        case "trapped":
            violation = _confirm_out_of_reach(system, last, required)
        case "cycle":
            raise SelfCheckError("a cycle was reported by a search that has no automaton to accept it")
        case "room":
            raise SelfCheckError("a layout that is too small was reported as a violation")
    return with_moments(Trace(system, first, tuple(steps), violation), required)


def concrete(system: System, finding: Finding, representative: Representative) -> Finding:
    """A finding whose path is one of representatives, as one of states that they stand for."""
    first, steps = _run_behind(system, finding, representative)
    return replace(finding, path=[first, *(step.state for step in steps if step.state is not None)])


def _run_behind(system: System, finding: Finding, representative: Representative) -> tuple[Vector, list[TraceStep]]:
    """A run whose states have the path's states as their representatives."""
    first = next((state for state in system.initial if representative(state) == finding.path[0]), None)
    if first is None:
        raise SelfCheckError("the counterexample does not begin in an initial state")
    steps: list[TraceStep] = []
    state = first
    for number, wanted in enumerate(finding.path[1:], 1):
        for step in successors(system, state):
            if step.state is not None and representative(step.state) == wanted:
                steps.append(
                    TraceStep(step.action, step.state, within=step.within, parts=step.parts, printed=step.printed)
                )
                state = step.state
                break
        else:
            raise SelfCheckError(f"the interpreter cannot make step {number} of the counterexample")
    return first, steps


def confirm_start(system: System, finding: Finding) -> None:
    if not finding.path or finding.path[0] not in system.initial:
        raise SelfCheckError("the counterexample does not begin in an initial state")


def failing_steps(
    system: System, state: Vector, kind: Literal["failure", "overflow"], ends: bool = False
) -> tuple[list[TraceStep], Violation]:
    """The steps from a state to one that fails, as the end of a trace; if asked for, one that nothing follows."""
    for step in successors(system, state):
        made: list[TraceStep] = []
        for each in (*step.before, step):
            if each.failure is not None and system.failures[each.failure].kind not in ASSUMPTIONS:
                failure = system.failures[each.failure]
                if (failure.kind == "overflow") == (kind == "overflow") and not (ends and each.state is not None):
                    made.append(
                        TraceStep(
                            each.action, None, failure, within=each.within, parts=each.parts, printed=each.printed
                        )
                    )
                    return made, Violation(kind, failure.message, failure.span)
            made.append(TraceStep(each.action, each.state, within=each.within, parts=each.parts, printed=each.printed))
    raise SelfCheckError("the interpreter finds no failing action in the state that was reported to have one")


def trace_steps(step: Step) -> list[TraceStep]:
    """A step that succeeds, with the steps through transient states that it is made of."""
    return [
        TraceStep(each.action, each.state, within=each.within, parts=each.parts, printed=each.printed)
        for each in (*step.before, step)
    ]


def _follow(system: System, before: Vector, after: Vector, number: int) -> list[TraceStep]:
    for step in successors(system, before):
        if step.state == after:
            return trace_steps(step)
    raise SelfCheckError(f"the interpreter cannot make step {number} of the counterexample")


def _confirm_out_of_reach(system: System, start: Vector, wanted: Sequence[Proposition]) -> Violation:
    """No state that is reached from here satisfies the predicate, as far as the interpreter looks."""
    (proposition,) = wanted
    seen = {start}
    for state in (queue := [start]):
        try:
            if evaluate(system, state, proposition.expression):
                raise SelfCheckError("the interpreter reaches the state that was reported to be out of reach")
        except ExecutionError:
            continue
        for step in successors(system, state):
            if step.state is not None and step.state not in seen and len(seen) < _MOST_LOOKED_AT:
                seen.add(step.state)
                queue.append(step.state)
    return Violation(
        "trapped", f"from here no state is reached where `{proposition.name}`", proposition.span, proposition
    )


def _confirm_deadlock(system: System, state: Vector) -> Violation:
    steps = successors(system, state)
    stutters = system.deadlock == "stuttering" and all(step.state == state for step in steps)
    if steps and not stutters:
        raise SelfCheckError("the interpreter can go on from the state that was reported as a deadlock")
    message = "every step leads back to the same state" if steps else "no step is possible"
    if system.valid_end is None:
        return Violation("deadlock", message)
    if evaluate(system, state, system.valid_end):
        raise SelfCheckError("the interpreter finds that a run may end in the state that was reported as a deadlock")
    return Violation("deadlock", f"{message}, and not every process is where it may end")


def _confirm_false(system: System, state: Vector, required: Sequence[Proposition]) -> Violation:
    for proposition in required:
        try:
            if evaluate(system, state, proposition.expression):
                continue
        except ExecutionError as error:
            return cannot_be_evaluated(system, proposition, error)
        message = proposition.told(state) if proposition.told else f"`{proposition.name}` is false"
        return Violation("proposition", message, proposition.span, proposition)
    raise SelfCheckError("the interpreter finds every required proposition true in the state that was reported")


def cannot_be_evaluated(system: System, proposition: Proposition, error: ExecutionError) -> Violation:
    message = f"`{proposition.name}` cannot be evaluated: {system.failures[error.site].message}"
    return Violation("proposition", message, proposition.span, proposition)
