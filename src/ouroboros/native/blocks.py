"""Blocks: the statements of an effect, on the words of the successor."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.expressions import ExpressionEmitter, Location
from ouroboros.native.procedures import call_procedure
from ouroboros.native.settling import zone_code
from ouroboros.native.stuck import StuckCode
from ouroboros.native.types import I1, I32, I64, Value, constant
from ouroboros.native.types import Block as BasicBlock
from ouroboros.native.words import StateWords, SuccessorWords
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    Constrain,
    If,
    Leave,
    Print,
    Require,
    Reset,
    Scope,
    SetElement,
    SetLocal,
    Settle,
    Statement,
    While,
)
from ouroboros.system.expressions import Difference, Expression, Local, Meets, Stuck, Unlimited
from ouroboros.system.layout import WORD_BITS, Field


class BlockEmitter:
    """Emits the statements of one action, guard or proposition; `emitter` must evaluate over the same `words`."""

    def __init__(self, emitter: ExpressionEmitter, words: StateWords) -> None:
        self.emitter = emitter
        self.words = words
        self.function = emitter.function
        self._scopes: dict[int, BasicBlock] = {}
        emitter.run = self.emit
        emitter.call = lambda call: call_procedure(emitter, call, BlockEmitter)
        emitter.blocks = lambda other: BlockEmitter(other, other.words)
        emitter.zone = self._asked_of_zone
        self._matrix: Value | None = None
        """Where the bounds of the zone are, from the first statement about them to the last."""

    def asserted(self) -> Value | None:
        """A number that is not zero where an assertion was false; None if there is none."""
        cell = self.emitter.temporaries.asserted
        return None if cell is None else self.function.at.load(cell, typ=I32)

    def emit(self, block: Block) -> None:
        for following, statement in enumerate(block, 1):
            if self._matrix is None and (zone := _zone_in(statement)):
                self._load(zone)
            match statement:
                case Constrain(zone, difference, site):
                    self.emitter.failure.leave_unless(self._constrained(zone, self._matrix, difference), site)
                case Reset(zone, clock, value):
                    at = self.function.at
                    code = zone_code(self.emitter, zone)
                    number = code.lane_value(at, self.emitter.value(value))
                    code.reset(at, self._matrix, at.sext(self.emitter.value(clock), I64), number)
                case Settle(zone):
                    self._settle(statement)
                    if not any(map(_zone_in, block[following:])):
                        self._matrix = None
                case Assign(item, index, value, site):
                    element = self.emitter.element(item, index, site)
                    self._write(item, element, self._field_bits(item, value))
                case SetLocal(slot, value):
                    result = self.emitter.value(value)
                    self.function.at.store(result, self.emitter.local(slot))
                    self.words.known[Local(slot)] = result
                case SetElement(array, index, value, site):
                    address = self.emitter.array_element(array, index, site)
                    self.function.at.store(self.emitter.value(value), address)
                case Scope(label, body):
                    self._scope(label, body)
                case Leave(label):
                    self.words.settle()
                    self.function.at.branch(self._scopes[label])
                    # What follows in the text is never reached.
                    self.function.enter(self.function.block())
                case If(condition, then, otherwise):
                    self._if(condition, then, otherwise)
                case While():
                    self._while(statement)
                case Require(condition, site):
                    self.emitter.failure.leave_unless(self.emitter.condition(condition), site)
                case Assert(condition):
                    self._assert(condition)
                case Print():
                    pass  # nobody listens to a search

    def _load(self, zone: Field) -> None:
        # Nothing has changed the zone yet: it is still what it was in the state.
        code = zone_code(self.emitter, zone)
        self._matrix = code.matrix(self.function)
        code.load(self.function.at, self.words.state, self._matrix)

    def _constrained(self, zone: Field, matrix: Value, difference: Difference) -> Value:
        at = self.function.at
        code = zone_code(self.emitter, zone)
        row, column = (at.sext(self.emitter.value(clock), I64) for clock in (difference.row, difference.column))
        bound = code.encoded(at, self.emitter.value(difference.bound), difference.strict)
        return code.constrain(at, matrix, row, column, bound)

    def _settle(self, end: Settle) -> None:
        code = zone_code(self.emitter, end.zone)
        self.words.fork()
        memory = self.words.memory
        met = code.settle(self.function.at, end, self.emitter, memory, self._matrix)
        self.emitter.failure.leave_unless(met, end.site)
        code.store(self.function.at, self._matrix, memory)
        self.words.forget()

    def _asked_of_zone(self, question: Meets | Stuck | Unlimited) -> Value:
        code = zone_code(self.emitter, question.zone)
        self.words.fork()
        matrix = code.matrix(self.function)
        code.load(self.function.at, self.words.memory, matrix)
        if isinstance(question, Stuck):
            some = constant(I1, 1)
            for difference in question.constraints:
                some = self.function.at.and_(some, self._constrained(question.zone, matrix, difference))
            answer = StuckCode(code, question, self.emitter).ask(self.function.at, self.words.memory, matrix)
            return self.function.at.and_(some, answer)
        if isinstance(question, Unlimited):
            return code.unlimited(self.function.at, matrix)
        result = constant(I1, 1)
        for difference in question.constraints:
            result = self.function.at.and_(result, self._constrained(question.zone, matrix, difference))
        return result

    def _assert(self, condition: Expression) -> None:
        fails = self.emitter.condition(condition)
        temporaries = self.emitter.temporaries
        if temporaries.asserted is None:
            temporaries.asserted = self.function.variable(I32, constant(I32, 0))
        at = self.function.at
        flag = at.zext(at.not_(fails), I32)
        at.store(at.or_(at.load(temporaries.asserted, typ=I32), flag), temporaries.asserted)

    def _field_bits(self, item: Field, expression: Expression) -> Value:
        """A value wrapped to a field's width, in the low bits of a word whose other bits are zero."""
        mask = (1 << item.bits) - 1
        bits = self.emitter.low_bits(expression, item.bits)
        if isinstance(bits, ir.Constant):
            return constant(I64, bits.constant & mask)
        return bits if item.bits == WORD_BITS else self.function.at.and_(bits, constant(I64, mask))

    def _write(self, item: Field, element: Location, bits: Value) -> None:
        if not isinstance(self.words, SuccessorWords):
            raise TypeError("an assignment in a guard or a proposition")
        at = self.function.at
        if item.bits < WORD_BITS:
            mask = constant(I64, (1 << item.bits) - 1)
            old, shift = self.emitter.read(element)
            if isinstance(shift, int):
                hole = constant(I64, ~(mask.constant << shift))
                if isinstance(bits, ir.Constant):
                    bits = constant(I64, bits.constant << shift)
                elif shift > 0:
                    bits = at.shl(bits, constant(I64, shift))
            else:
                hole = at.not_(at.shl(mask, shift))
                bits = at.shl(bits, shift)
            bits = at.or_(at.and_(old, hole), bits)
        if element.index is None:
            self.words.store(element.word, bits)
        else:
            self.words.store_at(element.word, element.words, element.index, bits)

    def _scope(self, label: int, body: Block) -> None:
        self.words.fork()
        end = self._scopes[label] = self.function.block()
        self.emit(body)
        self.words.settle()
        self.function.at.branch(end)
        self.function.enter(end)
        self.words.forget()

    def _if(self, condition: Expression, then: Block, otherwise: Block) -> None:
        holds = self.emitter.condition(condition)
        self.words.fork()
        then_block, otherwise_block, join = (self.function.block() for _ in range(3))
        self.function.at.cbranch(holds, then_block, otherwise_block)
        known = dict(self.words.known)
        for start, body in ((then_block, then), (otherwise_block, otherwise)):
            self.function.enter(start)
            self.words.known = dict(known)
            self.emit(body)
            self.words.settle()
            self.function.at.branch(join)
        self.function.enter(join)
        self.words.forget()

    def _while(self, loop: While) -> None:
        at = self.function.at
        self.words.fork()
        self.words.forget()
        rounds = self.function.variable(I64, constant(I64, 0))
        at.store(constant(I64, 0), rounds)
        head, body, done = (self.function.block() for _ in range(3))
        at.branch(head)

        self.function.enter(head)
        holds = self.emitter.condition(loop.condition)
        self.words.settle()
        known = dict(self.words.known)
        at.cbranch(holds, body, done)

        self.function.enter(body)
        round_number = at.load(rounds, typ=I64)
        self.emitter.failure.leave_unless(at.icmp_signed("!=", round_number, constant(I64, loop.limit)), loop.site)
        at.store(at.add(round_number, constant(I64, 1)), rounds)
        self.emit(loop.body)
        self.words.settle()
        at.branch(head)

        self.function.enter(done)
        self.words.known = known


def _zone_in(statement: Statement) -> Field | None:
    """The zone that a statement, or one inside of it, is about."""
    match statement:
        case Constrain(zone) | Reset(zone) | Settle(zone):
            return zone
        case If(_, then, otherwise):
            inside = (*then, *otherwise)
        case Scope(_, body) | While(_, body):
            inside = body
        case _:
            return None
    return next((found for each in inside if (found := _zone_in(each))), None)
