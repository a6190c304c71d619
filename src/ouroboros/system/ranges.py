"""What values the fields of a system can have, as far as the assignments alone tell.

Every field has an interval that holds its initial values and all that is ever assigned to it, given the intervals of
the others: the least such intervals, or wider ones where they would take long to find.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, TypeAlias

from ouroboros.system.blocks import Assert, Assign, Block, If, Require, Scope, SetElement, SetLocal, While
from ouroboros.system.expressions import (
    Binary,
    Call,
    Check,
    Conditional,
    Element,
    Evaluate,
    Expression,
    Procedure,
    Read,
    Unary,
    fields_in,
    structure,
)
from ouroboros.system.intervals import Interval, Ranges, field_interval, interval
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_PATIENCE = 4
"""Rounds after which an interval that still grows is widened to all that its field can hold."""


Target: TypeAlias = "Field | tuple[object, int]"
"""What is assigned to: a field, or a temporary, with the action or procedure that it belongs to."""


class _Assignment(NamedTuple):
    target: Target
    value: Expression
    scope: object
    """Whose temporaries the value speaks of."""


def known_ranges(system: System) -> Ranges:
    """An interval for every field that holds its values in all reachable states."""
    known: dict[Target, Interval] = {field: _initially(system, field) for field in system.layout.fields}
    assignments = {(each.target, structure(each.value), id(each.scope)): each for each in _assignments(system)}.values()
    rounds = 0
    changed = True
    while changed:
        changed = False
        rounds += 1
        for target, value, scope in assignments:
            # Temporaries are zero before they are set.
            before = known.get(target, Interval(0, 0))
            assigned = interval(value, system.evaluation_bits, _Seen(known, scope))
            after = Interval(min(before.low, assigned.low), max(before.high, assigned.high))
            if after == before and target in known:
                continue
            whole = field_interval(target) if isinstance(target, Field) else _everything(system)
            # What counts itself up is the cause of all growing; others may be bounded once it is known to be endless.
            patience = _PATIENCE if isinstance(target, Field) and target in fields_in(value) else 4 * _PATIENCE
            known[target] = whole if rounds > patience or not after.within(whole) else after
            changed = known[target] != before or changed
    return {field: known[field] for field in system.layout.fields}


class _Seen(Mapping[Field, Interval]):
    """What is known of fields, and of the temporaries of one action or procedure."""

    def __init__(self, known: Mapping[Target, Interval], scope: object) -> None:
        self._known = known
        self._scope = scope

    def __getitem__(self, field: Field) -> Interval:
        return self._known[field]

    def __iter__(self) -> Iterator[Field]:
        return (each for each in self._known if isinstance(each, Field))

    def __len__(self) -> int:
        return len(self._known)

    def temporary(self, slot: int) -> Interval:
        return self._known.get((self._scope, slot), Interval(0, 0))


def _everything(system: System) -> Interval:
    half = 1 << (system.evaluation_bits - 1)
    return Interval(-half, half - 1)


def _initially(system: System, field: Field) -> Interval:
    values = [system.layout.read(vector, field, at) for vector in system.initial for at in range(field.elements)]
    return Interval(min(values), max(values))


def _assignments(system: System) -> Iterator[_Assignment]:
    visited: set[Procedure] = set()
    for action in system.actions:
        yield from _in_expressions(visited, action, action.guard)
        yield from _in_block(action.effect, visited, action)


def _in_block(block: Block, visited: set[Procedure], scope: object) -> Iterator[_Assignment]:
    for statement in block:
        match statement:
            case Assign(field, at, value):
                yield _Assignment(field, value, scope)
                yield from _in_expressions(visited, scope, value, *([] if at is None else [at]))
            case SetLocal(slot, value):
                yield _Assignment((scope, slot), value, scope)
                yield from _in_expressions(visited, scope, value)
            case SetElement(_, at, value):
                yield from _in_expressions(visited, scope, at, value)
            case If(condition, then, otherwise):
                yield from _in_expressions(visited, scope, condition)
                yield from _in_block(then, visited, scope)
                yield from _in_block(otherwise, visited, scope)
            case While(condition, body):
                yield from _in_expressions(visited, scope, condition)
                yield from _in_block(body, visited, scope)
            case Require(condition) | Assert(condition):
                yield from _in_expressions(visited, scope, condition)
            case Scope(_, body):
                yield from _in_block(body, visited, scope)


def _in_expressions(visited: set[Procedure], scope: object, *expressions: Expression) -> Iterator[_Assignment]:
    """Assignments in blocks and procedures that evaluating the expressions runs."""
    for expression in expressions:
        match expression:
            case Evaluate(block, result):
                yield from _in_block(block, visited, scope)
                yield from _in_expressions(visited, scope, result)
            case Call(procedure, arguments):
                yield from _in_expressions(visited, scope, *arguments)
                for slot, argument in enumerate(arguments):
                    yield _Assignment((procedure, slot), argument, scope)
                if procedure not in visited:
                    visited.add(procedure)
                    yield from _in_block(procedure.body, visited, procedure)
                    yield from _in_expressions(visited, procedure, procedure.result)
            case Read(_, at) if at is not None:
                yield from _in_expressions(visited, scope, at)
            case Element(_, at):
                yield from _in_expressions(visited, scope, at)
            case Check(operand) | Unary(_, operand):
                yield from _in_expressions(visited, scope, operand)
            case Binary(_, left, right):
                yield from _in_expressions(visited, scope, left, right)
            case Conditional(condition, then, otherwise):
                yield from _in_expressions(visited, scope, condition, then, otherwise)
