"""Comparisons of clocks in questions about runs.

A zone may hold valuations on both sides of a comparison, and what counts of a run is what was true when. So whether a
clock has come to a bound is a bit of the state: time passes up to where one of them changes, and going on from there is
a step of its own. Bits that change at the same time change in the same step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple, TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import Both, Condition, Discrete, Either, Timed
from ouroboros.languages.uppaal.lower.context import binary, negated
from ouroboros.system.blocks import Assign, Block, Constrain, If, Limit, Reset, Settle, Statement
from ouroboros.system.expressions import Constant, Difference, Escape, Expression, LocalArray, Read
from ouroboros.system.layout import Field

MOST = 10
"""Comparisons in one question: any set of them may change in the same moment."""
ZERO = Constant(0)


class Watch(NamedTuple):
    """A clock is at least at the bound, or above it."""

    clock: int
    bound: int
    above: bool

    def holds_of(self, value: Expression) -> Expression:
        return binary(">" if self.above else ">=", value, Constant(self.bound))

    @property
    def reached(self) -> Difference:
        return Difference(ZERO, Constant(self.clock), Constant(-self.bound), self.above)

    @property
    def not_yet(self) -> Difference:
        return Difference(Constant(self.clock), ZERO, Constant(self.bound), not self.above)


Bits: TypeAlias = Mapping[Watch, Field]


def watched(condition: Condition, clocks: tuple[str, ...], bits: dict[Watch, Field]) -> Condition:
    """The condition over bits, which are made where there are none."""
    match condition:
        case Timed():
            return Discrete(_bit(condition, clocks, bits))
        case Both(parts):
            return Both(tuple(watched(part, clocks, bits) for part in parts))
        case Either(parts):
            return Either(tuple(watched(part, clocks, bits) for part in parts))
    return condition


def _bit(timed: Timed, clocks: tuple[str, ...], bits: dict[Watch, Field]) -> Expression:
    row, column, bound, strict = timed.difference
    if not (isinstance(row, Constant) and isinstance(column, Constant) and isinstance(bound, Constant)):
        message = "in A<>, E[] and --> a clock can only be compared with a number that never changes"
        raise InputError(message, timed.span, "and which clock it is must be known before the system runs")
    is_upper = column.value == 0
    watch = Watch(row.value, bound.value, not strict) if is_upper else Watch(column.value, -bound.value, strict)
    if watch.bound < 0 or (watch.bound == 0 and not watch.above):
        return Constant(int(not is_upper))
    if watch not in bits:
        if len(bits) == MOST:
            raise InputError(f"a question can have at most {MOST} comparisons of clocks here", timed.span)
        name = f"{clocks[watch.clock]} {'>' if watch.above else '>='} {watch.bound}"
        bits[watch] = Field(name, "clocks", 1, told="never")
    return negated(Read(bits[watch])) if is_upper else Read(bits[watch])


def noted(block: Block, bits: Bits) -> Block:
    """The statements, and what they do to the bits."""
    return tuple(statement for each in block for statement in _noted(each, bits))


def _noted(statement: Statement, bits: Bits) -> Iterator[Statement]:
    match statement:
        case Reset(_, Constant(number), value):
            yield statement
            for watch, bit in bits.items():
                if watch.clock == number:
                    yield Assign(bit, None, watch.holds_of(value))
        case Reset(_, clock, value):
            yield statement
            for watch, bit in bits.items():
                change = (Assign(bit, None, watch.holds_of(value)),)
                yield If(binary("==", clock, Constant(watch.clock)), change)
        case If(condition, then, otherwise):
            yield If(condition, noted(then, bits), noted(otherwise, bits))
        case _:
            yield statement


def limits(bits: Bits) -> Iterator[Limit]:
    """Time passes until a bit changes."""
    for watch, bit in bits.items():
        row, _, bound, strict = watch.not_yet
        yield Limit(negated(Read(bit)), row, bound, strict)


class Passing(NamedTuple):
    """The step in which some clocks come to their bounds, all in the same moment."""

    text: str
    guard: Expression
    effect: Block


def passing(bits: Bits, waits: Settle, clocks: tuple[str, ...]) -> Iterator[Passing]:
    """The steps in which time goes on; `waits` has the limits of the model alone.

    That no other bit changes before is what the limits of where they lead to say.
    """
    for above in (False, True):
        these = [watch for watch in bits if watch.above == above]
        for count in range(1, len(these) + 1):
            for together in combinations(these, count):
                if len({watch.clock for watch in together}) == count:
                    yield _passing(together, bits, waits, clocks)


def _passing(together: tuple[Watch, ...], bits: Bits, waits: Settle, clocks: tuple[str, ...]) -> Passing:
    above = together[0].above
    guard = waits.delays
    for watch in together:
        guard = binary("and", guard, negated(Read(bits[watch])))
    at: list[Statement] = []
    for watch in together:
        for row, column, bound in ((watch.clock, 0, watch.bound), (0, watch.clock, -watch.bound)):
            difference = Difference(Constant(row), Constant(column), Constant(bound), False)
            at.append(Constrain(waits.zone, difference, waits.site))
    changes = tuple(Assign(bits[watch], None, Constant(1)) for watch in together)
    text = "time passes: " + ", ".join(
        f"{clocks[watch.clock]} {'passes' if above else 'comes to'} {watch.bound}" for watch in together
    )
    if not above:
        return Passing(text, guard, (waits, *at, *changes))
    beyond = tuple(Constrain(waits.zone, watch.reached, waits.site) for watch in together)
    return Passing(text, guard, (*at, waits, *beyond, *changes))


def escapes(bits: Bits, clocks: int) -> Iterator[Escape]:
    """A valuation is not stuck where waiting changes a bit."""
    for watch, bit in bits.items():
        yield Escape(negated(Read(bit)), (), (watch.reached,), LocalArray("resets", clocks))


def bounds_of(bits: Iterable[Watch]) -> Iterator[Difference]:
    for watch in bits:
        yield watch.reached
        yield watch.not_yet


def tick_after(clock: int) -> Difference:
    """The clock that nobody else has is at least at one."""
    return Difference(ZERO, Constant(clock), Constant(-1), False)


def ticking(tick: Field, clock: int, zone: Field, site: int) -> Passing:
    """A tick is a step that changes nothing, one time unit or more after the last one: on a run on which time goes on
    without end there can be infinitely many, and on no other (Tripakis, Yovine, Bouajjani 2005).
    """
    again = (Constrain(zone, tick_after(clock), site), Reset(zone, Constant(clock), ZERO))
    return Passing("a time unit has passed", Constant(1), (*again, Assign(tick, None, Constant(1))))
