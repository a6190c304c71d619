"""What differs between two states, as a person wants to know it.

A trace may have many thousands of steps, and a state many fields of which a step changes few: so the bits that differ
are looked at, and tables made once say what they belong to. What is told of a field is the model's to say, see `Field`;
a channel is told by what is in it, and not by its cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from ouroboros.system.foreign import Passing
from ouroboros.system.layout import WORD_BITS, Field, Vector
from ouroboros.system.model import System
from ouroboros.verdict.channels import Buffer, buffers_of, told_messages
from ouroboros.verdict.clocks import told_clocks


class Change(NamedTuple):
    name: str
    """Of the variable, channel or process."""
    text: str


class _Element(NamedTuple):
    """What some bits of a word belong to."""

    order: int
    field: Field
    at: int
    shift: int
    mask: int
    """Of all its bits in the word."""
    buffer: Buffer | None
    """The channel that it is a part of."""


def _between(before: Mapping[str, int | str], after: Mapping[str, int | str]) -> Iterator[Change]:
    """What differs in what two states tell."""
    for name, value in after.items():
        if name not in before or (isinstance(name, Passing) and before[name] != value):
            yield Change(name, f"{name}: {value}")
        elif before[name] != value:
            yield Change(name, f"{name}: {before[name]} → {value}")
    yield from (
        Change(name, f"{name} is gone") for name in before if name not in after and not isinstance(name, Passing)
    )


class Differences:
    """Tells the changes of states of one system, but for the fields that are left out."""

    def __init__(self, system: System, left_out: frozenset[Field]) -> None:
        self._system = system
        self._left_out = left_out
        self._places = {item.component: item for item in system.layout.fields if item.told == "place"}

    @cached_property
    def _elements(self) -> list[list[_Element | None]]:
        """For each bit of each word, what it belongs to."""
        layout = self._system.layout
        buffers: dict[tuple[Field, int], Buffer] = {}
        for buffer in buffers_of(self._system):
            for item in (buffer.length, *buffer.values):
                each = item.elements // buffer.length.elements
                for index in range(buffer.at * each, (buffer.at + 1) * each):
                    buffers[item, index] = buffer
        table: list[list[_Element | None]] = [[None] * WORD_BITS for _ in range(layout.words)]
        order = 0
        for item in layout.fields:
            if item in self._left_out or item.told == "never":
                continue
            word, shift, width = layout.placements[item]
            for index in range(item.elements):
                low = shift + index * width
                at, low = word + low // WORD_BITS, low % WORD_BITS
                mask = (1 << item.bits) - 1 << low
                table[at][low : low + item.bits] = [
                    _Element(order, item, index, low, mask, buffers.get((item, index)))
                ] * item.bits
                order += 1
        return table

    def between(self, before: Vector, after: Vector) -> list[Change]:
        """All that is told, in the order of the declarations; what is in channels comes last."""
        shown = self._system.shown(after)
        if shown is not None:
            return list(_between(self._system.shown(before) or {}, shown))
        found: list[tuple[_Element, int, int]] = []
        for word, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                rest = old ^ new
                elements = self._elements[word]
                while rest:
                    bit = rest & -rest
                    element = elements[bit.bit_length() - 1]
                    if element is None:
                        rest ^= bit
                    else:
                        rest &= ~element.mask
                        found.append((element, old, new))
        if len(found) > 1:
            found.sort(key=lambda item: item[0].order)
        told = list(self._told(found, before, after))
        if self._system.zone is not None:
            clocks = [told_clocks(self._system, state) for state in (before, after)]
            if clocks[0] != clocks[1]:
                told.append(Change("clocks", f"clocks: {clocks[1]}"))
        return told

    def exists(self, component: str, state: Vector) -> bool:
        """Whether a component is there: it, or the process that it belongs to, may not be born yet, or be dead."""
        if component in self._places:
            return self._system.layout.read(state, self._places[component]) != 0
        for process, place in self._places.items():
            if component.startswith(f"{process}."):
                return self._system.layout.read(state, place) != 0
        return True

    def _told(self, found: list[tuple[_Element, int, int]], before: Vector, after: Vector) -> Iterator[Change]:
        changed: dict[str, Buffer] = {}
        gone: set[str] = set()
        """Processes that the step makes, or that it ends."""
        if self._places:
            gone = {
                element.field.component
                for element, old, new in found
                if element.field.told == "place" and (not old & element.mask or not new & element.mask)
            }
        for element, old, new in found:
            item = element.field
            if gone and self._belongs(item.component, gone):
                if item.told == "place" and new & element.mask:
                    yield Change(item.component, self._born(item.component, after))
            elif item.told == "place":
                continue
            elif element.buffer:
                changed[element.buffer.name] = element.buffer
            else:
                shown = item.shown(item.wrap(old >> element.shift)), item.shown(item.wrap(new >> element.shift))
                # Two values may look alike: two places in one line, say.
                if shown[0] != shown[1]:
                    name = item.element_name(element.at)
                    yield Change(name, f"{name}: {shown[0]} → {shown[1]}")
        for name, buffer in changed.items():
            told = [told_messages(buffer.messages(self._system, state)) for state in (before, after)]
            if told[0] != told[1]:
                yield Change(name, f"{name}: {told[0]} → {told[1]}")

    def _belongs(self, component: str, processes: set[str]) -> bool:
        return component in processes or any(component.startswith(f"{process}.") for process in processes)

    def _born(self, process: str, state: Vector) -> str:
        """That a process starts, with what it has that is not zero."""
        layout = self._system.layout
        values = [
            f"{item.element_name(index).removeprefix(f'{process}.')}: {item.show(value)}"
            for item in layout.components[process]
            if item.told == "value"
            for index in range(item.elements)
            if (value := layout.read(state, item, index))
        ]
        return f"{process} starts" + (f" with {', '.join(values)}" if values else "")
