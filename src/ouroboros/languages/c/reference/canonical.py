"""Objects of the heap by the order in which they are found, and without those that nothing points to."""

from __future__ import annotations

from ouroboros.languages.c.pointers import HALF, HEAP, MASK, OFFSET_BITS, object_of
from ouroboros.languages.c.read.types import Integer, Pointer, Type
from ouroboros.languages.c.reference.memory import Object, Register


class Renumbering:
    """New numbers, given at the first meeting."""

    def __init__(self, objects: dict[int, Object]) -> None:
        self._objects = objects
        self.order: list[int] = []
        """The old numbers, by the new."""
        self._new: dict[int, int] = {}
        self._none = not any(number >= HEAP for number in objects)

    def word(self, value: int) -> int:
        """A word, with the new number if it points to an object of the heap."""
        old = object_of(value)
        if old < HEAP or old not in self._objects:
            return value
        if old not in self._new:
            self._new[old] = HEAP + len(self.order)
            self.order.append(old)
        return value + (self._new[old] - old << OFFSET_BITS) & MASK

    def leaves_behind(self) -> bool:
        """Whether something was not met that was not freed, and had to be."""
        return any(
            number >= HEAP and number not in self._new and each.alive and not each.scratch
            for number, each in self._objects.items()
        )

    def data(self, data: bytes | bytearray) -> bytes:
        """All aligned words of an object; the last one may be a part."""
        if self._none:
            return bytes(data)
        out = bytearray(data.ljust(-(-len(data) // 8) * 8, b"\0"))
        for at in range(0, len(out), 8):
            if out[at + 7] or out[at + 3] >= HALF >> 24:
                value = int.from_bytes(out[at : at + 8], "little")
                out[at : at + 8] = self.word(value).to_bytes(8, "little")
        return bytes(out[: len(data)])

    def register(self, kind: Type, value: Register) -> Register:
        if isinstance(value, tuple):
            parts = getattr(kind, "elements", None) or (getattr(kind, "element", kind),) * len(value)
            return tuple(self.register(each, part) for each, part in zip(parts, value, strict=True))
        if isinstance(kind, Pointer) or kind == Integer(64):
            return self.word(value)
        return value
