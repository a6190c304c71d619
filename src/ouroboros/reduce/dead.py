"""Dead variables: what nobody will read again before it is written is reset to its initial value.

The *place* of a process is the value of a scalar p that its actions ask for. Backward over the actions, each from the
value of p that it needs to the one that it leaves, this finds the slots that are *live* at each place: that may be
read before they are certainly written (Kennedy, 1981). A slot x is *cleared* at a place l if it is dead there and
* every action that comes to l, or stays there, can reset it, or leaves it as it is and comes from where it is cleared;
* every action that leaves l certainly writes it, or leads to where it is cleared;
* initial states at l have it at its initial value.

In the system with these resets, every state at l has the same value in all slots that are cleared at l: it is f(s) for
the states s of the whole system, where f sets just these slots to their initial values. By the first and third rule f
of a reachable state is what is reached instead of it; the second makes it so that what is not cleared any more has the
same value as without resets. Guards and effects read no dead slot. So f is a bisimulation, and, being a function, it
never makes two states of one: there are never more states, and all runs stay as they were, up to the slots that are
cleared; and these are neither observed nor part of what says where runs may end.

An action that does not ask for p may come at any place. If it sets p, to make a process, say, it counts as coming from
the value of p that the code around the assignment asks for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from ouroboros.reduce.code import can_fail, constants_assigned
from ouroboros.reduce.flow import Flow, Flows, setting
from ouroboros.reduce.footprints import Footprints, Slots
from ouroboros.reduce.places import Leaf, Ranged, leaves, required_value
from ouroboros.reduce.relations import members
from ouroboros.system.blocks import Assign, Block, If
from ouroboros.system.expressions import Binary, Constant, Expression, Unary, equal, fields_in
from ouroboros.system.layout import Field
from ouroboros.system.model import System

_MOST_LEAVES = 20_000
_MOST_CONTROLS = 64
_ELSEWHERE = -(1 << 80)
"""Stands for the values of a control field that no action asks for or sets it to."""


class _Edge(NamedTuple):
    """A way from place to place."""

    action: int
    source: int | None
    """None: from any place."""
    target: int | None
    """None: to any place, unless it stays where it is."""
    stays: bool
    flow: Flow


class _Reset(NamedTuple):
    control: Field
    at: int | None
    """The value of the control field with which it is done; None: always."""
    slots: int


def without_dead(system: System, observed: frozenset[Field]) -> System | None:
    """The system that resets what is dead; None if nothing ever is."""
    code = _Code(system)
    if len(code.leaves) > _MOST_LEAVES:
        return None
    kept = {*observed, *(fields_in(system.valid_end) if system.valid_end is not None else ())}
    if system.exclusive:
        kept.add(system.exclusive.field)
    candidates = code.written
    for item in kept & code.slots.first.keys():
        candidates &= ~code.slots.all_of(item)
    resets: dict[int, list[_Reset]] = defaultdict(list)
    reset = 0
    for control in code.controls():
        slot = 1 << code.slots.first[control]
        # Places do not depend on what is reset, and what they depend on is not reset.
        if not slot & reset:
            found = _Places(code, control, candidates & ~slot).resets()
            if found:
                candidates &= ~slot
            for action, each in found:
                resets[action].append(each)
                candidates &= ~each.slots
                reset |= each.slots
    if not resets:
        return None
    actions = list(system.actions)
    for number, found_there in resets.items():
        effect = actions[number].effect
        actions[number] = replace(actions[number], effect=(*effect, *code.resetting(found_there)))
    return replace(system, actions=tuple(actions))


class _Code:
    """What the actions of a system do with slots, and where they stand."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.known = Ranged(system)
        self.slots = Slots(system.layout)
        self.footprints = Footprints(self.slots, system.evaluation_bits, self.known.ranges)
        self.leaves = list(leaves(self.known))
        self.required = [leaf.required for leaf in self.leaves]
        self.reads = [self.footprints.reads(*leaf.conditions) for leaf in self.leaves]
        flows = Flows(self.footprints)
        self.flows = [flows.of(action.effect) for action in system.actions]
        self.constants = [flows.constants(action.effect) for action in system.actions]
        self.assigned = [constants_assigned([action.effect]) for action in system.actions]
        self.initially = [system.layout.read(system.initial[0], item, at) for item, at in self.slots.owner]
        self.written = 0
        for flow in self.flows:
            self.written |= flow.written

    def controls(self) -> list[Field]:
        """Scalars whose values actions ask for, those that most do first."""
        counted = Counter(item for required in self.required for item in required)
        exclusive = self.system.exclusive.field if self.system.exclusive else None
        return [
            item
            for item, _ in counted.most_common(_MOST_CONTROLS)
            if item is not exclusive and self.written & 1 << self.slots.first[item]
        ]

    def differing(self, control: Field, place: int) -> int:
        """Slots that do not have their initial value in all initial states at a place."""
        layout = self.system.layout
        result = 0
        for state in self.system.initial[1:]:
            if layout.read(state, control) == place:
                for slot, (item, at) in enumerate(self.slots.owner):
                    if layout.read(state, item, at) != self.initially[slot]:
                        result |= 1 << slot
        return result

    def resetting(self, resets: list[_Reset]) -> Iterator[Assign | If]:
        for control, place, slots in resets:
            block = tuple(map(self._reset, members(slots)))
            if place is None:
                yield from block
            else:
                yield If(equal(control, place), block)

    def _reset(self, slot: int) -> Assign:
        item, at = self.slots.owner[slot]
        return Assign(item, None if item.length is None else Constant(at), Constant(self.initially[slot]))


class _Places:
    """The places of one control field: what is live, and what is cleared."""

    def __init__(self, code: _Code, control: Field, candidates: int) -> None:
        self._code = code
        self._control = control
        self._slot = code.slots.first[control]
        self._edges: list[_Edge] = []
        self._read: dict[int | None, int] = defaultdict(int)
        """What is read by conditions where the control field has a certain value, or (None) in any case."""
        self._elsewhere = Flow(0, 0, 0)
        """What is done by actions that have nothing to do with places, and may be anywhere."""
        for number, leaf in enumerate(code.leaves):
            self._add(number, leaf)
        self._edges.append(_Edge(-1, None, None, True, self._elsewhere))
        self._domain = self._values()
        self._cleared = dict.fromkeys(self._domain, candidates)

    def resets(self) -> list[tuple[int, _Reset]]:
        """For each action what it is to do besides."""
        if any(edge.source is None and edge.target is None and not edge.stays for edge in self._edges):
            # From anywhere to anywhere: this tells nothing.
            return []
        live = self._live()
        for place in self._domain:
            self._cleared[place] &= ~live[place] & ~self._code.differing(self._control, place)
        if _ELSEWHERE in self._cleared:
            self._cleared[_ELSEWHERE] = 0
        self._settle()
        targets: dict[int, set[int | None]] = defaultdict(set)
        needed: dict[tuple[int, int], int] = defaultdict(int)
        for edge in self._edges:
            if edge.action < 0:
                continue
            targets[edge.action].add(edge.source if edge.stays else edge.target)
            for source, target in self._ways(edge):
                needed[edge.action, target] |= self._missing(edge, source, target)
        found: list[tuple[int, _Reset]] = []
        for (action, target), slots in needed.items():
            after = self._code.constants[action]
            done = sum(1 << slot for slot in members(slots) if after.get(slot) == self._code.initially[slot])
            if slots & ~done:
                certain = targets[action] == {target}
                found.append((action, _Reset(self._control, None if certain else target, slots & ~done)))
        return found

    # ── The graph of places ───────────────────────────────────────────────────────────────────────────────────────────

    def _add(self, number: int, leaf: Leaf) -> None:
        code = self._code
        place = code.required[number].get(self._control)
        flow = code.flows[leaf.action] if leaf.action is not None else Flow(0, 0, 0)
        if place is None and not (code.reads[number] | flow.written) >> self._slot & 1:
            self._read[None] |= code.reads[number]
            old = self._elsewhere
            self._elsewhere = Flow(old.exposed | flow.exposed, 0, old.written | flow.written)
            return
        self._add_reads(leaf, place)
        if leaf.action is not None:
            self._edges += self._ways_of(leaf.action, place, flow)

    def _add_reads(self, leaf: Leaf, place: int | None) -> None:
        """Conditions behind the one for the place are only evaluated there; those before it only matter there, unless
        they fail.
        """
        there = False
        for condition in leaf.conditions:
            there = there or (place is not None and required_value(condition) == (self._control, place))
            everywhere = place is None or not (there or not can_fail(condition, self._code.known))
            for value, slots in self._reads_of(condition, None):
                if everywhere or value in (None, place):
                    self._read[value if everywhere else place] |= slots

    def _reads_of(self, condition: Expression, value: int | None) -> Iterator[tuple[int | None, int]]:
        """What a condition reads, given the value that the control field has then."""
        match condition:
            case Binary("and", left, right):
                yield from self._reads_of(left, value)
                asked = required_value(left)
                yield from self._reads_of(right, asked[1] if asked and asked[0] is self._control else value)
            case Binary("or", left, right):
                yield from self._reads_of(left, value)
                yield from self._reads_of(right, value)
            case Unary("not", operand):
                yield from self._reads_of(operand, value)
            case _:
                yield value, self._code.footprints.reads(condition)

    def _ways_of(self, action: int, place: int | None, flow: Flow) -> Iterator[_Edge]:
        code = self._code
        effect: Block = code.system.actions[action].effect
        if not flow.written >> self._slot & 1:
            yield _Edge(action, place, None, True, flow)
        elif self._slot in code.constants[action]:
            yield _Edge(action, place, code.constants[action][self._slot], False, flow)
        elif place is not None:
            assigned = code.assigned[action].get(self._control)
            yield _Edge(action, place, None, assigned is not None, flow)
            for constant in sorted(assigned or ()):
                yield _Edge(action, place, constant, False, flow)
        else:
            found = setting(effect, self._control, code.footprints)
            (source, target), *others = found.ways
            if others or source is None or target is None:
                yield _Edge(action, None, None, False, flow)
                return
            always = found.written[None]
            # What is written where the field has its new value may come behind the assignment.
            moving = always | found.written[source] | found.written[target]
            yield _Edge(action, source, target, False, Flow(flow.exposed, 0, moving))
            yield _Edge(action, None, None, True, Flow(flow.exposed, 0, always))
            for where, written in found.written.items():
                if where is not None:
                    yield _Edge(action, where, None, True, Flow(flow.exposed, 0, always | written))

    def _values(self) -> list[int]:
        """All places."""
        layout = self._code.system.layout
        found = {layout.read(state, self._control) for state in self._code.system.initial}
        found |= {value for value in self._read if value is not None}
        for edge in self._edges:
            found |= {each for each in (edge.source, edge.target) if each is not None}
            if edge.target is None and not edge.stays:
                found.add(_ELSEWHERE)
        return sorted(found)

    def _ways(self, edge: _Edge) -> Iterator[tuple[int, int]]:
        for source in self._domain if edge.source is None else (edge.source,):
            if edge.stays:
                yield source, source
            elif edge.target is not None:
                yield source, edge.target
            else:
                for target in self._domain:
                    yield source, target

    # ── What is live, and what is cleared ─────────────────────────────────────────────────────────────────────────────

    def _live(self) -> dict[int, int]:
        live = {place: self._read[place] | self._read[None] for place in self._domain}
        ways = [(source, target, edge.flow) for edge in self._edges for source, target in self._ways(edge)]
        changed = True
        while changed:
            changed = False
            for source, target, flow in reversed(ways):
                after = live[source] | flow.exposed | live[target] & ~flow.certain
                changed = changed or after != live[source]
                live[source] = after
        return live

    def _missing(self, edge: _Edge, source: int, target: int) -> int:
        """What is to be cleared at the target and may not be so already."""
        return self._cleared[target] & ~(self._cleared[source] & ~edge.flow.written)

    def _settle(self) -> None:
        """Clear less, until it can be done everywhere."""
        ways = [(edge, source, target) for edge in self._edges for source, target in self._ways(edge)]
        cleared = self._cleared
        changed = True
        while changed:
            changed = False
            for edge, source, target in ways:
                can_reset = edge.target is not None or (edge.stays and edge.source is not None)
                if not can_reset and (missing := self._missing(edge, source, target)):
                    cleared[target] &= ~missing
                    changed = True
                if lost := cleared[source] & ~edge.flow.certain & ~cleared[target]:
                    cleared[source] &= ~lost
                    changed = True
