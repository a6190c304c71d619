"""Running code on sets of values: what a step may do, given what each slot may hold before it.

The code is simplified on the way: what has one value becomes that value, branches that are never taken and checks that
never fail disappear. In every state that is as assumed, the simplified code does what the code does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from ouroboros.reduce.code import runs_code
from ouroboros.reduce.footprints import Footprint, Footprints
from ouroboros.reduce.symbolic import Effort
from ouroboros.system.arithmetic import Arithmetic
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    If,
    Print,
    Require,
    SetLocal,
    Statement,
    fields_written,
)
from ouroboros.system.expressions import (
    NO_SITE,
    Binary,
    Call,
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
from ouroboros.system.intervals import interval
from ouroboros.system.layout import Field

Values: TypeAlias = "frozenset[int] | None"
"""What a slot may hold, or an expression may be; None: anything that fits."""

_MOST_VALUES = 24
_MOST_PAIRS = 600
_ZERO = frozenset({0})
_ONE = frozenset({1})
_TRUTHS = frozenset({0, 1})
_NOTHING: frozenset[int] = frozenset()


def union(one: Values, other: Values) -> Values:
    if one is None or other is None:
        return None
    both = one | other
    return both if len(both) <= _MOST_VALUES else None


class Abstract:
    """One step at work. `before` tells what slots may hold when it begins; assignments to `keep` all stay."""

    def __init__(
        self, footprints: Footprints, before: Callable[[int], Values], keep: Field | None, effort: Effort
    ) -> None:
        self._footprints = footprints
        self._slots = footprints.slots
        self._arithmetic = Arithmetic(footprints.bits)
        self._before = before
        self._keep = keep
        self._effort = effort
        self.now: dict[int, Values] = {}
        """What was written."""
        self._narrowed: dict[int, Values] = {}
        """What conditions that hold tell of slots."""
        self._temporaries: dict[int, Values] = {}
        self._blind = False
        self.footprint = Footprint()
        self.risks = 0
        """Places where it may fail."""

    def value(self, slot: int) -> Values:
        if slot in self._narrowed:
            return self._narrowed[slot]
        return self.now[slot] if slot in self.now else self._before(slot)

    # ── Statements ────────────────────────────────────────────────────────────────────────────────────────────────────

    def run(self, block: Block) -> Block | None:
        """The simplified code; None where it certainly fails."""
        result: list[Statement] = []
        for statement in block:
            simpler = self._statement(statement)
            if simpler is None:
                return None
            result += simpler
        return tuple(result)

    def _statement(self, statement: Statement) -> Iterable[Statement] | None:
        if runs_code(statement):
            return self._unknown(statement)
        match statement:
            case Assign():
                return self._assign(statement)
            case SetLocal(slot, value):
                values, simpler = self.fold(value)
                self._temporaries[slot] = values
                return (SetLocal(slot, simpler),)
            case If(condition, then, otherwise):
                return self._branch(condition, then, otherwise)
            case Require(condition, site):
                risks = self.risks
                values, simpler = self.fold(condition)
                if values is not None and 0 not in values and self.risks == risks:
                    return ()
                self.risks += 1
                if values is not None and values <= _ZERO:
                    return None
                self.assume(simpler, True)
                return (Require(simpler, site),)
            case Assert(condition, site):
                risks = self.risks
                values, simpler = self.fold(condition)
                if values is not None and 0 not in values and self.risks == risks:
                    return ()
                self.risks += 1
                return (Assert(simpler, site),)
            case Print():
                return (statement,)
        return self._unknown(statement)

    def _assign(self, statement: Assign) -> Iterable[Statement] | None:
        field, at, value, site = statement
        simpler_at = at
        certain = True
        if at is None:
            where = [self._slots.first[field]]
        else:
            where, simpler_at, certain = self._elements(field, at)
        risks = self.risks
        values, simpler = self.fold(value)
        if not where:
            return None
        values = None if values is None else frozenset(map(field.wrap, values))
        if len(where) == 1 and certain:
            (slot,) = where
            same = values is not None and len(values) == 1 and self.value(slot) == values
            if same and self.risks == risks and field is not self._keep:
                return ()
            self._narrowed.pop(slot, None)
            self.now[slot] = values
        else:
            for slot in where:
                self.now[slot] = union(self.value(slot), values)
                self._narrowed.pop(slot, None)
        self.footprint |= Footprint(0, _bits(where))
        return (Assign(field, simpler_at, simpler, site),)

    def _branch(self, condition: Expression, then: Block, otherwise: Block) -> Iterable[Statement] | None:
        risks = self.risks
        values, simpler = self.fold(condition)
        if values is not None and self.risks == risks and (values <= _ZERO or 0 not in values):
            return self.run(otherwise if values <= _ZERO else then)
        before = self._saved()
        self.assume(simpler, True)
        first = self.run(then)
        middle = self._saved()
        self._restore(before)
        self.assume(simpler, False)
        second = self.run(otherwise)
        if first is None or second is None:
            if first is not None:
                self._restore(middle)
            elif second is None:
                return None
        else:
            self._join(middle)
        return (If(simpler, then if first is None else first, otherwise if second is None else second),)

    def _saved(self) -> tuple[dict[int, Values], dict[int, Values], dict[int, Values], bool]:
        return self.now.copy(), self._temporaries.copy(), self._narrowed.copy(), self._blind

    def _restore(self, saved: tuple[dict[int, Values], dict[int, Values], dict[int, Values], bool]) -> None:
        self.now, self._temporaries, self._narrowed, self._blind = saved

    def _join(self, other: tuple[dict[int, Values], dict[int, Values], dict[int, Values], bool]) -> None:
        now, temporaries, _, blind = other
        self._narrowed = {}
        for slot in {*now, *self.now}:
            one = now[slot] if slot in now else self._before(slot)
            two = self.now[slot] if slot in self.now else self._before(slot)
            self.now[slot] = union(one, two)
        for slot in {*temporaries, *self._temporaries}:
            one = temporaries.get(slot, None if blind else _ZERO)
            two = self._temporaries.get(slot, None if self._blind else _ZERO)
            self._temporaries[slot] = union(one, two)
        self._blind = self._blind or blind

    def _unknown(self, statement: Statement) -> Iterable[Statement]:
        """What is not followed: afterwards nothing is known of what it may have written."""
        self.risks += 1
        self.footprint |= self._footprints.of_block((statement,))
        for field in fields_written((statement,)):
            for slot in range(self._slots.first[field], self._slots.first[field] + field.elements):
                self.now[slot] = None
                self._narrowed.pop(slot, None)
        self._temporaries.clear()
        self._blind = True
        return (statement,)

    # ── Conditions ────────────────────────────────────────────────────────────────────────────────────────────────────

    def assume(self, condition: Expression, truth: bool) -> bool:
        """Go on with what is so where a condition holds, or does not; False where that cannot be."""
        match condition:
            case Binary("and", left, right) if truth:
                return self.assume(left, True) and self.assume(right, True)
            case Binary("or", left, right) if not truth:
                return self.assume(left, False) and self.assume(right, False)
            case Unary("not", operand):
                return self.assume(operand, not truth)
        slot = self._only_slot(condition)
        values = self.value(slot) if slot is not None else None
        if slot is None or values is None:
            return True
        footprint, risks = self.footprint, self.risks
        kept = frozenset(value for value in values if self._may_be(condition, truth, slot, value))
        self.footprint, self.risks = footprint, risks
        self._narrowed[slot] = kept
        return bool(kept)

    def _may_be(self, condition: Expression, truth: bool, slot: int, value: int) -> bool:
        self._narrowed[slot] = frozenset({value})
        risks = self.risks
        values, _ = self.fold(condition)
        return values is None or self.risks > risks or any((each != 0) == truth for each in values)

    def _only_slot(self, condition: Expression) -> int | None:
        """The one slot that a condition reads, if it reads nothing else."""
        found: set[int] = set()
        waiting: list[Any] = [condition]
        while waiting:
            match waiting.pop():
                case Read(field, None):
                    found.add(self._slots.first[field])
                case Read(field, Constant(at)) if 0 <= at < field.elements:
                    found.add(self._slots.first[field] + at)
                case Read() | Local() | Element() | Evaluate() | Call():
                    return None
                case Constant():
                    pass
                case tuple(parts):
                    waiting += parts
            if len(found) > 1:
                return None
        return found.pop() if found else None

    # ── Expressions ───────────────────────────────────────────────────────────────────────────────────────────────────

    def fold(self, expression: Expression) -> tuple[Values, Expression]:
        """The values that an expression may have, and a simpler expression."""
        self._effort.spend(1)
        risks = self.risks
        reads = self.footprint
        values, simpler = self._fold(expression)
        if self.risks == risks:
            if values is None and isinstance(expression, Binary):
                within = interval(simpler, self._footprints.bits, self._footprints.ranges)
                if within.low == within.high:
                    values = frozenset({within.low})
            if values is not None and len(values) == 1:
                # What is always the same need not be read.
                self.footprint = reads
                (value,) = values
                return values, Constant(value)
        return values, simpler

    def _fold(self, expression: Expression) -> tuple[Values, Expression]:
        match expression:
            case Constant(value):
                return frozenset({self._arithmetic.wrap(value)}), expression
            case Local(slot):
                return self._temporaries.get(slot, None if self._blind else _ZERO), expression
            case Read(field, None):
                slot = self._slots.first[field]
                self.footprint |= Footprint(1 << slot)
                return self.value(slot), expression
            case Read(field, at, site) if at is not None:
                where, simpler, _ = self._elements(field, at)
                self.footprint |= Footprint(_bits(where))
                values: Values = _NOTHING
                for slot in where:
                    values = union(values, self.value(slot))
                return values, Read(field, simpler, site)
            case Check(operand, low, high, site):
                return self._check(operand, low, high, site)
            case Unary(operator, operand):
                values, simpler = self.fold(operand)
                if values is None:
                    return (_TRUTHS if operator == "not" else None), Unary(operator, simpler)
                return frozenset(self._arithmetic.unary(operator, each) for each in values), Unary(operator, simpler)
            case Binary("and" | "or"):
                return self._joined(expression)
            case Binary(operator, left, right, site):
                one, first = self.fold(left)
                other, second = self.fold(right)
                return self._operation(operator, one, other), Binary(operator, first, second, site)
            case Conditional(condition, then, otherwise):
                return self._conditional(condition, then, otherwise)
        self.risks += 1
        self.footprint |= self._footprints.of_expression(expression)
        self._temporaries.clear()
        self._blind = True
        return None, expression

    def _elements(self, field: Field, at: Expression) -> tuple[list[int], Expression, bool]:
        """The slots that an index may name, the simpler index, and whether it is surely in range."""
        values, simpler = self.fold(at)
        first = self._slots.first[field]
        if values is None:
            within = interval(simpler, self._footprints.bits, self._footprints.ranges)
            certain = within.low >= 0 and within.high < field.elements
            inside: Iterable[int] = range(max(0, within.low), min(field.elements - 1, within.high) + 1)
        else:
            inside = sorted(each for each in values if 0 <= each < field.elements)
            certain = len(values) == len(list(inside))
        if not certain:
            self.risks += 1
        return [first + each for each in inside], simpler, certain

    def _check(self, operand: Expression, low: int, high: int, site: int) -> tuple[Values, Expression]:
        values, simpler = self.fold(operand)
        if values is None:
            within = interval(simpler, self._footprints.bits, self._footprints.ranges)
            if low <= within.low and within.high <= high:
                return None, simpler
            self.risks += 1
            return None, Check(simpler, low, high, site)
        inside = frozenset(each for each in values if low <= each <= high)
        if inside == values:
            return values, simpler
        self.risks += 1
        return inside, Check(simpler, low, high, site)

    def _joined(self, expression: Binary) -> tuple[Values, Expression]:
        is_or = expression.operator == "or"
        values, left = self.fold(expression.left)
        first = _truths(values)
        if isinstance(left, Constant):
            if bool(left.value) == is_or:
                return (_ONE if is_or else _ZERO), Constant(int(is_or))
            values, right = self.fold(expression.right)
            return _truths(values), Binary(expression.operator, left, right, expression.site)
        narrowed = self._narrowed.copy()
        self.assume(left, not is_or)
        values, right = self.fold(expression.right)
        self._narrowed = narrowed
        second = _truths(values)
        decided = int(is_or)
        result = first & {decided} | (second if 1 - decided in first else _NOTHING)
        return result, Binary(expression.operator, left, right, expression.site)

    def _conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> tuple[Values, Expression]:
        risks = self.risks
        values, simpler = self.fold(condition)
        if values is not None and self.risks == risks and (values <= _ZERO or 0 not in values):
            return self.fold(otherwise if values <= _ZERO else then)
        narrowed = self._narrowed.copy()
        self.assume(simpler, True)
        one, first = self.fold(then)
        self._narrowed = narrowed.copy()
        self.assume(simpler, False)
        other, second = self.fold(otherwise)
        self._narrowed = narrowed
        return union(one, other), Conditional(simpler, first, second)

    def _operation(self, operator: str, one: Values, other: Values) -> Values:
        if operator in "/%" and (other is None or 0 in other):
            self.risks += 1
        if one is None or other is None:
            return _TRUTHS if operator in ("==", "!=", "<", "<=", ">", ">=") else None
        if len(one) * len(other) > _MOST_PAIRS:
            return None
        if operator in "/%":
            other = other - _ZERO
        result = frozenset(self._arithmetic.binary(operator, left, right, NO_SITE) for left in one for right in other)
        return result if len(result) <= 4 * _MOST_VALUES else None


def _truths(values: Values) -> frozenset[int]:
    return _TRUTHS if values is None else frozenset(int(each != 0) for each in values)


def _bits(slots: Iterable[int]) -> int:
    result = 0
    for slot in slots:
        result |= 1 << slot
    return result
