"""Expressions: integers as values of the evaluation width, conditions as single bits.

The order of evaluation is the interpreter's wherever something can fail; what cannot fail has no order, so `and`, `or`
and conditionals over it need no branches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from llvmlite import ir

from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.side_effects import can_fail, runs_block
from ouroboros.native.types import I1, I32, I64, Block, IntType, Value, constant
from ouroboros.native.words import StateWords
from ouroboros.system.blocks import Block as Statements
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
    LocalArray,
    Meets,
    Observed,
    Read,
    Stuck,
    Unary,
    Unlimited,
)
from ouroboros.system.intervals import Interval, Ranges, interval
from ouroboros.system.layout import WORD_BITS, Field, Layout

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


@dataclass
class Temporaries:
    """The stack cells of one action's temporaries; guard and effect have them in common."""

    cells: dict[int, Value] = field(default_factory=dict)
    arrays: dict[LocalArray, Value] = field(default_factory=dict)
    asserted: Value | None = None
    """The cell that says whether an assertion was false, if there is one."""


@dataclass(frozen=True)
class Location:
    """Where a scalar or an element of an array lies: a shift inside a word, both perhaps known only at run time."""

    word: int
    words: int
    """How many words, from `word` on, the element may lie in; with one, `index` is None."""
    index: Value | None
    shift: int | Value


class ExpressionEmitter:
    """Emits the code that evaluates expressions over some words, and leaves by an exit where that fails."""

    def __init__(
        self,
        function: FunctionBuilder,
        layout: Layout,
        bits: Literal[32, 64],
        words: StateWords,
        failure: FailureExit,
        ranges: Ranges | None = None,
        temporaries: Temporaries | None = None,
    ) -> None:
        self.function = function
        self.layout = layout
        self.width = bits
        self.kind = I32 if bits == 32 else I64
        self.words = words
        self.failure = failure
        self.depth: Value = constant(I64, 0)
        """How many calls of procedures are around this code."""
        self.temporaries = temporaries or Temporaries()
        self.run: Callable[[Statements], None]
        """Emits a block; set by who emits blocks over the same words."""
        self.call: Callable[[Call], Value]
        self.blocks: Callable[[ExpressionEmitter], object]
        """Has another emitter run blocks, as this one does."""
        self.zone: Callable[[Meets | Stuck | Unlimited], Value]
        """Emits a question about a zone."""
        self.observed: Value
        """What a foreign valuation has said of the state."""
        self._ranges = ranges or {}
        # Code that must run before all that this emitter emits is inserted here.
        self._start = function.at.block
        self._start_index = len(self._start.instructions)

    def interval(self, expression: Expression) -> Interval:
        return interval(expression, self.width, self._ranges)

    def value(self, expression: Expression) -> Value:
        at = self.function.at
        match expression:
            case Constant(value):
                return constant(self.kind, value)
            case Read(item, index, site):
                return self._field_value(item, self.read(self.element(item, index, site)), self.kind)
            case Local(slot):
                known = self.words.known.get(expression)
                return at.load(self.local(slot), typ=self.kind) if known is None else known
            case Element(array, index, site):
                return at.load(self.array_element(array, index, site), typ=self.kind)
            case Check(operand, low, high, site):
                return self._check(operand, Interval(low, high), site)
            case Evaluate(block, result):
                self.run(block)
                return self.value(result)
            case Call():
                return self.call(expression)
            case Unary("-", operand):
                return at.neg(self.value(operand))
            case Unary("~", operand):
                return at.not_(self.value(operand))
            case Conditional(condition, then, otherwise):
                return self._choose(self.condition(condition), then, otherwise)
            case Binary("/" | "%", left, right, site):
                return self._divide(expression.operator, self.value(left), right, site)
            case Binary(operator, left, right) if operator not in COMPARISONS and operator not in {"and", "or"}:
                return self._arithmetic(operator, self.value(left), self.value(right))
            case _:
                return at.zext(self.condition(expression), self.kind)

    def condition(self, expression: Expression) -> Value:
        """Whether the expression is not zero."""
        at = self.function.at
        match expression:
            case Constant(value):
                return constant(I1, constant(self.kind, value).constant != 0)
            case Unary("not", operand):
                return at.not_(self.condition(operand))
            case Binary("and", left, right):
                if can_fail(right):
                    return self._short_circuit(self.condition(left), right, decided_by=False)
                return at.and_(self.condition(left), self.condition(right))
            case Binary("or", left, right):
                if can_fail(right):
                    return self._short_circuit(self.condition(left), right, decided_by=True)
                return at.or_(self.condition(left), self.condition(right))
            case Meets() | Stuck() | Unlimited():
                return self.zone(expression)
            case Observed(number):
                # The sign says that nothing is known.
                self.failure.leave_unless(at.icmp_signed(">=", self.observed, constant(I64, 0)), NO_SITE)
                return self.function.at.trunc(self.function.at.lshr(self.observed, constant(I64, number)), I1)
            case Binary(operator, Read(item, None), Constant(value)) if self._comparable_in_place(operator, item):
                return self._compare_in_place(operator, item, value)
            case Binary(operator, left, right) if operator in COMPARISONS:
                return at.icmp_signed(operator, self.value(left), self.value(right))
            case _:
                return at.icmp_signed("!=", self.value(expression), constant(self.kind, 0))

    def low_bits(self, expression: Expression, bits: int) -> Value:
        """A word whose lowest `bits` are those of the expression's value; its other bits may be anything.

        That saves the masks and conversions between a sum and the fields that it is made of and stored in.
        """
        if bits > self.width:
            return self.function.at.sext(self.value(expression), I64)
        match expression:
            case Constant(value):
                return constant(I64, value)
            case Read(item, index, site) if item.bits <= self.width:
                place = self.read(self.element(item, index, site))
                return self._shifted_down(*place) if bits <= item.bits else self._field_value(item, place, I64)
            case Binary("+" | "-" | "*" | "&" | "|" | "^", left, right):
                left_bits = self.low_bits(left, bits)
                return self._arithmetic(expression.operator, left_bits, self.low_bits(right, bits))
            case _:
                return self.function.at.zext(self.value(expression), I64)

    def element(self, item: Field, index: Expression | None, site: int) -> Location:
        """Evaluate and check an index."""
        word, shift, width = self.layout.placements[item]
        size = width * item.elements
        if index is None:
            return Location(word, 1, None, shift)
        if isinstance(index, Constant):
            position = constant(self.kind, index.value).constant
            if not 0 <= position < item.elements:
                self.failure.leave(site)
                position = 0
            offset = shift + position * width
            return Location(word + offset // WORD_BITS, 1, None, offset % WORD_BITS)
        at = self.function.at
        value = at.zext(self._index(index, item.elements, site), I64)
        if shift + size <= WORD_BITS:
            return Location(word, 1, None, at.add(at.mul(value, constant(I64, width)), constant(I64, shift)))
        words = -(-size // WORD_BITS)
        if width == WORD_BITS:
            return Location(word, words, value, 0)
        per_word = WORD_BITS // width
        position = at.and_(value, constant(I64, per_word - 1))
        index_of_word = at.lshr(value, constant(I64, per_word.bit_length() - 1))
        return Location(word, words, index_of_word, at.mul(position, constant(I64, width)))

    def read(self, element: Location) -> tuple[Value, int | Value]:
        """The word that holds an element, and the element's shift in it."""
        if element.index is None:
            return self.words.load(element.word), element.shift
        return self.words.load_at(element.word, element.words, element.index), element.shift

    def local(self, slot: int) -> Value:
        """The cell of a temporary; the interpreter starts each action with zeros, and so do we."""
        cells = self.temporaries.cells
        if slot not in cells:
            cells[slot] = self.function.variable(self.kind, constant(self.kind, 0))
        return cells[slot]

    def array_element(self, array: LocalArray, index: Expression, site: int) -> Value:
        """The address of an element of a local array."""
        arrays = self.temporaries.arrays
        if array not in arrays:
            arrays[array] = cells = self.function.array(self.kind, array.length)
            start = ir.IRBuilder(self._start)
            if self._start_index < len(self._start.instructions):
                start.position_before(self._start.instructions[self._start_index])
            start.store(ir.Constant(ir.ArrayType(self.kind, array.length), None), cells)
            self.function.enter(self.function.at.block)
        position = self.function.at.zext(self._index(index, array.length, site), I64)
        return self.function.at.gep(arrays[array], [constant(I64, 0), position], inbounds=True)

    def _index(self, index: Expression, length: int, site: int) -> Value:
        value = self.value(index)
        if not self.interval(index).within(Interval(0, length - 1)):
            in_range = self.function.at.icmp_unsigned("<", value, constant(self.kind, length))
            self.failure.leave_unless(in_range, site)
        return value

    def _check(self, operand: Expression, allowed: Interval, site: int) -> Value:
        value = self.value(operand)
        possible = self.interval(operand)
        if possible.within(allowed):
            return value
        at = self.function.at
        if allowed.high >= possible.high:
            holds = at.icmp_signed(">=", value, constant(self.kind, allowed.low))
        elif allowed.low <= possible.low:
            holds = at.icmp_signed("<=", value, constant(self.kind, allowed.high))
        else:
            above = at.icmp_signed(">=", value, constant(self.kind, allowed.low))
            holds = at.and_(above, at.icmp_signed("<=", value, constant(self.kind, allowed.high)))
        self.failure.leave_unless(holds, site)
        return value

    def _field_value(self, item: Field, place: tuple[Value, int | Value], kind: IntType) -> Value:
        """Cut a field's bits out of a word, as a value of an integer type."""
        at = self.function.at
        word, shift = place
        if isinstance(shift, int) and item.signed and item.bits < WORD_BITS:
            high = at.shl(word, constant(I64, WORD_BITS - shift - item.bits))
            return at.trunc(at.ashr(high, constant(I64, WORD_BITS - item.bits)), kind)
        value = at.trunc(self._shifted_down(word, shift), kind)
        unused = kind.width - item.bits
        if unused <= 0 or (isinstance(shift, int) and shift + item.bits == WORD_BITS):
            return value
        if item.signed:
            return at.ashr(at.shl(value, constant(kind, unused)), constant(kind, unused))
        return at.and_(value, constant(kind, (1 << item.bits) - 1))

    def _shifted_down(self, word: Value, shift: int | Value) -> Value:
        if not isinstance(shift, int):
            return self.function.at.lshr(word, shift)
        return self.function.at.lshr(word, constant(I64, shift)) if shift > 0 else word

    def _comparable_in_place(self, operator: str, item: Field) -> bool:
        """Whether comparing a field's bits, as an unsigned number, is comparing its values."""
        if operator in {"==", "!="}:
            return item.bits <= self.width
        return operator in COMPARISONS and not item.signed and item.bits < self.width

    def _compare_in_place(self, operator: str, item: Field, value: int) -> Value:
        """Compare a scalar with a constant without shifting its bits down."""
        at = self.function.at
        word, shift, _ = self.layout.placements[item]
        mask = (1 << item.bits) - 1
        limit = constant(self.kind, value).constant
        if constant(self.kind, item.wrap(limit)).constant != limit:
            # The field is never equal to it, and always on the same side of it.
            return constant(I1, operator in ({"<", "<=", "!="} if limit > 0 else {">", ">=", "!="}))
        bits = at.and_(self.words.load(word), constant(I64, mask << shift))
        return at.icmp_unsigned(operator, bits, constant(I64, (limit & mask) << shift))

    def _arithmetic(self, operator: str, left: Value, right: Value) -> Value:
        at = self.function.at
        if operator in {"<<", ">>"}:
            right = at.and_(right, constant(self.kind, self.width - 1))
        emit: dict[str, Callable[[Value, Value], Value]] = {
            "+": at.add,
            "-": at.sub,
            "*": at.mul,
            "&": at.and_,
            "|": at.or_,
            "^": at.xor,
            "<<": at.shl,
            ">>": at.ashr,
        }
        return emit[operator](left, right)

    def _divide(self, operator: str, dividend: Value, divisor_expression: Expression, site: int) -> Value:
        at = self.function.at
        divide = at.sdiv if operator == "/" else at.srem
        zero, one, minus_one = (constant(self.kind, value) for value in (0, 1, -1))
        divisor = self.value(divisor_expression)
        if isinstance(divisor_expression, Constant) and divisor.constant not in {0, -1}:
            return divide(dividend, divisor)
        self.failure.leave_unless(at.icmp_signed("!=", divisor, zero), site)
        # The processor traps when the smallest integer is divided by -1: divide by one instead, and negate.
        negates = at.icmp_signed("==", divisor, minus_one)
        result = divide(dividend, at.select(negates, one, divisor))
        return at.select(negates, at.neg(dividend), result) if operator == "/" else result

    def _short_circuit(self, left: Value, right: Expression, decided_by: bool) -> Value:
        """`and` (decided by a false left side) or `or` (by a true one), where evaluating the right side may fail."""
        runs = runs_block(right)
        self._before_branch(runs)
        evaluate, join = self.function.block(), self.function.block()
        if decided_by:
            self.function.at.cbranch(left, join, evaluate)
        else:
            self.function.at.cbranch(left, evaluate, join)
        decided = self.function.at.block
        right_value, evaluated = self._on_branch(evaluate, join, lambda: self.condition(right), runs)
        self._join(join, runs)
        result = self.function.at.phi(I1)
        result.add_incoming(constant(I1, decided_by), decided)
        result.add_incoming(right_value, evaluated)
        return result

    def _choose(self, condition: Value, then: Expression, otherwise: Expression) -> Value:
        if not can_fail(then) and not can_fail(otherwise):
            return self.function.at.select(condition, self.value(then), self.value(otherwise))
        runs = runs_block(then) or runs_block(otherwise)
        self._before_branch(runs)
        then_block, otherwise_block, join = (self.function.block() for _ in range(3))
        self.function.at.cbranch(condition, then_block, otherwise_block)
        then_value, then_end = self._on_branch(then_block, join, lambda: self.value(then), runs)
        otherwise_value, otherwise_end = self._on_branch(otherwise_block, join, lambda: self.value(otherwise), runs)
        self._join(join, runs)
        result = self.function.at.phi(self.kind)
        result.add_incoming(then_value, then_end)
        result.add_incoming(otherwise_value, otherwise_end)
        return result

    def _before_branch(self, runs_block: bool) -> None:
        if runs_block:
            self.words.fork()
        else:
            self.words.before_branch()

    def _join(self, block: Block, ran_block: bool) -> None:
        self.function.enter(block)
        if ran_block:
            self.words.forget()

    def _on_branch(self, block: Block, join: Block, emit: Callable[[], Value], runs_block: bool) -> tuple[Value, Block]:
        """Emit code that runs on one of two paths: what it loads is not known where they join."""
        known = dict(self.words.known)
        self.function.enter(block)
        value = emit()
        if runs_block:
            self.words.settle()
        end = self.function.at.block
        self.function.at.branch(join)
        self.words.known = known
        return value, end
