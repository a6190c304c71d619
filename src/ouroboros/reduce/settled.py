"""A system as it is after its beginning: what is the same from then on is written into the code.

Many a model begins by one run that nobody can disturb: a process that starts the others and tells them which channels
to use. From where that ends, much of what the code leaves open is settled: channels in parameters are the same for
ever, statements of the beginning are never run again, claims cannot be broken. Who asks how two steps stand to each
other may ask that of the code that is left. It is right in every state that can be reached from there; and before that
there is no choice between steps, so that nothing is asked.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ouroboros.reduce.abstract import Abstract, Values, union
from ouroboros.reduce.footprints import Footprint
from ouroboros.reduce.symbolic import Effort, GiveUp
from ouroboros.reduce.values import SlotValues
from ouroboros.system.blocks import Block, While
from ouroboros.system.choices import Action, All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import FALSE, Constant, Procedure
from ouroboros.system.interpret import single_steps
from ouroboros.system.intervals import Interval
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System

_LONGEST = 2_000
"""Single steps of a beginning."""
_EFFORT = 400_000
"""Expressions that are looked at, for a whole system."""


class Settled(NamedTuple):
    system: System
    """With the same layout and numbers of actions; its initial states are those that the beginning leads to."""
    effects: dict[int, Footprint]
    """What each action reads and writes, as far as its code has not to be looked at again to tell."""
    safe: frozenset[int]
    """Actions whose effect cannot fail."""


def settled(system: System) -> Settled:
    start = _beginning(system)
    try:
        values = SlotValues(system, start, Effort(_EFFORT))
        return _Rewriting(system, start, values).settled()
    except GiveUp:
        return Settled(replace(system, initial=tuple(start)), {}, frozenset())


def _beginning(system: System) -> tuple[Vector, ...]:
    """The states that all runs begin in, but for steps without an alternative."""
    if len(system.initial) != 1:
        return system.initial
    # Without effects it is seen at once how many steps are possible, and whether one of them may take long.
    guards = replace(system, actions=tuple(replace(action, effect=()) for action in system.actions))
    exclusive = system.exclusive.field if system.exclusive else None
    (state,) = last = system.initial
    passed = {state}
    for _ in range(_LONGEST):
        steps = single_steps(guards, state)
        if len(steps) != 1 or steps[0].action is None or _loops(system.actions[steps[0].action].effect):
            break
        (step,) = single_steps(system, state)
        if step.failure is not None or step.state is None or step.state in passed:
            break
        state = step.state
        passed.add(state)
        if exclusive is None or not system.layout.read(state, exclusive):
            last = (state,)
    return last


def _loops(part: object, inside: frozenset[Procedure] = frozenset()) -> bool:
    """Whether code may run a part of itself more than once."""
    if isinstance(part, While):
        return True
    if isinstance(part, Procedure):
        return part in inside or _loops((part.body, part.result), inside | {part})
    return isinstance(part, tuple) and any(_loops(each, inside) for each in part)


class _Rewriting:
    def __init__(self, system: System, start: tuple[Vector, ...], values: SlotValues) -> None:
        self._system = system
        self._start = start
        self._values = values
        self._effort = Effort(_EFFORT)
        self._exclusive = system.exclusive.field if system.exclusive else None
        self._leaves: dict[int, list[int]] = {}
        for number, leaf in enumerate(values.leaves):
            if values.is_reached(number) and leaf.action is not None:
                self._leaves.setdefault(leaf.action, []).append(number)
        self._effects: dict[int, Footprint] = {}
        self._safe: set[int] = set()

    def settled(self) -> Settled:
        actions = tuple(self._action(number, action) for number, action in enumerate(self._system.actions))
        system = replace(
            self._system,
            initial=self._start,
            actions=actions,
            choices=self._choice(self._system.choices),
            ranges=self._ranges(),
        )
        return Settled(system, self._effects, frozenset(self._safe))

    def _action(self, number: int, action: Action) -> Action:
        places = self._leaves.get(number, [])
        if not places:
            return replace(action, guard=FALSE, effect=())
        known = [self._values.before(place) for place in places]

        def before(slot: int) -> Values:
            values: Values = frozenset()
            for each in known:
                values = union(values, each(slot))
            return values

        # What the guard itself asks for is not known while it is asked for.
        _, guard = self._abstract(before).fold(action.guard)
        return replace(action, guard=guard, effect=self._effect(number, action, places))

    def _abstract(self, before: object) -> Abstract:
        return Abstract(self._values.footprints, before, self._exclusive, self._effort)  # type: ignore[arg-type]

    def _effect(self, number: int, action: Action, places: list[int]) -> Block:
        if len(places) > 1:
            return action.effect
        step = self._values.run(places[0])
        if step is None:
            return action.effect
        simpler = step.run(action.effect)
        if simpler is None:
            return action.effect
        self._effects[number] = step.footprint
        if not step.risks:
            self._safe.add(number)
        return simpler

    def _choice(self, choice: Choice) -> Choice:
        match choice:
            case Do(action):
                return choice if action in self._leaves else All(())
            case All(children):
                return All(tuple(map(self._choice, children)))
            case First(children):
                return First(tuple(map(self._choice, children)))
            case Switch(field, cases):
                held = self._values.value(self._values.slots.first[field])
                kept = [(value, child) for value, child in cases if held is None or value in held]
                return Switch(field, tuple((value, self._choice(child)) for value, child in kept))
            case When(guard, child):
                _, simpler = self._abstract(self._values.value).fold(guard)
                match simpler:
                    case Constant(0):
                        return All(())
                    case Constant():
                        return self._choice(child)
                return When(simpler, self._choice(child))

    def _ranges(self) -> dict[Field, Interval]:
        result = {}
        for field in self._system.layout.fields:
            first = self._values.slots.first[field]
            values: set[int] = set()
            for slot in range(first, first + field.elements):
                held = self._values.value(slot)
                if held is None:
                    break
                values |= held
            else:
                result[field] = Interval(min(values), max(values))
        return result
