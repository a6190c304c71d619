"""Proofs about pairs of steps: by running both orders on a state of which only what is needed is known.

What is asked holds in all states, or is taken not to hold. Where a run needs to know a value, every value that it can
have is tried; a proof that needs too many cases is given up, by a count and not by a clock, so that the same model is
always judged in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ouroboros.reduce.code import can_fail
from ouroboros.reduce.facts import Facts, Transition
from ouroboros.reduce.footprints import Footprint
from ouroboros.reduce.symbolic import Effort, Fails, GiveUp, Unresolved, World
from ouroboros.reduce.terms import Term, slots_in
from ouroboros.system.blocks import Require, Statement
from ouroboros.system.expressions import Expression
from ouroboros.system.intervals import field_interval

_MOST_VALUES = 64
"""Values of one slot that are tried."""
_CASE = 20
"""What looking at a case costs besides, in numbers computed."""
_EFFORT = 100_000
"""Numbers that are computed for one proof."""
_EFFORT_IN_ALL = 1_500_000
"""And for all proofs about a system: about a second."""


class Known(NamedTuple):
    """A case: what is assumed of a state."""

    values: Mapping[int, int]
    """Of slots."""
    truths: tuple[tuple[Term, bool], ...] = ()
    """Of conditions."""

    def with_value(self, slot: int, value: int) -> Known:
        return self._replace(values={**self.values, slot: value})


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
        self._effort = Effort(0)
        self._left = _EFFORT_IN_ALL
        self._reads: dict[tuple[int, tuple[tuple[int, int], ...]], int] = {}
        self._footprints: dict[tuple[int, tuple[tuple[int, int], ...]], Footprint] = {}

    @property
    def is_exhausted(self) -> bool:
        """Whether nothing more will be proved: there is no use in asking."""
        return self._left <= 0

    # ── What can be proved ────────────────────────────────────────────────────────────────────────────────────────────

    def accord(self, first: Transition, second: Transition) -> bool:
        """Whether wherever both are possible, each stays so after the other and both orders lead to the same."""
        known = self._required(first, second)
        if known is None:
            return True
        writes = first.writes | second.writes
        return self._in_all_cases(lambda case: self._accord(first, second, case), known, writes)

    def keeps_false(self, step: Transition, number: int) -> bool:
        """Whether a step never makes a conjunct true."""
        known = self._required(step)
        assert known is not None
        sliced, granted = self._without_claims(step, self.facts.conjuncts[number].reads)

        def case(known: Known) -> bool:
            if self._leaves_alone(step, number, known):
                return True
            world = self._assuming([sliced], known, granted)
            try:
                self._assume(world, world.evaluate(self.facts.conjuncts[number].expression), False)
            except Fails:
                return True
            return not self._holds_after(world, sliced, number, failed=True)

        return self._in_all_cases(case, known, step.writes)

    def keeps_true(self, step: Transition, number: int) -> bool:
        """Whether a step never makes a conjunct false."""
        known = self._required(step)
        assert known is not None
        sliced, granted = self._without_claims(step, self.facts.conjuncts[number].reads)

        def case(known: Known) -> bool:
            if self._leaves_alone(step, number, known):
                return True
            world = self._assuming([sliced], known, granted)
            try:
                self._assume(world, world.evaluate(self.facts.conjuncts[number].expression), True)
            except Fails:
                return False
            return self._holds_after(world, sliced, number, failed=False)

        return self._in_all_cases(case, known, step.writes)

    def exclude(self, first: int, second: int) -> bool:
        """Whether two conjuncts are never true together."""

        def case(known: Known) -> bool:
            world = self._world(known)
            self._assume(world, world.evaluate(self.facts.conjuncts[first].expression), True)
            return not world.truth(world.evaluate(self.facts.conjuncts[second].expression))

        try:
            return self._in_all_cases(case, Known({}), 0)
        except Fails:
            return False

    # ── Cases ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _in_all_cases(self, case: Callable[[Known], bool], known: Known, writes: int) -> bool:
        """`writes` are the slots that the steps of a case may write."""
        allowance = min(_EFFORT, self._left)
        self._effort = Effort(allowance)
        try:
            return self._all(case, known, writes)
        except GiveUp:
            return False
        finally:
            self._left -= allowance - max(0, self._effort.left)

    def _all(self, case: Callable[[Known], bool], known: Known, writes: int) -> bool:
        self._effort.spend(_CASE)
        try:
            return case(known)
        except _Vacuous:
            return True
        except _Bound as bound:
            if bound.value not in self._values(bound.slot):
                return True
            return self._all(case, known.with_value(bound.slot, bound.value), writes)
        except Unresolved as missing:
            cases = self._split(missing, known, writes)
        return all(self._all(case, each, writes) for each in cases)

    def _split(self, missing: Unresolved, known: Known, writes: int) -> list[Known]:
        """More than one case instead of one of which too little is known."""
        slots = slots_in(missing.term)
        if not slots or any(slot in known.values for slot in slots):
            raise GiveUp
        if missing.condition and not any(writes >> slot & 1 for slot in slots):
            # Nobody changes it: it is enough to know whether it holds.
            return [known._replace(truths=(*known.truths, (missing.term, truth))) for truth in (True, False)]
        slot = min(slots, key=lambda slot: len(self._values(slot)))
        values = self._values(slot)
        if len(values) > _MOST_VALUES:
            raise GiveUp
        return [known.with_value(slot, value) for value in values]

    def _values(self, slot: int) -> range:
        field, _ = self.slots.owner[slot]
        low, high = self.facts.ranges.get(field) or field_interval(field)
        return range(low, high + 1)

    def _required(self, *steps: Transition) -> Known | None:
        """What must have a certain value for the steps to be possible; None where that is a contradiction."""
        values: dict[int, int] = {}
        for step in steps:
            for field, value in step.required.items():
                if values.setdefault(self.slots.first[field], value) != value:
                    return None
        return Known(values)

    def _world(self, known: Known) -> World:
        world = World(self.system, self.slots, known.values, self._effort)
        for term, truth in known.truths:
            self._assume(world, term, truth)
        return world

    # ── One case ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _assuming(self, steps: Iterable[Transition], known: Known, granted: Iterable[Expression] = ()) -> World:
        """A state in which the steps are possible; a guard that fails makes a step possible that fails."""
        world = self._world(known)
        for condition in granted:
            self._assume(world, world.evaluate(condition), True)
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
                self._bind(world, slot, value)
            case ("slot", slot) if not truth:
                self._bind(world, slot, 0)

    def _bind(self, world: World, slot: int, value: int) -> None:
        if slot not in world.known:
            raise _Bound(slot, value)
        if world.known[slot] != value:
            raise _Vacuous

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
        # What one asks for and the other one does not touch is the same before and after that: where it is not
        # fulfilled, the step fails in both orders. But it must be possible in both, or the failure would be missed.
        granted: list[Expression] = []
        writes = first.writes, second.writes
        if not writes[1] & first.guard_reads:
            first, granted = self._without_claims(first, writes[1])
        if not writes[0] & second.guard_reads:
            second, more = self._without_claims(second, writes[0])
            granted += more
        world = self._assuming((first, second), known, granted)
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

    def _without_claims(self, step: Transition, touched: int) -> tuple[Transition, list[Expression]]:
        """A step without what it asks for, and fails without, before it does anything; but for what is touched. And
        what that is.
        """
        assert step.block is not None
        asked = 0
        while asked < len(step.block) and isinstance(step.block[asked], Require):
            asked += 1
        kept: list[Statement] = []
        granted: list[Expression] = []
        for each in step.block[:asked]:
            assert isinstance(each, Require)
            if self.facts.footprints.reads(each.condition) & touched or can_fail(each.condition, self.facts):
                kept.append(each)
            else:
                granted.append(each.condition)
        return replace(step, block=(*kept, *step.block[asked:])) if granted else step, granted

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

    def _leaves_alone(self, step: Transition, number: int, known: Known) -> bool:
        """Whether in this case a step writes nothing that a conjunct reads."""
        conjunct = self.facts.conjuncts[number]
        writes = self._footprint(step, known).writes
        if not writes & conjunct.reads:
            return True
        relevant = tuple((slot, value) for slot, value in sorted(known.values.items()) if conjunct.reads >> slot & 1)
        key = (number, relevant)
        if key not in self._reads:
            owners = ((self.slots.owner[slot][0], value) for slot, value in relevant)
            values = {field: value for field, value in owners if field.length is None}
            self._reads[key] = self.facts.footprints.knowing(values).reads(conjunct.expression)
        # What it reads in this case before the step, it reads after it, unless the step changes where it looks.
        return not writes & self._reads[key]

    def _footprint(self, step: Transition, known: Known) -> Footprint:
        """Of guard and effect, given the values of scalars that the step reads and does not write."""
        relevant = tuple(
            (slot, value) for slot, value in sorted(known.values.items()) if step.reads & ~step.writes & 1 << slot
        )
        key = (step.number, relevant)
        if key not in self._footprints:
            owners = ((self.slots.owner[slot][0], value) for slot, value in relevant)
            values = {field: value for field, value in owners if field.length is None}
            knowing = self.facts.footprints.knowing(values)
            assert step.block is not None
            guards = knowing.reads(*(self.facts.conjuncts[number].expression for number in step.conjuncts))
            found = knowing.of_block(step.block)
            self._footprints[key] = Footprint(found.reads & step.effect.reads | guards, found.writes & step.writes)
        return self._footprints[key]
