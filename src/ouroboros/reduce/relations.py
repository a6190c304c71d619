"""How transitions stand to each other: who may enable whom, and which of them are in accord.

Every set of transitions is an integer, bit by bit. What is not known is taken to be the case: two transitions that are
not proved to be in accord are not, and whoever writes what a condition reads may change it unless that is disproved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

from ouroboros.reduce.facts import Facts, Transition
from ouroboros.reduce.memory import Remembered
from ouroboros.reduce.proofs import Proofs
from ouroboros.reduce.symbolic import Effort, Fails, GiveUp, Unresolved, World
from ouroboros.system.intervals import field_interval

_MOST_VALUES = 256


def members(bits: int) -> Iterator[int]:
    """The numbers of the bits that are set."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


class Relations:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.transitions = facts.transitions
        self._proofs = Proofs(facts)
        self._remembered = Remembered(facts)
        self._readers: dict[int, int] = defaultdict(int)
        self._writers: dict[int, int] = defaultdict(int)
        for each in self.transitions:
            for slot in members(each.reads):
                self._readers[slot] |= 1 << each.number
            for slot in members(each.writes):
                self._writers[slot] |= 1 << each.number
        self._allowed: dict[int, tuple[int, int] | None] = {}
        self._bounds = [self._bounds_of(each) for each in self.transitions]

    # ── Never together ────────────────────────────────────────────────────────────────────────────────────────────────

    def allowed(self, number: int) -> tuple[int, int] | None:
        """The only slot that a conjunct reads, and the values with which it is true, counted from the least one; None
        where it reads more, or too many values are possible.
        """
        if number not in self._allowed:
            self._allowed[number] = self._allowed_values(number)
        return self._allowed[number]

    def _allowed_values(self, number: int) -> tuple[int, int] | None:
        conjunct = self.facts.conjuncts[number]
        if conjunct.reads.bit_count() != 1 or not conjunct.certain:
            return None
        slot = conjunct.reads.bit_length() - 1
        low, high = self._range(slot)
        if high - low >= _MOST_VALUES:
            return None
        allowed = 0
        try:
            for value in range(low, high + 1):
                world = World(self.facts.system, self.facts.slots, {slot: value}, Effort(1000))
                if world.truth(world.evaluate(conjunct.expression)):
                    allowed |= 1 << value - low
        except (Fails, GiveUp, Unresolved):
            return None
        return slot, allowed

    def _range(self, slot: int) -> tuple[int, int]:
        field, _ = self.facts.slots.owner[slot]
        low, high = self.facts.ranges.get(field) or field_interval(field)
        return low, high

    def _bounds_of(self, transition: Transition) -> dict[int, int]:
        """For each slot the values with which a transition may be possible."""
        bounds: dict[int, int] = {}
        for number in transition.conjuncts:
            found = self.allowed(number)
            if found:
                slot, values = found
                bounds[slot] = bounds.get(slot, -1) & values
        return bounds

    def never_together(self, first: int, second: int) -> bool:
        one, other = self._bounds[first], self._bounds[second]
        return any(slot in other and not values & other[slot] for slot, values in one.items())

    # ── Accord ────────────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def discord(self) -> list[int]:
        """For each transition those that it is not in accord with, wherever both are possible."""
        result = [0] * len(self.transitions)
        for first in self.transitions:
            for number in members(self._near(first) >> first.number + 1):
                second = self.transitions[first.number + 1 + number]
                if not self._accord(first, second):
                    result[first.number] |= 1 << second.number
                    result[second.number] |= 1 << first.number
        return result

    def is_in_accord_with_all(self, number: int) -> bool:
        """Whether a transition is in accord with all others, without asking the same of those."""
        step = self.transitions[number]
        others = self._near(step) & ~(1 << number)
        return all(self._accord(step, self.transitions[other]) for other in members(others))

    def _near(self, step: Transition) -> int:
        """Transitions that read or write what a step writes, or write what it reads."""
        near = 0
        for slot in members(step.writes):
            near |= self._readers[slot] | self._writers[slot]
        for slot in members(step.reads):
            near |= self._writers[slot]
        return near

    def _accord(self, first: Transition, second: Transition) -> bool:
        if self.never_together(first.number, second.number):
            return True
        if first.block is None or second.block is None:
            return False
        if _disables(first, second) or _disables(second, first) or self._proofs.is_exhausted:
            return False
        return self._remembered.answer("accord", (first, second), (), lambda: self._proofs.accord(first, second))

    # ── Enabling and disabling ────────────────────────────────────────────────────────────────────────────────────────

    def enabling(self, number: int) -> int:
        """The transitions that may make a conjunct true."""
        return self._changing(number, True)

    def disabling(self, number: int) -> int:
        """The transitions that may make a conjunct false."""
        return self._changing(number, False)

    def _changing(self, number: int, truth: bool) -> int:
        result = 0
        near = 0
        for slot in members(self.facts.conjuncts[number].reads):
            near |= self._writers[slot]
        for each in members(near):
            if self._may_make(self.transitions[each], number, truth):
                result |= 1 << each
        return result

    def _may_make(self, step: Transition, number: int, truth: bool) -> bool:
        found = self.allowed(number)
        if found:
            slot, values = found
            low, high = self._range(slot)
            field, _ = self.facts.slots.owner[slot]
            wanted = values if truth else ~values & (1 << high - low + 1) - 1
            if not self._bounds[step.number].get(slot, -1) & ~wanted:
                # It is only possible where that is so already.
                return False
            if field.length is None and field in step.assigned:
                return any(wanted >> value - low & 1 for value in step.assigned[field] if value >= low)
        return step.block is None or self._proved(step, number, truth)

    def _proved(self, step: Transition, number: int, truth: bool) -> bool:
        """Whether it is not proved that a step never gives a conjunct this truth."""
        if self._proofs.is_exhausted:
            return True
        prove = self._proofs.keeps_false if truth else self._proofs.keeps_true
        kind = "keeps false" if truth else "keeps true"
        return not self._remembered.answer(kind, (step,), (number,), lambda: prove(step, number))

    def exclude(self, first: int, second: int) -> bool:
        """Whether two conjuncts are never true together."""
        one, other = self.allowed(first), self.allowed(second)
        if one and other and one[0] == other[0]:
            return not one[1] & other[1]
        conjuncts = self.facts.conjuncts
        if self._proofs.is_exhausted or not conjuncts[first].reads & conjuncts[second].reads:
            return False
        return self._remembered.answer("exclude", (), (first, second), lambda: self._proofs.exclude(first, second))


def _disables(first: Transition, second: Transition) -> bool:
    """Whether a step certainly takes away a value that the other one needs."""
    return any(first.constants.get(field, value) != value for field, value in second.required.items())


def union(sets: Sequence[int]) -> int:
    result = 0
    for each in sets:
        result |= each
    return result
