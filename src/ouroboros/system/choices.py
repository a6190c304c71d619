"""Actions, and the tree that says how they compete for the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.source import Span
from ouroboros.system.blocks import Block
from ouroboros.system.expressions import TRUE, Expression
from ouroboros.system.layout import Field


class Part(NamedTuple):
    """One process's share of an action, as a trace prints it."""

    process: str
    text: str
    span: Span | None
    number: int | None = None
    """By which another tool knows the statement: Spin, in its trails."""
    jumps: bool = False
    """Whether it does nothing but go on elsewhere."""


@dataclass(frozen=True, eq=False, slots=True)
class Action:
    """A step that the system can make: enabled where the guard holds, then the effect runs to its end at once."""

    parts: tuple[Part, ...]
    """One part, or two in a handshake: sender, then receiver."""
    effect: Block
    guard: Expression = TRUE
    name: str = ""
    """What the model calls it, without parameters: of a rule, whose instances share it, or the label of a statement."""
    fairness: Literal["none", "weak", "strong"] = "none"
    """What the model says of it."""


class Do(NamedTuple):
    """The leaf: the action with this index, if its guard holds."""

    action: int


class All(NamedTuple):
    """Every enabled action of every child, in order."""

    children: tuple[Choice, ...]


class First(NamedTuple):
    """The actions of the first child that has any (a failure counts as one)."""

    children: tuple[Choice, ...]


class Switch(NamedTuple):
    """The child for the value of a scalar field; none where the value is not listed."""

    field: Field
    cases: tuple[tuple[int, Choice], ...]


class When(NamedTuple):
    guard: Expression
    child: Choice


Choice: TypeAlias = Do | All | First | Switch | When


def most_successors(choice: Choice) -> int:
    """An upper bound on the number of actions that any state enables."""
    match choice:
        case Do():
            return 1
        case All(children):
            return sum(most_successors(child) for child in children)
        case First(children):
            return max((most_successors(child) for child in children), default=0)
        case Switch(_, cases):
            return max((most_successors(child) for _, child in cases), default=0)
        case When(_, child):
            # A failing guard is reported like a step, even where the child has none.
            return max(1, most_successors(child))
