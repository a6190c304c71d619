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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ouroboros.reduce.facts import Conjunct, Facts, Transition, can_fail
from ouroboros.reduce.relations import Relations, members
from ouroboros.system.expressions import Expression
from ouroboros.system.model import System

MOST_TRANSITIONS = 4096
"""Tables for more would be larger, and take longer to make, than what they save."""


@dataclass(frozen=True, eq=False)
class StubbornTables:
    """All that is needed to find a stubborn set from the conditions that hold in a state."""

    facts: Facts = field(repr=False)
    discord: list[int]
    """For each transition, itself among them."""
    conditions: list[Expression]
    """What must be evaluated in each state; one that fails counts as true."""
    necessary: list[int]
    """Sets of transitions: number k for where condition k is false, and behind those for where it is true."""
    necessary_of: list[list[int]]
    """For each transition the numbers of its necessary sets."""
    visible: int
    """Transitions that may change what is observed: with one that is possible, the set has all of them."""
    wanted: int
    """Transitions that must not be left out for ever: those that are visible, and those that may fail."""
    allowed: int
    """Transitions that a set may have where they are possible. If there is another one, nothing is left out."""

    @property
    def transitions(self) -> list[Transition]:
        return self.facts.transitions

    def chosen(self, enabled: int, holds: Sequence[bool]) -> int:
        """The possible transitions of a stubborn set; `holds` is the truth of the conditions. The reference."""
        usable = [*(not each for each in holds), *holds]
        best = enabled
        for seed in members(enabled):
            if best.bit_count() <= 1:
                break
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
        return len(self.transitions) * (added & enabled).bit_count() + added.bit_count()


def stubborn_tables(system: System, observed: Iterable[Expression]) -> StubbornTables | None:
    """Tables for a system, and for questions that see nothing but the truth of some expressions; None where nothing
    can be left out by them, or they would be too large.
    """
    facts = Facts(system)
    if facts.assumes or not 1 < len(facts.transitions) <= MOST_TRANSITIONS:
        return None
    relations = Relations(facts)
    failing = sum(1 << each.number for each in facts.transitions if each.may_fail)
    everything = (1 << len(facts.transitions)) - 1
    if all(each | 1 << number == everything for number, each in enumerate(relations.discord)):
        return None
    own = sorted({number for each in facts.transitions for number in each.conjuncts})
    conditions = [facts.conjuncts[number].expression for number in own]
    necessary = [relations.enabling(number) for number in own]
    necessary += [relations.disabling(number) for number in own]
    position = {number: at for at, number in enumerate(own)}
    visible = _visible(facts, relations, observed)
    return StubbornTables(
        facts,
        [each | 1 << number for number, each in enumerate(relations.discord)],
        conditions,
        necessary,
        [
            [*(position[number] for number in each.conjuncts), *(len(own) + position[h] for h in others)]
            for each, others in zip(facts.transitions, _excluding(facts, relations), strict=True)
        ],
        visible,
        visible | failing,
        everything,
    )


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


def _visible(facts: Facts, relations: Relations, observed: Iterable[Expression]) -> int:
    visible = 0
    for expression in observed:
        reads = facts.footprints.reads(expression)
        facts.conjuncts.append(Conjunct(expression, reads, not can_fail(expression, facts)))
        number = len(facts.conjuncts) - 1
        visible |= relations.enabling(number) | relations.disabling(number)
    return visible
