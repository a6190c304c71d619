"""Variables that nobody reads: what they hold makes no difference to what a system does.

A field is *needed* if a question asks for it, or a guard, a condition, an index, a temporary or anything that may fail
reads it, or if a needed field is computed from it. The value of one that is not needed never gets into one that is
(this is the cone of influence, from the other side). So all that is assigned to the others can be their initial value:
they keep it, and a state of the system with this change stands for all states that are equal up to these fields. There
are never more of them. A field whose initial states disagree is left as it is, since its values would not be one.

The step that only changed such a field now leads back to where it was: where that is a deadlock, or where cycles are
asked for, this is not for use.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ouroboros.reduce.code import can_fail
from ouroboros.reduce.places import Ranged, leaves
from ouroboros.system.blocks import Assert, Assign, Block, If, Require, Scope, SetElement, SetLocal, Statement, While
from ouroboros.system.expressions import (
    Binary,
    Call,
    Constant,
    Evaluate,
    Expression,
    Procedure,
    Read,
    fields_in,
)
from ouroboros.system.layout import Field
from ouroboros.system.model import System


def without_unread(system: System, observed: frozenset[Field]) -> System | None:
    """The system whose unread fields never change; None if it has none that do."""
    needed = _Needed(system, observed)
    values = {field: value for field in needed.unread() if (value := _initially(system, field)) is not None}
    if not values:
        return None
    actions = tuple(
        replace(action, effect=effect) if (effect := needed.forgetting(action.effect, values)) else action
        for action in system.actions
    )
    if all(new is old for new, old in zip(actions, system.actions, strict=True)):
        return None
    return replace(system, actions=actions)


def _initially(system: System, field: Field) -> int | None:
    """The one value that all elements of a field have in all initial states."""
    found = {system.layout.read(state, field, at) for state in system.initial for at in range(field.elements)}
    return found.pop() if len(found) == 1 else None


class _Needed:
    def __init__(self, system: System, observed: frozenset[Field]) -> None:
        self._system = system
        self._facts = Ranged(system)
        self._needed = set(observed)
        self._from: dict[Field, set[Field]] = defaultdict(set)
        """What the values are computed from that a field gets, where that cannot fail."""
        self._assigned: set[Field] = set()
        for leaf in leaves(self._facts):
            for condition in leaf.conditions:
                self._need(condition)
        if system.valid_end is not None:
            self._need(system.valid_end)
        if system.exclusive:
            self._needed.add(system.exclusive.field)
        if system.symmetry:
            # Which of several alike values a field has at first may depend on how they are numbered.
            self._needed |= {each.field for each in system.symmetry.fields if any(atom >= 0 for atom in each.atoms)}
        for action in system.actions:
            self._need(action.guard)
            self._in_block(action.effect)
        waiting = list(self._needed)
        while waiting:
            for field in self._from.pop(waiting.pop(), ()):
                if field not in self._needed:
                    self._needed.add(field)
                    waiting.append(field)

    def unread(self) -> list[Field]:
        return [field for field in self._system.layout.fields if field in self._assigned - self._needed]

    def _need(self, expression: Expression) -> None:
        self._needed.update(fields_in(expression))

    def _in_block(self, block: Block) -> None:
        for statement in block:
            match statement:
                case Assign(field, at, value):
                    self._assigned.add(field)
                    if at is not None:
                        self._need(at)
                    if can_fail(value, self._facts):
                        self._need(value)
                    else:
                        self._from[field].update(fields_in(value))
                case SetLocal(_, value):
                    self._need(value)
                case SetElement(_, at, value):
                    self._need(at)
                    self._need(value)
                case If(condition, then, otherwise):
                    self._need(condition)
                    self._in_block(then)
                    self._in_block(otherwise)
                case While(condition, body):
                    self._need(condition)
                    self._in_block(body)
                case Require(condition) | Assert(condition):
                    self._need(condition)
                case Scope(_, body):
                    self._in_block(body)
            # What code inside of expressions assigns would have to be changed there.
            self._needed.update(_assigned_inside(statement))

    def forgetting(self, block: Block, values: dict[Field, int]) -> Block | None:
        """The same, but to these fields the given values are assigned; None where nothing changes."""
        changed = False

        def through(block: Block) -> Block:
            return tuple(map(forgotten, block))

        def forgotten(statement: Statement) -> Statement:
            nonlocal changed
            match statement:
                case Assign(field, _, value) if field in values:
                    if isinstance(value, Constant) and field.wrap(value.value) == values[field]:
                        return statement
                    changed = True
                    return statement._replace(value=self._instead(value, values[field]))
                case If(_, then, otherwise):
                    return statement._replace(then=through(then), otherwise=through(otherwise))
                case While(_, body) | Scope(_, body):
                    return statement._replace(body=through(body))
            return statement

        result = through(block)
        return result if changed else None

    def _instead(self, value: Expression, initial: int) -> Expression:
        """A constant; what may fail is evaluated all the same."""
        if not can_fail(value, self._facts):
            return Constant(initial)
        nothing = Binary("&", value, Constant(0))
        return Binary("|", nothing, Constant(initial)) if initial else nothing


def _assigned_inside(statement: Statement) -> Iterator[Field]:
    """Fields that are assigned to by blocks and procedures in the expressions of a statement, at any depth."""
    yield from _assigned_in((statement,), inside=False, procedures=set())


def _assigned_in(parts: Iterable[object], inside: bool, procedures: set[Procedure]) -> Iterator[Field]:
    for part in parts:
        match part:
            case Evaluate():
                yield from _assigned_in(part, True, procedures)
            case Call(procedure, arguments):
                yield from _assigned_in(arguments, inside, procedures)
                if procedure not in procedures:
                    procedures.add(procedure)
                    yield from _assigned_in((procedure.body, procedure.result), True, procedures)
            case Assign(field):
                if inside:
                    yield field
                yield from _assigned_in(part, inside, procedures)
            case Read():
                yield from _assigned_in(part, inside, procedures)
            case tuple():
                yield from _assigned_in(part, inside, procedures)
