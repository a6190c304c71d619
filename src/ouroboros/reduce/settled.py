"""A system as it is after its beginning: what is the same from then on is written into the code.

Many a model begins by steps that nobody can disturb: a process that starts the others and tells them which channels
to use. From where that ends, much of what the code leaves open is settled: channels in parameters are the same for
ever, statements of the beginning are never run again, claims cannot be broken. Who asks how two steps stand to each
other may ask that of the code that is left. It is right in every state that can be reached from there; and before that
there is no choice between steps, so that nothing is asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from ouroboros.reduce.abstract import Abstract, Values, union
from ouroboros.reduce.footprints import Footprint
from ouroboros.reduce.symbolic import Effort, GiveUp
from ouroboros.reduce.values import SlotValues
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.blocks import Block, While
from ouroboros.system.choices import Action, All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import FALSE, Constant, Procedure
from ouroboros.system.interpret import execute, single_steps
from ouroboros.system.intervals import Interval
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System

_EVALUATIONS = 1_000_000
"""Guards that are evaluated, at most, to find a beginning."""
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
    """The states that all runs come to at first by steps without an alternative, be there several ways through a
    sequence of transient states.
    """
    if any(_loops(action.guard) for action in system.actions) or _loops(system.choices):
        return system.initial
    opening = _Opening(system)
    now = tuple(dict.fromkeys(system.initial))
    passed = set(now)
    while True:
        following: dict[Vector, None] = {}
        for state in now:
            ends = opening.ends(state)
            if ends is None:
                return now
            following.update(dict.fromkeys(ends))
        if not following or not passed.isdisjoint(following):
            return now
        now = tuple(following)
        passed.update(now)


class _Opening:
    """Makes steps by the interpreter, as long as that does not take much time."""

    def __init__(self, system: System) -> None:
        self._system = system
        # Without effects it is seen at once which steps are possible.
        self._guards = replace(system, actions=tuple(replace(action, effect=()) for action in system.actions))
        self._exclusive = system.exclusive.field if system.exclusive else None
        self._left = _EVALUATIONS

    def ends(self, state: Vector) -> list[Vector] | None:
        """Where the only step from a state leads; None where there is none, or another, or it may fail or take long."""
        first = self._steps(state)
        if first is None or len(first) != 1:
            return None
        found: list[Vector] = []
        passed = set(first)
        waiting = first
        while waiting:
            now = waiting.pop()
            if self._exclusive is None or not self._system.layout.read(now, self._exclusive):
                found.append(now)
                continue
            steps = self._steps(now)
            if steps is None:
                return None
            waiting += [step for step in steps if step not in passed]
            passed.update(steps)
        return found

    def _steps(self, state: Vector) -> list[Vector] | None:
        """Where single steps lead."""
        self._left -= len(self._system.actions) + 1
        if self._left < 0:
            return None
        reached = []
        for step in single_steps(self._guards, state):
            if step.action is None or step.failure is not None:
                return None
            effect = self._system.actions[step.action].effect
            if _loops(effect):
                return None
            try:
                reached.append(execute(self._system, state, effect))
            except ExecutionError:
                return None
        return reached


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

    def _abstract(self, before: Callable[[int], Values]) -> Abstract:
        return Abstract(self._values.footprints, before, self._exclusive, self._effort)

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
