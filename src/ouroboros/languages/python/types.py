"""The types of a model as the compiler knows them: finite all of them.

A simple value is one integer: of an `Integer` the number itself, of a `Truth` 0 or 1, of a `Named` value its index in
the list of values. That list may have None in it, members of enumerations, texts and numbers.
"""

from __future__ import annotations

import inspect
import types as python_types
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum, Flag
from typing import Any, Literal, TypeAlias, get_args, get_origin

from ouroboros.python import Array, Channel, Int, Map, Model, Seq, Set
from ouroboros.python.types import annotations_of, members_of

MOST_UNITED = 1 << 10
LARGEST = 1 << 62
"""No number that is calculated with may be larger, or smaller than its negative."""


class NoType(Exception):
    """An annotation that is no type of a state."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


@dataclass(frozen=True)
class Truth:
    size = 2

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class Integer:
    low: int
    high: int

    @property
    def size(self) -> int:
        return self.high - self.low + 1

    def __str__(self) -> str:
        return f"Int[{self.low}, {self.high}]"


@dataclass(frozen=True, eq=False)
class Named:
    values: tuple[Any, ...]

    def __eq__(self, other: object) -> bool:
        """True and 1 are equal, and not the same."""
        return isinstance(other, Named) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._told)

    @property
    def _told(self) -> tuple[Any, ...]:
        return tuple((type(value), value) for value in self.values)

    @property
    def size(self) -> int:
        return len(self.values)

    def index(self, value: Any) -> int | None:
        for number, known in enumerate(self.values):
            if type(known) is type(value) and known == value:
                return number
        return None

    def __str__(self) -> str:
        kinds = dict.fromkeys(_kind_name(value) for value in self.values)
        return " | ".join(kinds)


@dataclass(frozen=True)
class RecordType:
    cls: type
    fields: Mapping[str, Type]
    frozen: bool

    def __hash__(self) -> int:
        return hash(self.cls)

    def __str__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True)
class ArrayType:
    element: Type
    length: int

    def __str__(self) -> str:
        return f"Array[{self.element}, {self.length}]"


@dataclass(frozen=True)
class SequenceType:
    element: Type
    capacity: int
    channel: bool

    def __str__(self) -> str:
        return f"{'Channel' if self.channel else 'Seq'}[{self.element}, {self.capacity}]"


@dataclass(frozen=True)
class SetType:
    element: Simple

    def __str__(self) -> str:
        return f"Set[{self.element}]"


@dataclass(frozen=True)
class MapType:
    key: Simple
    value: Type

    def __str__(self) -> str:
        return f"Map[{self.key}, {self.value}]"


@dataclass(frozen=True)
class OptionType:
    """A record, array or other structure, or None."""

    inner: Type

    def __str__(self) -> str:
        return f"{self.inner} | None"


Simple: TypeAlias = Truth | Integer | Named
Type: TypeAlias = Truth | Integer | Named | RecordType | ArrayType | SequenceType | SetType | MapType | OptionType
TRUTH = Truth()


def is_simple(kind: Type) -> bool:
    return isinstance(kind, Truth | Integer | Named)


def is_immutable(kind: Type) -> bool:
    """Whether values of the type can be shared: nobody can tell that they are."""
    match kind:
        case RecordType(_, fields, frozen):
            return frozen and all(map(is_immutable, fields.values()))
        case OptionType(inner):
            return is_immutable(inner)
    return is_simple(kind)


def domain(kind: Simple) -> tuple[Any, ...]:
    """The values of a type, in the order in which they are stored."""
    match kind:
        case Truth():
            return (False, True)
        case Integer(low, high):
            return tuple(range(low, high + 1))
        case Named(values):
            return values


def resolve(annotation: Any) -> Type:
    """The type that an annotation means; raises NoType."""
    members = members_of(annotation)
    if members is not None:
        return _joined(members)
    if annotation is bool:
        return TRUTH
    if annotation is int:
        raise NoType("`int` has no bounds, and a state must be finite", "write Int[LOWEST, HIGHEST]")
    if annotation is None or annotation is python_types.NoneType:
        return Named((None,))
    match annotation:
        case Int(low, high):
            if not -LARGEST <= low <= high <= LARGEST:
                raise NoType(f"Int[{low}, {high}] is too large", "numbers have at most 62 bits")
            return Integer(low, high)
        case Array(element, length):
            return ArrayType(resolve(element), _count(length))
        case Seq(element, capacity):
            return SequenceType(resolve(element), _count(capacity), False)
        case Channel(element, capacity):
            return SequenceType(resolve(element), _count(capacity), True)
        case Set(element):
            return SetType(_simple(element, "the elements of a set"))
        case Map(key, value):
            return MapType(_simple(key, "the keys of a mapping"), resolve(value))
    if get_origin(annotation) is Literal:
        values = get_args(annotation)
        return TRUTH if set(map(type, values)) == {bool} else Named(values)
    if get_origin(annotation) is tuple and ... not in get_args(annotation):
        items = {str(number): resolve(item) for number, item in enumerate(get_args(annotation))}
        return RecordType(tuple, items, True)
    if isinstance(annotation, type) and issubclass(annotation, Flag):
        raise NoType(f"`{annotation.__name__}` is a Flag", "write Set[…] of an Enum")
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        as_declared(annotation)
        return Named(tuple(annotation))
    if isinstance(annotation, type) and (is_dataclass(annotation) or issubclass(annotation, Model)):
        as_declared(annotation)
        frozen = is_dataclass(annotation) and annotation.__dataclass_params__.frozen  # type: ignore[attr-defined]  # dataclasses tell nobody else
        return RecordType(
            annotation, {name: resolve(kind) for name, kind in annotations_of(annotation).items()}, bool(frozen)
        )
    name = getattr(annotation, "__name__", None) or repr(annotation)
    instead = {
        "str": "a text is one of finitely many: Literal['a', 'b'] or an Enum",
        "list": "write Array[TYPE, LENGTH], or Seq[TYPE, MOST] for one whose length varies",
        "dict": "write Map[KEY, VALUE]",
        "set": "write Set[TYPE]",
        "frozenset": "write Set[TYPE]",
        "float": "there are no fractions in a state: count in smaller units, Int[LOWEST, HIGHEST]",
    }
    known = "bool, Int, Enum, Literal, Array, Seq, Set, Map, Channel, dataclasses, tuple[…] and `T | None` are types"
    raise NoType(f"`{name}` is no type of a state", instead.get(name, known))


_SPECIAL = (
    *("__init__", "__post_init__", "__eq__", "__setattr__", "__getattr__", "__getattribute__"),
    *("__bool__", "__len__", "__contains__"),
)


def as_declared(cls: type) -> None:
    """Refuses a class whose objects behave otherwise than what is declared tells."""
    for name in _SPECIAL:
        function = inspect.getattr_static(cls, name, None)
        if not inspect.isfunction(function) or function.__code__.co_filename == "<string>":
            continue
        own = function.__module__.partition(".")[0] not in ("enum", "ouroboros", "dataclasses")
        if own and not (name == "__init__" and issubclass(cls, Model | Enum)):
            raise NoType(f"`{cls.__name__}` has a method `{name}` of its own", "write a method with another name")
    if is_dataclass(cls) and not (cls.__dataclass_params__.eq and all(item.compare for item in fields(cls))):  # type: ignore[attr-defined]  # dataclasses tell nobody else
        raise NoType(f"`{cls.__name__}` is not compared by all of its attributes", "leave out eq=False, compare=False")


def _joined(members: tuple[Any, ...]) -> Type:
    kinds = [resolve(member) for member in members if member is not python_types.NoneType]
    optional = python_types.NoneType in members
    if all(map(is_simple, kinds)):
        values = [value for kind in kinds for value in domain(kind)]  # type: ignore[arg-type]  # all of them are simple
        return Named((None, *values) if optional else tuple(values))
    if optional and len(kinds) == 1:
        return OptionType(kinds[0])
    raise NoType("types of different structure cannot be joined", "only `T | None` can have a structure")


def _simple(annotation: Any, what: str) -> Simple:
    kind = resolve(annotation)
    if not isinstance(kind, Truth | Integer | Named):
        raise NoType(f"{what} must be of a simple type", "bool, Int, Enum or Literal")
    if kind.size > 1 << 16:
        raise NoType(f"{what} have too many values: {kind.size:,}", "they may have 65,536")
    return kind


def _count(number: Any) -> int:
    if not isinstance(number, int) or not 1 <= number <= 1 << 16:
        raise NoType(f"{number!r} is no number of elements", "write a number from 1 to 65,536")
    return number


def type_of(value: Any) -> Simple | None:
    """The simple type of a value that is known; None if it has none."""
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, Enum):
        return Named(tuple(type(value)))
    if isinstance(value, int):
        return Integer(value, value)
    if value is None or isinstance(value, str):
        return Named((value,))
    return None


def join(left: Simple, right: Simple) -> Simple | None:
    """A type for the values of both, represented as in either; None if there is none."""
    match left, right:
        case Integer(), Integer():
            return Integer(min(left.low, right.low), max(left.high, right.high))
        case (Truth(), Integer(low, high)) | (Integer(low, high), Truth()):
            return Integer(min(low, 0), max(high, 1))
    return left if left == right else None


def united(left: Simple, right: Simple) -> Named | None:
    """A type for the values of both, one of which is no number; None if there are too many."""
    if left.size + right.size > MOST_UNITED:
        return None
    found: list[Any] = []
    for value in (*domain(left), *domain(right)):
        if not any(type(value) is type(known) and value == known for known in found):
            found.append(value)
    return Named(tuple(found))


def value_name(value: Any) -> str:
    """As a trace shows it."""
    return value.name if isinstance(value, Enum) else str(value)


def _kind_name(value: Any) -> str:
    return type(value).__name__ if isinstance(value, Enum) else repr(value)
