"""Room in a system's states for the state of an automaton that runs beside it."""

from __future__ import annotations

from dataclasses import replace

from ouroboros.system.foreign import Beside
from ouroboros.system.layout import Field, Layout, Vector, bits_for
from ouroboros.system.model import System

PROPERTY = "property"


def with_automaton_field(system: System, names: tuple[str, ...], initial: int) -> tuple[System, Field]:
    """The same system with one more field, which no action touches: the state of an automaton with these states."""
    field = Field(PROPERTY, PROPERTY, bits_for(len(names)), initial=(initial,), value_names=names)
    if system.foreign:
        # Whoever makes the steps relies on the places of his fields, and may use the rest of his words as he likes.
        layout = Layout((*system.layout.fields, field), system.layout)
        states = tuple((*vector, *layout.initial()[system.layout.words :]) for vector in system.initial)
        return replace(
            system, layout=layout, initial=states, foreign=Beside(system.foreign, system.layout.words)
        ), field
    layout = Layout((*system.layout.fields, field))

    def moved(vector: Vector) -> Vector:
        words = list(layout.initial())
        for item in system.layout.fields:
            for index in range(item.elements):
                layout.write(words, item, index, system.layout.read(vector, item, index))
        return tuple(words)

    return replace(system, layout=layout, initial=tuple(moved(vector) for vector in system.initial)), field
