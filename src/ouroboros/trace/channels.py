"""Channels that hold messages, as a state shows them, and what a step changes with them in one piece.

By the convention of the front ends, a channel is a component with a field `name.length` and a field `name.0`,
`name.1`, … for each value of a message; an array of channels has one such field for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System
from ouroboros.trace.trace import Trace
from ouroboros.trace.values import Change, changes

_LENGTH = ".length"

Messages = list[tuple[str, ...]]
"""The values of each message, the first to be received first."""


class Buffer(NamedTuple):
    """A channel, or one of an array of channels."""

    name: str
    length: Field
    at: int
    """Which of the array."""
    values: tuple[Field, ...]

    def messages(self, system: System, state: Vector) -> Messages:
        read = system.layout.read
        capacity = self.values[0].elements // self.length.elements if self.values else 0
        return [
            tuple(item.show(read(state, item, self.at * capacity + slot)) for item in self.values)
            for slot in range(read(state, self.length, self.at))
        ]


def buffers_of(system: System) -> Iterator[Buffer]:
    """All channels that hold messages."""
    by_name = {item.name: item for item in system.layout.fields}
    for item in system.layout.fields:
        name = item.name.removesuffix(_LENGTH)
        if not item.name.endswith(_LENGTH) or name != item.component:
            continue
        values: list[Field] = []
        while (value := by_name.get(f"{name}.{len(values)}")) is not None:
            values.append(value)
        for at in range(item.elements):
            yield Buffer(name if item.length in (None, 1) else f"{name}[{at}]", item, at, tuple(values))


def told_changes(trace: Trace, before: Vector, after: Vector) -> Iterator[Change]:
    """What differs, as a person wants to know it: what is in a channel and not in its cells, and only what looks
    different: two places in one line are told apart by the statement, and who is in an atomic sequence by its steps."""
    system = trace.system
    buffers = list(buffers_of(system))
    hidden = {item for buffer in buffers for item in (buffer.length, *buffer.values)}
    if system.exclusive:
        hidden.add(system.exclusive.field)
    names = {f"{item.name}[{index}]" for item in hidden for index in range(item.elements)}
    names |= {item.name for item in hidden}
    yield from (
        change for change in changes(trace, before, after) if change.name not in names and change.before != change.after
    )
    for buffer in buffers:
        old, new = (_told(buffer.messages(system, state)) for state in (before, after))
        if old != new:
            yield Change(buffer.name, old, new)


def _told(messages: Messages) -> str:
    return "[" + " ".join(",".join(values) for values in messages) + "]"
