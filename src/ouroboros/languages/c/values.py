"""The values of a state in the words of C: variables of the program, of functions that run, and what is on the heap."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.languages.c.machine.constants import register_bytes
from ouroboros.languages.c.machine.layout import Site, StateLayout
from ouroboros.languages.c.machine.memory import GONE, WORD_BITS
from ouroboros.languages.c.pointers import HEAP, SLOT_SHIFT, STACK, object_of, offset_of
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.languages.c.read.values import Local
from ouroboros.languages.c.scopes import Kept, Scopes
from ouroboros.languages.c.variables import Scalar, Variable, Variables
from ouroboros.system.layout import Vector

_MOST_OBJECTS = 64
"""On the heap, whose contents are told."""


class Standing(NamedTuple):
    """A frame in a state."""

    slot: int
    depth: int
    site: Site
    begin: int
    """The word where it begins."""


class Part(NamedTuple):
    """A scalar of a state, and its value."""

    name: str
    scalar: Scalar
    value: int
    shown: str | int
    local: bool = False
    """Whether it belongs to a function that runs."""


class Values:
    """Of the states of one program."""

    def __init__(self, layout: StateLayout, variables: Variables, own: list[Variable], scopes: Scopes) -> None:
        self._layout, self._variables, self._own, self._scopes = layout, variables, own, scopes
        self._names = {number: name for name, number in layout.constants.numbers.items()}
        self._types = {each.module_name: each for each in variables.known}
        self._places: dict[int, tuple[Function, Block, int]] = {}
        module = layout.module
        for (name, label), site in layout.cuts.items():
            self._places[site.number] = (module.functions[name], module.functions[name].block(label), 0)
        for (name, label, index), site in layout.calls.items():
            self._places[site.number] = (module.functions[name], module.functions[name].block(label), index + 1)
        self._in_scope: dict[int, tuple[str, list[Kept]]] = {}

    def told(self, state: Vector, frames: list[tuple[str, Standing]]) -> Iterator[Part]:
        """First the variables of the program, then those of these frames, by the names of their threads, then the
        heap.
        """
        reading = _Reading(self, state)
        yield from reading.globals(self._own)
        for thread, standing in frames:
            yield from reading.locals(thread, standing)
        yield from reading.heap()

    def in_scope(self, site: Site) -> tuple[str, list[Kept]]:
        found = self._in_scope.get(site.number)
        if found is None:
            place = self._places.get(site.number)
            found = self._in_scope[site.number] = self._scopes.at(*place) if place else ("", [])
        return found

    def pointer(self, state: Vector, value: int) -> str:
        """What a pointer points to, by its name."""
        return _Reading(self, state).pointer(value)


class _Met(NamedTuple):
    """How an object of the heap was met."""

    path: str
    type: int | None
    """Of what the pointer points to."""
    local: bool
    """Whether the way there begins in a function that runs."""


class _Reading:
    """One state."""

    def __init__(self, values: Values, state: Vector) -> None:
        self.of, self.state, self.layout = values, state, values._layout
        self.data = b"".join(word.to_bytes(8, "little") for word in state[: self.layout.words])
        self.found: dict[int, _Met] = {}
        """Objects of the heap that were met."""
        self.waiting: deque[int] = deque()

    def globals(self, variables: list[Variable]) -> Iterator[Part]:
        for variable in variables:
            begin = self.layout.globals[variable.module_name][0]
            for scalar in variable.scalars:
                yield self._part(scalar.name, scalar, self.data[begin:])

    def locals(self, thread: str, standing: Standing) -> Iterator[Part]:
        function, kept = self.of.in_scope(standing.site)
        for each in kept:
            data = self._content(standing, each)
            if data is None:
                continue
            for scalar in self.of._variables.scalars(each.name, each.type):
                if scalar.offset >= each.offset and scalar.offset + scalar.size <= each.offset + len(data):
                    here = scalar._replace(offset=scalar.offset - each.offset)
                    told = Part(f"{thread}: {function}.{scalar.name}", here, 0, 0, local=True)
                    yield self._read(told, data, scalar.name)

    def _content(self, standing: Standing, kept: Kept) -> bytes | None:
        """The bytes of a variable, if they are still there."""
        layout, frame = self.layout.frames[standing.site.function], 8 * standing.begin
        value = kept.value
        if kept.in_memory:
            found = layout.objects.get(value.name) if isinstance(value, Local) else None
            if found is None:
                return None
            marks = int.from_bytes(self.data[frame : frame + 8 * layout.marks], "little")
            if found.mark is not None and not marks >> found.mark & 1:
                return None
            return self.data[frame + found.offset : frame + found.offset + found.size]
        if isinstance(value, Local):
            for register in standing.site.registers:
                if register.local.name == value.name and not register.way:
                    at = frame + register.offset
                    return self.data[at : at + register_bytes(register.kind)]
            return None
        try:
            return self.layout.constants.data(value)
        except ValueError:
            return None

    def _part(self, name: str, scalar: Scalar, data: bytes) -> Part:
        return self._read(Part(name, scalar, 0, 0), data, name)

    def _read(self, part: Part, data: bytes, path: str) -> Part:
        """The same, with its value from these bytes; by this path the program gets there."""
        scalar, value = part.scalar, part.scalar.value(data)
        if scalar.kind == "pointer":
            self._meet(path, part, value)
            return part._replace(value=value, shown=self.pointer(value, scalar.target))
        return part._replace(value=value, shown=scalar.shown(data))

    # Pointers.

    def _meet(self, path: str, part: Part, value: int) -> None:
        """A pointer to the beginning of an object of the heap says what that is."""
        number = object_of(value)
        if self._is_heap(number) and not offset_of(value) and number not in self.found:
            self.found[number] = _Met(path, part.scalar.target, part.local)
            self.waiting.append(number)

    def _is_heap(self, number: int) -> bool:
        return HEAP <= number < HEAP + self.layout.room.heap_objects

    def pointer(self, value: int, target: int | None = None) -> str:
        """What a pointer to something of a type points to."""
        if value == 0:
            return "NULL"
        number, offset = object_of(value), offset_of(value)
        if self._is_heap(number):
            met = self.found.get(number)
            kind = met.type if met else None
            name = f"{self.of._variables.type_name(kind) or 'heap'}#{number - HEAP}"
            return self._inside(name, kind, offset, target)
        variable = self.of._types.get(self.of._names.get(number, ""))
        if variable is not None:
            return self._inside(variable.name, variable.type, offset, target)
        if number in self.of._names:
            return f"&{self.of._names[number]}" + (f"{offset:+}" if offset else "")
        local = self._local(number)
        return hex(value) if local is None else self._inside(*local, offset, target)

    def _inside(self, name: str, kind: int | None, offset: int, target: int | None) -> str:
        if kind is not None:
            found = self.of._variables.path(name, kind, offset, self.of._variables.size(target))
            if found is not None:
                return f"&{found}"
        return f"&{name}" + (f"{offset:+}" if offset else "")

    def _local(self, number: int) -> tuple[str, int | None] | None:
        """The variable of a function that an object is."""
        if not STACK <= number < HEAP:
            return None
        slot, index = number - STACK >> SLOT_SHIFT, number - STACK & 0xFF
        for site in self._sites(slot, number - STACK >> 8 & 0xFFF):
            for name, each in self.layout.frames[site.function].objects.items():
                if each.number == index:
                    _, kept = self.of.in_scope(site)
                    about = next((k for k in kept if k.in_memory and k.value == _local(name, k)), None)
                    return (about.name, about.type) if about else (name, None)
        return None

    def _sites(self, slot: int, depth: int) -> Iterator[Site]:
        for standing in standings(self.layout, self.state, slot):
            if standing.depth == depth:
                yield standing.site

    # The heap.

    def heap(self) -> Iterator[Part]:
        """What is reached from the variables, by the shortest way there."""
        told = 0
        while self.waiting and told < _MOST_OBJECTS:
            number = self.waiting.popleft()
            met = self.found[number]
            entry = self.state[self.layout.heap_entries + number - HEAP]
            if not entry:
                continue
            told += 1
            if entry & GONE:
                yield Part(f"*{met.path}", _BYTE, 0, "freed", met.local)
                continue
            begin = 8 * (self.layout.heap_contents + (entry >> 32 & (1 << WORD_BITS) - 1))
            yield from self._object(met, self.data[begin : begin + (entry & 0xFFFFFFFF)])

    def _object(self, met: _Met, data: bytes) -> Iterator[Part]:
        path, target, _ = met
        size = self.of._variables.size(target)
        if target is None or not size or size > len(data):
            return
        count = len(data) // size
        for index in range(min(count, _MOST_OBJECTS)):
            for scalar in self.of._variables.scalars("", target):
                inside = scalar.name.removeprefix(".")
                name = f"{path}[{index}]{scalar.name}" if count > 1 else f"{path}->{inside}" if inside else f"*{path}"
                yield self._read(Part(name, scalar, 0, 0, met.local), data[index * size :], name)


_BYTE = Scalar("", 0, 1, "unsigned", {})


def _local(name: str, kept: Kept) -> Local:
    return Local(name, kept.value.type)


def standings(layout: StateLayout, state: Vector, slot: int) -> list[Standing]:
    """The frames of a thread, the top one first."""
    if slot >= layout.room.threads:
        return []
    about = state[layout.thread_word(slot)]
    if not about & 0xFFFF:
        return []
    begin, depth = about >> 32 & 0xFFFF, about >> 16 & 0xFFFF
    found = [Standing(slot, depth, layout.sites[(about & 0xFFFF) - 1], begin)]
    for level in range(depth - 1, -1, -1):
        below = state[begin - 1]
        begin = below >> 16 & 0xFFFF
        found.append(Standing(slot, level, layout.sites[(below & 0xFFFF) - 1], begin))
    return found
