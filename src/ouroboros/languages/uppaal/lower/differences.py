"""Comparisons of the difference of two clocks with a number.

Extrapolation is not sound for them (Bouyer 2003), so zones are never asked. How far one clock is ahead of another
changes only where one of them is set. So whether it is within a bound is a bit of the state; and a step that sets one
of the clocks is two steps, in which the other one is compared with a number (Bérard, Diekert, Gastin, Petit 1998).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import Both, Condition, Discrete, Either, Timed
from ouroboros.languages.uppaal.lower.context import binary, minus, negated
from ouroboros.source import Span
from ouroboros.system.blocks import Assign, Block, Constrain, If, Require, Reset, Statement
from ouroboros.system.expressions import Constant, Difference, Expression, Read
from ouroboros.system.layout import Field


class Bound(NamedTuple):
    """A clock is ahead of another, with a larger number, by at most the bound, or by less."""

    row: int
    column: int
    bound: int
    strict: bool

    def at_reset(self, clock: int, value: Expression) -> Difference:
        """What must hold of the other clock where one of the two is set."""
        bound = Constant(self.bound)
        if clock == self.row:
            return Difference(Constant(0), Constant(self.column), binary("-", bound, value), self.strict)
        return Difference(Constant(self.row), Constant(0), binary("+", bound, value), self.strict)


def opposite(difference: Difference) -> Difference:
    return Difference(difference.column, difference.row, minus(difference.bound), not difference.strict)


def is_difference(timed: Timed) -> bool:
    """Whether neither clock is known to be zero."""
    clocks = (timed.difference.row, timed.difference.column)
    return not any(isinstance(clock, Constant) and clock.value == 0 for clock in clocks)


class Differences:
    """The bits, by what they say."""

    def __init__(self) -> None:
        self.bits: dict[Bound, Field] = {}

    def condition(self, timed: Timed, clocks: Sequence[str]) -> Expression:
        """The bit of a comparison, or its opposite."""
        numbers = [timed.difference.row, timed.difference.column, timed.difference.bound]
        known = [each.value for each in numbers if isinstance(each, Constant)]
        if len(known) < len(numbers):
            message = "the difference of two clocks can only be compared with a number that never changes"
            raise InputError(message, timed.span, "and which clocks they are must be known before the system runs")
        row, column, bound = known
        if row == column:
            return Constant(int(bound > 0 or (bound == 0 and not timed.difference.strict)))
        if row < column:
            return Read(self._bit(Bound(row, column, bound, timed.difference.strict), clocks))
        return negated(Read(self._bit(Bound(column, row, -bound, not timed.difference.strict), clocks)))

    def _bit(self, bound: Bound, clocks: Sequence[str]) -> Field:
        if bound not in self.bits:
            name = f"{clocks[bound.row]} - {clocks[bound.column]} {'<' if bound.strict else '<='} {bound.bound}"
            holds = bound.bound > 0 or (bound.bound == 0 and not bound.strict)
            self.bits[bound] = Field(name, "clocks", 1, initial=(int(holds),), told="never")
        return self.bits[bound]


def without_differences(condition: Condition, bits: Differences, clocks: Sequence[str]) -> Condition:
    match condition:
        case Timed() if is_difference(condition):
            return Discrete(bits.condition(condition, clocks))
        case Both(parts):
            return Both(tuple(without_differences(part, bits, clocks) for part in parts))
        case Either(parts):
            return Either(tuple(without_differences(part, bits, clocks) for part in parts))
    return condition


def concerned(bits: Iterable[Bound], clock: Expression, span: Span | None = None) -> list[Bound]:
    """The bits that setting a clock may change."""
    bits = list(bits)
    if isinstance(clock, Constant):
        return [bound for bound in bits if clock.value in (bound.row, bound.column)]
    if bits:
        message = "the model compares differences of clocks: which clock is set must be known before the system runs"
        raise InputError(message, span)
    return []


def variants(block: Block, bits: Mapping[Bound, Field], site: int) -> Iterator[Block]:
    """The steps that a step becomes: each says of every bit that may change what it will be; no two are possible."""
    yield from map(_joined, product(*(list(_of_statement(statement, bits, site)) for statement in block)))


def _joined(parts: Iterable[Block]) -> Block:
    return tuple(statement for part in parts for statement in part)


def _of_statement(statement: Statement, bits: Mapping[Bound, Field], site: int) -> Iterator[Block]:
    match statement:
        case Reset(zone, clock, value) if found := concerned(bits, clock):
            assert isinstance(clock, Constant)
            for values in product((1, 0), repeat=len(found)):
                before: list[Statement] = []
                for bound, within in zip(found, values, strict=True):
                    difference = bound.at_reset(clock.value, value)
                    before.append(Constrain(zone, difference if within else opposite(difference), site))
                    before.append(Assign(bits[bound], None, Constant(within)))
                yield (*before, statement)
        case If(condition, then, otherwise):
            # Which way is taken is known when the step is made: the others leave it alone.
            nothing: Block = (Require(Constant(0), site),)
            one, other = list(variants(then, bits, site)), list(variants(otherwise, bits, site))
            yield (If(condition, one[0], other[0]),)
            yield from ((If(condition, each, nothing),) for each in one[1:])
            yield from ((If(condition, nothing, each),) for each in other[1:])
        case _:
            yield (statement,)
