"""The referee: what partial order reduction assumes, checked state by state with the reference interpreter.

Nothing is taken from how the tables were made. In a state it looks at all steps, chosen or not:
* two that are said to be in accord are made in both orders, and must lead to the same states and stay possible;
* a step that changes the truth of a condition must be one of those that are said to be able to;
* a step that changes what is observed must be visible;
* the steps that the tables say are possible must be those that the interpreter makes.
What breaks is told with the statements that it is about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from ouroboros.reduce.facts import Facts, Transition
from ouroboros.reduce.relations import members
from ouroboros.reduce.stubborn import StubbornTables
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import Expression
from ouroboros.system.fairness import first_action
from ouroboros.system.interpret import Step, evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import System


class Broken(NamedTuple):
    """An assumption that does not hold."""

    what: str
    state: Vector
    actions: tuple[int, ...]
    """Those that it is about."""

    def told(self, system: System) -> str:
        """With the statements, and where they stand."""
        statements = [
            f"{part.process}: {part.text}" + (f" ({part.span})" if part.span else "")
            for action in self.actions
            if action < len(system.actions)
            for part in system.actions[action].parts
        ]
        return f"{self.what}: {'; '.join(statements)}"


class Referee:
    """Watches the tables of one system."""

    def __init__(self, facts: Facts, tables: StubbornTables, observed: Iterable[Expression] = ()) -> None:
        self.facts = facts
        self.tables = tables
        self.system = facts.system
        self.observed = list(observed)
        self._of_action: dict[int, list[Transition]] = {}
        for each in facts.transitions:
            self._of_action.setdefault(each.action, []).append(each)

    def truths(self, state: Vector, expressions: Sequence[Expression]) -> list[bool]:
        return [self._holds(state, expression) for expression in expressions]

    def _holds(self, state: Vector, expression: Expression) -> bool:
        """What fails counts as true."""
        try:
            return evaluate(self.system, state, expression) != 0
        except ExecutionError:
            return True

    def steps(self, state: Vector) -> dict[int, list[Step]]:
        """The steps of each transition that is possible."""
        made: dict[int, list[Step]] = {}
        for step in successors(self.system, state):
            action = first_action(step)
            made.setdefault(len(self.system.actions) if action is None else action, []).append(step)
        found: dict[int, list[Step]] = {}
        for action, steps in made.items():
            for each in self._of_action.get(action, []):
                conditions = (self.facts.conjuncts[number].expression for number in each.conjuncts)
                if all(self._holds(state, condition) for condition in conditions):
                    found[each.number] = steps
        return found

    def chosen(self, state: Vector) -> list[Step]:
        """The steps that the tables leave, in the order of the choice tree. Where there is one, nobody asks them, nor
        where they do not know of one, as in the beginning.
        """
        alone = successors(self.system, state)
        if len(alone) <= 1:
            return alone
        steps = self.steps(state)
        if len(alone) > len({id(step) for each in steps.values() for step in each}):
            return alone
        enabled = sum(1 << number for number in steps)
        kept = self.tables.chosen(enabled, self.truths(state, self.tables.conditions))
        ids = {id(step) for number in members(kept) for step in steps[number]}
        return [step for each in steps.values() for step in each if id(step) in ids]

    def broken(self, state: Vector) -> Iterator[Broken]:
        """What does not hold in a state."""
        steps = self.steps(state)
        actions = {first_action(step) for step in successors(self.system, state)}
        told = {self.tables.actions[number] for number in steps}
        for action in sorted({len(self.system.actions) if each is None else each for each in actions} - told):
            yield Broken("a step is possible that is said not to be", state, (action,))
        yield from self._facts_of(state, steps)
        yield from self._changes(state, steps)
        for first, second in combinations(sorted(steps), 2):
            if not self.tables.discord[first] >> second & 1:
                reason = self._discord(steps[first], steps[second], first, second)
                if reason:
                    yield Broken(reason, state, (self._action(first), self._action(second)))

    def everywhere(self, most_states: int) -> Iterator[Broken]:
        """What does not hold in the first so many states of the whole system."""
        seen = dict.fromkeys(self.facts.settled.system.initial)
        waiting = deque(seen)
        while waiting and most_states > 0:
            most_states -= 1
            state = waiting.popleft()
            yield from self.broken(state)
            for step in successors(self.system, state):
                if step.state is not None and step.state not in seen:
                    seen[step.state] = None
                    waiting.append(step.state)

    def _action(self, number: int) -> int:
        return self.tables.actions[number]

    def _facts_of(self, state: Vector, steps: dict[int, list[Step]]) -> Iterator[Broken]:
        """What is said of transitions, where they are possible."""
        truths = self.truths(state, self.tables.conditions)
        for number, made in steps.items():
            transition = self.facts.transitions[number]
            if not transition.may_fail and any(step.state is None for step in made):
                yield Broken("a step fails that is said not to", state, (self._action(number),))
            if any(self.system.layout.read(state, item) != value for item, value in transition.required.items()):
                yield Broken("a step is possible without what it is said to need", state, (self._action(number),))
            if any(truths[k - len(truths)] for k in self.tables.necessary_of[number] if k >= len(truths)):
                yield Broken("a condition holds that is said to exclude a step", state, (self._action(number),))

    def _changes(self, state: Vector, steps: dict[int, list[Step]]) -> Iterator[Broken]:
        tables = self.tables
        before, seen = self.truths(state, tables.conditions), self.truths(state, self.observed)
        for number, made in steps.items():
            for step in made:
                if step.state is None:
                    continue
                after = self.truths(step.state, tables.conditions)
                for at, (was, becomes) in enumerate(zip(before, after, strict=True)):
                    necessary = tables.necessary[at if becomes else len(before) + at]
                    if was != becomes and not necessary >> number & 1:
                        yield Broken(
                            "a step changes a condition that it is said not to change", state, (self._action(number),)
                        )
                if self.truths(step.state, self.observed) != seen and not tables.visible >> number & 1:
                    yield Broken("a step that is said to be invisible is seen", state, (self._action(number),))

    def _discord(self, first: list[Step], second: list[Step], one: int, other: int) -> str | None:
        """Why two transitions are not in accord, if they are not."""
        ways = []
        for here, there, number in ((first, second, other), (second, first, one)):
            reached = set()
            failing = any(step.state is None for step in there)
            for step in here:
                if step.state is None:
                    continue
                following = self.steps(step.state).get(number)
                if following is None:
                    return "one step takes away the other one, and is said not to"
                if any(each.state is None for each in following) != failing:
                    return "a step makes another one fail, or keeps it from that, and is said not to"
                reached |= {each.state for each in following}
            ways.append(reached)
        if ways[0] != ways[1] and all(step.state is not None for step in (*first, *second)):
            return "two steps lead to different states in different order, and are said not to"
        return None
