"""Expressions over a state: integers only, truth is 1 and 0.

All arithmetic is two's complement in the system's evaluation width (32 bits for DVE and Promela) and wraps. Operands
are evaluated from left to right, `and`, `or` and conditionals only as far as needed. What can fail carries a *site*,
an index into `System.failures`: an index out of range, a division by zero. A shift uses the low five (six) bits of its
right operand, as the common processors do; `>>` keeps the sign; the smallest integer divided by -1 is itself.
Division truncates towards zero, and the remainder has the sign of the dividend.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from ouroboros.system.layout import Field
from ouroboros.system.node import Node

if TYPE_CHECKING:
    from ouroboros.system.blocks import Block, Limit

UnaryOperator = Literal["-", "~", "not"]
BinaryOperator = Literal[
    "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "==", "!=", "<", "<=", ">", ">=", "and", "or"
]

NO_SITE = -1


class Constant(Node):
    value: int


class Read(Node):
    """A scalar field, or an element of an array."""

    field: Field
    at: Expression | None = None
    site: int = NO_SITE


class Local(Node):
    """A temporary of the running action; undefined before it is set."""

    slot: int


@dataclass(frozen=True, eq=False, slots=True)
class LocalArray:
    """Temporaries that can be indexed; zeros before they are set. Two are the same only if they are the same object."""

    name: str
    length: int


class Element(Node):
    """An element of a local array."""

    array: LocalArray
    at: Expression
    site: int = NO_SITE


class Check(Node):
    """The operand's value, which must be in a range: fails at `site` where it is not."""

    operand: Expression
    low: int
    high: int
    site: int


class Evaluate(Node):
    """Run a block, then evaluate the result. In a guard or a proposition the block may only set temporaries."""

    block: Block
    result: Expression


@dataclass(eq=False, slots=True)
class Procedure:
    """A block that can call itself. Its arguments are its first temporaries; all others are zero when it begins."""

    name: str
    parameters: int
    body: Block = ()
    result: Expression = field(default_factory=lambda: Constant(0))
    locals: int = 0
    """Temporaries that it uses, its arguments among them."""


class Call(Node):
    """Run a procedure on the same state; one more call than `limit` within each other fails at `site`."""

    procedure: Procedure
    arguments: tuple[Expression, ...]
    limit: int
    site: int


class Unary(Node):
    operator: UnaryOperator
    operand: Expression


class Binary(Node):
    operator: BinaryOperator
    left: Expression
    right: Expression
    site: int = NO_SITE


class Conditional(Node):
    condition: Expression
    then: Expression
    otherwise: Expression


class Difference(Node):
    """The clock `row` is ahead of the clock `column` by at most `bound`, or by less. Clock zero is always zero."""

    row: Expression
    column: Expression
    bound: Expression
    strict: bool


class Meets(Node):
    """Whether some valuation of a zone satisfies all of the constraints."""

    zone: Field
    constraints: tuple[Difference, ...]


class Unlimited(Node):
    """Whether time may pass for ever within a zone."""

    zone: Field


class Escape(Node):
    """A step by which a valuation may be left: where the guard holds, the effect is run on a copy of the state, and
    then the constraints say which valuations it is for. The effect notes in the array `resets` the value of each clock
    that it sets, plus one.
    """

    guard: Expression
    effect: Block
    constraints: tuple[Difference, ...]
    resets: LocalArray


class Stuck(Node):
    """Whether a zone has a valuation from which no step is possible, however long one waits within the limits; or, with
    `escaping`, one from which some step is. Valuations count that satisfy all of the constraints.
    """

    zone: Field
    delays: Expression
    limits: tuple[Limit, ...]
    escapes: tuple[Escape, ...]
    constraints: tuple[Difference, ...] = ()
    escaping: bool = False


class Observed(Node):
    """Whether the steps of a foreign system say that something is so in a state: by a number that they know it by."""

    number: int


_Operation: TypeAlias = Check | Evaluate | Call | Unary | Binary | Conditional
_Question: TypeAlias = Meets | Unlimited | Stuck | Observed
Expression: TypeAlias = Constant | Read | Local | Element | _Operation | _Question

TRUE = Constant(1)
FALSE = Constant(0)


def is_constant(expression: Expression, value: int) -> bool:
    """Comparing with a constant is not enough: named tuples of different kinds are equal if their contents are."""
    return isinstance(expression, Constant) and expression.value == value


def conjunction(*parts: Expression) -> Expression:
    result: Expression = TRUE
    for part in parts:
        if not is_constant(part, 1):
            result = part if is_constant(result, 1) else Binary("and", result, part)
    return result


def disjunction(*parts: Expression) -> Expression:
    result: Expression = FALSE
    for part in parts:
        if is_constant(part, 1):
            return TRUE
        if not is_constant(part, 0):
            result = part if is_constant(result, 0) else Binary("or", result, part)
    return result


def fields_in(expression: Expression) -> Iterator[Field]:
    """Every field that an expression names, also in the blocks and procedures that it runs."""
    waiting: list[object] = [expression]
    procedures: set[Procedure] = set()
    while waiting:
        part = waiting.pop()
        match part:
            case Field():
                yield part
            case Procedure() if part not in procedures:
                procedures.add(part)
                waiting += (part.body, part.result)
            case tuple():
                waiting += part


def equal(field: Field, value: int) -> Expression:
    return Binary("==", Read(field), Constant(value))


def structure(part: object) -> object:
    """Equal for expressions that are the same. Named tuples alone are equal also if they are of different kinds."""
    if isinstance(part, tuple):
        return (type(part), *map(structure, part))
    return part
