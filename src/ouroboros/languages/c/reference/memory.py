"""Objects in memory, and all that can be wrong with an access to them."""

from __future__ import annotations

from dataclasses import dataclass

from ouroboros.languages.c.pointers import HEAP, STACK, object_of, offset_of
from ouroboros.languages.c.read.layout import Layout
from ouroboros.languages.c.read.types import FLOAT_BITS, Array, Float, Integer, Pointer, Struct, Type, Vector
from ouroboros.languages.c.reference.failure import Failed

NULL, WILD, BOUNDS, FREED, INVALID_FREE, DOUBLE_FREE, CONSTANT, MISALIGNED = range(2, 10)
UNSUPPORTED = 24

Register = int | tuple["Register", ...]
"""The value of a register: an integer without sign, the bits of a floating-point number, or parts."""


@dataclass
class Object:
    data: bytearray
    alive: bool = True
    constant: bool = False
    scratch: bool = False
    """Whether it need not be freed."""

    @property
    def size(self) -> int:
        return len(self.data)


class Memory:
    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.objects: dict[int, Object] = {}

    def locate(self, pointer: int, size: int, *, write: bool) -> tuple[Object, int]:
        """The object of an access, and where in it."""
        number, offset = object_of(pointer), offset_of(pointer)
        if number == 0:
            raise Failed(NULL)
        found = self.objects.get(number)
        if found is None:
            raise Failed(FREED if STACK <= number < HEAP else WILD)
        if not found.alive:
            raise Failed(FREED)
        if not 0 <= offset <= found.size - size:
            raise Failed(BOUNDS)
        if write and found.constant:
            raise Failed(CONSTANT)
        return found, offset

    def bytes_at(self, pointer: int, size: int) -> bytes:
        if size == 0:
            return b""
        found, offset = self.locate(pointer, size, write=False)
        return bytes(found.data[offset : offset + size])

    def put(self, pointer: int, data: bytes) -> None:
        if data:
            found, offset = self.locate(pointer, len(data), write=True)
            found.data[offset : offset + len(data)] = data

    def load(self, pointer: int, kind: Type, *, atomic: bool) -> Register:
        size = self._layout.store_size(kind)
        found, offset = self.locate(pointer, size, write=False)
        self._aligned(kind, offset, size, atomic)
        return self.decode(kind, bytes(found.data[offset : offset + size]))

    def store(self, pointer: int, kind: Type, value: Register, *, atomic: bool) -> None:
        data = self.encode(kind, value)
        found, offset = self.locate(pointer, len(data), write=True)
        self._aligned(kind, offset, len(data), atomic)
        found.data[offset : offset + len(data)] = data

    @staticmethod
    def _aligned(kind: Type, offset: int, size: int, atomic: bool) -> None:
        """Atomic accesses have to be, and pointers, which would not be found otherwise."""
        if offset % size and atomic:
            raise Failed(MISALIGNED)
        if offset % size and isinstance(kind, Pointer):
            raise Failed(UNSUPPORTED, "a pointer in a place that is not aligned")

    def decode(self, kind: Type, data: bytes) -> Register:
        """What these bytes are as a value of a type."""
        layout = self._layout
        match kind:
            case Integer(bits):
                return int.from_bytes(data, "little") % (1 << bits)
            case Float(name):
                return int.from_bytes(data[: FLOAT_BITS[name] // 8], "little")
            case Struct(_, elements):
                starts = [layout.offset(kind, index) for index in range(len(elements))]
                return tuple(
                    self.decode(each, data[start : start + layout.store_size(each)])
                    for each, start in zip(elements, starts, strict=True)
                )
            case Array(count, element) | Vector(count, element):
                step, size = layout.size(element), layout.store_size(element)
                return tuple(self.decode(element, data[at * step : at * step + size]) for at in range(count))
        return int.from_bytes(data, "little")

    def encode(self, kind: Type, value: Register) -> bytes:
        layout = self._layout
        size = layout.store_size(kind)
        if isinstance(value, int):
            return value.to_bytes(size, "little")
        data = bytearray(size)
        for index, part in enumerate(value):
            element = element_type(kind, index)
            start = layout.offset(kind, index) if isinstance(kind, Struct) else index * layout.size(element)
            piece = self.encode(element, part)
            data[start : start + len(piece)] = piece
        return bytes(data)

    def allocate(self, size: int, *, scratch: bool = False) -> int:
        """The number of a new object, all zero; it gets its place in the order when the step is over."""
        number = HEAP
        while number in self.objects:
            number += 1
        self.objects[number] = Object(bytearray(size), scratch=scratch)
        return number

    def free(self, pointer: int) -> None:
        if pointer == 0:
            return
        number, offset = object_of(pointer), offset_of(pointer)
        found = self.objects.get(number)
        if found is None or number < HEAP or offset:
            raise Failed(INVALID_FREE)
        if not found.alive:
            raise Failed(DOUBLE_FREE)
        found.alive = False
        found.data = bytearray(found.size)


def element_type(kind: Type, index: int) -> Type:
    if isinstance(kind, Struct):
        return kind.elements[index]
    if isinstance(kind, Array | Vector):
        return kind.element
    raise ValueError(str(kind))
