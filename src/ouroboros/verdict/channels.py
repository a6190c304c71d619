"""Channels that hold messages, as a state shows them.

By the convention of the front ends, a channel is a component with a field `name.length` and a field `name.0`,
`name.1`, … for each value of a message; an array of channels has one such field for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System

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


def told_messages(messages: Messages) -> str:
    return "[" + " ".join(",".join(values) for values in messages) + "]"
