"""The values of a state, named as the user names them."""

from __future__ import annotations

from typing import TypeAlias

from ouroboros.system.layout import Field, Vector
from ouroboros.verdict.trace import Trace, named

Value: TypeAlias = int | str
"""A number, or the name of a value that has one."""


def contents(trace: Trace, state: Vector) -> dict[Field, Value | list[Value]]:
    """Everything in a state of the model, by field; an array is a list."""
    layout = trace.system.layout
    told = trace.system.shown(state)
    if told is not None:
        return {named(name): value for name, value in told.items()}

    def content(item: Field) -> Value | list[Value]:
        if item.length is None:
            return item.shown(layout.read(state, item))
        return [item.shown(layout.read(state, item, index)) for index in range(item.length)]

    return {item: content(item) for item in trace.fields}
