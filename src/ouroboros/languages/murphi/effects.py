"""What a block reads and writes, element by element, as far as its text tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ouroboros.languages.murphi.code import leaves_of
from ouroboros.languages.murphi.facts import Shape, shape
from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.marks import Addition, Marks, Slot
from ouroboros.languages.murphi.places import MultisetNode
from ouroboros.system.blocks import (
    Assert,
    Assign,
    Block,
    If,
    Leave,
    Print,
    Require,
    Scope,
    SetElement,
    SetLocal,
    Statement,
    While,
    fields_written,
)
from ouroboros.system.building import Storage
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
    Read,
    Unary,
    fields_in,
)
from ouroboros.system.intervals import Ranges, interval

_BEYOND = 1 << 29
"""Arithmetic is checked against bounds as large as this: no range of a model has them."""


class Elements(NamedTuple):
    """Elements low to high of a field or a local array; a temporary has only one."""

    storage: Storage
    low: int
    high: int

    def meets(self, other: Elements) -> bool:
        return self.storage == other.storage and self.low <= other.high and other.low <= self.high


class Write(NamedTuple):
    """How something is written: it is set, or in a way that all who do the same may do in any order.

    `up` and `down` add to a number, `bag` to a multiset; `and` and `or` join a truth with what is there, if nothing
    fails: for who comes first decides what is evaluated.
    """

    where: Elements
    how: Literal["set", "up", "down", "bag", "and", "or"]
    value: Shape


@dataclass(eq=False)
class Effects:
    reads: list[Elements] = field(default_factory=list)
    writes: list[Write] = field(default_factory=list)
    leaves: set[int] = field(default_factory=set)
    """The labels of scopes around the block that it may leave."""


class EffectsReader:
    def __init__(self, marks: Marks, ranges: Ranges) -> None:
        self._marks = marks
        self._ranges = ranges

    def of(self, *statements: Statement) -> Effects:
        effects = Effects()
        self._block(statements, effects)
        return effects

    def of_expression(self, expression: Expression) -> Effects:
        effects = Effects()
        self._expression(expression, effects)
        return effects

    def elements(self, storage: Storage, at: Expression | None) -> Elements:
        if isinstance(storage, int):
            return Elements(storage, 0, 0)
        last = (storage.length or 1) - 1
        if at is None:
            return Elements(storage, 0, last)
        found = interval(at, BITS, self._ranges)
        return Elements(storage, min(max(0, found.low), last), min(max(0, found.high), last))

    def _block(self, block: Iterable[Statement], effects: Effects) -> None:
        for statement in block:
            match statement:
                case Scope(label, body) if label in self._marks.additions:
                    self._addition(self._marks.additions[label], body, effects)
                case Scope(label, body):
                    self._block(body, effects)
                    effects.leaves.discard(label)
                case Leave(label):
                    effects.leaves.add(label)
                case Assign(item, at, value):
                    self._assignment(item, at, value, effects)
                case SetElement(array, at, value):
                    self._assignment(array, at, value, effects)
                case SetLocal(slot, value):
                    self._assignment(slot, None, value, effects)
                case If(condition, then, otherwise):
                    self._expression(condition, effects)
                    self._block(then, effects)
                    self._block(otherwise, effects)
                case While(condition, body):
                    self._expression(condition, effects)
                    self._block(body, effects)
                case Require(condition) | Assert(condition):
                    self._expression(condition, effects)
                case Print():
                    pass

    def _addition(self, addition: Addition, body: Block, effects: Effects) -> None:
        for statement in body:
            # Of what stores the element, only where that comes from matters; of what looks for a slot, nothing.
            for each in statement.body if isinstance(statement, Scope) else (statement,):
                if addition.stores and isinstance(each, Assign | SetElement | SetLocal):
                    self._expression(each.value, effects)
        for where in self.multiset(addition.multiset, addition.at):
            effects.writes.append(Write(where, "bag", shape(Constant(0))))

    def multiset(self, node: MultisetNode, at: Expression) -> Iterator[Elements]:
        """All elements of a multiset, which may be one of several in an array."""
        found = interval(at, BITS, self._ranges)
        rows = _elements(node.present.storage) // node.length
        low, high = min(max(0, found.low), rows - 1), min(max(0, found.high), rows - 1)
        for leaf in (node.present, *leaves_of(node.element)):
            each = _elements(leaf.storage) // rows
            yield Elements(leaf.storage, low * each, (high + 1) * each - 1)

    def in_slot(self, where: Elements, slot: Slot) -> bool:
        """Whether elements are sure to be parts of a slot."""
        at = interval(slot.at, BITS, self._ranges)
        each = _elements(where.storage) // _elements(slot.multiset.present.storage)
        first = (at.low * slot.multiset.length + slot.number) * each
        return at.low == at.high and first <= where.low and where.high < first + each

    def added_to_by_several(self, rounds: Iterable[Block]) -> set[Storage]:
        """Multisets, by their parts, to which more than one round adds: who comes first gets the first slot."""
        earlier: list[Elements] = []
        shared: set[Storage] = set()
        for body in rounds:
            added = [write.where for write in self.of(*body).writes if write.how == "bag"]
            shared |= {where.storage for where in added if any(where.meets(other) for other in earlier)}
            earlier += dict.fromkeys(added)
        return shared

    def _assignment(self, storage: Storage, at: Expression | None, value: Expression, effects: Effects) -> None:
        where = self.elements(storage, at)
        if at is not None:
            self._expression(at, effects)
        terms = accumulated(storage, at, value)
        truth = _joined_with(storage, at, value)
        if truth:
            self._expression(truth[1], effects)
            effects.writes.append(Write(where, truth[0], shape(Constant(0))))
            return
        if terms is None:
            self._expression(value, effects)
            effects.writes.append(Write(where, "set", shape(value)))
            return
        least = most = 0
        for sign, term in terms:
            self._expression(term, effects)
            found = interval(term, BITS, self._ranges)
            least += found.low if sign > 0 else -found.high
            most += found.high if sign > 0 else -found.low
        if least >= 0 or most <= 0:
            effects.writes.append(Write(where, "up" if least >= 0 else "down", shape(Constant(0))))
        else:
            # Up and down: whether a bound is met on the way depends on the order.
            effects.reads.append(where)
            effects.writes.append(Write(where, "set", shape(value)))

    def _expression(self, expression: Expression, effects: Effects) -> None:
        match expression:
            case Constant():
                pass
            case Local(slot):
                effects.reads.append(self.elements(slot, None))
            case Read(item, at):
                effects.reads.append(self.elements(item, at))
                if at is not None:
                    self._expression(at, effects)
            case Element(array, at):
                effects.reads.append(self.elements(array, at))
                self._expression(at, effects)
            case Check(operand) | Unary(_, operand):
                self._expression(operand, effects)
            case Binary(_, left, right):
                self._expression(left, effects)
                self._expression(right, effects)
            case Conditional(condition, then, otherwise):
                for part in (condition, then, otherwise):
                    self._expression(part, effects)
            case Evaluate((Scope(label, ()),), _) if label in self._marks.quantifiers:
                # Also those parts that are not needed in the order in which they come.
                for part in self._marks.quantifiers[label].parts:
                    self._expression(part, effects)
            case Evaluate(block, result):
                self._block(block, effects)
                self._expression(result, effects)
            case Call(procedure, arguments):
                for argument in arguments:
                    self._expression(argument, effects)
                # What it does with temporaries of its own is nobody else's business.
                for item in (*fields_in(procedure.result), *fields_in(Evaluate(procedure.body, Constant(0)))):
                    effects.reads.append(self.elements(item, None))
                for item in fields_written((*procedure.body, SetLocal(0, procedure.result))):
                    effects.writes.append(Write(self.elements(item, None), "set", shape(expression)))


def _elements(storage: Storage) -> int:
    return 1 if isinstance(storage, int) else storage.length or 1


def accumulated(
    storage: Storage, at: Expression | None, value: Expression
) -> list[tuple[Literal[1, -1], Expression]] | None:
    """What is added to the old value, if the new one is that and sums; None for any other assignment."""
    if isinstance(value, Binary) and value.operator == "+" and isinstance(value.right, Constant):
        outside, value = value.right.value, value.left
    else:
        outside = 0
    if isinstance(value, Check) and not isinstance(value.operand, Read | Local | Element):
        # The range of the variable, of which the new value must be.
        value = value.operand
    terms: list[tuple[Literal[1, -1], Expression]] = []
    own = 0

    def collect(part: Expression, sign: Literal[1, -1]) -> None:
        nonlocal own
        match part:
            case Binary("+", left, right):
                collect(left, sign)
                collect(right, sign)
            case Binary("-", left, right):
                collect(left, sign)
                collect(right, -1 if sign == 1 else 1)
            case Check(operand, low, high) if low <= -_BEYOND and high >= _BEYOND:
                collect(operand, sign)
            case Check(Read() | Local() | Element() as operand) if sign == 1 and _is(operand, storage, at):
                own += 1
            case Local() if sign == 1 and _is(part, storage, at):
                own += 1
            case Check(Check(Read() | Local() | Element() as operand)) if sign == 1 and _is(operand, storage, at):
                own += 1
            case _:
                terms.append((sign, part))

    collect(value, 1)
    return [*terms, (1, Constant(outside))] if own == 1 else None


def _joined_with(
    storage: Storage, at: Expression | None, value: Expression
) -> tuple[Literal["and", "or"], Expression] | None:
    """The truth that the old value is joined with, and how, if that is what the new value is."""
    match value:
        case Binary("+", Binary("and" | "or" as operator, left, right), Constant(1)):
            for own, other in ((left, right), (right, left)):
                match own:
                    case Binary("!=", Check(Read() | Local() | Element() as operand), Constant(1)) if _is(
                        operand, storage, at
                    ):
                        return operator, other
    return None


def _is(part: Expression, storage: Storage, at: Expression | None) -> bool:
    match part:
        case Local(slot):
            return slot == storage
        case Read(item, other):
            return item is storage and _same_index(at, other)
        case Element(array, other):
            return array is storage and _same_index(at, other)
    return False


def _same_index(left: Expression | None, right: Expression | None) -> bool:
    if left is None or right is None:
        return left is right
    return isinstance(left, Constant) and isinstance(right, Constant) and left.value == right.value
