"""Edges to actions: alone, in pairs, and as broadcasts; and how they compete."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Literal, TypeAlias, get_args

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import MOST_COMBINATIONS, Context, binary, negated
from ouroboros.languages.uppaal.lower.differences import Bound, variants
from ouroboros.languages.uppaal.lower.listeners import Answer, answers, count_answers
from ouroboros.languages.uppaal.lower.priorities import Priorities, Rank, refuse_timed
from ouroboros.languages.uppaal.lower.processes import Channel, Edge, Process, SetClock
from ouroboros.languages.uppaal.lower.watches import Passing, Watch, noted
from ouroboros.system.blocks import (
    Assign,
    Block,
    Constrain,
    If,
    Require,
    Reset,
    SetElement,
    SetLocal,
    Settle,
    Statement,
)
from ouroboros.system.choices import Action, All, Choice, Do, First, Part, Switch, When
from ouroboros.system.expressions import (
    Binary,
    Constant,
    Difference,
    Escape,
    Expression,
    Local,
    LocalArray,
    disjunction,
    equal,
)
from ouroboros.system.layout import Field

Turn: TypeAlias = Literal["committed", "mixed", "alone"]
"""Whether a committed process takes part in a step, or may, or none does."""
Places: TypeAlias = dict[tuple[Process, int], list[Choice]]
"""Of each process and location, the steps that are led from there."""


@dataclass(eq=False)
class Actions:
    """Collects the actions of a system. Without a zone there are no clocks."""

    context: Context
    processes: Sequence[Process]
    priorities: Priorities
    zone: Field | None
    invariants: Block
    settle: Settle | None
    differences: Mapping[Bound, Field]
    """The bits that say how clocks differ."""
    watches: Mapping[Watch, Field]
    """The bits that say which clocks have come to their bounds."""
    disabled: int
    """The site of steps that do not exist: no valuation of the clocks allows them."""
    actions: list[Action] = field(default_factory=list)
    escapes: list[Escape] = field(default_factory=list)
    """For each action, how it leaves a state where it may be stuck."""
    most_slots: int = 0
    tick: Field | None = None
    """What every step but a tick makes untrue."""

    def tree(self) -> Choice:
        """The choice between all actions: those of the highest priority first."""
        ranks: dict[Rank, dict[Turn, Places]] = defaultdict(
            lambda: {turn: defaultdict(list) for turn in get_args(Turn)}
        )
        edges: dict[Rank, list[Edge]] = defaultdict(list)
        for process in self.processes:
            for edge in process.edges:
                for parts, turn, choice in self._steps(edge):
                    rank = self.priorities.rank(parts)
                    ranks[rank][turn][process, edge.source].append(choice)
                    edges[rank] += parts
        nobody = negated(self.some_committed())
        levels: list[Choice] = []
        for rank in sorted(ranks, reverse=True):
            turns = ranks[rank]
            if rank != min(ranks):
                refuse_timed(edges[rank])
            first = [self._switches(turns["committed"]), self._switches(turns["mixed"])]
            levels.append(All((*first, When(nobody, self._switches(turns["alone"])))))
        return levels[0] if len(levels) == 1 else First(tuple(levels))

    def _steps(self, edge: Edge) -> Iterator[tuple[tuple[Edge, ...], Turn, Choice]]:
        """The steps that an edge leads: of which edges they are made, and when it is their turn."""
        committed = edge.source in edge.process.committed
        if edge.channel is None:
            yield (edge,), "committed" if committed else "alone", self._single(edge)
        elif edge.channel.sends is None:
            yield from self._together(edge)
        elif edge.channel.sends and edge.channel.type.broadcast:
            for step in self._broadcasts(edge, committed):
                yield (edge, *self._receivers(edge)), "committed" if committed else "mixed", step
        elif edge.channel.sends:
            yield from self._pairs(edge)

    def _switches(self, choices: Places) -> Choice:
        switches: list[Choice] = []
        for process in self.processes:
            cases = [(number, All(tuple(found))) for (owner, number), found in choices.items() if owner is process]
            if cases:
                switches.append(Switch(process.location, tuple(cases)))
        return All(tuple(switches))

    def passing(self, steps: Iterable[Passing]) -> Iterator[Choice]:
        """Steps in which nothing is done but that time goes on."""
        for text, guard, effect in steps:
            self.actions.append(
                Action((Part("", text, None),), (*effect, *((self.settle,) if self.settle else ())), guard)
            )
            yield Do(len(self.actions) - 1)

    def some_committed(self) -> Expression:
        return disjunction(
            *(equal(process.location, number) for process in self.processes for number in sorted(process.committed))
        )

    def _action(self, parts: Sequence[Edge], effect: Block, guard: Expression, mixed: bool = False) -> Choice:
        told = tuple(Part(edge.process.name, edge.text, edge.span) for edge in parts)
        end: Block = (*self.invariants, *((self.settle,) if self.settle else ()))
        if self.tick:
            end = (*end, Assign(self.tick, None, Constant(0)))
        steps: list[Choice] = []
        for each in variants(noted(effect, self.watches), self.differences, self.disabled):
            self.actions.append(Action(told, (*each, *end), guard))
            steps.append(Do(len(self.actions) - 1))
        if self.zone is not None:
            here: Expression = Constant(1)
            for edge in parts:
                here = binary("and", here, equal(edge.process.location, edge.source))
            if not mixed and not any(edge.source in edge.process.committed for edge in parts):
                here = binary("and", here, negated(self.some_committed()))
            self.escapes.append(self._escape(effect, binary("and", here, guard)))
        return steps[0] if len(steps) == 1 else All(tuple(steps))

    def _escape(self, effect: Block, guard: Expression) -> Escape:
        resets = LocalArray("resets", len(self.context.clocks))
        constraints: list[Difference] = []
        self.context.slots = self.context.most_slots

        def discrete(block: Block) -> Iterator[Statement]:
            for statement in block:
                match statement:
                    case Constrain(_, (row, column, bound, strict)):
                        held: list[Expression] = []
                        for each in (row, column, bound):
                            if isinstance(each, Constant):
                                held.append(each)
                            else:
                                slot = self.context.slot()
                                yield SetLocal(slot, each)
                                held.append(Local(slot))
                        constraints.append(Difference(held[0], held[1], held[2], strict))
                    case Reset(_, clock, value):
                        yield SetElement(resets, clock, binary("+", value, Constant(1)))
                    case If(condition, then, otherwise):
                        yield If(condition, tuple(discrete(then)), tuple(discrete(otherwise)))
                    case _:
                        yield statement

        statements = (*discrete(effect), *self.invariants)
        self.most_slots = max(self.most_slots, self.context.slots)
        self.context.begin()
        return Escape(guard, statements, tuple(constraints), resets)

    def _single(self, edge: Edge) -> Choice:
        return self._action((edge,), (*self._asked(edge), *self._done(edge)), edge.guard)

    def _asked(self, edge: Edge) -> Iterator[Statement]:
        """What the guard asks of clocks."""
        for timed in edge.clocks:
            assert self.zone is not None
            yield Constrain(self.zone, timed.difference, self.disabled)

    def _done(self, edge: Edge) -> Iterator[Statement]:
        for update in edge.updates:
            if isinstance(update, SetClock):
                assert self.zone is not None
                yield Reset(self.zone, update.clock, update.value)
            else:
                yield update
        if edge.target != edge.source:
            yield Assign(edge.process.location, None, Constant(edge.target))

    def _pairs(self, sender: Edge) -> Iterator[tuple[tuple[Edge, ...], Turn, Choice]]:
        """The handshakes of who sends."""
        by_place: dict[tuple[Process, int], list[tuple[Edge, Choice]]] = defaultdict(list)
        for receiver in self._receivers(sender):
            same = same_channel(sender.channel, receiver.channel)
            if isinstance(same, Constant) and not same.value:
                continue
            guard = binary("and", binary("and", sender.guard, same), receiver.guard)
            asked = (*self._asked(sender), *self._asked(receiver))
            effect = (*asked, *self._done(sender), *self._done(receiver))
            step = self._action((sender, receiver), effect, guard)
            by_place[receiver.process, receiver.source].append((receiver, step))
        for (process, place), found in by_place.items():
            involved = sender.source in sender.process.committed or place in process.committed
            edges = (sender, *(receiver for receiver, _ in found))
            choice = Switch(process.location, ((place, All(tuple(step for _, step in found))),))
            yield edges, "committed" if involved else "alone", choice

    def _together(self, leader: Edge) -> Iterator[tuple[tuple[Edge, ...], Turn, Choice]]:
        """The steps on a channel that all who joined it make together, as the first of them has them; who has not
        joined it, but others, makes his alone.
        """
        assert leader.channel is not None
        channel = leader.channel.known
        if leader.process.joined is None:
            return
        partners = [each for each in self.processes if each.joined and channel in each.joined]
        if leader.process not in partners:
            partners = [leader.process]
        if partners[0] is not leader.process:
            return
        ways = [
            [
                each
                for each in partner.edges
                if each.channel and each.channel.sends is None and each.channel.known == channel
            ]
            for partner in partners[1:]
        ]
        for others in product(*ways):
            edges = (leader, *others)
            guard: Expression = Constant(1)
            for edge in edges:
                guard = binary("and", guard, edge.guard)
            effect = (
                *(asked for edge in edges for asked in self._asked(edge)),
                *(done for edge in edges for done in self._done(edge)),
            )
            step: Choice = self._action(edges, effect, guard)
            for edge in others:
                step = Switch(edge.process.location, ((edge.source, step),))
            involved = any(edge.source in edge.process.committed for edge in edges)
            yield edges, "committed" if involved else "alone", step

    def _receivers(self, sender: Edge) -> Iterator[Edge]:
        assert sender.channel is not None
        for process in self.processes:
            if process is not sender.process:
                for edge in process.edges:
                    channel = edge.channel
                    if channel and channel.sends is False and channel.variable is sender.channel.variable:
                        yield edge

    def _broadcasts(self, sender: Edge, committed: bool) -> Iterator[Choice]:
        """Whoever can receive does; where a process has several ways to, each is a step of its own."""
        listening: dict[Process, list[tuple[Edge, Expression]]] = defaultdict(list)
        if any(receiver.process.priority > sender.process.priority for receiver in self._receivers(sender)):
            message = "a broadcast to a process of higher priority is not supported"
            raise InputError(message, sender.span)
        for receiver in self._receivers(sender):
            same = same_channel(sender.channel, receiver.channel)
            if not (isinstance(same, Constant) and not same.value):
                enabled = binary("and", same, receiver.guard)
                here = binary("and", equal(receiver.process.location, receiver.source), enabled)
                listening[receiver.process].append((receiver, here))
        ways = [
            max(sum(1 for edge, _ in edges if edge.source == place) for place in {edge.source for edge, _ in edges})
            for edges in listening.values()
        ]
        asking = [
            (receiver, binary("and", same_channel(sender.channel, receiver.channel), receiver.guard))
            for edges in listening.values()
            for receiver, _ in edges
        ]
        if (cases := prod(ways) * count_answers(asking)) > MOST_COMBINATIONS:
            message = f"this broadcast is one of {cases:,} combinations of transitions and of what clocks decide"
            raise InputError(message, sender.span, f"at most {MOST_COMBINATIONS:,} are supported")
        for chosen in product(*(range(count) for count in ways)):
            for answer in answers(asking):
                yield self._broadcast(sender, listening, chosen, committed, answer)

    def _broadcast(
        self,
        sender: Edge,
        listening: dict[Process, list[tuple[Edge, Expression]]],
        chosen: tuple[int, ...],
        committed: bool,
        answer: Answer,
    ) -> Choice:
        self.context.slots = self.context.most_slots
        before: list[Statement] = []
        after: list[Statement] = []
        urgent: list[Expression] = []
        for (process, edges), number in zip(listening.items(), chosen, strict=True):
            taken, met = self.context.slot(), self.context.slot()
            before += [SetLocal(taken, Constant(0)), SetLocal(met, Constant(0))]
            for position, (edge, enabled) in enumerate(edges, 1):
                if edge.clocks and edge not in answer.enabled:
                    continue
                take = If(Binary("==", Local(met), Constant(number)), (SetLocal(taken, Constant(position)),))
                before.append(If(enabled, (take, SetLocal(met, binary("+", Local(met), Constant(1))))))
                after.append(If(Binary("==", Local(taken), Constant(position)), tuple(self._done(edge))))
                if edge.source in process.committed:
                    urgent.append(Binary("==", Local(taken), Constant(position)))
            if number:
                before.append(Require(Binary("!=", Local(taken), Constant(0)), self.disabled))
        guard = sender.guard
        nobody = negated(self.some_committed())
        if not committed and not (isinstance(nobody, Constant) and nobody.value):
            before.append(Require(disjunction(nobody, *urgent), self.disabled))
        self.most_slots = max(self.most_slots, self.context.slots)
        self.context.begin()
        clocks = [Constrain(self.zone, each, self.disabled) for each in answer.constraints if self.zone is not None]
        effect = (*before, *clocks, *self._asked(sender), *self._done(sender), *after)
        return self._action((sender,), effect, binary("and", guard, answer.guard), mixed=not committed)

    def delays(self) -> Expression:
        """Whether time may pass: nobody is in a hurry, and no urgent channel is ready."""
        hurry: list[Expression] = []
        for process in self.processes:
            hurry += [equal(process.location, number) for number in sorted(process.committed | process.urgent)]
        for process in self.processes:
            for edge in process.edges:
                channel = edge.channel
                if not (channel and channel.sends and channel.type.urgent):
                    continue
                sends = binary("and", equal(process.location, edge.source), edge.guard)
                if channel.type.broadcast:
                    hurry.append(sends)
                    continue
                ready: list[Expression] = []
                for other in self._receivers(edge):
                    listens = binary("and", equal(other.process.location, other.source), other.guard)
                    ready.append(binary("and", listens, same_channel(channel, other.channel)))
                hurry.append(binary("and", sends, disjunction(*ready)))
        return negated(disjunction(*hurry))


def same_channel(one: Channel | None, other: Channel | None) -> Expression:
    assert one is not None
    assert other is not None
    result: Expression = Constant(1)
    for left, right in zip(one.indices, other.indices, strict=True):
        result = binary("and", result, binary("==", left, right))
    return result
