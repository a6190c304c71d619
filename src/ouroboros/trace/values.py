"""The values of a state, named as the user names them, and what differs between two states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ouroboros.system.layout import Field, Vector
from ouroboros.trace.trace import Trace

Value: TypeAlias = int | str
"""A number, or the name of a value that has one."""


class Change(NamedTuple):
    name: str
    before: Value
    after: Value


def contents(trace: Trace, state: Vector) -> dict[Field, Value | list[Value]]:
    """Everything in a state of the model, by field; an array is a list."""
    layout = trace.system.layout

    def content(item: Field) -> Value | list[Value]:
        if item.length is None:
            return item.shown(layout.read(state, item))
        return [item.shown(layout.read(state, item, index)) for index in range(item.length)]

    return {item: content(item) for item in trace.fields}


def changes(trace: Trace, before: Vector, after: Vector) -> Iterator[Change]:
    """The elements that differ, in the order of their declaration."""
    layout = trace.system.layout
    for item in trace.fields:
        for index in range(item.elements):
            old, new = layout.read(before, item, index), layout.read(after, item, index)
            if old != new:
                yield Change(item.element_name(index), item.shown(old), item.shown(new))
