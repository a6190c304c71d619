"""A trace is what the interpreter confirms; what it cannot confirm is our own mistake."""

from __future__ import annotations

import pytest

from ouroboros.errors import SelfCheckError
from ouroboros.system.expressions import Binary, Constant, Read
from ouroboros.system.interpret import successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.trace.replay import replay
from ouroboros.verdict.outcome import Finding

from .handmade import below, counter


def path(system: System, length: int) -> list[Vector]:
    states = [system.initial[0]]
    while len(states) < length:
        step = successors(system, states[-1])[0]
        assert step.state is not None
        states.append(step.state)
    return states


def test_a_deadlock_is_confirmed() -> None:
    system = counter(3).system
    trace = replay(system, Finding("deadlock", path(system, 4)))
    assert [step.action for step in trace.steps] == [0, 0, 0]
    assert trace.violation.kind == "deadlock"
    assert trace.loop_start is None


def test_a_violation_in_the_initial_state_has_no_steps() -> None:
    system = counter(0).system
    assert replay(system, Finding("deadlock", path(system, 1))).steps == ()


def test_the_first_false_proposition_is_named() -> None:
    model = counter(3)
    required = [Proposition("small", below(model, 9)), Proposition("tiny", below(model, 2))]
    trace = replay(model.system, Finding("proposition", path(model.system, 3)), required)
    assert trace.violation.message == "`tiny` is false"
    assert trace.violation.proposition is required[1]


def test_a_proposition_that_cannot_be_evaluated_is_a_violation() -> None:
    model = counter(3)
    turn = Read(model.system.layout.fields[0])
    inverse = Proposition("inverse", Binary("/", Constant(1), turn, 1))
    trace = replay(model.system, Finding("proposition", path(model.system, 1)), [inverse])
    assert trace.violation.message == "`inverse` cannot be evaluated: division by zero"


def test_a_failing_action_is_the_last_step() -> None:
    system = counter(3, slots=2).system
    trace = replay(system, Finding("failure", path(system, 3)))
    last = trace.steps[-1]
    assert (len(trace.steps), last.action, last.state) == (3, 0, None)
    assert last.failure is system.failures[0]
    assert trace.violation.span == system.failures[0].span


@pytest.mark.parametrize("kind", ["deadlock", "proposition", "failure", "cycle"])
def test_an_end_that_is_not_wrong_is_our_mistake(kind: str) -> None:
    model = counter(3)
    finding = Finding(kind, path(model.system, 2))
    with pytest.raises(SelfCheckError):
        replay(model.system, finding, [Proposition("small", below(model, 9))])


def test_a_start_that_is_not_initial_is_our_mistake() -> None:
    system = counter(3).system
    with pytest.raises(SelfCheckError, match="initial"):
        replay(system, Finding("deadlock", path(system, 4)[1:]))


def test_a_step_that_cannot_be_made_is_our_mistake() -> None:
    system = counter(3).system
    whole = path(system, 4)
    with pytest.raises(SelfCheckError, match="step 1 "):
        replay(system, Finding("deadlock", [whole[0], *whole[2:]]))
