"""Facts about the steps of a system: when each is possible, what it reads and what it writes.

A *transition* is a place in the choice tree where an action stands: the action, with all that must hold for it to be
chosen there. That is a conjunction: the value of each `Switch` on the way, each `When`, the guard, and for what comes
later in a `First` that nothing before it is possible. So whoever asks whether others can move, be it an `else`, a
`timeout`, an `unless`, a priority or a `provided` clause, does so by reading what their guards read, and a step that
changes the answer writes something that it reads. Nothing here knows of any of these words.

A sequence of steps through transient states is one step: the transition that begins it reads and writes what any step
that may follow reads and writes, guards included, for these decide where the sequence blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ouroboros.reduce.footprints import Footprint, Footprints, Slots
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
    While,
    fields_written,
)
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
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
    Procedure,
    Read,
    Unary,
    equal,
    structure,
)
from ouroboros.system.intervals import Ranges, interval
from ouroboros.system.layout import Field
from ouroboros.system.model import ASSUMPTIONS, System
from ouroboros.system.ranges import known_ranges


class Conjunct(NamedTuple):
    """A condition that a transition needs."""

    expression: Expression
    reads: int
    certain: bool
    """Whether evaluating it cannot fail. One that fails counts as one that holds: the step is there, and fails."""


@dataclass(frozen=True, eq=False)
class Transition:
    number: int
    action: int
    conjuncts: tuple[int, ...]
    """Numbers in `Facts.conjuncts`."""
    guard_reads: int
    effect: Footprint
    """What the step reads and writes from its beginning to the next state that is stored."""
    block: Block | None
    """What it does, where that is one action; None where it is a sequence through transient states."""
    required: dict[Field, int]
    """Values of scalars without which it is not possible."""
    constants: dict[Field, int]
    """Values that scalars certainly have afterwards."""
    assigned: dict[Field, frozenset[int]]
    """All values that are ever assigned to scalars, where these are constants."""
    may_fail: bool
    """Whether it may go wrong, in its guard or in what it does."""

    @property
    def reads(self) -> int:
        return self.guard_reads | self.effect.reads

    @property
    def writes(self) -> int:
        return self.effect.writes


@dataclass(eq=False)
class _Leaf:
    """An action in the choice tree, with what its place there asks for."""

    action: int
    conditions: tuple[Expression, ...]
    required: dict[Field, int] = field(default_factory=dict)


class Facts:
    """The transitions of a system, and the conjuncts that their guards are made of."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.slots = Slots(system.layout)
        self.ranges: Ranges = known_ranges(system)
        self.footprints = Footprints(self.slots, system.evaluation_bits, self.ranges)
        self.conjuncts: list[Conjunct] = []
        self._known: dict[object, int] = {}
        exclusive = system.exclusive.field if system.exclusive else None
        self._ignored = 1 << self.slots.first[exclusive] if exclusive else 0
        """The field that makes states transient is zero in all that are stored."""
        first: list[_Leaf] = []
        held: list[_Leaf] = []
        for leaf in self._leaves(system.choices, ()):
            (held if exclusive and leaf.required.get(exclusive, 0) else first).append(leaf)
        self._sequences = _Sequences(self, exclusive, held)
        self.transitions = [self._transition(number, leaf, exclusive) for number, leaf in enumerate(first)]

    @property
    def assumes(self) -> bool:
        """Whether some steps of the system lead nowhere, or are not there, by what they do and not by their guards."""
        return any(failure.kind in ASSUMPTIONS for failure in self.system.failures)

    def observe(self, expression: Expression) -> int:
        """The number of a conjunct that need not be one of any transition."""
        return self._conjunct(expression)

    def _leaves(self, choice: Choice, above: tuple[Expression, ...]) -> Iterator[_Leaf]:
        match choice:
            case Do(action):
                conditions = (*above, *_split(self.system.actions[action].guard))
                required = dict(filter(None, map(required_value, conditions)))
                yield _Leaf(action, conditions, required)
            case All(children):
                for child in children:
                    yield from self._leaves(child, above)
            case First(children):
                for child in children:
                    yield from self._leaves(child, above)
                    above = (*above, *_split(Unary("not", possible(self.system, child))))
            case Switch(item, cases):
                for value, child in cases:
                    yield from self._leaves(child, (*above, equal(item, value)))
            case When(guard, child):
                if can_fail(guard, self):
                    # Where it fails there is a step, which belongs to no action.
                    yield _Leaf(
                        len(self.system.actions), (*above, guard), dict(filter(None, map(required_value, above)))
                    )
                yield from self._leaves(child, (*above, *_split(guard)))

    def _transition(self, number: int, leaf: _Leaf, exclusive: Field | None) -> Transition:
        conditions = [each for each in leaf.conditions if exclusive is None or required_value(each) != (exclusive, 0)]
        conjuncts = tuple(dict.fromkeys(self._conjunct(condition) for condition in self._grouped(conditions)))
        blocks, guards = self._sequences.of(leaf)
        effect = Footprint(guards)
        for block in blocks:
            effect |= self.footprints.of_block(block)
        single = blocks[0] if len(blocks) == 1 else None
        return Transition(
            number,
            leaf.action,
            conjuncts,
            self._without(self.footprints.reads(*conditions)),
            Footprint(self._without(effect.reads), self._without(effect.writes)),
            single,
            {item: value for item, value in leaf.required.items() if item is not exclusive},
            constants_after(single) if single is not None else {},
            constants_assigned(blocks),
            self._sequences.may_fail(blocks) or not all(self.conjuncts[number].certain for number in conjuncts),
        )

    def _without(self, slots: int) -> int:
        return slots & ~self._ignored

    def _grouped(self, conditions: Iterable[Expression]) -> Iterator[Expression]:
        """What stands behind a condition that may fail is only evaluated where that holds: they belong together."""
        together: Expression | None = None
        for condition in conditions:
            if together is not None:
                together = Binary("and", together, condition)
            elif can_fail(condition, self):
                together = condition
            elif not isinstance(condition, Constant) or condition.value == 0:
                yield condition
        if together is not None:
            yield together

    def _conjunct(self, expression: Expression) -> int:
        key = structure(expression)
        if key not in self._known:
            self._known[key] = len(self.conjuncts)
            reads = self._without(self.footprints.reads(expression))
            self.conjuncts.append(Conjunct(expression, reads, not can_fail(expression, self)))
        return self._known[key]


class _Sequences:
    """What may follow a step without another state that is stored."""

    def __init__(self, facts: Facts, exclusive: Field | None, held: list[_Leaf]) -> None:
        self._facts = facts
        self._exclusive = exclusive
        self._held = held
        self._by_value: dict[int, list[_Leaf]] = defaultdict(list)
        for leaf in held:
            self._by_value[leaf.required.get(exclusive, 0) if exclusive else 0].append(leaf)

    def of(self, leaf: _Leaf) -> tuple[list[Block], int]:
        """What a transition and all that may follow it do, and what the guards of what follows read."""
        blocks = [self._effect(leaf)]
        reads = 0
        if self._exclusive is None or constants_after(blocks[0]).get(self._exclusive) == 0:
            return blocks, reads
        passed: set[int] = set()
        waiting = [leaf]
        while waiting:
            for following in self._following(waiting.pop()):
                if id(following) not in passed:
                    passed.add(id(following))
                    waiting.append(following)
                    reads |= self._facts.footprints.reads(*following.conditions)
                    blocks.append(self._effect(following))
        # A sequence is no single step, even if it should have come to its end already.
        return [*blocks, ()], reads

    def may_fail(self, blocks: list[Block]) -> bool:
        """A sequence of many steps may also come back to where it was, and never end."""
        return len(blocks) > 3 or any(may_fail(block, self._facts) for block in blocks)

    def _effect(self, leaf: _Leaf) -> Block:
        actions = self._facts.system.actions
        return actions[leaf.action].effect if leaf.action < len(actions) else ()

    def _following(self, leaf: _Leaf) -> Iterator[_Leaf]:
        after = constants_after(self._effect(leaf))
        value = after.get(self._exclusive) if self._exclusive else None
        for other in self._held if value is None else self._by_value[value]:
            if all(after.get(item, wanted) == wanted for item, wanted in other.required.items()):
                yield other


def possible(system: System, choice: Choice) -> Expression:
    """Whether a part of the choice tree has any step."""
    match choice:
        case Do(action):
            return system.actions[action].guard
        case All(children) | First(children):
            return _any_of([possible(system, child) for child in children])
        case Switch(item, cases):
            return _any_of([_both(equal(item, value), possible(system, child)) for value, child in cases])
        case When(guard, child):
            return _both(guard, possible(system, child))


def _any_of(parts: list[Expression]) -> Expression:
    result: Expression = Constant(0)
    for part in parts:
        if isinstance(part, Constant):
            if part.value:
                return part
        else:
            result = part if isinstance(result, Constant) else Binary("or", result, part)
    return result


def _both(first: Expression, second: Expression) -> Expression:
    match first, second:
        case Constant(value), _:
            return second if value else first
        case _, Constant(value):
            return first if value else second
    return Binary("and", first, second)


def _split(condition: Expression, holds: bool = True) -> Iterator[Expression]:
    """Conditions that hold together where the given one does, or does not: in the order of their evaluation."""
    match condition, holds:
        case (Binary("and", left, right), True) | (Binary("or", left, right), False):
            yield from _split(left, holds)
            yield from _split(right, holds)
        case Unary("not", operand), _:
            yield from _split(operand, not holds)
        case Constant(value), _:
            if bool(value) != holds:
                yield Constant(0)
        case _, True:
            yield condition
        case _, False:
            yield Unary("not", condition)


def required_value(condition: Expression) -> tuple[Field, int] | None:
    """The scalar and the value of it that a condition asks for, if that is all that it does."""
    match condition:
        case Binary("==", Read(item, None), Constant(value)) | Binary("==", Constant(value), Read(item, None)):
            return item, value
    return None


def constants_after(block: Block) -> dict[Field, int]:
    """The scalars that certainly have a certain value when a block has come to its end."""
    known: dict[Field, int] = {}
    for statement in block:
        match statement:
            case Assign(item, None, Constant(value)):
                known[item] = item.wrap(value)
            case Assign(item, None):
                known.pop(item, None)
            case If(_, then, otherwise):
                for item in (*_written(then), *_written(otherwise)):
                    known.pop(item, None)
            case While(_, body) | Scope(_, body):
                for item in _written(body):
                    known.pop(item, None)
        for item in _written_by_expressions(statement):
            known.pop(item, None)
    return known


def constants_assigned(blocks: Iterable[Block]) -> dict[Field, frozenset[int]]:
    """The scalars to which nothing but constants is ever assigned, with all of these."""
    found: dict[Field, set[int]] = defaultdict(set)
    others: set[Field] = set()
    waiting: list[object] = list(blocks)
    procedures: set[Procedure] = set()
    while waiting:
        part = waiting.pop()
        match part:
            case Assign(item, None, Constant(value)):
                found[item].add(item.wrap(value))
            case Assign(item):
                others.add(item)
                waiting += part
            case Procedure() if part not in procedures:
                procedures.add(part)
                waiting += (part.body, part.result)
            case tuple():
                waiting += part
    return {item: frozenset(values) for item, values in found.items() if item not in others}


def _written(block: Block) -> Iterator[Field]:
    return fields_written(block)


def _written_by_expressions(statement: object) -> Iterator[Field]:
    """Fields that evaluating the expressions of a statement may write: in calls, and in blocks that are evaluated."""
    match statement:
        case Assign(_, at, value):
            for part in (at, value):
                if part is not None and _runs_code(part):
                    yield from _written(((Require(part, -1)),))
        case If() | While() | Scope():
            return
        case tuple():
            if any(_runs_code(part) for part in statement if isinstance(part, tuple)):
                yield from _written((statement,))  # type: ignore[arg-type]  # one of the kinds of statements


def _runs_code(expression: object) -> bool:
    waiting: list[object] = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Evaluate | Call):
            return True
        if isinstance(part, tuple):
            waiting += part
    return False


class Known(Protocol):
    """A system, and what is known of the values of its fields."""

    system: System
    ranges: Ranges


def can_fail(expression: Expression, facts: Known) -> bool:
    """Whether evaluating an expression may fail in a state that can be reached."""
    match expression:
        case Constant() | Local():
            return False
        case Read(item, at):
            if at is None:
                return False
            within = interval(at, facts.system.evaluation_bits, facts.ranges)
            return not (within.low >= 0 and within.high < item.elements) or can_fail(at, facts)
        case Check(operand, low, high):
            within = interval(operand, facts.system.evaluation_bits, facts.ranges)
            return not (low <= within.low and within.high <= high) or can_fail(operand, facts)
        case Unary(_, operand):
            return can_fail(operand, facts)
        case Binary(operator, left, right):
            if operator in ("/", "%"):
                within = interval(right, facts.system.evaluation_bits, facts.ranges)
                if within.low <= 0 <= within.high:
                    return True
            return can_fail(left, facts) or can_fail(right, facts)
        case Conditional(condition, then, otherwise):
            return any(can_fail(part, facts) for part in (condition, then, otherwise))
        case Element() | Evaluate() | Call():
            return True


def may_fail(block: Block, facts: Known) -> bool:
    """Whether something in a block may go wrong in a state that can be reached."""
    for statement in block:
        match statement:
            case Assign(item, at, value):
                parts = [value] if at is None else [Read(item, at), value]
            case SetLocal(_, value):
                parts = [value]
            case If(condition, then, otherwise):
                if may_fail(then, facts) or may_fail(otherwise, facts):
                    return True
                parts = [condition]
            case Scope(_, body):
                if may_fail(body, facts):
                    return True
                parts = []
            case Require(condition) | Assert(condition):
                if interval(condition, facts.system.evaluation_bits, facts.ranges).low <= 0:
                    return True
                parts = [condition]
            case Leave() | Print():
                parts = []
            case While() | SetElement():
                return True
        if any(can_fail(part, facts) for part in parts):
            return True
    return False
