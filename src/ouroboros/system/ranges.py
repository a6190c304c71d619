"""What values the fields of a system can have, as far as the assignments alone tell.

Every field has an interval that holds its initial values and all that is ever assigned to it, given the intervals of
the others: the least such intervals, or wider ones where they would take long to find.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.system.blocks import Assign, Block, If, Require, Scope, SetElement, SetLocal, While
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
    structure,
)
from ouroboros.system.intervals import Interval, Ranges, field_interval, interval
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_PATIENCE = 4
"""Rounds after which an interval that still grows is widened to all that its field can hold."""


def known_ranges(system: System) -> Ranges:
    """An interval for every field that holds its values in all reachable states."""
    known = {field: _initially(system, field) for field in system.layout.fields}
    assignments = {(field, structure(value)): (field, value) for field, value in _assignments(system)}.values()
    rounds = 0
    changed = True
    while changed:
        changed = False
        rounds += 1
        for field, value in assignments:
            assigned = interval(value, system.evaluation_bits, known)
            before = known[field]
            after = Interval(min(before.low, assigned.low), max(before.high, assigned.high))
            if after == before:
                continue
            whole = field_interval(field)
            known[field] = whole if rounds > _PATIENCE or not after.within(whole) else after
            changed = known[field] != before or changed
    return known


def _initially(system: System, field: Field) -> Interval:
    values = [system.layout.read(vector, field, at) for vector in system.initial for at in range(field.elements)]
    return Interval(min(values), max(values))


def _assignments(system: System) -> Iterator[tuple[Field, Expression]]:
    visited: set[Procedure] = set()
    for action in system.actions:
        yield from _in_block(action.effect, visited)


def _in_block(block: Block, visited: set[Procedure]) -> Iterator[tuple[Field, Expression]]:
    for statement in block:
        match statement:
            case Assign(field, at, value):
                yield field, value
                yield from _in_expressions(visited, value, *([] if at is None else [at]))
            case SetLocal(_, value):
                yield from _in_expressions(visited, value)
            case SetElement(_, at, value):
                yield from _in_expressions(visited, at, value)
            case If(condition, then, otherwise):
                yield from _in_expressions(visited, condition)
                yield from _in_block(then, visited)
                yield from _in_block(otherwise, visited)
            case While(condition, body):
                yield from _in_expressions(visited, condition)
                yield from _in_block(body, visited)
            case Require(condition):
                yield from _in_expressions(visited, condition)
            case Scope(_, body):
                yield from _in_block(body, visited)


def _in_expressions(visited: set[Procedure], *expressions: Expression) -> Iterator[tuple[Field, Expression]]:
    """Assignments in blocks and procedures that evaluating the expressions runs."""
    for expression in expressions:
        match expression:
            case Evaluate(block, result):
                yield from _in_block(block, visited)
                yield from _in_expressions(visited, result)
            case Call(procedure, arguments):
                yield from _in_expressions(visited, *arguments)
                if procedure not in visited:
                    visited.add(procedure)
                    yield from _in_block(procedure.body, visited)
                    yield from _in_expressions(visited, procedure.result)
            case Read(_, at) if at is not None:
                yield from _in_expressions(visited, at)
            case Element(_, at):
                yield from _in_expressions(visited, at)
            case Check(operand) | Unary(_, operand):
                yield from _in_expressions(visited, operand)
            case Binary(_, left, right):
                yield from _in_expressions(visited, left, right)
            case Conditional(condition, then, otherwise):
                yield from _in_expressions(visited, condition, then, otherwise)
