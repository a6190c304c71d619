"""What slots may hold in the states that can be reached, also depending on where a process is.

A scalar that the choice tree switches on, and to which nothing but constants is assigned, is a *place* (a program
counter). A slot that is only written by steps which ask for a certain value of a place, or give it one, is tied to it:
what it may hold is known for each value of the place. That is how it is seen that a parameter, which is set when a
process is made and gone when it has ended, is the same all the time in between.

The sets are the least ones that hold the values at the start and all that the steps may write, found by running each
step on sets until nothing is new (Cousot and Cousot, 1977; for conditions that decide what is run at all, Wegman and
Zadeck, 1991).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ouroboros.reduce.abstract import Abstract, Values, union
from ouroboros.reduce.code import constants_after, constants_assigned
from ouroboros.reduce.footprints import Footprint, Footprints, Slots
from ouroboros.reduce.places import Leaf, Ranged, leaves
from ouroboros.reduce.symbolic import Effort
from ouroboros.system.blocks import Block
from ouroboros.system.choices import All, Choice, First, Switch, When
from ouroboros.system.expressions import Expression
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System

_NOTHING: frozenset[int] = frozenset()
_LONGEST = 60
"""Parts of a condition from which something is concluded."""


class SlotValues:
    """Raises GiveUp where that takes too long."""

    def __init__(self, system: System, start: Sequence[Vector], effort: Effort) -> None:
        self.system = system
        self.slots = Slots(system.layout)
        self._known = Ranged(replace(system, initial=tuple(start)))
        self.footprints = Footprints(self.slots, system.evaluation_bits, self._known.ranges)
        self._effort = effort
        self._exclusive = system.exclusive.field if system.exclusive else None
        self._places = self._find_places()
        self.leaves = self._possible(start)
        self._conditions = [[each for each in leaf.conditions if _is_short(each)] for leaf in self.leaves]
        self._touched = [self._footprint(leaf) for leaf in self.leaves]
        self._ties = self._find_ties()
        self._tied: dict[Field, list[int]] = defaultdict(list)
        for slot, place in self._ties.items():
            self._tied[place].append(slot)
        self._all: dict[int, Values] = dict.fromkeys(range(len(self.slots.owner)), _NOTHING)
        self._at: dict[tuple[Field, int], dict[int, Values]] = {}
        self._begin(start)
        self._find()

    def value(self, slot: int) -> Values:
        """What a slot may hold in any state."""
        return self._all[slot]

    def is_reached(self, leaf: int) -> bool:
        required = self.leaves[leaf].required
        return all(
            (place, value) in self._at if place in self._places else self._may_hold(place, value)
            for place, value in required.items()
        )

    def before(self, leaf: int) -> Callable[[int], Values]:
        """What slots may hold where an action is taken, as far as the places that it asks for tell."""
        required = self.leaves[leaf].required

        def value(slot: int) -> Values:
            place = self._ties.get(slot)
            if place is not None and place in required:
                return self._at[place, required[place]].get(slot, _NOTHING)
            return self._all[slot]

        return value

    def run(self, leaf: int) -> Abstract | None:
        """A step of the leaf at work, before its effect; None where its conditions do not hold."""
        before, required = self.before(leaf), self.leaves[leaf].required
        known = {self.slots.first[field]: frozenset({value}) for field, value in required.items()}
        step = Abstract(
            self.footprints,
            lambda slot: known[slot] if slot in known else before(slot),
            self._exclusive,
            self._effort,
        )
        for condition in self._conditions[leaf]:
            risks = step.risks
            values, simpler = step.fold(condition)
            if values == frozenset({0}) and step.risks == risks:
                return None
            if not step.assume(simpler, True):
                return None
        step.footprint = Footprint()
        step.risks = 0
        return step

    # ── Places ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def _find_places(self) -> frozenset[Field]:
        effects = [action.effect for action in self.system.actions]
        constant = constants_assigned(effects)
        footprint = Footprint()
        for effect in effects:
            footprint |= self.footprints.of_block(effect)
        return frozenset(
            field
            for field in _switched(self.system.choices)
            if field is not self._exclusive and (field in constant or not footprint.writes & self.slots.all_of(field))
        )

    def _possible(self, start: Sequence[Vector]) -> list[Leaf]:
        """The leaves whose places may be reached, by the constants that are assigned to places alone."""
        waiting = [each for each in leaves(self._known) if each.action is not None]
        reached = {place: {self.system.layout.read(vector, place) for vector in start} for place in self._places}
        result: list[Leaf] = []
        changed = True
        while changed:
            changed = False
            later = []
            for leaf in waiting:
                required = leaf.required
                if all(value in reached[place] for place, value in required.items() if place in self._places):
                    changed = True
                    result.append(leaf)
                    for place, values in constants_assigned([self._effect(leaf)]).items():
                        if place in self._places:
                            reached[place] |= values
                else:
                    later.append(leaf)
            waiting = later
        return result

    def _effect(self, leaf: Leaf) -> Block:
        assert leaf.action is not None
        return self.system.actions[leaf.action].effect

    def _footprint(self, leaf: Leaf) -> Footprint:
        return Footprint(self.footprints.reads(*leaf.conditions)) | self.footprints.of_block(self._effect(leaf))

    def _find_ties(self) -> dict[int, Field]:
        """For each slot a place that all who write it know."""
        common: dict[int, set[Field]] = {}
        score: dict[tuple[int, Field], int] = defaultdict(int)
        for leaf, touched in zip(self.leaves, self._touched, strict=True):
            asked = leaf.required.keys() & self._places
            known = asked | constants_after(self._effect(leaf)).keys() & self._places
            for slot in _members(touched.writes):
                common[slot] = common[slot] & known if slot in common else set(known)
            for slot in _members(touched.touches):
                for place in asked:
                    score[slot, place] += 1
        ties = {}
        order = {place: number for number, place in enumerate(self.system.layout.fields)}
        for slot, places in common.items():
            field, _ = self.slots.owner[slot]
            places.discard(field)
            if places and field not in self._places and field is not self._exclusive:
                ties[slot] = max(places, key=lambda place: (score[slot, place], -order[place]))
        return ties

    # ── The least sets ────────────────────────────────────────────────────────────────────────────────────────────────

    def _begin(self, start: Sequence[Vector]) -> None:
        for vector in start:
            held = {
                slot: frozenset({self.system.layout.read(vector, field, at)})
                for slot, (field, at) in enumerate(self.slots.owner)
            }
            for slot, values in held.items():
                self._all[slot] = union(self._all[slot], values)
            for place in self._places:
                (value,) = held[self.slots.first[place]]
                known = self._at.setdefault((place, value), {})
                for slot in self._tied[place]:
                    known[slot] = union(known.get(slot, _NOTHING), held[slot])

    def _find(self) -> None:
        by_place: dict[tuple[Field, int], list[int]] = defaultdict(list)
        by_slot: dict[int, list[int]] = defaultdict(list)
        for number, (leaf, touched) in enumerate(zip(self.leaves, self._touched, strict=True)):
            required = leaf.required
            for place, value in required.items():
                if place in self._places:
                    by_place[place, value].append(number)
                else:
                    by_slot[self.slots.first[place]].append(number)
            for slot in _members(touched.touches):
                if self._ties.get(slot) not in required:
                    by_slot[slot].append(number)
            for place in constants_assigned([self._effect(leaf)]):
                if place in self._places and place not in required:
                    for slot in self._tied[place]:
                        by_slot[slot].append(number)
        waiting = dict.fromkeys(range(len(self.leaves)))
        while waiting:
            number = next(iter(waiting))
            del waiting[number]
            if self.is_reached(number):
                for change in self._step(number):
                    for each in by_slot[change] if isinstance(change, int) else by_place[change]:
                        waiting[each] = None

    def _step(self, number: int) -> Iterator[int | tuple[Field, int]]:
        """Add what a step may lead to; yields what has become larger."""
        step = self.run(number)
        if step is None or step.run(self._effect(self.leaves[number])) is None:
            return
        required = self.leaves[number].required
        for slot, values in step.now.items():
            field, _ = self.slots.owner[slot]
            yield from self._grow(slot, self._targets(number, field, step) if field in self._places else values)
        for place in self._places:
            slot = self.slots.first[place]
            if place not in required and slot not in step.now:
                continue
            targets = self._targets(number, place, step)
            for target in targets:
                known = self._at.get((place, target))
                changed = known is None
                known = self._at.setdefault((place, target), {})
                for tied in self._tied[place]:
                    values = step.value(tied)
                    after = union(known.get(tied, _NOTHING), values)
                    if tied not in known or after != known[tied]:
                        known[tied] = after
                        changed = True
                if changed:
                    yield place, target

    def _targets(self, number: int, place: Field, step: Abstract) -> frozenset[int]:
        """The values that a place may have after a step."""
        leaf, slot = self.leaves[number], self.slots.first[place]
        before = frozenset({leaf.required[place]}) if place in leaf.required else _NOTHING
        if slot not in step.now:
            return before
        found = step.now[slot]
        if found is not None:
            return found
        return constants_assigned([self._effect(leaf)])[place] | (
            before or frozenset(value for other, value in self._at if other is place)
        )

    def _grow(self, slot: int, values: Values) -> Iterator[int]:
        before = self._all[slot]
        if self.slots.owner[slot][0] in self._places and before is not None and values is not None:
            after: Values = before | values
        else:
            after = union(before, values)
        if after != self._all[slot]:
            self._all[slot] = after
            yield slot

    def _may_hold(self, field: Field, value: int) -> bool:
        values = self._all[self.slots.first[field]]
        return values is None or value in values


def _is_short(condition: Expression) -> bool:
    left = _LONGEST
    waiting: list[object] = [condition]
    while waiting and left > 0:
        part = waiting.pop()
        left -= 1
        if isinstance(part, tuple):
            waiting += part
    return left > 0


def _switched(choice: Choice) -> Iterator[Field]:
    match choice:
        case All(children) | First(children):
            for child in children:
                yield from _switched(child)
        case Switch(field, cases):
            if field.length is None:
                yield field
            for _, child in cases:
                yield from _switched(child)
        case When(_, child):
            yield from _switched(child)


def _members(bits: int) -> Iterator[int]:
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low
