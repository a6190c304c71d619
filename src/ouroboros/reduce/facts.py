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
from typing import NamedTuple

from ouroboros.reduce.code import can_fail, constants_after, constants_assigned, may_fail
from ouroboros.reduce.footprints import Footprint, Footprints, Slots
from ouroboros.reduce.places import possible, required_value, required_values
from ouroboros.reduce.settled import Settled
from ouroboros.system.blocks import Block
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import Binary, Constant, Expression, Unary, equal, structure
from ouroboros.system.intervals import Interval, Ranges
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
    """Values of scalars without which it is not possible, not even as a step that fails."""
    constants: dict[Field, int]
    """Values that scalars certainly have afterwards."""
    assigned: dict[Field, frozenset[int]]
    """All values that are ever assigned to scalars, where these are constants."""
    moved: frozenset[Field]
    """Scalars that certainly are assigned to."""
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

    def __init__(self, system: System, settled: Settled | None = None) -> None:
        """If it is known how the system is after its beginning, the facts are about that."""
        self.system = system
        self.settled = settled or Settled(system, {}, frozenset())
        self.slots = Slots(system.layout)
        self.ranges: Ranges = _both_ranges(known_ranges(self.settled.system), self.settled.system.ranges)
        self.footprints = Footprints(self.slots, system.evaluation_bits, self.ranges)
        self.conjuncts: list[Conjunct] = []
        self._known: dict[object, int] = {}
        exclusive = system.exclusive.field if system.exclusive else None
        self._ignored = 1 << self.slots.first[exclusive] if exclusive else 0
        """The field that makes states transient is zero in all that are stored."""
        first: list[_Leaf] = []
        held: list[_Leaf] = []
        for leaf in self._leaves(self.settled.system.choices, ()):
            (held if exclusive and leaf.required.get(exclusive, 0) else first).append(leaf)
        self._sequences = _Sequences(self, exclusive, held)
        self.transitions = [self._transition(number, leaf, exclusive) for number, leaf in enumerate(first)]

    def observe(self, expression: Expression) -> int:
        """The number of a conjunct that need not be one of any transition."""
        return self._conjunct(expression)

    def _leaves(self, choice: Choice, above: tuple[Expression, ...]) -> Iterator[_Leaf]:
        match choice:
            case Do(action):
                conditions = (*above, *_split(self.settled.system.actions[action].guard))
                yield _Leaf(action, conditions, required_values(conditions, self))
            case All(children):
                for child in children:
                    yield from self._leaves(child, above)
            case First(children):
                for child in children:
                    yield from self._leaves(child, above)
                    above = (*above, *_split(Unary("not", possible(self.settled.system, child))))
            case Switch(item, cases):
                for value, child in cases:
                    yield from self._leaves(child, (*above, equal(item, value)))
            case When(guard, child):
                if can_fail(guard, self):
                    # Where it fails there is a step, which belongs to no action.
                    yield _Leaf(len(self.system.actions), (*above, guard), required_values(above, self))
                yield from self._leaves(child, (*above, *_split(guard)))

    def _transition(self, number: int, leaf: _Leaf, exclusive: Field | None) -> Transition:
        conditions = [each for each in leaf.conditions if exclusive is None or required_value(each) != (exclusive, 0)]
        conjuncts = tuple(dict.fromkeys(self._conjunct(condition) for condition in self._grouped(conditions)))
        actions, guards, ends = self._sequences.of(leaf)
        blocks = [self.effect(action) for action in actions]
        effect = Footprint(guards)
        for action in actions:
            effect |= self._footprint(action)
        single = blocks[0] if ends else None
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
            frozenset(constants_after(blocks[0])),
            # A sequence of several steps may also come back to where it was, and never end.
            len(actions) > 2
            or any(map(self._may_fail, actions))
            or not all(self.conjuncts[number].certain for number in conjuncts),
        )

    def effect(self, action: int) -> Block:
        actions = self.settled.system.actions
        return actions[action].effect if action < len(actions) else ()

    def _footprint(self, action: int) -> Footprint:
        return self.settled.effects.get(action) or self.footprints.of_block(self.effect(action))

    def _may_fail(self, action: int) -> bool:
        return action not in self.settled.safe and may_fail(self.effect(action), self)

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

    def of(self, leaf: _Leaf) -> tuple[list[int], int, bool]:
        """A transition's action and all that may follow it, what the guards of what follows read, and whether it
        certainly ends with its first action.
        """
        actions = [leaf.action]
        reads = 0
        if self._exclusive is None or constants_after(self._facts.effect(leaf.action)).get(self._exclusive) == 0:
            return actions, reads, True
        passed: set[int] = set()
        waiting = [leaf]
        while waiting:
            for following in self._following(waiting.pop()):
                if id(following) not in passed:
                    passed.add(id(following))
                    waiting.append(following)
                    reads |= self._facts.footprints.reads(*following.conditions)
                    actions.append(following.action)
        return actions, reads, False

    def _following(self, leaf: _Leaf) -> Iterator[_Leaf]:
        after = constants_after(self._facts.effect(leaf.action))
        value = after.get(self._exclusive) if self._exclusive else None
        for other in self._held if value is None else self._by_value[value]:
            if all(after.get(item, wanted) == wanted for item, wanted in other.required.items()):
                yield other


def assumes(system: System) -> bool:
    """Whether some steps of a system lead nowhere, or are not there, by what they do and not by their guards."""
    return any(failure.kind in ASSUMPTIONS for failure in system.failures)


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


def _both_ranges(one: Ranges, other: Ranges) -> Ranges:
    """What is known where two things are known."""
    return {
        field: Interval(max(within.low, other[field].low), min(within.high, other[field].high))
        if field in other
        else within
        for field, within in one.items()
    }
