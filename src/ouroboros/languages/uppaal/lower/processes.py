"""The processes of the system, with their locations and edges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import ConditionLowering, Timed, conjuncts
from ouroboros.languages.uppaal.lower.context import MOST_COMBINATIONS, Context, binary
from ouroboros.languages.uppaal.lower.differences import Differences, is_difference
from ouroboros.languages.uppaal.lower.scope import Scope
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.storage import Scalar, Variable
from ouroboros.languages.uppaal.lower.types import ChannelType, IntType, described
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.blocks import Statement
from ouroboros.system.expressions import Check, Constant, Expression
from ouroboros.system.intervals import Interval, interval
from ouroboros.system.layout import Field

JoinedChannel: TypeAlias = tuple[Variable, tuple[int, ...]]


class SetClock(NamedTuple):
    """An update that concerns a clock."""

    clock: Expression
    value: Expression


@dataclass(frozen=True, eq=False)
class Channel:
    """One channel, or one of an array of them, which the state decides."""

    variable: Variable
    indices: tuple[Expression, ...]
    type: ChannelType
    sends: bool | None
    """None where all who joined the channel make the step together."""

    @property
    def known(self) -> JoinedChannel:
        """Raises ValueError where the state decides which channel of an array it is."""
        numbers = tuple(index.value for index in self.indices if isinstance(index, Constant))
        if len(numbers) < len(self.indices):
            raise ValueError(self.variable.name)
        return self.variable, numbers


@dataclass(frozen=True, eq=False)
class Edge:
    """A transition of a process, for one choice of its selected variables."""

    process: Process
    source: int
    target: int
    guard: Expression
    clocks: tuple[Timed, ...]
    channel: Channel | None
    updates: tuple[Statement | SetClock, ...]
    text: str
    span: Span


@dataclass(frozen=True, eq=False)
class Invariant:
    """What must hold in a location."""

    location: int
    discrete: tuple[Expression, ...]
    clocks: tuple[Timed, ...]


@dataclass(eq=False)
class Process:
    name: str
    template: ast.Template
    scope: Scope
    location: Field
    locations: dict[str, int]
    urgent: frozenset[int]
    committed: frozenset[int]
    priority: int = 0
    edges: list[Edge] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    compares: bool = False
    """Whether an invariant compares the difference of two clocks."""
    joined: frozenset[JoinedChannel] | None = None
    """The channels whose steps without direction are made with this process, where it says so."""


def combinations(ranges: list[IntType]) -> Iterator[tuple[int, ...]]:
    """Each choice of a value from every range."""
    if not ranges:
        yield ()
        return
    for value in range(ranges[0].low, ranges[0].high + 1):
        for rest in combinations(ranges[1:]):
            yield (value, *rest)


class ProcessLowering:
    """Lowers the invariants and edges of one process."""

    def __init__(self, context: Context, process: Process, bits: Differences) -> None:
        self.context = context
        self.process = process
        self.bits = bits
        self.keys = {
            each.key: number
            for number, each in enumerate(each for each in process.template.locations if not each.branchpoint)
        }

    def lower(self) -> None:
        process = self.process
        for tree in process.template.locations:
            if tree.invariant is not None and not tree.branchpoint:
                process.invariants.append(self._invariant(tree, tree.invariant))
        for edge in _through_branchpoints(process.template):
            process.edges += self._edges(edge)

    def _invariant(self, tree: ast.Location, invariant: ast.Expression) -> Invariant:
        self.context.begin()
        lowering = Lowering(self.context, self.process.scope, "an invariant")
        condition = ConditionLowering(lowering).lower(_without_unit_rates(invariant))
        discrete, timed = conjuncts(condition, "an invariant")
        within, timed = self._differences(timed)
        for each in timed:
            if not _is_upper(each):
                raise InputError("an invariant must not bound a clock from below", each.span)
        self.process.compares |= bool(within)
        return Invariant(self.keys[tree.key], (*discrete, *within), tuple(timed))

    def _differences(self, timed: list[Timed]) -> tuple[list[Expression], list[Timed]]:
        """What is compared of differences of clocks, which is known to the state, and of single clocks."""
        bits = [self.bits.condition(each, self.context.clocks) for each in timed if is_difference(each)]
        return bits, [each for each in timed if not is_difference(each)]

    def _edges(self, tree: ast.Edge) -> Iterator[Edge]:
        lowering = Lowering(self.context, self.process.scope, "the type of a selected variable")
        names: list[tuple[str, IntType]] = []
        total = 1
        for variable in tree.select:
            kind = lowering.type_of(variable.type)
            if not isinstance(kind, IntType):
                raise InputError("a selected variable needs a range of numbers, or a scalar type", variable.span)
            if variable.name in dict(names):
                raise InputError(f"{variable.name} is selected twice", variable.span)
            names.append((variable.name, kind))
            total *= kind.size
        if total > MOST_COMBINATIONS:
            raise InputError(f"the selected variables have {total} combinations of values", tree.span)
        for values in combinations([kind for _, kind in names]):
            chosen = {name: Scalar(Constant(value), kind) for (name, kind), value in zip(names, values, strict=True)}
            told = ", ".join(f"{name} = {value}" for (name, _), value in zip(names, values, strict=True))
            edge = self._edge(tree, Scope(self.process.scope, dict(chosen)), told)
            if not (isinstance(edge.guard, Constant) and edge.guard.value == 0):
                yield edge

    def _edge(self, tree: ast.Edge, scope: Scope, told: str) -> Edge:
        self.context.begin()
        pure = Lowering(self.context, scope, "a guard")
        guard: Expression = Constant(1)
        timed: list[Timed] = []
        if tree.guard is not None:
            discrete, timed = conjuncts(ConditionLowering(pure).lower(tree.guard), "a guard")
            for part in discrete:
                guard = binary("and", guard, part)
        asked = timed
        within, timed = self._differences(timed)
        for part in within:
            guard = binary("and", guard, part)
        channel = self._channel(tree.synchronisation, pure.within(scope, "a synchronisation"))
        if channel and asked and channel.type.urgent:
            raise InputError("a transition with an urgent channel must not ask for clocks in its guard", asked[0].span)
        updates: list[Statement | SetClock] = []
        lowering = Lowering(self.context, scope)
        for update in tree.updates:
            updates += self._update(lowering, update)
        names = self.process.location.value_names
        source, target = self.keys[tree.source], self.keys[tree.target]
        text = f"{names[source]} -> {names[target]}"
        if tree.text or told:
            text += " { " + "; ".join(filter(None, (told, tree.text))) + " }"
        return Edge(self.process, source, target, guard, tuple(timed), channel, tuple(updates), text, tree.span)

    def _update(self, lowering: Lowering, tree: ast.Expression) -> list[Statement | SetClock]:
        if isinstance(tree, ast.Assignment | ast.Increment):
            conditions = ConditionLowering(lowering)
            clock = conditions.clock(tree.target)
            if clock is not None:
                if isinstance(tree, ast.Increment) or tree.operator:
                    raise InputError("a clock can only be set to a number", tree.span)
                if conditions.clock(tree.value) is not None:
                    raise InputError("a clock cannot be set to the value of another", tree.span)
                value = lowering.number(tree.value).expression
                if not interval(value, 32).within(Interval(0, 1 << 29)):
                    if isinstance(value, Constant):
                        raise InputError("a clock cannot be set to a negative number", tree.span)
                    site = self.context.site("range", "a clock is set to a negative number", tree.span)
                    value = Check(value, 0, 1 << 29, site)
                return [SetClock(clock, value)]
        return list(lowering.effect(tree))

    def _channel(self, tree: ast.Synchronisation | None, lowering: Lowering) -> Channel | None:
        if tree is None:
            return None
        place = lowering.place(tree.channel)
        if not isinstance(place.type, ChannelType):
            raise InputError(f"a channel is expected here, and not {described(place.type)}", tree.channel.span)
        if tree.sends is None:
            if place.type.urgent or place.type.broadcast:
                raise InputError("a synchronisation over this channel needs `!` or `?`", tree.channel.span)
            if not all(isinstance(index, Constant) for index in place.indices):
                raise InputError("which channel is meant must be known before the system runs", tree.channel.span)
        return Channel(place.variable, place.indices, place.type, tree.sends)


def _through_branchpoints(template: ast.Template) -> Iterator[ast.Edge]:
    """Edges with a branchpoint in the middle are taken as one, and so are both their updates."""
    points = {each.key for each in template.locations if each.branchpoint}
    for edge in template.edges:
        if edge.source in points:
            continue
        if edge.target not in points:
            yield edge
            continue
        for way in template.edges:
            if way.source == edge.target:
                if way.guard or way.synchronisation or way.target in points:
                    raise InputError("behind a branchpoint there are only updates", way.span)
                text = "; ".join(filter(None, (edge.text, way.text)))
                yield ast.Edge(
                    edge.span,
                    edge.source,
                    way.target,
                    edge.select + way.select,
                    edge.guard,
                    edge.synchronisation,
                    edge.updates + way.updates,
                    text,
                )


def _without_unit_rates(tree: ast.Expression) -> ast.Expression:
    """`x' == 1` says nothing."""
    match tree:
        case ast.Binary(span, "&&", left, right):
            return ast.Binary(span, "&&", _without_unit_rates(left), _without_unit_rates(right))
        case ast.Binary(span, "==", ast.Rate(), ast.Number(_, 1)):
            return ast.Number(span, 1, truth=True)
    return tree


def _is_upper(timed: Timed) -> bool:
    column = timed.difference.column
    return isinstance(column, Constant) and column.value == 0
