"""The types of a state that Python has no annotation for, and what every type allows.

A type is what stands in an annotation: `bool`, an `Enum`, `Literal[…]`, a dataclass, `T | None`, `tuple[…]`, or one of
the classes here with its arguments in brackets.
"""

from __future__ import annotations

import inspect
import sys
import types
from copy import deepcopy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import Enum
from typing import Any, ClassVar, Literal, Optional, TypeVar, Union, get_args, get_origin


class OutOfType(Exception):
    """A value that the type of its variable does not allow."""


class Blocked(Exception):
    """A step that is not possible now: it is not made, and nothing of it counts but what went wrong before."""


class _Written:
    """A type that is written with brackets: `Name[argument, …]`."""

    def __class_getitem__(cls, arguments: Any) -> Any:
        made: Any = cls
        return made(*arguments) if isinstance(arguments, tuple) else made(arguments)

    def __or__(self, other: Any) -> Any:
        return Optional[self] if other is None else Union[self, other]  # noqa: UP007, UP045 - `|` would call this again

    def __ror__(self, other: Any) -> Any:
        return Union[other, self]  # noqa: UP007 - likewise

    def __call__(self) -> Any:
        """The value that a variable of the type has if it is given none."""
        return default(self)


@dataclass(frozen=True)
class Int(_Written):
    """`Int[0, 3]`: the integers from the first to the last, both among them."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not (isinstance(self.low, int) and isinstance(self.high, int) and self.low <= self.high):
            raise TypeError(f"Int[{self.low}, {self.high}]: write Int[LOWEST, HIGHEST]")


@dataclass(frozen=True)
class Array(_Written):
    """`Array[bool, 3]`: a list of always so many elements."""

    element: Any
    length: int


@dataclass(frozen=True)
class Seq(_Written):
    """`Seq[Message, 4]`: a list of at most so many elements: a queue by `append` and `pop(0)`, a stack by `pop()`."""

    element: Any
    capacity: int


@dataclass(frozen=True)
class Channel(_Written):
    """`Channel[Message, 4]`: a queue in which `send` waits for room, and `receive` for a message."""

    element: Any
    capacity: int


@dataclass(frozen=True)
class Set(_Written):
    """`Set[Int[0, 7]]`: a set of values of a type that has finitely many."""

    element: Any


@dataclass(frozen=True)
class Map(_Written):
    """`Map[Node, bool]`: a dictionary whose keys are of a type that has finitely many values."""

    key: Any
    value: Any


class Messages(list[Any]):
    """What a variable of the type `Channel` holds: the first message is the next to be received."""

    def __init__(self, capacity: int, messages: Any = ()) -> None:
        super().__init__(messages)
        self.capacity = capacity

    def send(self, message: Any) -> None:
        if len(self) >= self.capacity:
            raise Blocked
        self.append(message)

    def receive(self) -> Any:
        if not self:
            raise Blocked
        return self.pop(0)

    @property
    def full(self) -> bool:
        return len(self) >= self.capacity

    @property
    def empty(self) -> bool:
        return not self

    def __deepcopy__(self, memo: dict[int, Any]) -> Messages:
        return Messages(self.capacity, [deepcopy(message, memo) for message in self])


def annotations_of(cls: type) -> dict[str, Any]:
    """The types of the attributes of a class, and of those that it inherits from, in the order of their lines.

    Annotations that are still texts may use the constants of the class.
    """
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        module = sys.modules.get(base.__module__)
        for name, annotation in inspect.get_annotations(base).items():
            value: Any = annotation
            if isinstance(annotation, str):
                value = eval(annotation, dict(vars(module)) if module else {}, dict(vars(base)))
            if value is not ClassVar and get_origin(value) is not ClassVar and not isinstance(value, TypeVar):
                found[name] = value
    return found


def members_of(kind: Any) -> tuple[Any, ...] | None:
    """What the types joined by `|` are; None if there is no `|`."""
    if isinstance(kind, types.UnionType) or get_origin(kind) is Union:
        return get_args(kind)
    return None


def default(kind: Any) -> Any:
    """The value of a variable that is given none: nothing, empty, false, zero or else the first one."""
    members = members_of(kind)
    if kind is None or kind is types.NoneType or (members and types.NoneType in members):
        return None
    if members:
        return default(members[0])
    if kind is bool:
        return False
    match kind:
        case Int(low, high):
            return 0 if low <= 0 <= high else low
        case Array(element, length):
            return [default(element) for _ in range(length)]
        case Seq():
            return []
        case Channel(_, capacity):
            return Messages(capacity)
        case Set():
            return set()
        case Map():
            return {}
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if get_origin(kind) is tuple:
        return tuple(default(item) for item in get_args(kind))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type) and is_dataclass(kind):
        inner = annotations_of(kind)
        missing = [item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING]
        return kind(**{name: default(inner[name]) for name in missing})
    if isinstance(kind, type):
        return kind()
    raise TypeError(f"{kind!r} is no type of a state")


def confirm(kind: Any, value: Any, name: str) -> None:
    """Raises OutOfType where a value is none of its type."""
    if not allows(kind, value):
        raise OutOfType(f"{name}: {value!r} is not of its type")


def allows(kind: Any, value: Any) -> bool:
    members = members_of(kind)
    if members:
        return any(allows(member, value) for member in members)
    if kind is None or kind is types.NoneType:
        return value is None
    if kind is bool:
        return isinstance(value, bool)
    match kind:
        case Int(low, high):
            return isinstance(value, int) and low <= value <= high
        case Array(element, length):
            return isinstance(value, list) and len(value) == length and all(allows(element, item) for item in value)
        case Seq(element, capacity) | Channel(element, capacity):
            return isinstance(value, list) and len(value) <= capacity and all(allows(element, item) for item in value)
        case Set(element):
            return isinstance(value, set | frozenset) and all(allows(element, item) for item in value)
        case Map(key, inner):
            return isinstance(value, dict) and all(
                allows(key, left) and allows(inner, right) for left, right in value.items()
            )
    if get_origin(kind) is Literal:
        return any(type(value) is type(item) and value == item for item in get_args(kind))
    if get_origin(kind) is tuple:
        items = get_args(kind)
        return isinstance(value, tuple) and len(value) == len(items) and all(map(allows, items, value))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return isinstance(value, kind)
    # An object of a class that inherits from this one would be another record.
    return type(value) is kind and all(
        allows(inner, getattr(value, name)) for name, inner in annotations_of(type(value)).items()
    )


def values_of(kind: Any) -> tuple[Any, ...]:
    """All values of a type that has finitely many, in their order; raises TypeError for others."""
    members = members_of(kind)
    if members:
        rest = [value for member in members if member is not types.NoneType for value in values_of(member)]
        return (*((None,) if types.NoneType in members else ()), *rest)
    if kind is bool:
        return (False, True)
    if isinstance(kind, Int):
        return tuple(range(kind.low, kind.high + 1))
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    raise TypeError(f"{kind!r} is no type whose values can be gone through")
