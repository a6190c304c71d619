"""Priorities: of channels first, then of processes.

A step is only made where no step of a higher priority is possible at the same time. Zones are not split by that, so
whether a step of a higher priority is possible must not depend on clocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.conditions import Timed
from ouroboros.languages.uppaal.lower.context import Context, constant
from ouroboros.languages.uppaal.lower.processes import Channel, Edge, JoinedChannel, SetClock
from ouroboros.languages.uppaal.lower.scope import Scope
from ouroboros.languages.uppaal.lower.statements import Lowering
from ouroboros.languages.uppaal.lower.types import ChannelType, described
from ouroboros.languages.uppaal.read import ast
from ouroboros.system.expressions import Constant

Rank: TypeAlias = tuple[int, int]


@dataclass
class Priorities:
    channels: dict[JoinedChannel, int] = field(default_factory=dict)
    others: int = 0
    """Of steps without a channel, and of channels that are not mentioned."""

    def rank(self, edges: Sequence[Edge]) -> Rank:
        """Of the step that is made of these edges; that of a broadcast must be the sender's."""
        channel = edges[0].channel
        level = self._level(channel, edges[0]) if channel and self.channels else self.others
        return level, max(edge.process.priority for edge in edges)

    def _level(self, channel: Channel, edge: Edge) -> int:
        try:
            return self.channels.get(channel.known, self.others)
        except ValueError:
            all_of_them = {level for (variable, _), level in self.channels.items() if variable is channel.variable}
            if not all_of_them:
                return self.others
            message = (
                f"the channels of {channel.variable.name} have priorities: which is meant must not depend on the state"
            )
            raise InputError(message, edge.span) from None


def read_priorities(tree: ast.ChannelPriorities, context: Context, scope: Scope) -> Priorities:
    found = Priorities()
    lowering = Lowering(context, scope, "a channel")
    for level, group in enumerate(tree.groups, 1):
        for channel in group:
            if channel is None:
                found.others = level
                continue
            for place in lowering.elements(lowering.place(channel)):
                if not isinstance(place.type, ChannelType):
                    raise InputError(f"a channel is expected here, and not {described(place.type)}", channel.span)
                numbers = tuple(constant(index, channel.span, "the number of a channel") for index in place.indices)
                if found.channels.setdefault((place.variable, numbers), level) != level:
                    raise InputError("this channel has a priority already", channel.span)
    return found


def refuse_timed(edges: Iterable[Edge]) -> None:
    """Raises InputError where clocks decide whether a step with a high priority is possible."""
    for edge in edges:
        if edge.clocks:
            message = "a step of higher priority than others must not ask for clocks: this is not supported"
            raise InputError(message, edge.clocks[0].span)
        for limit in _limits(edge, edge.target):
            if not _is_within(edge, limit) and not any(_same(limit, other) for other in _limits(edge, edge.source)):
                message = "the invariant that a step of higher priority than others leads to must not depend on clocks"
                raise InputError(f"{message}: this is not supported", edge.span, "set the clock in that step")


def _limits(edge: Edge, location: int) -> list[Timed]:
    return [timed for each in edge.process.invariants if each.location == location for timed in each.clocks]


def _is_within(edge: Edge, limit: Timed) -> bool:
    """Whether the step sets the clock to what the limit allows."""
    values = [
        each.value for each in edge.updates if isinstance(each, SetClock) and _number(each.clock) == _clock(limit)
    ]
    value, bound = _number(values[-1]) if values else None, _number(limit.difference.bound)
    if value is None or bound is None:
        return False
    return value < bound or (value == bound and not limit.difference.strict)


def _same(one: Timed, other: Timed) -> bool:
    bound = _number(one.difference.bound)
    return (
        bound is not None
        and (_clock(one), bound, one.difference.strict)
        == (_clock(other), _number(other.difference.bound), other.difference.strict)
        and _clock(one) is not None
    )


def _clock(limit: Timed) -> int | None:
    return _number(limit.difference.row)


def _number(expression: object) -> int | None:
    return expression.value if isinstance(expression, Constant) else None
