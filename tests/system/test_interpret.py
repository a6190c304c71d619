"""The reference interpreter by itself: each statement, choice and expression, written down with what it means."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ouroboros.source import Source
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.blocks import Assert, Assign, Block, If, Leave, Require, Scope, SetLocal, While
from ouroboros.system.choices import Action, All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    BinaryOperator,
    Check,
    Conditional,
    Constant,
    Expression,
    Local,
    Read,
    Unary,
)
from ouroboros.system.interpret import Step, evaluate, execute, single_steps, successors
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Exclusive, Failure, System

X, Y = Field("x", "globals", 8), Field("y", "globals", 8, signed=True)
CELLS = Field("cells", "globals", 4, length=5, initial=(1, 2, 3, 4, 5))
LAYOUT = Layout((X, Y, CELLS))
FAILURES = tuple(Failure("index", f"failure {site}", None) for site in range(4))


def system(actions: Sequence[Action] = (), choices: Choice | None = None, **parts: object) -> System:
    return System(
        name="test",
        language="none",
        source=Source("test", ""),
        layout=LAYOUT,
        initial=(LAYOUT.initial(),),
        actions=tuple(actions),
        choices=choices or All(tuple(Do(index) for index in range(len(actions)))),
        failures=FAILURES,
        locals=2,
        **parts,  # type: ignore[arg-type]  # a table has them
    )


def state(x: int = 0, y: int = 0) -> Vector:
    words = list(LAYOUT.initial())
    LAYOUT.write(words, X, 0, x)
    LAYOUT.write(words, Y, 0, y)
    return tuple(words)


def value(expression: Expression, x: int = 0, y: int = 0) -> int:
    return evaluate(system(), state(x, y), expression)


def sets(item: Field, number: int, guard: Expression = TRUE) -> Action:
    return Action((), (Assign(item, None, Constant(number)),), guard)


def x_after(steps: Sequence[Step]) -> list[int | None]:
    return [None if step.state is None else LAYOUT.read(step.state, X) for step in steps]


# Expressions ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "left", "right", "result"),
    [
        ("+", 2**31 - 1, 1, -(2**31)),
        ("-", -(2**31), 1, 2**31 - 1),
        ("*", 1 << 30, 4, 0),
        ("/", -7, 2, -3),
        ("%", -7, 2, -1),
        ("/", 7, -2, -3),
        ("%", 7, -2, 1),
        ("<<", 1, 33, 2),
        (">>", -8, 1, -4),
        ("&", -1, 6, 6),
        ("|", 4, 3, 7),
        ("^", 7, 2, 5),
        ("<", -1, 0, 1),
        (">=", 3, 3, 1),
        ("!=", 3, 3, 0),
    ],
)
def test_numbers_wrap_at_32_bits_and_division_cuts_off(
    operator: BinaryOperator, left: int, right: int, result: int
) -> None:
    assert value(Binary(operator, Constant(left), Constant(right))) == result


def test_what_decides_comes_first() -> None:
    fails = Binary("/", Constant(1), Constant(0), 3)
    assert value(Binary("and", FALSE, fails)) == 0
    assert value(Binary("or", TRUE, fails)) == 1
    assert value(Conditional(TRUE, Constant(5), fails)) == 5
    for expression in (fails, Binary("and", TRUE, fails), Binary("or", FALSE, fails)):
        with pytest.raises(ExecutionError) as raised:
            value(expression)
        assert raised.value.site == 3


def test_fields_are_read_with_their_sign_and_checked_indices() -> None:
    assert value(Read(X), x=255) == 255
    assert value(Read(Y), y=255) == -1
    assert value(Read(CELLS, Constant(4), 2)) == 5
    for index in (-1, 5):
        with pytest.raises(ExecutionError) as raised:
            value(Read(CELLS, Constant(index), 2))
        assert raised.value.site == 2


def test_checks_and_signs() -> None:
    assert value(Check(Constant(3), 0, 3, 1)) == 3
    with pytest.raises(ExecutionError):
        value(Check(Constant(4), 0, 3, 1))
    assert value(Unary("-", Constant(-(2**31)))) == -(2**31)
    assert value(Unary("not", Constant(7))) == 0
    assert value(Unary("~", Constant(7))) == -8


# Statements -------------------------------------------------------------------------------------------------------


def run(block: Block, x: int = 0) -> int:
    return LAYOUT.read(execute(system(), state(x), block), X)


def add(number: int) -> Assign:
    return Assign(X, None, Binary("+", Read(X), Constant(number)))


def test_an_assignment_keeps_the_low_bits() -> None:
    assert run((Assign(X, None, Constant(257)),)) == 1


def test_loops_end_where_their_condition_does_or_at_their_limit() -> None:
    below = Binary("<", Read(X), Constant(10))
    assert run((While(below, (add(3),), 100, 1),)) == 12
    with pytest.raises(ExecutionError) as raised:
        run((While(TRUE, (add(1),), 5, 1),))
    assert raised.value.site == 1


def test_a_scope_is_left_early_and_only_that_one() -> None:
    inner = Scope(2, (add(1), Leave(1), add(50)))
    assert run((Scope(1, (inner, add(100))), add(7))) == 8
    assert run((Scope(1, (Scope(2, (Leave(2),)), add(100))), add(7))) == 107


def test_temporaries_last_for_the_block() -> None:
    assert run((SetLocal(0, Constant(4)), If(TRUE, (SetLocal(0, Constant(9)),), ()), Assign(X, None, Local(0)))) == 9


# Steps ------------------------------------------------------------------------------------------------------------


def test_choices_compete_as_the_tree_says() -> None:
    actions = [sets(X, 1), sets(X, 2, Binary("==", Read(Y), Constant(1))), sets(X, 3)]
    tree = First((Do(1), All((Do(0), Do(2)))))
    assert x_after(single_steps(system(actions, tree), state())) == [1, 3]
    assert x_after(single_steps(system(actions, tree), state(y=1))) == [2]
    switch = Switch(X, ((0, Do(0)), (1, Do(2))))
    assert x_after(single_steps(system(actions, switch), state())) == [1]
    assert single_steps(system(actions, switch), state(x=7)) == []
    assert single_steps(system(actions, When(FALSE, Do(0))), state()) == []


def test_a_failure_stands_where_the_step_would() -> None:
    fails = Action((), (add(1), Require(FALSE, 2)))
    guarded = Action((), (), Binary("/", Constant(1), Read(X), 3))
    steps = single_steps(system([sets(X, 1), fails, guarded]), state())
    assert [(step.action, step.failure) for step in steps] == [(0, None), (1, 2), (2, 3)]
    assert x_after(steps) == [1, None, None]
    (step,) = single_steps(system([sets(X, 1)], When(Binary("/", Constant(1), Constant(0), 1), Do(0))), state())
    assert (step.action, step.state, step.failure) == (None, None, 1)


def test_a_run_goes_on_after_a_false_assertion() -> None:
    (step,) = single_steps(system([Action((), (Assert(FALSE, 1), add(1), Assert(FALSE, 2)))]), state())
    assert (step.failure, x_after([step])) == (1, [1])


def test_ways_through_transient_states_are_one_step_each() -> None:
    """While x is not zero the state is transient: two ways lead from zero to zero."""
    at = [Binary("==", Read(X), Constant(number)) for number in range(3)]
    actions = [
        sets(X, 1, at[0]),
        sets(X, 2, at[0]),
        sets(X, 0, at[1]),
        Action((), (Assign(X, None, Constant(0)), Assign(Y, None, Constant(5))), at[2]),
    ]
    found = successors(system(actions, exclusive=Exclusive(X, 3)), state())
    assert [(step.action, [each.action for each in step.before]) for step in found] == [(2, [0]), (3, [1])]
    assert [step.state for step in found] == [state(), state(y=5)]


def test_a_way_that_never_ends_is_a_failure() -> None:
    actions = [sets(X, 1, Binary("!=", Read(X), Constant(1))), sets(X, 2, Binary("==", Read(X), Constant(1)))]
    (step,) = successors(system(actions, exclusive=Exclusive(X, 3)), state())
    assert (step.state, step.failure, len(step.before)) == (None, 3, 2)
