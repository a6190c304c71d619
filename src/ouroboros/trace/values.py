"""The values of a state, named as the user names them, and what differs between two states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from ouroboros.system.layout import Field, Layout, Vector

Value: TypeAlias = int | str
"""A number, or the name of a value that has one."""


class Change(NamedTuple):
    name: str
    before: Value
    after: Value


def value_of(item: Field, value: int) -> Value:
    return item.show(value) if item.value_names else value


def components(layout: Layout, state: Vector) -> dict[str, dict[str, Value | list[Value]]]:
    """Everything in a state, by component and field; an array is a list."""
    return {
        component: {item.name: _content(layout, state, item) for item in fields}
        for component, fields in layout.components.items()
    }


def _content(layout: Layout, state: Vector, item: Field) -> Value | list[Value]:
    if item.length is None:
        return value_of(item, layout.read(state, item))
    return [value_of(item, layout.read(state, item, index)) for index in range(item.length)]


def changes(layout: Layout, before: Vector, after: Vector) -> Iterator[Change]:
    """The elements that differ, in the order of their declaration."""
    for item in layout.fields:
        for index in range(item.elements):
            old, new = layout.read(before, item, index), layout.read(after, item, index)
            if old != new:
                name = item.name if item.length is None else f"{item.name}[{index}]"
                yield Change(name, value_of(item, old), value_of(item, new))
