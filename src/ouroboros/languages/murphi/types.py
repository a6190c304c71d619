"""Types. A simple type numbers its values; a state stores such a number from one on, and zero for undefined."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard


@dataclass(frozen=True, eq=False, slots=True)
class Range:
    """Integers from low to high. All ranges mix freely; what is out of range is found when it is stored."""

    low: int
    high: int

    def __str__(self) -> str:
        return f"{self.low} .. {self.high}"

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    @property
    def names(self) -> tuple[str, ...]:
        return ()


@dataclass(frozen=True, eq=False, slots=True)
class Enumeration:
    name: str
    names: tuple[str, ...]
    low: int = 0

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return len(self.names)


@dataclass(frozen=True, eq=False, slots=True)
class Scalarset:
    """Values that are all alike. One that has no name of its own takes no part in symmetry."""

    name: str
    size: int
    named: bool
    low: int = 0

    def __str__(self) -> str:
        return self.name

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}_{number + 1}" for number in range(self.size))


@dataclass(frozen=True, eq=False, slots=True)
class Union:
    """The values of its members, numbered one member after the other."""

    name: str
    members: tuple[Enumeration | Scalarset, ...]
    low: int = 0

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for member in self.members for name in member.names)

    def first(self, member: Simple) -> int | None:
        """The number of a member's first value; None if it is no member."""
        number = 0
        for candidate in self.members:
            if candidate is member:
                return number
            number += candidate.size
        return None


@dataclass(frozen=True, eq=False, slots=True)
class Record:
    fields: Mapping[str, Type]

    def __str__(self) -> str:
        return f"record {', '.join(self.fields)} end"


@dataclass(frozen=True, eq=False, slots=True)
class Array:
    index: Simple
    element: Type

    def __str__(self) -> str:
        return f"array [{self.index}] of {self.element}"


@dataclass(frozen=True, eq=False, slots=True)
class Multiset:
    size: int
    element: Type

    def __str__(self) -> str:
        return f"multiset [{self.size}] of {self.element}"


Simple: TypeAlias = Range | Enumeration | Scalarset | Union
Type: TypeAlias = Range | Enumeration | Scalarset | Union | Record | Array | Multiset

BOOLEAN = Enumeration("boolean", ("false", "true"))
INTEGER = Range(-(2**62), 2**62)
"""The type of a number whose range is not declared."""


def is_simple(kind: Type) -> TypeGuard[Simple]:
    return isinstance(kind, Range | Enumeration | Scalarset | Union)


def value_name(kind: Simple, value: int) -> str:
    """A value as the user writes it."""
    return str(value) if isinstance(kind, Range) else kind.names[value]


def members_in(kind: Simple) -> tuple[Simple, ...]:
    return kind.members if isinstance(kind, Union) else (kind,)


def compatible(left: Type, right: Type) -> bool:
    """Whether a value of one type may be assigned to the other, or compared with it."""
    if left is right:
        return True
    match left, right:
        case Range(), Range():
            return True
        case ((Enumeration() | Scalarset() | Union()), (Enumeration() | Scalarset() | Union())):
            return any(member in members_in(right) for member in members_in(left))
        case Record(fields), Record(others):
            return list(fields) == list(others) and all(
                compatible(kind, other) for kind, other in zip(fields.values(), others.values(), strict=True)
            )
        case Array(index, element), Array(other_index, other_element):
            same = index is other_index or (
                isinstance(index, Range)
                and isinstance(other_index, Range)
                and (index.low, index.high) == (other_index.low, other_index.high)
            )
            return same and compatible(element, other_element)
        case Multiset(size, element), Multiset(other_size, other_element):
            return size == other_size and compatible(element, other_element)
    return False
