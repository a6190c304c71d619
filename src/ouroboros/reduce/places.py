"""Where actions stand in the choice tree, also inside of sequences through transient states.

`facts.py` takes a sequence for one step, as a search does. Here every single action counts, for what an action leaves
behind is seen by the next one, be the state between them transient or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ouroboros.reduce.code import Known, can_fail
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
    required: dict[Field, int]
    """Values of scalars without which there is no step, not even one that fails."""


class Ranged:
    """A system with what is known of its values, as `can_fail` wants it."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.ranges: Ranges = known_ranges(system)


def leaves(known: Known) -> Iterator[Leaf]:
    yield from _leaves(known, known.system.choices, ())


def _leaves(known: Known, choice: Choice, above: tuple[Expression, ...]) -> Iterator[Leaf]:
    match choice:
        case Do(action):
            conditions = (*above, *conjuncts(known.system.actions[action].guard))
            yield Leaf(action, conditions, required_values(conditions, known))
        case All(children):
            for child in children:
                yield from _leaves(known, child, above)
        case First(children):
            for child in children:
                yield from _leaves(known, child, above)
                above = (*above, Unary("not", possible(known.system, child)))
        case Switch(item, cases):
            for value, child in cases:
                yield from _leaves(known, child, (*above, equal(item, value)))
        case When(guard, child):
            # Where evaluating it fails, that is a step.
            yield Leaf(None, (*above, guard), required_values((*above, guard), known))
            yield from _leaves(known, child, (*above, *conjuncts(guard)))


def required_values(conditions: Iterable[Expression], known: Known) -> dict[Field, int]:
    """Values of scalars without which not all of the conditions are true, nor does evaluating them fail: what is asked
    for behind one that may fail is not asked for where it does.
    """
    values = {}
    for condition in conditions:
        if can_fail(condition, known):
            break
        if asked := required_value(condition):
            values[asked[0]] = asked[1]
    return values


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
    open_: list[Expression] = [part for part in parts if not isinstance(part, Constant)]
    if any(isinstance(part, Constant) and part.value for part in parts):
        return Constant(1)
    return _balanced(open_) if open_ else Constant(0)


def _balanced(parts: list[Expression]) -> Expression:
    """A long chain would be too deep to be walked through."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary("or", _balanced(parts[:middle]), _balanced(parts[middle:]))


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
