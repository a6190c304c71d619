"""What values an expression can have, as far as its shape tells: to leave out checks that cannot fail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, runtime_checkable

from ouroboros.system.expressions import (
    Binary,
    Check,
    Conditional,
    Constant,
    Evaluate,
    Expression,
    Local,
    Meets,
    Observed,
    Read,
    Stuck,
    Unary,
    Unlimited,
)
from ouroboros.system.layout import Field


class Interval(NamedTuple):
    low: int
    high: int

    def within(self, other: Interval) -> bool:
        return other.low <= self.low and self.high <= other.high


_TRUTH = Interval(0, 1)


def field_interval(field: Field) -> Interval:
    """The values that a field can hold."""
    return (
        Interval(field.wrap(1 << (field.bits - 1)), (1 << (field.bits - 1)) - 1)
        if field.signed
        else Interval(0, (1 << field.bits) - 1)
    )


Ranges = Mapping[Field, Interval]
"""What is known of the values of fields beyond their width."""

_NOTHING_KNOWN: Ranges = {}


@runtime_checkable
class KnowsTemporaries(Protocol):
    """Ranges that know also what the temporaries of one action or procedure can be."""

    def temporary(self, slot: int) -> Interval: ...


def interval(expression: Expression, bits: int, known: Ranges = _NOTHING_KNOWN) -> Interval:
    """An interval that holds every value of an expression that is evaluated with so many bits."""
    everything = Interval(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    found = _interval(expression, bits, known) or everything
    # An interval that leaves the range of the evaluation says that the value may have wrapped.
    return found if found.within(everything) else everything


def _interval(expression: Expression, bits: int, known: Ranges) -> Interval | None:
    match expression:
        case Constant(value):
            return Interval(value, value)
        case Local(slot):
            return known.temporary(slot) if isinstance(known, KnowsTemporaries) else None
        case Read(field):
            return known.get(field) or field_interval(field)
        case Check(operand, low, high):
            inner = interval(operand, bits, known)
            # Where the two have nothing in common the check always fails, and what it gives is never seen.
            return Interval(max(low, min(inner.low, high)), min(high, max(inner.high, low)))
        case Evaluate(_, result):
            return interval(result, bits, known)
        case Unary("not") | Meets() | Observed() | Stuck() | Unlimited():
            return _TRUTH
        case Unary("-", operand):
            inner = interval(operand, bits, known)
            return Interval(-inner.high, -inner.low)
        case Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or"):
            return _TRUTH
        case Binary(operator, left, right):
            return _arithmetic(operator, interval(left, bits, known), interval(right, bits, known))
        case Conditional(_, then, otherwise):
            first, second = interval(then, bits, known), interval(otherwise, bits, known)
            return Interval(min(first.low, second.low), max(first.high, second.high))
    return None


def _arithmetic(operator: str, left: Interval, right: Interval) -> Interval | None:
    match operator:
        case "+":
            return Interval(left.low + right.low, left.high + right.high)
        case "-":
            return Interval(left.low - right.high, left.high - right.low)
        case "%" if right.low > 0:
            most = right.high - 1
            return Interval(0 if left.low >= 0 else -most, min(most, left.high) if left.low >= 0 else most)
        case "/" if left.low >= 0 and right.low > 0:
            return Interval(0, left.high)
        case "&" if right.low >= 0:
            return Interval(0, right.high)
        case "&" if left.low >= 0:
            return Interval(0, left.high)
        case "*" if left.low >= 0 and right.low >= 0:
            return Interval(left.low * right.low, left.high * right.high)
    return None
