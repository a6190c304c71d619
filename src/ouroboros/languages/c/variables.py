"""Variables with the names and types that the program gives them, down to the scalars in them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from ouroboros.languages.c.places import reference
from ouroboros.languages.c.pointers import object_of, offset_of
from ouroboros.languages.c.read.module import Module, Node, Reference

MOST_ELEMENTS = 64
"""Of an array, that are told one by one."""

Kind = Literal["signed", "unsigned", "character", "boolean", "float", "pointer", "owner"]
_ENCODINGS: dict[str, Kind] = {
    "DW_ATE_signed": "signed",
    "DW_ATE_unsigned": "unsigned",
    "DW_ATE_signed_char": "character",
    "DW_ATE_unsigned_char": "unsigned",
    "DW_ATE_boolean": "boolean",
    "DW_ATE_float": "float",
    "DW_ATE_UTF": "unsigned",
}

_OWNED = ("pthread_mutex_t", "mtx_t")
"""Types whose first four bytes say which thread has it; what else is in them is nobody's business."""
_COUNTED = ("sem_t",)
_HIDDEN = ("pthread_cond_t", "cnd_t", "pthread_rwlock_t", "pthread_barrier_t")


class Scalar(NamedTuple):
    """A number in a variable."""

    name: str
    """With the fields and indices that lead to it."""
    offset: int
    """In bytes, from the beginning of the variable."""
    size: int
    kind: Kind
    names: dict[int, str]
    """Of the values of an enumeration."""
    low: int = 0
    """Where a bit field begins in its bytes."""
    bits: int = 0
    """How wide it is; 0 if it is none."""

    def value(self, data: bytes) -> int:
        """Out of the bytes of the variable."""
        number = int.from_bytes(data[self.offset : self.offset + self.size], "little")
        width = 8 * self.size
        if self.bits:
            number = number >> self.low & (1 << self.bits) - 1
            width = self.bits
        if self.kind in ("signed", "character") and number >> width - 1:
            number -= 1 << width
        return number

    def shown(self, data: bytes) -> int | str:
        """For people; a pointer by itself is a number."""
        number = self.value(data)
        if self.kind == "float" and self.size in (4, 8):
            packed = number.to_bytes(self.size, "little")
            return str(struct.unpack("<f" if self.size == 4 else "<d", packed)[0])
        if self.kind == "character" and 32 <= number < 127:
            return f"{number} '{chr(number)}'"
        if self.kind == "owner":
            return {0: "free", 1: "main"}.get(number, f"thread {number - 1}")
        return self.names.get(number, number)


class Variable(NamedTuple):
    name: str
    module_name: str
    """By which the instructions know it."""
    scalars: tuple[Scalar, ...]
    file: int | None


class Variables:
    """The variables of a module that are there all the time."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._metadata = module.metadata
        self.known = tuple(self._globals())

    def _globals(self) -> Iterator[Variable]:
        for name, variable in self._module.variables.items():
            if variable.debug is None or variable.initialiser is None:
                continue
            node = self._metadata[variable.debug]
            number = reference(node, "var") if node.kind == "DIGlobalVariableExpression" else variable.debug
            about = self._metadata[number] if number is not None else node
            told, kind = about.fields.get("name"), reference(about, "type")
            if isinstance(told, str) and kind is not None:
                yield Variable(told, name, tuple(self._scalars(told, kind, 0)), reference(about, "file"))

    def file(self, number: int | None) -> Path:
        """The path of a file."""
        fields = self._metadata[number].fields if number is not None else {}
        return Path(str(fields.get("directory") or "")) / str(fields.get("filename") or "")

    def _scalars(self, name: str, number: int, offset: int) -> Iterator[Scalar]:
        node = self._metadata[number]
        tag = str(node.fields.get("tag", ""))
        size = _size(node)
        inner = reference(node, "baseType")
        if node.kind == "DIBasicType":
            yield Scalar(name, offset, size, _ENCODINGS.get(str(node.fields.get("encoding")), "unsigned"), {})
        elif "pointer" in tag or "reference" in tag:
            yield Scalar(name, offset, size or 8, "pointer", {})
        elif "enumeration" in tag:
            yield Scalar(name, offset, size, self._enumeration_kind(inner), self._enumerators(node))
        elif "array" in tag and inner is not None:
            yield from self._elements(name, node, inner, offset)
        elif "structure" in tag or "class" in tag or "union" in tag:
            for member in self._members(node):
                yield from self._member(name, member, offset)
        elif node.fields.get("name") in _OWNED:
            yield Scalar(name, offset, 4, "owner", {})
        elif node.fields.get("name") in _COUNTED:
            yield Scalar(name, offset, 4, "signed", {})
        elif inner is not None and node.fields.get("name") not in _HIDDEN:
            yield from self._scalars(name, inner, offset)

    def _enumeration_kind(self, inner: int | None) -> Kind:
        if inner is None:
            return "unsigned"
        return next(iter(self._scalars("", inner, 0))).kind

    def _enumerators(self, node: Node) -> dict[int, str]:
        return {
            int(value): str(each.fields.get("name"))
            for each in self._members(node)
            if isinstance(value := each.fields.get("value", 0), int)
        }

    def _members(self, node: Node) -> Iterator[Node]:
        number = reference(node, "elements")
        for item in self._metadata[number].items if number is not None else ():
            if isinstance(item, Reference):
                yield self._metadata[item.number]

    def _member(self, name: str, member: Node, offset: int) -> Iterator[Scalar]:
        inner = reference(member, "baseType")
        flags = str(member.fields.get("flags", ""))
        if inner is None or member.kind != "DIDerivedType" or "Static" in flags:
            return
        told = member.fields.get("name")
        path = f"{name}.{told}" if told else name
        begin = member.fields.get("offset", 0)
        assert isinstance(begin, int)
        if "BitField" in flags:
            for scalar in self._scalars(path, inner, 0):
                width = member.fields.get("size", 0)
                assert isinstance(width, int)
                low = begin % 8
                wide = -(-(low + width) // 8)
                yield scalar._replace(offset=offset + begin // 8, size=wide, low=low, bits=width)
            return
        yield from self._scalars(path, inner, offset + begin // 8)

    def _elements(self, name: str, node: Node, inner: int, offset: int) -> Iterator[Scalar]:
        counts = [count if isinstance(count := each.fields.get("count"), int) else 0 for each in self._members(node)]
        total = 1
        for count in counts:
            total *= max(0, count)
        size = _size(node) // total if total else 0
        for index in range(min(total, MOST_ELEMENTS)):
            rest, indices = index, ""
            for count in reversed(counts):
                rest, at = divmod(rest, count)
                indices = f"[{at}]{indices}"
            yield from self._scalars(name + indices, inner, offset + index * size)


def _size(node: Node) -> int:
    bits = node.fields.get("size", 0)
    return bits // 8 if isinstance(bits, int) else 0


def shown_pointer(value: int, names: dict[int, str]) -> str:
    """A pointer for people: what it points to, by the names of objects."""
    if value == 0:
        return "NULL"
    number, offset = object_of(value), offset_of(value)
    name = names.get(number)
    if name is None:
        return hex(value)
    return f"&{name}" + (f"{offset:+}" if offset else "")
