"""Arrays, statements and choices, against truths worked out by hand."""

from __future__ import annotations

import pytest

from ouroboros.native import EVALUATION_FAILED, FAILURE, compile_system
from ouroboros.system.blocks import Assign, If, Require, SetLocal, While
from ouroboros.system.choices import All, Do, First, Switch, When
from ouroboros.system.expressions import FALSE, Binary, Conditional, Constant, Expression, Local, Read, equal
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field
from ouroboros.system.model import Proposition
from tests.native.builder import action, results, state, system
from tests.native.machine import Machine

X = Field("x", "globals", 8)
Y = Field("y", "globals", 8)
ONE = Constant(1)


def add(item: Field, value: int) -> Assign:
    return Assign(item, None, Binary("+", Read(item), Constant(value)))


@pytest.mark.parametrize(("bits", "length"), [(1, 64), (1, 65), (8, 8), (8, 9), (5, 20), (16, 17), (33, 3), (64, 4)])
@pytest.mark.parametrize("signed", [False, True])
def test_every_element_of_an_array(bits: int, length: int, signed: bool) -> None:
    array = Field("array", "globals", bits, signed, length, (0,) * length)
    values = [3 * index + 1 & (1 << bits) - 1 for index in range(length)]
    expressions: list[Expression] = []
    for at in (-1, *range(length + 1), 1 << 32):
        expressions += [Read(array, Constant(at), 2), Read(array, Binary("+", Read(X), Constant(at)), 2)]
    found = results(expressions, {X: 0, array: values}, 64)
    truths: list[int | str] = ["fails at 2", *(array.wrap(value) for value in values), "fails at 2", "fails at 2"]
    assert found == [truth for truth in truths for _ in range(2)]


def test_an_element_is_read_after_it_was_written_by_a_computed_index() -> None:
    array = Field("array", "globals", 16, False, 12, (0,) * 12)
    seven = Binary("+", Read(X), Constant(7))
    effect = (
        Assign(Y, None, Read(array, Constant(7))),
        Assign(array, seven, Constant(40), 0),
        Assign(X, None, Binary("+", Read(array, Constant(7)), Read(Y))),
        Assign(array, Constant(7), Binary("+", Read(X), Constant(1))),
        Assign(Y, None, Read(array, Constant(7))),
        Assign(array, Constant(0), Read(array, Binary("-", Read(X), Constant(35)), 0)),
    )
    wanted = system((X, Y, array), [action(*effect)])
    values = (0, 1, 2, 3, 4, 5, 6, 2, 8, 9, 10, 11)
    (step,) = Machine(wanted).assert_agrees(state(wanted, {array: values}))
    assert step.state == state(wanted, {X: 42, Y: 43, array: (43, *values[1:7], 43, *values[8:])})


def test_a_word_is_stored_before_it_is_read_by_a_computed_index_on_one_path_only() -> None:
    array = Field("array", "globals", 64, False, 3, (0,) * 3)
    element = Read(array, Read(X), 0)
    effect = (
        Assign(array, Constant(1), Constant(7)),
        Assign(Y, None, Conditional(Read(Y), element, Constant(3))),
        Assign(array, Constant(2), element),
    )
    wanted = system((X, Y, array), [action(*effect)])
    machine = Machine(wanted)
    for y, truth in ((0, 3), (1, 7)):
        (step,) = machine.assert_agrees(state(wanted, {X: 1, Y: y, array: (4, 5, 6)}))
        assert step.state == state(wanted, {X: 1, Y: truth, array: (4, 7, 7)})


def test_what_a_failing_guard_did_not_read_is_not_known_afterwards() -> None:
    far = Field("far", "globals", 64)
    guards = (Binary("and", Binary("/", ONE, Read(X), 1), Binary("==", Read(far), ONE)), Binary("==", Read(far), ONE))
    wanted = system((X, far), [action(guard=guard) for guard in guards])
    start = state(wanted, {X: 0, far: 1})
    assert Machine(wanted).assert_agrees(start) == [Step(0, None, 1), Step(1, start)]


def test_loops_inside_loops_count_their_own_rounds() -> None:
    inner = While(
        Binary("<", Local(1), Constant(3)), (SetLocal(1, Binary("+", Local(1), Constant(1))), add(X, 1)), 3, 5
    )
    outer = While(
        Binary("<", Local(0), Constant(4)),
        (SetLocal(1, Constant(0)), inner, SetLocal(0, Binary("+", Local(0), Constant(1)))),
        4,
        6,
    )
    wanted = system((X,), [action(outer)], locals_=2)
    assert Machine(wanted).assert_agrees((0,)) == [Step(0, (12,))]


def test_a_loop_fails_when_it_wants_to_run_once_more_than_its_limit() -> None:
    def loop(limit: int) -> While:
        return While(Binary("<", Read(X), Constant(3)), (add(X, 1),), limit, 4)

    wanted = system((X,), [action(loop(3)), action(loop(2))])
    assert Machine(wanted).assert_agrees((0,)) == [Step(0, (3,)), Step(1, None, 4)]


def test_branches_write_what_the_code_after_them_reads() -> None:
    branch = If(equal(X, 1), (Assign(Y, None, Constant(10)),), (Assign(X, None, Constant(20)), Require(Read(Y), 3)))
    effect = (Assign(Y, None, Read(X)), branch, Assign(X, None, Binary("+", Read(X), Read(Y))))
    wanted = system((X, Y), [action(*effect)])
    machine = Machine(wanted)
    assert machine.assert_agrees(state(wanted, {X: 1})) == [Step(0, state(wanted, {X: 11, Y: 10}))]
    assert machine.assert_agrees(state(wanted, {X: 2})) == [Step(0, state(wanted, {X: 22, Y: 2}))]
    assert machine.assert_agrees(state(wanted, {X: 0})) == [Step(0, None, 3)]


def test_the_guard_is_evaluated_from_left_to_right() -> None:
    divides = Binary("/", Constant(1), Read(X), 1)
    divides_too = Binary("/", Constant(1), Read(Y), 2)
    both = Binary("and", divides, divides_too)
    wanted = system((X, Y), [action(guard=both)])
    machine = Machine(wanted)
    assert machine.assert_agrees(state(wanted, {X: 0, Y: 0})) == [Step(0, None, 1)]
    assert machine.assert_agrees(state(wanted, {X: 1, Y: 0})) == [Step(0, None, 2)]
    assert machine.assert_agrees(state(wanted, {X: 2, Y: 0})) == []
    assert machine.assert_agrees(state(wanted, {X: 1, Y: 1})) == [Step(0, state(wanted, {X: 1, Y: 1}))]


def test_choices() -> None:
    guards = (FALSE, Read(Y), ONE)
    set_x = [action(Assign(X, None, Constant(value)), guard=guard) for value, guard in enumerate(guards, 1)]
    fails = Binary("/", ONE, Read(X), 9)
    tree = All(
        (
            First((Do(0), Do(1), Do(2))),
            Switch(X, ((5, Do(2)), (5, Do(1)), (300, Do(2)), (-1, Do(2)))),
            When(fails, Do(2)),
            First((When(fails, Do(0)), Do(2))),
        )
    )
    wanted = system((X, Y), set_x, tree)
    machine = Machine(wanted)

    def found(x: int, y: int) -> list[tuple[int | None, int | None]]:
        return [(step.action, step.failure) for step in machine.assert_agrees(state(wanted, {X: x, Y: y}))]

    assert found(0, 0) == [(2, None), (None, 9), (None, 9)]
    assert found(5, 1) == [(1, None), (2, None), (2, None)]
    assert found(1, 0) == [(2, None), (2, None), (2, None)]
    assert found(255, 0) == [(2, None), (2, None)]


def test_labels_and_valuations_as_the_engine_meets_them() -> None:
    assert FAILURE == 1 << 31
    assert EVALUATION_FAILED == 1 << 63
    divides = Binary("/", Constant(6), Read(X), 0)
    propositions = [Proposition("two", equal(X, 2)), Proposition("quotient", divides), Proposition("y", Read(Y))]
    wanted = system((X, Y), [])
    machine = Machine(wanted, propositions)
    for values, truth in (({X: 2, Y: 0}, 0b011), ({X: 7, Y: 9}, 0b100), ({X: 0, Y: 1}, EVALUATION_FAILED)):
        machine.assert_agrees(state(wanted, values))
        assert machine.valuation(state(wanted, values)) == truth


def test_as_many_propositions_as_a_valuation_has_room_for() -> None:
    wanted = system((X,), [])
    many = [Proposition(f"p{bit}", Binary("&", Binary(">>", Read(X), Constant(bit % 8)), ONE)) for bit in range(62)]
    repeated = int.from_bytes(bytes([0b1010_0101]) * 8)
    assert Machine(wanted, many).valuation((0b1010_0101,)) == repeated & (1 << 62) - 1
    with pytest.raises(ValueError, match="63 propositions"):
        compile_system(wanted, [*many, many[0]])


def test_a_wide_state_is_copied_whole() -> None:
    wide = Field("wide", "globals", 64, False, 40, (0,) * 40)
    wanted = system((wide, X), [action(Assign(wide, Read(X), Constant(99), 0), Assign(wide, Constant(3), Constant(7)))])
    values = list(range(100, 140))
    (step,) = Machine(wanted).assert_agrees(state(wanted, {X: 38, wide: values}))
    values[38], values[3] = 99, 7
    assert step.state == state(wanted, {X: 38, wide: values})


def test_the_riddle_of_the_two_jugs() -> None:
    """Jugs of five and three litres, to be filled, emptied and poured over; how to get four litres?

    After every step a jug is full or empty, and all such states can be reached: 2 * 4 with an empty or full large jug,
    and 2 * 4 more with an empty or full small one. Six steps are needed: fill the large jug, pour, empty the small
    one, pour (the large one is empty, two litres are in the small one), fill the large one, pour.
    """
    large, small = X, Y
    pours = [
        action(
            SetLocal(0, Binary("-", Constant(room), Read(target))),
            If(Binary("<", Read(source), Local(0)), (SetLocal(0, Read(source)),)),
            Assign(target, None, Binary("+", Read(target), Local(0))),
            Assign(source, None, Binary("-", Read(source), Local(0))),
        )
        for source, target, room in ((large, small, 3), (small, large, 5))
    ]
    sets = [
        action(Assign(jug, None, Constant(value))) for jug, value in ((large, 5), (small, 3), (large, 0), (small, 0))
    ]
    wanted = system((large, small), [*sets, *pours], locals_=1)
    machine = Machine(wanted)
    depths = {wanted.initial[0]: 0}
    for origin in (queue := list(depths)):
        for step in machine.assert_agrees(origin):
            assert step.state is not None
            if step.state not in depths:
                depths[step.state] = depths[origin] + 1
                queue.append(step.state)
    assert len(depths) == 16
    assert min(depth for vector, depth in depths.items() if wanted.layout.read(vector, large) == 4) == 6
