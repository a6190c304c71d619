"""Running code on a state of which little is known: values are numbers where they are known, else terms.

A term says how a value comes from the initial values of slots. What can be worked out is worked out, and sums have one
form, so that two ways to the same value mostly give the same term. Where code needs a number (an index, a condition)
and there is a term, the run ends with `Unresolved`; whoever asked may try each value, or both truths.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ouroboros.reduce.footprints import Slots
from ouroboros.reduce.terms import Term, comparison, is_truth, joined, negated
from ouroboros.system.arithmetic import Arithmetic
from ouroboros.system.blocks import Assert, Assign, Block, If, Leave, Print, Require, Scope, SetElement, SetLocal, While
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
    Read,
    Unary,
)
from ouroboros.system.layout import Field
from ouroboros.system.model import System

Result = TypeVar("Result")

_MOST_ROUNDS = 300
_MOST_CALLS = 30


class Unresolved(Exception):
    """The value of a term is needed, or if it is a condition, its truth."""

    def __init__(self, term: Term, condition: bool = False) -> None:
        super().__init__(term)
        self.term = term
        self.condition = condition


class Fails(Exception):
    """The step goes wrong."""


class GiveUp(Exception):
    """This takes too long, or is not understood."""


class _Leaving(Exception):
    def __init__(self, label: int) -> None:
        super().__init__(label)
        self.label = label


@dataclass
class Effort:
    """How much may still be done: numbers that are computed, and not seconds, so that it is always the same."""

    left: int

    def spend(self, amount: int) -> None:
        self.left -= amount
        if self.left < 0:
            raise GiveUp


class World:
    """A state: what was assumed of it, and what was written since."""

    def __init__(self, system: System, slots: Slots, known: Mapping[int, int], effort: Effort) -> None:
        self.system = system
        self.slots = slots
        self.known = known
        self.effort = effort
        self.arithmetic = Arithmetic(system.evaluation_bits)
        self.written: dict[int, Term] = {}
        self.assumed: dict[Term, bool] = {}
        """Terms that were taken to be true, or false."""
        self.asserted: list[Term] = []

    def copy(self) -> World:
        other = World(self.system, self.slots, self.known, self.effort)
        other.written = dict(self.written)
        other.assumed = self.assumed
        return other

    def value(self, slot: int) -> Term:
        if slot in self.written:
            return self.written[slot]
        return self.known.get(slot, ("slot", slot))

    def truth(self, term: Term) -> bool:
        if isinstance(term, int):
            return term != 0
        if term in self.assumed:
            return self.assumed[term]
        if term[0] == "not":
            return not self.truth(term[1])
        raise Unresolved(term, condition=True)

    def evaluate(self, expression: Expression) -> Term:
        """Raises Fails, Unresolved or GiveUp."""
        return self._spending(_Run(self), lambda run: run.value(expression))

    def run(self, block: Block) -> World:
        """The state that a block leads to; raises Fails, Unresolved or GiveUp."""
        after = self.copy()
        self._spending(_Run(after), lambda run: run.run(block))
        return after

    def _spending(self, run: _Run, work: Callable[[_Run], Result]) -> Result:
        try:
            return work(run)
        finally:
            self.effort.spend(run.computed)


class _Run:
    """Code at work, with its temporaries."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.locals: dict[int, Term] = {}
        self.arrays: dict[LocalArray, list[Term]] = {}
        self.depth = 0
        self.computed = 0

    def run(self, block: Block) -> None:
        world = self.world
        for statement in block:
            match statement:
                case Assign(field, at, value):
                    index = 0 if at is None else self.number(at)
                    if not 0 <= index < field.elements:
                        raise Fails
                    world.written[world.slots.first[field] + index] = self.fitted(field, self.value(value))
                case SetLocal(slot, value):
                    self.locals[slot] = self.value(value)
                case SetElement(array, at, value):
                    index = self.number(at)
                    if not 0 <= index < array.length:
                        raise Fails
                    self.array(array)[index] = self.value(value)
                case If(condition, then, otherwise):
                    self.run(then if self.holds(condition) else otherwise)
                case While(condition, body):
                    rounds = 0
                    while self.holds(condition):
                        rounds += 1
                        if rounds > _MOST_ROUNDS:
                            raise GiveUp
                        self.run(body)
                case Require(condition):
                    if not self.holds(condition):
                        raise Fails
                case Assert(condition):
                    world.asserted.append(self.value(condition))
                case Scope(label, body):
                    try:
                        self.run(body)
                    except _Leaving as leaving:
                        if leaving.label != label:
                            raise
                case Leave(label):
                    raise _Leaving(label)
                case Print():
                    pass

    def array(self, array: LocalArray) -> list[Term]:
        return self.arrays.setdefault(array, [0] * array.length)

    def holds(self, condition: Expression) -> bool:
        return self.world.truth(self.value(condition))

    def number(self, expression: Expression) -> int:
        term = self.value(expression)
        if isinstance(term, int):
            return term
        raise Unresolved(term)

    def value(self, expression: Expression) -> Term:
        # A table of kinds: this is called by the million, and a `match` tries one kind after the other.
        self.computed += 1
        return _VALUES[type(expression)](self, expression)

    def constant(self, expression: Constant) -> Term:
        return self.world.arithmetic.wrap(expression.value)

    def local(self, expression: Local) -> Term:
        return self.locals.get(expression.slot, 0)

    def read(self, expression: Read) -> Term:
        world, field = self.world, expression.field
        index = 0
        if expression.at is not None:
            index = self.number(expression.at)
            if not 0 <= index < field.elements:
                raise Fails
        slot = world.slots.first[field] + index
        if slot in world.written:
            return world.written[slot]
        return world.known.get(slot, ("slot", slot))

    def element(self, expression: Element) -> Term:
        index = self.number(expression.at)
        if not 0 <= index < expression.array.length:
            raise Fails
        return self.array(expression.array)[index]

    def check(self, expression: Check) -> Term:
        checked = self.value(expression.operand)
        if not isinstance(checked, int):
            raise Unresolved(checked)
        if not expression.low <= checked <= expression.high:
            raise Fails
        return checked

    def evaluated(self, expression: Evaluate) -> Term:
        self.run(expression.block)
        return self.value(expression.result)

    def call(self, expression: Call) -> Term:
        procedure = expression.procedure
        values = [self.value(argument) for argument in expression.arguments]
        if self.depth > _MOST_CALLS:
            raise GiveUp
        frame = self.locals, self.arrays
        self.locals, self.arrays = dict(enumerate(values)), {}
        self.depth += 1
        self.run(procedure.body)
        returned = self.value(procedure.result)
        self.depth -= 1
        self.locals, self.arrays = frame
        return returned

    def unary(self, expression: Unary) -> Term:
        operand = self.value(expression.operand)
        if expression.operator == "not":
            return negated(operand)
        if isinstance(operand, int):
            return self.world.arithmetic.unary(expression.operator, operand)
        return self.sum([(operand, -1)]) if expression.operator == "-" else (expression.operator, operand)

    def binary(self, expression: Binary) -> Term:
        operator = expression.operator
        left = self.value(expression.left)
        if operator == "and" or operator == "or":
            if isinstance(left, int) or left in self.world.assumed:
                decided = self.world.truth(left)
                return int(decided) if decided == (operator == "or") else self.truth_of(expression.right)
            return joined(operator, left, self.perhaps(left, expression.right))
        return self.operation(operator, left, self.value(expression.right))

    def conditional(self, expression: Conditional) -> Term:
        return self.value(expression.then if self.holds(expression.condition) else expression.otherwise)

    def perhaps(self, first: Term, expression: Expression) -> Term:
        """What is evaluated depending on a term. If that makes a difference, the term must be resolved."""
        before = self.locals.copy(), self.world.written.copy(), self.world.asserted.copy()
        try:
            term = self.truth_of(expression)
        except Fails:
            raise Unresolved(first, condition=True) from None
        if (self.locals, self.world.written, self.world.asserted) != before or self.arrays:
            raise Unresolved(first, condition=True)
        return term

    def truth_of(self, expression: Expression) -> Term:
        term = self.value(expression)
        return term if is_truth(term) else negated(negated(term))

    def operation(self, operator: str, left: Term, right: Term) -> Term:
        if isinstance(left, int) and isinstance(right, int):
            if operator in "/%" and right == 0:
                raise Fails
            return self.world.arithmetic.binary(operator, left, right, NO_SITE)
        if operator == "+":
            return self.sum([(left, 1), (right, 1)])
        if operator == "-":
            return self.sum([(left, 1), (right, -1)])
        if operator in "/%":
            if not isinstance(right, int):
                raise Unresolved(right)
            if right == 0:
                raise Fails
        if operator in ("==", "!=", "<", "<=", ">", ">="):
            return comparison(operator, left, right)
        if operator == "&" and (left == 0 or right == 0):
            return 0
        return (operator, left, right)

    def sum(self, parts: list[tuple[Term, int]], constant: int = 0, bits: int = 0) -> Term:
        """Sums wrap at the width of the evaluation, or of a field, and so may be put together in any order."""
        factors: dict[Term, int] = {}
        waiting = list(parts)
        while waiting:
            term, factor = waiting.pop()
            if isinstance(term, int):
                constant += term * factor
            elif term[0] == "sum":
                constant += term[1] * factor
                waiting += [(part, each * factor) for part, each in term[2]]
            elif term[0] == "fit" and bits and term[1][0] >= bits:
                waiting.append((term[2], factor))
            else:
                factors[term] = factors.get(term, 0) + factor
        constant &= (1 << (bits or self.world.system.evaluation_bits)) - 1
        left = frozenset((term, factor) for term, factor in factors.items() if factor)
        if not left:
            return self.world.arithmetic.wrap(constant)
        if constant == 0 and len(left) == 1:
            ((term, factor),) = left
            if factor == 1:
                return term
        return ("sum", constant, left)

    def fitted(self, field: Field, term: Term) -> Term:
        """What an assignment leaves in a field."""
        if not isinstance(term, int) and term[0] == "sum":
            term = self.sum([(term, 1)], 0, field.bits)
        if isinstance(term, int):
            return field.wrap(term)
        if term[0] == "slot":
            origin, _ = self.world.slots.owner[term[1]]
            if origin.bits + (not origin.signed and field.signed) <= field.bits and (field.signed or not origin.signed):
                return term
        width = (field.bits, field.signed)
        return term if term[0] == "fit" and term[1] == width else ("fit", width, term)


_VALUES: dict[type, Callable[[_Run, Any], Term]] = {
    Constant: _Run.constant,
    Local: _Run.local,
    Read: _Run.read,
    Element: _Run.element,
    Check: _Run.check,
    Evaluate: _Run.evaluated,
    Call: _Run.call,
    Unary: _Run.unary,
    Binary: _Run.binary,
    Conditional: _Run.conditional,
}
