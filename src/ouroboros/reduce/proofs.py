"""Proofs about pairs of steps: by running both orders on a state of which only what is needed is known.

What is asked holds in all states, or is taken not to hold. Where a run needs to know a value, every value that it can
have is tried; a proof that needs too many cases is given up, by a count and not by a clock, so that the same model is
always judged in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ouroboros.reduce.facts import Facts, Transition
from ouroboros.reduce.footprints import Footprint
from ouroboros.reduce.symbolic import Fails, GiveUp, Term, Unresolved, World
from ouroboros.system.intervals import field_interval

_MOST_VALUES = 64
"""Values of one slot that are tried."""
_MOST_CASES = 600
"""Cases of one proof."""

Known = Mapping[int, int]


class _Bound(Exception):
    """What was assumed gives a slot its value."""

    def __init__(self, slot: int, value: int) -> None:
        super().__init__(slot, value)
        self.slot = slot
        self.value = value


class _Vacuous(Exception):
    """What was assumed cannot be."""


class Proofs:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.system = facts.system
        self.slots = facts.slots
        self._cases = 0
        self._footprints: dict[tuple[int, tuple[tuple[int, int], ...]], Footprint] = {}

    # ── What can be proved ────────────────────────────────────────────────────────────────────────────────────────────

    def accord(self, first: Transition, second: Transition) -> bool:
        """Whether wherever both are possible, each stays so after the other and both orders lead to the same."""
        known = self._required(first, second)
        if known is None:
            return True
        return self._in_all_cases(lambda case: self._accord(first, second, case), known)

    def keeps_false(self, step: Transition, number: int) -> bool:
        """Whether a step never makes a conjunct true."""
        known = self._required(step)
        assert known is not None

        def case(known: Known) -> bool:
            world = self._assuming([step], known)
            try:
                self._assume(world, world.evaluate(self.facts.conjuncts[number].expression), False)
            except Fails:
                return True
            return not self._holds_after(world, step, number, failed=True)

        return self._in_all_cases(case, known)

    def keeps_true(self, step: Transition, number: int) -> bool:
        """Whether a step never makes a conjunct false."""
        known = self._required(step)
        assert known is not None

        def case(known: Known) -> bool:
            world = self._assuming([step], known)
            try:
                self._assume(world, world.evaluate(self.facts.conjuncts[number].expression), True)
            except Fails:
                return False
            return self._holds_after(world, step, number, failed=False)

        return self._in_all_cases(case, known)

    def exclude(self, first: int, second: int) -> bool:
        """Whether two conjuncts are never true together."""

        def case(known: Known) -> bool:
            world = World(self.system, self.slots, known)
            self._assume(world, world.evaluate(self.facts.conjuncts[first].expression), True)
            return not world.truth(world.evaluate(self.facts.conjuncts[second].expression))

        try:
            return self._in_all_cases(case, {})
        except Fails:
            return False

    # ── Cases ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _in_all_cases(self, case: Callable[[Known], bool], known: Known) -> bool:
        self._cases = 0
        try:
            return self._all(case, known)
        except GiveUp:
            return False

    def _all(self, case: Callable[[Known], bool], known: Known) -> bool:
        self._cases += 1
        if self._cases > _MOST_CASES:
            raise GiveUp
        try:
            return case(known)
        except _Vacuous:
            return True
        except _Bound as bound:
            if bound.value not in self._values(bound.slot):
                return True
            return self._all(case, {**known, bound.slot: bound.value})
        except Unresolved as missing:
            if missing.slot in known:
                raise GiveUp from None
            values = self._values(missing.slot)
            if len(values) > _MOST_VALUES:
                raise GiveUp from None
            slot = missing.slot
        return all(self._all(case, {**known, slot: value}) for value in values)

    def _values(self, slot: int) -> range:
        field, _ = self.slots.owner[slot]
        low, high = self.facts.ranges.get(field) or field_interval(field)
        return range(low, high + 1)

    def _required(self, *steps: Transition) -> dict[int, int] | None:
        """What must have a certain value for the steps to be possible; None where that is a contradiction."""
        known: dict[int, int] = {}
        for step in steps:
            for field, value in step.required.items():
                if known.setdefault(self.slots.first[field], value) != value:
                    return None
        return known

    # ── One case ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _assuming(self, steps: Iterable[Transition], known: Known) -> World:
        """A state in which the steps are possible; a guard that fails makes a step possible that fails."""
        world = World(self.system, self.slots, known)
        for step in steps:
            for number in step.conjuncts:
                try:
                    term = world.evaluate(self.facts.conjuncts[number].expression)
                except Fails:
                    continue
                self._assume(world, term, True)
        return world

    def _assume(self, world: World, term: Term, truth: bool) -> None:
        if isinstance(term, int):
            if bool(term) != truth:
                raise _Vacuous
            return
        if term in world.assumed:
            if world.assumed[term] != truth:
                raise _Vacuous
            return
        world.assumed[term] = truth
        match term:
            case ("not", inner):
                self._assume(world, inner, not truth)
            case ("and", left, right) if truth:
                self._assume(world, left, True)
                self._assume(world, right, True)
            case ("or", left, right) if not truth:
                self._assume(world, left, False)
                self._assume(world, right, False)
            case ("==", ("slot", slot), int(value)) if truth:
                raise _Bound(slot, value)
            case ("slot", slot) if not truth:
                raise _Bound(slot, 0)

    def _holds_after(self, world: World, step: Transition, number: int, failed: bool) -> bool:
        """Whether a conjunct is true after a step; a step that fails leads nowhere, and so to `not failed`."""
        assert step.block is not None
        try:
            after = world.run(step.block)
        except Fails:
            return not failed
        try:
            return after.truth(after.evaluate(self.facts.conjuncts[number].expression))
        except Fails:
            return failed

    def _accord(self, first: Transition, second: Transition, known: Known) -> bool:
        if self._are_apart(first, second, known):
            return True
        world = self._assuming((first, second), known)
        after_first, after_second = self._after(world, first), self._after(world, second)
        if after_first is None and after_second is None:
            return True
        if after_first is None:
            assert after_second is not None
            return self._is_possible(after_second, first) and self._after(after_second, first) is None
        if after_second is None:
            return self._is_possible(after_first, second) and self._after(after_first, second) is None
        if not (self._is_possible(after_first, second) and self._is_possible(after_second, first)):
            return False
        one, other = self._after(after_first, second), self._after(after_second, first)
        if one is None or other is None:
            return False
        if one.asserted != after_second.asserted or other.asserted != after_first.asserted:
            return False
        return all(one.value(slot) == other.value(slot) for slot in {*one.written, *other.written})

    def _after(self, world: World, step: Transition) -> World | None:
        """The state after a step; None where it fails, be it in its guard."""
        assert step.block is not None
        try:
            for number in step.conjuncts:
                if not self.facts.conjuncts[number].certain:
                    world.evaluate(self.facts.conjuncts[number].expression)
            return world.run(step.block)
        except Fails:
            return None

    def _is_possible(self, world: World, step: Transition) -> bool:
        for number in step.conjuncts:
            try:
                if not world.truth(world.evaluate(self.facts.conjuncts[number].expression)):
                    return False
            except Fails:
                continue
        return True

    def _are_apart(self, first: Transition, second: Transition, known: Known) -> bool:
        """Whether in this case neither writes what the other one reads or writes."""
        one, other = self._footprint(first, known), self._footprint(second, known)
        return not one.writes & other.touches and not other.writes & one.touches

    def _footprint(self, step: Transition, known: Known) -> Footprint:
        """Of guard and effect, given the values of scalars that the step reads and does not write."""
        relevant = tuple(
            (slot, value) for slot, value in sorted(known.items()) if step.reads & ~step.writes & 1 << slot
        )
        key = (step.number, relevant)
        if key not in self._footprints:
            owners = ((self.slots.owner[slot][0], value) for slot, value in relevant)
            values = {field: value for field, value in owners if field.length is None}
            knowing = self.facts.footprints.knowing(values)
            assert step.block is not None
            guards = knowing.reads(*(self.facts.conjuncts[number].expression for number in step.conjuncts))
            found = knowing.of_block(step.block)
            self._footprints[key] = Footprint(found.reads | guards, found.writes)
        return self._footprints[key]
