"""Stubborn sets: which of the possible transitions are enough in a state (Valmari, 1990; Laarman et al., 2013).

A set T of transitions is stubborn in a state if
* with each possible t in T, every transition that is not in accord with t is in T;
* with each t in T that is not possible, T has all transitions of some *necessary set* of t: one of them must be taken
  before t becomes possible. For a conjunct of t that is false, these are the transitions that may make it true; for a
  condition that is true now and never true together with t, those that may make it false;
* T has a possible transition, if there is one.

Then whatever sequence of other transitions is taken from the state, all possible ones of T stay possible and can as
well be taken first: every state without a step is still reached. Where more is asked than that, see
`docs/reductions.md`.

The set is a function of the state alone: who searches, in which order and with how many workers makes no difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ouroboros.reduce.facts import Facts, Transition, assumes
from ouroboros.reduce.progress import Progress
from ouroboros.reduce.relations import Relations
from ouroboros.reduce.settled import settled
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import Expression
from ouroboros.system.model import System

MOST_TRANSITIONS = 2048
"""Tables for more would be larger, and take longer to make, than what they save."""


@dataclass(frozen=True, eq=False)
class StubbornTables:
    """All that is needed to find a stubborn set from the conditions that hold in a state."""

    actions: list[int]
    """For each transition."""
    discord: list[int]
    """For each transition, those that it is not in accord with, and itself."""
    conditions: list[Expression]
    """What must be evaluated in each state; one that fails counts as true."""
    necessary: list[int]
    """Sets of transitions: number k for where condition k is false, and behind those for where it is true."""
    necessary_of: list[list[int]]
    """For each transition the numbers of its necessary sets, in their order: of those that are as good the first is
    taken."""
    visible: int
    """Transitions that may change what is observed: with one that is possible, the set has all of them."""
    wanted: int
    """Transitions that must not be left out for ever: those that are visible, and those that may fail."""
    allowed: int
    """Transitions that a set may have where they are possible. If there is another one, nothing is left out."""
    pays: bool = False
    """Whether it is known to be worth the time that it takes to find out what can be left out."""

    def chosen(self, enabled: int, holds: Sequence[bool]) -> int:
        """The possible transitions of a stubborn set; `holds` is the truth of the conditions. The reference."""
        usable = [*(not each for each in holds), *holds]
        best = seeds = enabled
        while seeds and best.bit_count() > 1:
            seed = (seeds & -seeds).bit_length() - 1
            # Those that are not in accord with it are in its closure, and it is in theirs.
            seeds &= ~self.discord[seed]
            found = self._closure(seed, enabled, usable, best.bit_count())
            if found is not None:
                best = found
        return best

    def _closure(self, seed: int, enabled: int, usable: Sequence[bool], most: int) -> int | None:
        """The possible transitions of the closure of one; None where there are not fewer than `most`."""
        inside = todo = 1 << seed
        while todo:
            if inside & enabled & ~self.allowed:
                return None
            urgent = todo & enabled
            low = (urgent or todo) & -(urgent or todo)
            todo ^= low
            number = low.bit_length() - 1
            if urgent:
                added = self.discord[number] | (self.visible if self.visible & low else 0)
            else:
                candidates = [self.necessary[k] & ~inside for k in self.necessary_of[number] if usable[k]]
                if not candidates:
                    return None
                added = min(candidates, key=lambda each: self._cost(each, enabled))
            todo |= added & ~inside
            inside |= added
            if (inside & enabled).bit_count() >= most:
                return None
        return inside & enabled

    def _cost(self, added: int, enabled: int) -> int:
        return len(self.actions) * (added & enabled).bit_count() + added.bit_count()


class Stubborn:
    """Stubborn sets of one system, for several questions."""

    def __init__(self, system: System) -> None:
        self._system = system
        self.refusal: str | None = None
        """Why there are none."""
        kinds = _leaves(system.choices)
        if assumes(system):
            self.refusal = "for steps that may lead nowhere"
        elif kinds > MOST_TRANSITIONS:
            self.refusal = f"for {kinds} kinds of steps, more than {MOST_TRANSITIONS}"

    @cached_property
    def facts(self) -> Facts:
        return Facts(self._system, settled(self._system))

    @property
    def transitions(self) -> list[Transition]:
        return self.facts.transitions

    @cached_property
    def relations(self) -> Relations:
        return Relations(self.facts)

    @property
    def is_of_use(self) -> bool:
        """Whether there are stubborn sets that do not have all transitions."""
        if self.refusal:
            return False
        everything = (1 << len(self.transitions)) - 1
        return any(each | 1 << number != everything for number, each in enumerate(self.relations.discord))

    def for_states(self, observed: Iterable[Expression], actions: Collection[int] = ()) -> StubbornTables:
        """For states without a step, for whether expressions are true somewhere, for steps that fail, and for whether
        certain actions are ever made.
        """
        visible = self._visible(observed)
        wanted = visible | self._failing
        for each in self.transitions:
            if each.action in actions:
                wanted |= 1 << each.number
        return replace(self._tables, visible=visible, wanted=wanted)

    def for_runs(self, observed: Iterable[Expression]) -> StubbornTables:
        """For runs that go on for ever, as far as they can be told apart by the truth of expressions, but not by how
        often they stutter; and for all that `for_states` is for, without a review.

        Nothing is left out where a transition of the set is visible, or may lead back to where it began: every cycle
        has a state of which nothing is left out.
        """
        visible = self._visible(observed)
        allowed = Progress(self.facts).forward & ~visible
        return replace(self._tables, visible=visible, allowed=allowed)

    @cached_property
    def _failing(self) -> int:
        return sum(1 << each.number for each in self.transitions if each.may_fail)

    def _visible(self, observed: Iterable[Expression]) -> int:
        visible = 0
        for expression in observed:
            number = self.facts.observe(expression)
            visible |= self.relations.enabling(number) | self.relations.disabling(number)
        return visible

    @cached_property
    def _tables(self) -> StubbornTables:
        facts, relations = self.facts, self.relations
        own = sorted({number for each in facts.transitions for number in each.conjuncts})
        necessary = [relations.enabling(number) for number in own]
        necessary += [relations.disabling(number) for number in own]
        position = {number: at for at, number in enumerate(own)}
        return StubbornTables(
            [each.action for each in facts.transitions],
            [each | 1 << number for number, each in enumerate(relations.discord)],
            [facts.conjuncts[number].expression for number in own],
            necessary,
            [
                [*sorted(position[number] for number in each.conjuncts), *(len(own) + position[h] for h in others)]
                for each, others in zip(facts.transitions, _excluding(facts, relations), strict=True)
            ],
            visible=0,
            wanted=0,
            allowed=(1 << len(facts.transitions)) - 1,
        )


def _leaves(choice: Choice) -> int:
    """How many actions stand in a choice tree."""
    match choice:
        case Do():
            return 1
        case All(children) | First(children):
            return sum(map(_leaves, children))
        case Switch(_, cases):
            return sum(_leaves(child) for _, child in cases)
        case When(_, child):
            return _leaves(child)


def _excluding(facts: Facts, relations: Relations) -> list[list[int]]:
    """For each transition conditions of others that are never true together with it."""
    by_slot: dict[int, set[int]] = defaultdict(set)
    by_place: dict[tuple[object, ...], set[int]] = defaultdict(set)
    for each in facts.transitions:
        for number in each.conjuncts:
            found = relations.allowed(number)
            if found:
                by_slot[found[0]].add(number)
        by_place[_place(each)].update(each.conjuncts)
    result = []
    for each in facts.transitions:
        own = set(each.conjuncts)
        candidates = {h for number in own if (found := relations.allowed(number)) for h in by_slot[found[0]]}
        candidates |= by_place[_place(each)]
        result.append(
            sorted(h for h in candidates - own if any(relations.exclude(h, number) for number in each.conjuncts))
        )
    return result


def _place(transition: Transition) -> tuple[object, ...]:
    return tuple(sorted((id(item), value) for item, value in transition.required.items()))
