"""Variables with the names and types that the program gives them, down to the scalars in them."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from ouroboros.languages.c.compile import LIBRARY
from ouroboros.languages.c.places import reference
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
    target: int | None = None
    """Of a pointer: the node that describes what it points to."""

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
            return "free" if number == 0 else "destroyed" if number == 0xFFFFFFFF else f"thread {number - 1}"
        return self.names.get(number, number)


class Variable(NamedTuple):
    name: str
    module_name: str
    """By which the instructions know it."""
    scalars: tuple[Scalar, ...]
    file: int | None
    type: int


class Variables:
    """The variables of a module that are there all the time."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._metadata = module.metadata
        self.known = tuple(self._told_apart(list(self._globals())))

    def _globals(self) -> Iterator[Variable]:
        for name, variable in self._module.variables.items():
            if variable.debug is None or variable.initialiser is None:
                continue
            node = self._metadata[variable.debug]
            number = reference(node, "var") if node.kind == "DIGlobalVariableExpression" else variable.debug
            about = self._metadata[number] if number is not None else node
            told, kind = about.fields.get("name"), reference(about, "type")
            if isinstance(told, str) and kind is not None:
                function = self._function(reference(about, "scope"))
                told = f"{function}.{told}" if function else told
                yield Variable(told, name, tuple(self.scalars(told, kind)), reference(about, "file"), kind)

    def _function(self, scope: int | None) -> str:
        """The function that a static variable belongs to."""
        while scope is not None:
            node = self._metadata[scope]
            if node.kind == "DISubprogram":
                return str(node.fields.get("name", ""))
            scope = reference(node, "scope") if node.kind.startswith("DILexicalBlock") else None
        return ""

    def _told_apart(self, variables: list[Variable]) -> Iterator[Variable]:
        """Those of several files that have the same name are known by their files as well."""
        often = Counter(variable.name for variable in variables)
        for each in variables:
            if often[each.name] == 1:
                yield each
            else:
                name = f"{self.file(each.file).name}::{each.name}"
                yield each._replace(name=name, scalars=tuple(self.scalars(name, each.type)))

    def file(self, number: int | None) -> Path:
        """The path of a file."""
        fields = self._metadata[number].fields if number is not None else {}
        return Path(str(fields.get("directory") or "")) / str(fields.get("filename") or "")

    def scalars(self, name: str, kind: int, most: int = MOST_ELEMENTS) -> Iterator[Scalar]:
        """Those in something of a type, each with the name that leads there; of an array only so many."""
        return self._scalars(name, kind, 0, most)

    def begin(self, name: str, kind: int, wanted: str) -> int | None:
        """How far into something of a type what is called so begins."""
        for scalar in self.scalars(name, kind, MOST_ELEMENTS):
            if scalar.name == wanted or (scalar.name.startswith(wanted) and scalar.name[len(wanted)] in ".["):
                return scalar.offset
        return None

    def size(self, kind: int | None) -> int:
        """Of a type, in bytes; 0 if that is not known."""
        while kind is not None:
            node = self._metadata[kind]
            if size := _size(node):
                return size
            kind = reference(node, "baseType")
        return 0

    def type_name(self, kind: int | None) -> str:
        """What a type is called; nothing if it has no name."""
        while kind is not None:
            node = self._metadata[kind]
            name = node.fields.get("name")
            if isinstance(name, str) and name:
                return name
            kind = reference(node, "baseType") if node.kind == "DIDerivedType" else None
        return ""

    def path(self, name: str, kind: int, offset: int, wanted: int = 0) -> str | None:
        """What is at an offset in something of a type: the largest that begins there and is not larger than wanted, but
        of an array an element.
        """
        node = self._metadata[kind]
        tag, inner = str(node.fields.get("tag", "")), reference(node, "baseType")
        if "array" in tag and inner is not None:
            size = self.size(inner)
            if not size or not 0 <= offset < max(_size(node), 1):
                return None
            element = self._element_name(name, node, offset // size)
            return self.path(element, inner, offset % size, wanted)
        if offset == 0 and not 0 < wanted < self.size(kind):
            return name
        if "structure" in tag or "class" in tag or "union" in tag:
            for member in self._members(node):
                begin, kind_of_member = member.fields.get("offset", 0), reference(member, "baseType")
                if kind_of_member is None or not isinstance(begin, int) or "Static" in str(member.fields.get("flags")):
                    continue
                if 0 <= offset - begin // 8 < self.size(kind_of_member):
                    told = member.fields.get("name")
                    told_name = f"{name}.{told}" if told else name
                    return self.path(told_name, kind_of_member, offset - begin // 8, wanted)
            return name if offset == 0 else None
        if inner is not None and "pointer" not in tag and node.kind != "DIBasicType":
            return self.path(name, inner, offset, wanted)
        return name if offset == 0 else None

    def _element_name(self, name: str, node: Node, index: int) -> str:
        indices = ""
        for each in reversed(list(self._members(node))):
            count = each.fields.get("count")
            index, at = divmod(index, count) if isinstance(count, int) and count > 0 else (0, index)
            indices = f"[{at}]{indices}"
        return name + indices

    def _scalars(self, name: str, number: int, offset: int, most: int) -> Iterator[Scalar]:
        node = self._metadata[number]
        tag = str(node.fields.get("tag", ""))
        size = _size(node)
        inner = reference(node, "baseType")
        if node.kind == "DIBasicType":
            yield Scalar(name, offset, size, _ENCODINGS.get(str(node.fields.get("encoding")), "unsigned"), {})
        elif "pointer" in tag or "reference" in tag:
            yield Scalar(name, offset, size or 8, "pointer", {}, target=inner)
        elif "enumeration" in tag:
            yield Scalar(name, offset, size, self._enumeration_kind(inner), self._enumerators(node))
        elif "array" in tag and inner is not None:
            yield from self._elements(name, node, inner, offset, most)
        elif "structure" in tag or "class" in tag or "union" in tag:
            for member in self._members(node):
                yield from self._member(name, member, offset, most)
        elif node.fields.get("name") in _OWNED:
            yield Scalar(name, offset, 4, "owner", {})
        elif node.fields.get("name") in _COUNTED:
            yield Scalar(name, offset, 4, "signed", {})
        elif inner is not None and node.fields.get("name") not in _HIDDEN:
            yield from self._scalars(name, inner, offset, most)

    def _enumeration_kind(self, inner: int | None) -> Kind:
        if inner is None:
            return "unsigned"
        return next(iter(self.scalars("", inner))).kind

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

    def _member(self, name: str, member: Node, offset: int, most: int) -> Iterator[Scalar]:
        inner = reference(member, "baseType")
        flags = str(member.fields.get("flags", ""))
        if inner is None or member.kind != "DIDerivedType" or "Static" in flags:
            return
        told = member.fields.get("name")
        path = f"{name}.{told}" if told else name
        begin = member.fields.get("offset", 0)
        assert isinstance(begin, int)
        if "BitField" in flags:
            for scalar in self._scalars(path, inner, 0, most):
                width = member.fields.get("size", 0)
                assert isinstance(width, int)
                low = begin % 8
                wide = -(-(low + width) // 8)
                yield scalar._replace(offset=offset + begin // 8, size=wide, low=low, bits=width)
            return
        yield from self._scalars(path, inner, offset + begin // 8, most)

    def _elements(self, name: str, node: Node, inner: int, offset: int, most: int) -> Iterator[Scalar]:
        counts = [count if isinstance(count := each.fields.get("count"), int) else 0 for each in self._members(node)]
        total = 1
        for count in counts:
            total *= max(0, count)
        size = _size(node) // total if total else 0
        for index in range(min(total, most)):
            yield from self._scalars(self._element_name(name, node, index), inner, offset + index * size, most)


def _size(node: Node) -> int:
    bits = node.fields.get("size", 0)
    return bits // 8 if isinstance(bits, int) else 0


def library_variables(module: Module) -> frozenset[str]:
    """Those that belong to what every program may use, by which the instructions know them."""
    variables = Variables(module)
    return frozenset(each.module_name for each in variables.known if LIBRARY in variables.file(each.file).parents)
