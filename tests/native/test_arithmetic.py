"""Each corner of the arithmetic, against truths worked out by hand."""

from __future__ import annotations

from typing import Literal

import pytest

from ouroboros.system.blocks import Assign
from ouroboros.system.expressions import Binary, BinaryOperator, Conditional, Constant, Expression, Read, Unary
from ouroboros.system.layout import Field
from tests.native.builder import action, results, state, system
from tests.native.machine import Machine

LEFT = Field("left", "globals", 64, signed=True)
RIGHT = Field("right", "globals", 64, signed=True)

SMALLEST_32, LARGEST_32 = -(1 << 31), (1 << 31) - 1
SMALLEST_64, LARGEST_64 = -(1 << 63), (1 << 63) - 1

CORNERS: list[tuple[BinaryOperator, int, int, int | str, int | str]] = [
    # operator, left, right, result in 32 bits, result in 64 bits
    ("/", SMALLEST_32, -1, SMALLEST_32, 1 << 31),
    ("%", SMALLEST_32, -1, 0, 0),
    ("/", SMALLEST_64, -1, 0, SMALLEST_64),
    ("%", SMALLEST_64, -1, 0, 0),
    ("/", -7, 2, -3, -3),
    ("%", -7, 2, -1, -1),
    ("%", 7, -2, 1, 1),
    ("/", 7, -1, -7, -7),
    ("/", 1, 0, "fails at 3", "fails at 3"),
    ("%", 0, 0, "fails at 3", "fails at 3"),
    ("/", 5, 1 << 32, "fails at 3", 0),
    ("+", LARGEST_32, 1, SMALLEST_32, 1 << 31),
    ("+", LARGEST_64, 1, 0, SMALLEST_64),
    ("-", SMALLEST_32, 1, LARGEST_32, -(1 << 31) - 1),
    ("*", 1 << 16, 1 << 16, 0, 1 << 32),
    ("*", LARGEST_32, LARGEST_32, 1, 0x3FFF_FFFF_0000_0001),
    ("<<", 1, 31, SMALLEST_32, 1 << 31),
    ("<<", 1, 32, 1, 1 << 32),
    ("<<", 1, -1, SMALLEST_32, SMALLEST_64),
    (">>", -8, 1, -4, -4),
    (">>", -8, 31, -1, -1),
    (">>", -8, 32, -8, -1),
    (">>", SMALLEST_32, -1, -1, -1),
    ("&", -2, 7, 6, 6),
    ("|", -8, 1, -7, -7),
    ("^", -1, 5, -6, -6),
    ("<", -1, 0, 1, 1),
    (">=", -1, 0, 0, 0),
    ("<", 1 << 31, 0, 1, 0),
    ("==", 1 << 32, 0, 1, 0),
    ("and", 1 << 32, 1, 0, 1),
    ("or", 0, -5, 1, 1),
]


@pytest.mark.parametrize("bits", [32, 64])
def test_operators(bits: Literal[32, 64]) -> None:
    truths = [in_32 if bits == 32 else in_64 for _, _, _, in_32, in_64 in CORNERS]
    constants: list[Expression] = [Binary(o, Constant(left), Constant(right), 3) for o, left, right, _, _ in CORNERS]
    assert results(constants, {}, bits) == truths
    for (operator, left, right, _, _), truth in zip(CORNERS, truths, strict=True):
        mixed: list[Expression] = [
            Binary(operator, Read(LEFT), Read(RIGHT), 3),
            Binary(operator, Read(LEFT), Constant(right), 3),
            Binary(operator, Constant(left), Read(RIGHT), 3),
        ]
        assert results(mixed, {LEFT: left, RIGHT: right}, bits) == [truth] * 3, (operator, left, right)


def test_unary_operators() -> None:
    expressions = [Unary("-", Read(LEFT)), Unary("~", Read(LEFT)), Unary("not", Read(LEFT))]
    assert results(expressions, {LEFT: SMALLEST_32}, 32) == [SMALLEST_32, LARGEST_32, 0]
    assert results(expressions, {LEFT: 1 << 32}, 32) == [0, -1, 1]
    assert results(expressions, {LEFT: 1 << 32}, 64) == [-(1 << 32), ~(1 << 32), 0]


@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("bits", range(1, 65))
def test_assignment_wraps_to_the_width(bits: int, signed: bool) -> None:
    before, target, after = Field("before", "g", 3), Field("target", "g", bits, signed), Field("after", "g", 5)
    arrays = Field("array", "g", bits, signed, 3, (0, 0, 0))
    values = (-1, 0x55, SMALLEST_32, LARGEST_32, 1 << bits - 1)
    assigns = [Assign(target, None, Constant(value)) for value in values]
    assigns += [Assign(target, None, Binary("+", Read(LEFT), Constant(value))) for value in values]
    elements = [Assign(arrays, Binary("+", Constant(1), Read(LEFT)), statement.value, 0) for statement in assigns]
    wanted = system((before, target, after, arrays, LEFT), [action(each) for each in (*assigns, *elements)], bits=64)
    start = state(wanted, {before: 5, target: 0, after: 21, arrays: (1, 0, 1), LEFT: 0})
    steps = Machine(wanted).assert_agrees(start)
    layout = wanted.layout
    for step, value in zip(steps, values * 4, strict=True):
        assert step.state is not None
        item, index = (target, 0) if step.action is not None and step.action < len(assigns) else (arrays, 1)
        kept = value & (1 << bits) - 1
        truth = kept - (1 << bits) if signed and kept >> bits - 1 else kept
        assert layout.read(step.state, item, index) == truth
        assert layout.read(step.state, before) == 5
        assert layout.read(step.state, after) == 21
        assert layout.read(step.state, arrays, 0) == layout.read(step.state, arrays, 2) == arrays.wrap(1)


def test_a_negative_value_keeps_its_sign_in_a_field_wider_than_the_evaluation() -> None:
    wide = Field("wide", "globals", 40, signed=True)
    wanted = system((wide,), [action(Assign(wide, None, Binary("-", Read(wide), Constant(2))))])
    (step,) = Machine(wanted).assert_agrees(state(wanted, {wide: 1}))
    assert step.state is not None
    assert wanted.layout.read(step.state, wide) == -1


def test_unsigned_fields_in_the_evaluation() -> None:
    word, byte = Field("word", "globals", 32), Field("byte", "globals", 8)
    values = {word: 0xFFFF_FFFF, byte: 200}
    expressions: list[Expression] = [
        Read(word),
        Binary("<", Read(word), Constant(0)),
        Binary("==", Read(word), Constant(-1)),
        Binary("==", Read(word), Constant(0xFFFF_FFFF)),
        Binary("<", Read(byte), Constant(201)),
        Binary("<", Read(byte), Constant(200)),
        Binary("<", Read(byte), Constant(1000)),
        Binary(">", Read(byte), Constant(-1)),
        Binary("==", Read(byte), Constant(200 + 256)),
        Binary("!=", Read(byte), Constant(-56)),
        Binary(">=", Read(byte), Constant(256)),
    ]
    assert results(expressions, values, 32) == [-1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0]
    assert results(expressions, values, 64) == [0xFFFF_FFFF, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0]


def test_only_as_far_as_needed() -> None:
    fails = Binary("/", Constant(1), Read(RIGHT), 7)
    fails_too = Binary("%", Constant(1), Read(RIGHT), 8)
    expressions: list[Expression] = [
        Binary("and", Read(RIGHT), fails),
        Binary("and", Read(LEFT), fails),
        Binary("or", Read(LEFT), fails),
        Binary("or", Read(RIGHT), fails),
        Conditional(Read(LEFT), Constant(4), fails),
        Conditional(Read(RIGHT), Constant(4), fails),
        Binary("and", Read(RIGHT), Binary("/", Constant(5), Constant(1 << 32), 6)),
        Binary("or", Read(RIGHT), Binary("/", Constant(5), Constant(1 << 32), 6)),
        Binary("and", fails_too, fails),
        Binary("+", fails, fails_too),
        Binary("*", fails_too, fails),
    ]
    one, two = "fails at 7", "fails at 8"
    assert results(expressions, {LEFT: 1, RIGHT: 0}, 32) == [0, one, 1, one, 4, one, 0, "fails at 6", two, one, two]
