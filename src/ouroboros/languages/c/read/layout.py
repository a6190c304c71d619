"""How many bytes a type takes, and where its parts are."""

from __future__ import annotations

from functools import cache

from ouroboros.languages.c.read.types import FLOAT_BITS, Array, Float, Integer, Pointer, Struct, Type, Vector


class Layout:
    """The data layout of a module (LLVM Language Reference, "Data Layout")."""

    def __init__(self, text: str) -> None:
        self.little_endian = True
        self._pointer = (8, 8)
        self._integers = {1: 1, 8: 1, 16: 2, 32: 4, 64: 8}
        self._floats = {16: 2, 32: 4, 64: 8, 128: 16}
        self._vectors = {64: 8, 128: 16}
        for part in text.split("-"):
            self._read(part)
        self.size = cache(self._size)
        self.alignment = cache(self._alignment)
        self._offsets = cache(self._element_offsets)

    def _read(self, part: str) -> None:
        first, *rest = part.split(":")
        if first == "E":
            self.little_endian = False
        elif first in ("p", "p0") and len(rest) >= 2:
            self._pointer = (int(rest[0]) // 8, int(rest[1]) // 8)
        elif rest and first[1:].isdigit() and first[0] in "ifv":
            table = {"i": self._integers, "f": self._floats, "v": self._vectors}[first[0]]
            table[int(first[1:])] = int(rest[0]) // 8

    def bits(self, kind: Type) -> int:
        match kind:
            case Integer(bits):
                return bits
            case Float(name):
                return FLOAT_BITS[name]
            case Pointer():
                return self._pointer[0] * 8
            case Vector(count, element):
                return count * self.bits(element)
            case _:
                return self.size(kind) * 8

    def store_size(self, kind: Type) -> int:
        """The bytes that a store writes."""
        return (self.bits(kind) + 7) // 8

    def _size(self, kind: Type) -> int:
        """From one element of an array to the next."""
        match kind:
            case Array(count, element):
                return count * self.size(element)
            case Struct():
                return self._offsets(kind)[-1]
            case _:
                return _up(self.store_size(kind), self.alignment(kind))

    def _alignment(self, kind: Type) -> int:
        match kind:
            case Integer(bits):
                larger = [alignment for width, alignment in sorted(self._integers.items()) if width >= bits]
                return larger[0] if larger else max(self._integers.values())
            case Float(name):
                return self._floats.get(FLOAT_BITS[name], 16)
            case Pointer():
                return self._pointer[1]
            case Array(_, element):
                return self.alignment(element)
            case Vector():
                bits = self.bits(kind)
                return self._vectors.get(bits) or 1 << ((bits + 7) // 8 - 1).bit_length()
            case Struct(_, elements, packed):
                return 1 if packed else max(map(self.alignment, elements), default=1)
            case _:
                return 1

    def offset(self, struct: Struct, index: int) -> int:
        return self._offsets(struct)[index]

    def _element_offsets(self, struct: Struct) -> list[int]:
        """Where each element begins; at last the size of the whole."""
        offsets, end = [], 0
        for element in struct.elements:
            start = end if struct.packed else _up(end, self.alignment(element))
            offsets.append(start)
            end = start + self.size(element)
        return [*offsets, _up(end, self.alignment(struct))]


def _up(size: int, alignment: int) -> int:
    return (size + alignment - 1) // alignment * alignment
