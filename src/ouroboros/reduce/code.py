"""What can be told of code without running it: which constants it assigns, and whether it may fail."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Protocol

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
    While,
    fields_written,
)
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
    Meets,
    Observed,
    Procedure,
    Read,
    Stuck,
    Unary,
    Unlimited,
)
from ouroboros.system.intervals import Ranges, interval
from ouroboros.system.layout import Field
from ouroboros.system.model import System


def constants_after(block: Block) -> dict[Field, int]:
    """The scalars that certainly have a certain value when a block has come to its end."""
    known: dict[Field, int] = {}
    for statement in block:
        match statement:
            case Assign(item, None, Constant(value)):
                known[item] = item.wrap(value)
            case Assign(item, None):
                known.pop(item, None)
            case If() | While() | Scope():
                for item in fields_written((statement,)):
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


def _written_by_expressions(statement: object) -> Iterator[Field]:
    """Fields that evaluating the expressions of a statement may write: in calls, and in blocks that are evaluated."""
    match statement:
        case Assign(_, at, value):
            for part in (at, value):
                if part is not None and runs_code(part):
                    yield from fields_written((Require(part, -1),))
        case If() | While() | Scope():
            return
        case tuple():
            if any(runs_code(part) for part in statement if isinstance(part, tuple)):
                yield from fields_written((statement,))  # type: ignore[arg-type]  # one of the kinds of statements


def runs_code(part: object) -> bool:
    """Whether evaluating an expression, or those of a statement that has no blocks in it, may run statements."""
    waiting: list[object] = [part]
    while waiting:
        match waiting.pop():
            case Evaluate() | Call():
                return True
            case If(condition):
                waiting.append(condition)
            case tuple(parts):
                waiting += parts
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
        case Element() | Evaluate() | Call() | Meets() | Observed() | Stuck() | Unlimited():
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
            case While() | SetElement() | Constrain() | Reset() | Settle():
                return True
        if any(can_fail(part, facts) for part in parts):
            return True
    return False
