"""Blocks: what an action does to the state, statement after statement."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from ouroboros.system.expressions import NO_SITE, Expression
from ouroboros.system.layout import Field


class Assign(NamedTuple):
    """Evaluate and check the index, evaluate the value, store it wrapped to the field's width."""

    field: Field
    at: Expression | None
    value: Expression
    site: int = NO_SITE


class SetLocal(NamedTuple):
    slot: int
    value: Expression


class If(NamedTuple):
    condition: Expression
    then: Block
    otherwise: Block = ()


class While(NamedTuple):
    """A loop whose body may run `limit` times; wanting to run once more fails at `site`."""

    condition: Expression
    body: Block
    limit: int
    site: int


class Require(NamedTuple):
    """Fails at `site`, and leads nowhere, unless the condition holds."""

    condition: Expression
    site: int


class Assert(NamedTuple):
    """Where the condition is false, the step fails at `site` and yet goes on, to the state that it would lead to."""

    condition: Expression
    site: int


Statement: TypeAlias = Assign | SetLocal | If | While | Require | Assert
Block: TypeAlias = tuple[Statement, ...]
