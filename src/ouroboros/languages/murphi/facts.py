"""What is known where an expression is evaluated: intervals of values, by the shape of the expressions that have them.

Expressions are compared by *shapes*, which leave out where they fail, so that the same text read twice has one shape.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import NamedTuple, TypeAlias

from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.places import MultisetNode
from ouroboros.system.building import Storage
from ouroboros.system.expressions import (
    Binary,
    Check,
    Conditional,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    Read,
    Unary,
)
from ouroboros.system.intervals import Interval, Ranges, interval

_once = count()


class Shape(NamedTuple):
    structure: Hashable
    mentions: frozenset[Storage]
    """What its value depends on."""


Locals: TypeAlias = Mapping[int, tuple[Shape, int]]
"""What was assigned to temporaries: a shape, and a constant that is added to it."""


def shape(expression: Expression, locals: Locals | None = None) -> Shape:
    match expression:
        case Constant(value):
            return Shape(value, frozenset())
        case Local(slot):
            if locals and slot in locals:
                known, offset = locals[slot]
                return _combined("+", [known, Shape(offset, frozenset())]) if offset else known
            return Shape(("local", slot), frozenset({slot}))
        case Read(item, None):
            return Shape(("read", item), frozenset({item}))
        case Read(item, at) if at is not None:
            return _combined("read", [shape(at, locals)], item)
        case Element(array, at):
            return _combined("element", [shape(at, locals)], array)
        case Check(operand):
            return shape(operand, locals)
        case Unary(operator, operand):
            return _combined(operator, [shape(operand, locals)])
        case Binary(operator, left, right):
            return _combined(operator, [shape(left, locals), shape(right, locals)])
        case Conditional(condition, then, otherwise):
            return _combined("?", [shape(part, locals) for part in (condition, then, otherwise)])
    # What runs code is like nothing else.
    return Shape(("once", next(_once)), frozenset())


def _combined(what: str, parts: list[Shape], storage: Storage | None = None) -> Shape:
    mentions = frozenset[Storage]().union(*(part.mentions for part in parts))
    own = frozenset[Storage]() if storage is None else frozenset({storage})
    return Shape((what, storage, *(part.structure for part in parts)), mentions | own)


def with_offset(expression: Expression) -> tuple[Expression, int]:
    """An expression without the constant that is added to it, and that constant."""
    match expression:
        case Binary("+", inner, Constant(value)):
            base, offset = with_offset(inner)
            return base, offset + value
        case Check(operand):
            return with_offset(operand)
        case Evaluate((), result):
            return with_offset(result)
    return expression, 0


class Bound(NamedTuple):
    """That the value of a shape lies in an interval."""

    shape: Shape
    interval: Interval


@dataclass(frozen=True, eq=False)
class Facts:
    known: Mapping[Hashable, Bound] = field(default_factory=dict)
    locals: Locals = field(default_factory=dict)
    removed: frozenset[MultisetNode] = frozenset()
    """Multisets from which an element was removed."""
    shuffled: frozenset[MultisetNode] = frozenset()
    """Multisets in which the order of alike values decides what is in a slot: one of alike values to which an element
    was added after one was removed, and one of others to which several rounds of a loop over alike values added."""

    def shuffle(self, multisets: Iterable[MultisetNode]) -> Facts:
        """Elements were removed from multisets and added to them."""
        nodes = frozenset(multisets)
        return replace(self, removed=self.removed | nodes, shuffled=self.shuffled | nodes)

    def bound(self, expression: Expression, low: int, high: int) -> Bound:
        """What it says of an expression's base that the expression lies in an interval."""
        found, offset = self._normal(expression)
        return Bound(found, Interval(low - offset, high - offset))

    def _normal(self, expression: Expression) -> tuple[Shape, int]:
        """The shape of an expression without the constant that is added to it, and that constant."""
        base, offset = with_offset(expression)
        if isinstance(base, Local) and base.slot in self.locals:
            known, more = self.locals[base.slot]
            return known, offset + more
        return shape(base, self.locals), offset

    def implies(self, expression: Expression, low: int, high: int, ranges: Ranges) -> bool:
        """Whether the value of an expression is known to be in an interval."""
        wanted = self.bound(expression, low, high)
        base, _ = with_offset(expression)
        found = interval(base, BITS, ranges)
        known = self.known.get(wanted.shape.structure)
        if known:
            found = Interval(max(found.low, known.interval.low), min(found.high, known.interval.high))
        return found.within(wanted.interval)

    def learn(self, bounds: Iterable[Bound]) -> Facts:
        known = dict(self.known)
        for bound in bounds:
            before = known.get(bound.shape.structure)
            low, high = bound.interval
            if before:
                low, high = max(low, before.interval.low), min(high, before.interval.high)
            known[bound.shape.structure] = Bound(bound.shape, Interval(low, high))
        return replace(self, known=known)

    def forget(self, changed: Iterable[Storage]) -> Facts:
        """What is still known after assignments."""
        gone = frozenset(changed)
        if not gone:
            return self
        known = {key: bound for key, bound in self.known.items() if not bound.shape.mentions & gone}
        kept = {slot: item for slot, item in self.locals.items() if slot not in gone and not item[0].mentions & gone}
        return replace(self, known=known, locals=kept)

    def assign(self, slot: int, value: Expression) -> Facts:
        given, offset = self._normal(value)
        after = self.forget((slot,))
        if slot in given.mentions:
            return after
        return replace(after, locals={**after.locals, slot: (given, offset)})


def either(left: Facts | None, right: Facts | None) -> Facts | None:
    """What is known where two ways meet; None is a way that nobody comes."""
    if left is None or right is None:
        return left or right
    known = {
        key: Bound(bound.shape, _hull(bound.interval, right.known[key].interval))
        for key, bound in left.known.items()
        if key in right.known
    }
    kept = {
        slot: item
        for slot, item in left.locals.items()
        if slot in right.locals
        and (right.locals[slot][0].structure, right.locals[slot][1]) == (item[0].structure, item[1])
    }
    return Facts(known, kept, left.removed | right.removed, left.shuffled | right.shuffled)


def _hull(left: Interval, right: Interval) -> Interval:
    return Interval(min(left.low, right.low), max(left.high, right.high))
