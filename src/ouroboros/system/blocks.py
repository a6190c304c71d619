"""Blocks: what an action does to the state, statement after statement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeAlias

from ouroboros.source import Span
from ouroboros.system.expressions import NO_SITE, Difference, Expression, LocalArray, Procedure
from ouroboros.system.layout import Field
from ouroboros.system.node import Node


class Assign(Node):
    """Evaluate and check the index, evaluate the value, store it wrapped to the field's width."""

    field: Field
    at: Expression | None
    value: Expression
    site: int = NO_SITE


class SetLocal(Node):
    slot: int
    value: Expression


class SetElement(Node):
    """Evaluate and check the index, evaluate the value, store it in a local array."""

    array: LocalArray
    at: Expression
    value: Expression
    site: int = NO_SITE


class If(Node):
    condition: Expression
    then: Block
    otherwise: Block = ()


class While(Node):
    """A loop whose body may run `limit` times; wanting to run once more fails at `site`."""

    condition: Expression
    body: Block
    limit: int
    site: int


class Require(Node):
    """Fails at `site`, and leads nowhere, unless the condition holds."""

    condition: Expression
    site: int


class Assert(Node):
    """Where the condition is false, the step fails at `site` and yet goes on, to the state that it would lead to."""

    condition: Expression
    site: int


class Scope(Node):
    """A block that can be left early. Labels are different for scopes within each other."""

    label: int
    body: Block


class Leave(Node):
    """Go on behind the scope with this label, which must be around."""

    label: int


class Shown(Node):
    """A value in a text that is printed."""

    value: Expression
    conversion: Literal["d", "u", "x", "o", "c"] = "d"
    """As C's printf has it."""
    names: tuple[str, ...] = ()
    """The names of the values 0, 1, … to print instead, where the language has them."""


class Inner(Node):
    """A statement of the model that is made within a step, as a trace prints it."""

    text: str
    span: Span


class Print(Node):
    """Says something where a run is simulated or replayed; a search does not listen. It never fails."""

    parts: tuple[str | Shown, ...]
    inner: Inner | None = None
    """What is made next."""


class Constrain(Node):
    """Leave in a zone only what satisfies the constraint; fails at `site` where that is nothing."""

    zone: Field
    difference: Difference
    site: int


class Reset(Node):
    """Set a clock to a value that is not negative."""

    zone: Field
    clock: Expression
    value: Expression


class Limit(Node):
    """Where the condition holds, a clock is at most at the bound, or below it."""

    condition: Expression
    clock: Expression
    bound: Expression
    strict: bool


class Settle(Node):
    """What a step ends with: the limits must hold, or it fails at `site`; then, if it delays, time passes within them;
    then valuations are taken together that nothing tells apart any more (ExtraLU+), for all that matters of a clock is
    whether it is above one of its lower, or below one of its upper bounds.
    """

    zone: Field
    limits: tuple[Limit, ...]
    delays: Expression
    lower: tuple[Expression, ...]
    """Of each clock, the clock zero included: the largest number that it is compared with by > or >=; `NO_BOUND`."""
    upper: tuple[Expression, ...]
    """By < or <=."""
    site: int


NO_BOUND = -(1 << 14)
"""A clock that is compared with nothing has this for its bounds."""

Statement: TypeAlias = (
    Assign | SetLocal | SetElement | If | While | Require | Assert | Print | Scope | Leave | Constrain | Reset | Settle
)
Block: TypeAlias = tuple[Statement, ...]


def fields_written(block: Block) -> Iterator[Field]:
    """Every field that statements may assign to, also in the blocks and procedures that their expressions run."""
    waiting: list[object] = [block]
    procedures: set[Procedure] = set()
    while waiting:
        part = waiting.pop()
        match part:
            case Assign(field) | Constrain(field) | Reset(field) | Settle(field):
                yield field
                waiting += part
            case Procedure() if part not in procedures:
                procedures.add(part)
                waiting += (part.body, part.result)
            case tuple():
                waiting += part
