"""What an expression or a block may read and write, element by element.

Every element of every field is a *slot*; a set of slots is an integer, bit by bit, for these sets are united and
compared by the hundred thousand. Where an index is not constant, all elements that it may name are meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ouroboros.system.blocks import Assert, Assign, Block, If, Leave, Print, Require, Scope, SetElement, SetLocal, While
from ouroboros.system.expressions import (
    Binary,
    Call,
    Check,
    Conditional,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    Procedure,
    Read,
    Unary,
)
from ouroboros.system.intervals import Interval, Ranges, interval
from ouroboros.system.layout import Field, Layout


class Footprint(NamedTuple):
    """Sets of slots. What is written need not be read, and a step may also leave it as it is."""

    reads: int = 0
    writes: int = 0

    def __or__(self, other: object) -> Footprint:
        assert isinstance(other, Footprint)
        return Footprint(self.reads | other.reads, self.writes | other.writes)

    @property
    def touches(self) -> int:
        return self.reads | self.writes


class Slots:
    """The elements of all fields of a layout, numbered."""

    def __init__(self, layout: Layout) -> None:
        self.first: dict[Field, int] = {}
        self.owner: list[tuple[Field, int]] = []
        for field in layout.fields:
            self.first[field] = len(self.owner)
            self.owner += [(field, at) for at in range(field.elements)]

    def all_of(self, field: Field) -> int:
        return (1 << field.elements) - 1 << self.first[field]

    def between(self, field: Field, where: Interval) -> int:
        """The elements whose indexes are in an interval; an index out of range is a failure, and touches nothing."""
        low, high = max(0, where.low), min(field.elements - 1, where.high)
        return (1 << high - low + 1) - 1 << self.first[field] + low if low <= high else 0


class Footprints:
    """Footprints of code in a system, given what is known of the values of fields."""

    def __init__(self, slots: Slots, bits: int, ranges: Ranges) -> None:
        self.slots = slots
        self.bits = bits
        self.ranges = ranges
        self._procedures: dict[Procedure, Footprint] = {}
        self._called: set[Procedure] | None = None
        """While the footprint of a procedure is worked out: it, and those that it calls."""

    def knowing(self, values: Mapping[Field, int]) -> Footprints:
        """The same where some scalars have certain values, for code that does not write them."""
        return Footprints(self.slots, self.bits, {**self.ranges, **{f: Interval(v, v) for f, v in values.items()}})

    def reads(self, *expressions: Expression) -> int:
        """What evaluating expressions reads. Blocks in guards set temporaries only."""
        result = 0
        for expression in expressions:
            result |= self.of_expression(expression).reads
        return result

    def of_expression(self, expression: Expression) -> Footprint:
        match expression:
            case Constant() | Local():
                return Footprint()
            case Read(field, None):
                return Footprint(1 << self.slots.first[field])
            case Read(field, index) if index is not None:
                return self.of_expression(index) | Footprint(self.slots.between(field, self._interval(index)))
            case Element(_, at):
                return self.of_expression(at)
            case Check(operand) | Unary(_, operand):
                return self.of_expression(operand)
            case Evaluate(block, result):
                return self.of_block(block) | self.of_expression(result)
            case Call(procedure, arguments):
                return self._of_procedure(procedure) | self._of_all(*arguments)
            case Binary(_, left, right):
                return self._of_all(left, right)
            case Conditional(condition, then, otherwise):
                return self._of_all(condition, then, otherwise)
        raise AssertionError(expression)

    def of_block(self, block: Block) -> Footprint:
        result = Footprint()
        for statement in block:
            match statement:
                case Assign(field, None, value):
                    result |= self.of_expression(value) | Footprint(0, 1 << self.slots.first[field])
                case Assign(field, at, value) if at is not None:
                    written = self.slots.between(field, self._interval(at))
                    result |= self._of_all(at, value) | Footprint(0, written)
                case SetLocal(_, value):
                    result |= self.of_expression(value)
                case SetElement(_, at, value):
                    result |= self._of_all(at, value)
                case If(condition, then, otherwise):
                    result |= self.of_expression(condition) | self.of_block(then) | self.of_block(otherwise)
                case While(condition, body):
                    result |= self.of_expression(condition) | self.of_block(body)
                case Require(condition) | Assert(condition):
                    result |= self.of_expression(condition)
                case Scope(_, body):
                    result |= self.of_block(body)
                case Leave() | Print():
                    pass
        return result

    def _of_all(self, *expressions: Expression) -> Footprint:
        result = Footprint()
        for expression in expressions:
            result |= self.of_expression(expression)
        return result

    def _of_procedure(self, procedure: Procedure) -> Footprint:
        if procedure in self._procedures:
            return self._procedures[procedure]
        if self._called is not None:
            self._called.add(procedure)
            return Footprint()
        self._called = {procedure}
        done: set[Procedure] = set()
        result = Footprint()
        while self._called - done:
            each = (self._called - done).pop()
            done.add(each)
            result |= self.of_block(each.body) | self.of_expression(each.result)
        self._called = None
        self._procedures[procedure] = result
        return result

    def _interval(self, expression: Expression) -> Interval:
        return interval(expression, self.bits, self.ranges)
