"""Where actions stand in the choice tree, also inside of sequences through transient states.

`facts.py` takes a sequence for one step, as a search does. Here every single action counts, for what an action leaves
behind is seen by the next one, be the state between them transient or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import Binary, Constant, Expression, Read, Unary, equal
from ouroboros.system.intervals import Ranges
from ouroboros.system.layout import Field
from ouroboros.system.model import System
from ouroboros.system.ranges import known_ranges


class Leaf(NamedTuple):
    """A place in the choice tree: the action, or None for a condition alone, and all that is evaluated for it."""

    action: int | None
    conditions: tuple[Expression, ...]

    @property
    def required(self) -> dict[Field, int]:
        """Values of scalars without which the action is not taken there."""
        return dict(filter(None, map(required_value, self.conditions)))


class Ranged:
    """A system with what is known of its values, as `can_fail` wants it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.ranges: Ranges = known_ranges(system)


def leaves(system: System) -> Iterator[Leaf]:
    yield from _leaves(system, system.choices, ())


def _leaves(system: System, choice: Choice, above: tuple[Expression, ...]) -> Iterator[Leaf]:
    match choice:
        case Do(action):
            yield Leaf(action, (*above, *conjuncts(system.actions[action].guard)))
        case All(children):
            for child in children:
                yield from _leaves(system, child, above)
        case First(children):
            for child in children:
                yield from _leaves(system, child, above)
                above = (*above, Unary("not", possible(system, child)))
        case Switch(item, cases):
            for value, child in cases:
                yield from _leaves(system, child, (*above, equal(item, value)))
        case When(guard, child):
            # Where evaluating it fails, that is a step.
            yield Leaf(None, (*above, guard))
            yield from _leaves(system, child, (*above, *conjuncts(guard)))


def conjuncts(condition: Expression) -> Iterator[Expression]:
    match condition:
        case Binary("and", left, right):
            yield from conjuncts(left)
            yield from conjuncts(right)
        case _:
            yield condition


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


def required_value(condition: Expression) -> tuple[Field, int] | None:
    """The scalar and the value of it that a condition asks for, if that is all that it does."""
    match condition:
        case Binary("==", Read(item, None), Constant(value)) | Binary("==", Constant(value), Read(item, None)):
            return item, value
    return None
