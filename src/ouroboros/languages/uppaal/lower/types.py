"""Types after all their sizes and limits are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True)
class IntType:
    low: int
    high: int
    kind: Literal["int", "bool", "scalar"] = "int"
    scalar: str = ""
    """Which scalar type it is: values of different ones are never compared."""

    @property
    def size(self) -> int:
        return self.high - self.low + 1


@dataclass(frozen=True)
class ArrayType:
    index: IntType
    element: DataType


@dataclass(frozen=True)
class StructType:
    fields: tuple[tuple[str, DataType], ...]


@dataclass(frozen=True)
class ClockType:
    pass


@dataclass(frozen=True)
class ChannelType:
    urgent: bool = False
    broadcast: bool = False


@dataclass(frozen=True)
class VoidType:
    pass


DataType: TypeAlias = IntType | ArrayType | StructType | ClockType | ChannelType | VoidType

INT = IntType(-32768, 32767)
BOOL = IntType(0, 1, "bool")


def innermost(kind: DataType) -> DataType:
    """What an array is made of, in the end."""
    while isinstance(kind, ArrayType):
        kind = kind.element
    return kind


def described(kind: DataType) -> str:
    match kind:
        case IntType(low, high, "int"):
            return f"int[{low},{high}]"
        case IntType(_, _, "bool"):
            return "bool"
        case IntType():
            return "a scalar"
        case ArrayType(_, element):
            return f"an array of {described(element)}"
        case StructType():
            return "a struct"
        case ClockType():
            return "a clock"
        case ChannelType():
            return "a channel"
        case VoidType():
            return "void"
