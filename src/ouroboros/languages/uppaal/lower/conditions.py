"""Conditions over clocks and numbers: guards, invariants and what queries ask of a state."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import binary, minus, negated
from ouroboros.languages.uppaal.lower.scope import ProcessName
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.storage import Clocks, Place
from ouroboros.languages.uppaal.lower.types import ClockType, innermost
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.expressions import Constant, Difference, Expression

ZERO = Constant(0)
_ORDER = frozenset({"<", "<=", ">", ">=", "=="})
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


@dataclass(frozen=True, eq=False)
class Discrete:
    """A condition without clocks."""

    expression: Expression


@dataclass(frozen=True, eq=False)
class Timed:
    difference: Difference
    span: Span


@dataclass(frozen=True, eq=False)
class Stuck:
    """Whether nothing can happen any more, however long one waits."""

    negated: bool
    span: Span


@dataclass(frozen=True, eq=False)
class Both:
    parts: tuple[Condition, ...]


@dataclass(frozen=True, eq=False)
class Either:
    parts: tuple[Condition, ...]


Condition: TypeAlias = Discrete | Timed | Stuck | Both | Either


class ConditionLowering:
    def __init__(self, lowering: Lowering) -> None:
        self.lowering = lowering

    def lower(self, tree: ast.Expression, negative: bool = False) -> Condition:
        """The condition, or its opposite."""
        if not self._has_clocks(tree):
            expression = self.lowering.truth(tree)
            return Discrete(negated(expression) if negative else expression)
        match tree:
            case ast.Unary(_, "!", operand):
                return self.lower(operand, not negative)
            case ast.Binary(_, "&&" | "||" as operator, left, right):
                parts = (self.lower(left, negative), self.lower(right, negative))
                return Both(parts) if (operator == "&&") != negative else Either(parts)
            case ast.Binary(_, "imply", left, right):
                parts = (self.lower(left, not negative), self.lower(right, negative))
                return Both(parts) if negative else Either(parts)
            case ast.Quantifier(_, "forall" | "exists" as kind, _, _, body):
                each = tuple(ConditionLowering(one).lower(body, negative) for one in self.lowering.quantified(tree))
                return Both(each) if (kind == "forall") != negative else Either(each)
            case ast.Binary(span, operator, left, right) if operator in _ORDER or operator == "!=":
                return self._compared(operator, left, right, span, negative)
            case ast.Deadlock(span):
                return Stuck(negative, span)
            case ast.Name() | ast.Index() | ast.Member():
                raise InputError("a clock is no truth value: compare it with a number", tree.span)
        raise InputError("clocks can only be compared here, and comparisons combined by and, or, not", tree.span)

    def clock(self, tree: ast.Expression) -> Expression | None:
        """The number of a clock, where the expression is one."""
        if not isinstance(tree, ast.Name | ast.Index | ast.Member):
            return None
        if isinstance(tree, ast.Name) and isinstance(self.lowering.scope.find(tree.name), ProcessName):
            return None
        value = self.lowering.value(tree)
        if not isinstance(value, Place) or not isinstance(value.type, ClockType):
            return None
        return clock_number(self.lowering, value)

    def _has_clocks(self, tree: object) -> bool:
        """Whether a clock is in it, or `deadlock`."""
        match tree:
            case ast.Deadlock() | ast.Rate():
                return True
            case ast.Name(_, name):
                meaning = self.lowering.scope.find(name)
                kind = getattr(meaning, "type", None)
                return kind is not None and isinstance(innermost(kind), ClockType)
            case ast.Member():
                if isinstance(tree.base, ast.Name | ast.Call) and self.lowering.names_process(tree.base):
                    return self._member_is_clock(tree)
                return self._has_clocks(tree.base)
            case ast.Index(_, base):
                return self._has_clocks(base)
            case ast.Quantifier():
                inner = next(self.lowering.quantified(tree))
                return ConditionLowering(inner)._has_clocks(tree.body)
            case ast.Call():
                return any(self._has_clocks(argument) for argument in tree.arguments)
            case ast.Unary(_, _, operand):
                return self._has_clocks(operand)
            case ast.Binary(_, _, left, right):
                return self._has_clocks(left) or self._has_clocks(right)
            case ast.Conditional(_, condition, then, otherwise):
                return any(map(self._has_clocks, (condition, then, otherwise)))
        return False

    def _member_is_clock(self, tree: ast.Member) -> bool:
        value = self.lowering.value(tree)
        return isinstance(value, Place) and isinstance(innermost(value.type), ClockType)

    def _compared(
        self, operator: str, left: ast.Expression, right: ast.Expression, span: Span, negative: bool
    ) -> Condition:
        row, column, bound, operator = self._difference(operator, left, right, span)
        if (operator == "!=") != negative and operator in ("!=", "=="):
            below = Timed(Difference(row, column, bound, True), span)
            above = Timed(Difference(column, row, minus(bound), True), span)
            return Either((below, above))
        if operator in ("!=", "=="):
            return Both(
                (
                    Timed(Difference(row, column, bound, False), span),
                    Timed(Difference(column, row, minus(bound), False), span),
                )
            )
        if negative:
            operator = _OPPOSITE[operator]
        if operator in ("<", "<="):
            return Timed(Difference(row, column, bound, operator == "<"), span)
        return Timed(Difference(column, row, minus(bound), operator == ">"), span)

    def _difference(
        self, operator: str, left: ast.Expression, right: ast.Expression, span: Span
    ) -> tuple[Expression, Expression, Expression, str]:
        """The comparison as that of a difference of clocks with a number."""
        for side in (left, right):
            if isinstance(side, ast.Rate):
                raise InputError("rates of clocks are not supported: stop-watches and hybrid automata", side.span)
        one, other = self._clocks_of(left), self._clocks_of(right)
        if one and other:
            if one[1] is not ZERO or other[1] is not ZERO:
                raise InputError("at most two clocks can be compared", span)
            return one[0], other[0], ZERO, operator
        if one:
            return one[0], one[1], self.lowering.number(right).expression, operator
        if other:
            return other[0], other[1], self.lowering.number(left).expression, _MIRRORED[operator]
        raise InputError("clocks can only be compared with numbers, and with each other", span)

    def _clocks_of(self, tree: ast.Expression) -> tuple[Expression, Expression] | None:
        clock = self.clock(tree)
        if clock is not None:
            return clock, ZERO
        if isinstance(tree, ast.Binary) and tree.operator == "-":
            one, other = self.clock(tree.left), self.clock(tree.right)
            if one is not None and other is not None:
                return one, other
        return None


def clock_number(lowering: Lowering, place: Place) -> Expression:
    storage = place.variable.storage[()]
    assert isinstance(storage, Clocks)
    _, position = lowering.flat(place)
    first = Constant(storage.first)
    return first if position is None else binary("+", position, first)


def conjuncts(condition: Condition, what: str) -> tuple[list[Expression], list[Timed]]:
    """What must hold of numbers, and of clocks; raises InputError where clocks are on one side of an `or`."""
    match condition:
        case Discrete(expression):
            return [expression], []
        case Timed():
            return [], [condition]
        case Both(parts):
            discrete: list[Expression] = []
            timed: list[Timed] = []
            for part in parts:
                one, other = conjuncts(part, what)
                discrete += one
                timed += other
            return discrete, timed
        case Stuck(_, span):
            raise InputError("`deadlock` is for queries", span)
        case Either():
            span = next(_spans(condition))
            raise InputError(f"{what} with clocks on one side of an `or`, or with `!=`, is not supported", span)


_MOST_ALTERNATIVES = 1_000


def alternatives(condition: Condition) -> Iterator[tuple[list[Expression], list[Timed], list[Stuck]]]:
    """The condition as a disjunction of conjunctions; raises InputError where these are too many."""
    if (count := _alternatives(condition)) > _MOST_ALTERNATIVES:
        message = f"this condition about clocks is one of {count:,} cases: at most {_MOST_ALTERNATIVES:,} are supported"
        raise InputError(message, next(_spans(condition)))
    yield from _alternatives_of(condition)


def _alternatives(condition: Condition) -> int:
    match condition:
        case Either(parts):
            timed = [part for part in parts if not isinstance(part, Discrete)]
            return sum(map(_alternatives, timed)) + (len(timed) < len(parts))
        case Both(parts):
            return prod(map(_alternatives, parts))
    return 1


def _alternatives_of(condition: Condition) -> Iterator[tuple[list[Expression], list[Timed], list[Stuck]]]:
    match condition:
        case Discrete(expression):
            yield [expression], [], []
        case Timed():
            yield [], [condition], []
        case Stuck():
            yield [], [], [condition]
        case Either(parts):
            discrete = [part.expression for part in parts if isinstance(part, Discrete)]
            for part in parts:
                if not isinstance(part, Discrete):
                    yield from _alternatives_of(part)
            if discrete:
                together: Expression = Constant(0)
                for expression in discrete:
                    together = binary("or", together, expression)
                yield [together], [], []
        case Both(parts):
            if not parts:
                yield [], [], []
                return
            for first in _alternatives_of(parts[0]):
                for rest in _alternatives_of(Both(parts[1:])):
                    yield first[0] + rest[0], first[1] + rest[1], first[2] + rest[2]


def _spans(condition: Condition) -> Iterator[Span]:
    match condition:
        case Timed(_, span) | Stuck(_, span):
            yield span
        case Both(parts) | Either(parts):
            for part in parts:
                yield from _spans(part)
