"""The types of LLVM IR."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Void:
    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True, slots=True)
class Integer:
    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


FLOAT_BITS = {"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128, "ppc_fp128": 128}


@dataclass(frozen=True, slots=True)
class Float:
    name: str
    """One of FLOAT_BITS."""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Pointer:
    space: int = 0

    def __str__(self) -> str:
        return f"ptr addrspace({self.space})" if self.space else "ptr"


@dataclass(frozen=True, slots=True)
class Array:
    count: int
    element: Type

    def __str__(self) -> str:
        return f"[{self.count} x {self.element}]"


@dataclass(frozen=True, slots=True)
class Vector:
    count: int
    element: Type

    def __str__(self) -> str:
        return f"<{self.count} x {self.element}>"


@dataclass(frozen=True, slots=True)
class Struct:
    name: str | None
    """None where the type is written out; the elements of a named one are here all the same."""
    elements: tuple[Type, ...]
    packed: bool = False
    opaque: bool = False

    @property
    def body(self) -> str:
        if self.opaque:
            return "opaque"
        inside = ", ".join(map(str, self.elements))
        inside = f"{{ {inside} }}" if inside else "{}"
        return f"<{inside}>" if self.packed else inside

    def __str__(self) -> str:
        return self.body if self.name is None else "%" + quoted(self.name)


@dataclass(frozen=True, slots=True)
class FunctionType:
    result: Type
    parameters: tuple[Type, ...]
    variadic: bool

    def __str__(self) -> str:
        return f"{self.result} ({', '.join([*map(str, self.parameters), *(['...'] if self.variadic else [])])})"


@dataclass(frozen=True, slots=True)
class Label:
    def __str__(self) -> str:
        return "label"


@dataclass(frozen=True, slots=True)
class Metadata:
    def __str__(self) -> str:
        return "metadata"


@dataclass(frozen=True, slots=True)
class Token:
    def __str__(self) -> str:
        return "token"


Type = Void | Integer | Float | Pointer | Array | Vector | Struct | FunctionType | Label | Metadata | Token


_PLAIN = re.compile(r"\d+|[-._A-Za-z][-._A-Za-z0-9]*")


def quoted(name: str) -> str:
    """A name as LLVM writes it after its sigil."""
    if _PLAIN.fullmatch(name):
        return name
    data = name.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data) + '"'
