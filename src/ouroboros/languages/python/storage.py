"""How values of a type lie in a state, or among the temporaries of a step.

A structure is stored by its leaves: an array of records is an array for each attribute. What is not there (the rest of
a sequence, the value of a key that a mapping has not) is zero, so that equal values are equal states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from ouroboros.languages.python.types import (
    TRUTH,
    ArrayType,
    Integer,
    MapType,
    Named,
    OptionType,
    RecordType,
    SequenceType,
    SetType,
    Simple,
    Truth,
    Type,
    domain,
    value_name,
)
from ouroboros.python.types import Messages
from ouroboros.system.blocks import Statement
from ouroboros.system.building import ZERO, Storage, row, store, stored
from ouroboros.system.expressions import Binary, Constant, Expression
from ouroboros.system.layout import Field, bits_for


def base_of(kind: Simple) -> int:
    """What a number is stored less than it is."""
    if not isinstance(kind, Integer) or (kind.low >= 0 and bits_for(kind.high + 1) == bits_for(kind.size)):
        return 0
    return kind.low


def raw_code(kind: Simple, value: Any) -> int:
    """What is stored for a value of the type."""
    match kind:
        case Named():
            index = kind.index(value)
            assert index is not None
            return index
    return int(value) - base_of(kind)


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    type: Simple
    storage: Storage

    def read(self, at: Expression) -> Expression:
        raw, base = stored(self.storage, at), base_of(self.type)
        return Binary("+", raw, Constant(base)) if base else raw

    def write(self, at: Expression, value: Expression) -> Statement:
        """Store a value, which must be of the type."""
        base = base_of(self.type)
        raw = Binary("-", value, Constant(base)) if base else value
        if isinstance(value, Constant):
            raw = Constant(value.value - base)
        return self.write_raw(at, raw)

    def write_raw(self, at: Expression, raw: Expression) -> Statement:
        return store(self.storage, at, raw)


@dataclass(frozen=True, eq=False, slots=True)
class RecordNode:
    type: RecordType
    members: Mapping[str, Node]


@dataclass(frozen=True, eq=False, slots=True)
class ArrayNode:
    type: ArrayType
    element: Node
    rows: int


@dataclass(frozen=True, eq=False, slots=True)
class SequenceNode:
    type: SequenceType
    length: Leaf
    element: Node
    rows: int


@dataclass(frozen=True, eq=False, slots=True)
class SetNode:
    type: SetType
    present: Leaf
    rows: int


@dataclass(frozen=True, eq=False, slots=True)
class MapNode:
    type: MapType
    present: Leaf
    element: Node
    rows: int


@dataclass(frozen=True, eq=False, slots=True)
class OptionNode:
    type: OptionType
    present: Leaf
    inner: Node


Node: TypeAlias = Leaf | RecordNode | ArrayNode | SequenceNode | SetNode | MapNode | OptionNode


class Place(NamedTuple):
    """A part of a variable: a node, and its number among the elements of the structures around it."""

    node: Node
    at: Expression = ZERO
    in_state: bool = True
    fresh: bool = False
    """Whether nobody else holds this object: it may be stored elsewhere."""

    @property
    def type(self) -> Type:
        return self.node.type

    def member(self, name: str) -> Place:
        assert isinstance(self.node, RecordNode)
        return self._replace(node=self.node.members[name])

    def element(self, number: Expression) -> Place:
        assert isinstance(self.node, ArrayNode | SequenceNode | MapNode)
        return self._replace(node=self.node.element, at=row(self.at, self.node.rows, number))

    def length(self) -> Place:
        assert isinstance(self.node, SequenceNode)
        return self._replace(node=self.node.length)

    def presence(self, number: Expression = ZERO) -> Place:
        if isinstance(self.node, OptionNode):
            return self._replace(node=self.node.present)
        assert isinstance(self.node, SetNode | MapNode)
        return self._replace(node=self.node.present, at=row(self.at, self.node.rows, number))

    def inner(self) -> Place:
        assert isinstance(self.node, OptionNode)
        return self._replace(node=self.node.inner)

    def read(self) -> Expression:
        assert isinstance(self.node, Leaf)
        return self.node.read(self.at)

    def write(self, value: Expression) -> Statement:
        assert isinstance(self.node, Leaf)
        return self.node.write(self.at, value)

    def leaves(self) -> Iterator[Place]:
        match self.node:
            case Leaf():
                yield self
            case RecordNode(_, members):
                for name in members:
                    yield from self.member(name).leaves()
            case ArrayNode(_, _, rows):
                for number in range(rows):
                    yield from self.element(Constant(number)).leaves()
            case SequenceNode(_, _, _, rows):
                yield self.length()
                for number in range(rows):
                    yield from self.element(Constant(number)).leaves()
            case SetNode(_, _, rows):
                for number in range(rows):
                    yield self.presence(Constant(number))
            case MapNode(_, _, _, rows):
                for number in range(rows):
                    yield self.presence(Constant(number))
                    yield from self.element(Constant(number)).leaves()
            case OptionNode():
                yield self.presence()
                yield from self.inner().leaves()

    def clear(self) -> list[Statement]:
        """Make it as if there were nothing."""
        found: list[Statement] = []
        for leaf in self.leaves():
            assert isinstance(leaf.node, Leaf)
            found.append(leaf.node.write_raw(leaf.at, ZERO))
        return found


def nodes_within(node: Node) -> Iterator[Node]:
    """A node and all that are parts of it."""
    yield node
    match node:
        case RecordNode(_, members):
            for member in members.values():
                yield from nodes_within(member)
        case ArrayNode() | SequenceNode() | MapNode():
            yield from nodes_within(node.element)
        case OptionNode():
            yield from nodes_within(node.inner)


Maker: TypeAlias = Callable[[Simple, tuple[str, ...], int | None], Storage]
"""Is given a type, the name of each element, and how many there are in structures."""


def build(kind: Type, make: Maker, name: str) -> Node:
    """The leaves of a variable."""

    def leaf(kind: Simple, names: tuple[str, ...], within: bool) -> Leaf:
        return Leaf(kind, make(kind, names, len(names) if within else None))

    def node(kind: Type, names: tuple[str, ...], within: bool) -> Node:
        match kind:
            case RecordType(_, fields):
                dotted = {field: tuple(f"{name}.{field}".removeprefix(".") for name in names) for field in fields}
                return RecordNode(kind, {field: node(inner, dotted[field], within) for field, inner in fields.items()})
            case ArrayType(element, length):
                return ArrayNode(kind, node(element, _indexed(names, range(length)), True), length)
            case SequenceType(element, capacity):
                size = leaf(Integer(0, capacity), tuple(f"{name}.length" for name in names), within)
                return SequenceNode(kind, size, node(element, _indexed(names, range(capacity)), True), capacity)
            case SetType(element):
                return SetNode(kind, leaf(TRUTH, _indexed(names, domain(element)), True), element.size)
            case MapType(key, value):
                inner_names = _indexed(names, domain(key))
                present = leaf(TRUTH, tuple(f"{name} in" for name in inner_names), True)
                return MapNode(kind, present, node(value, inner_names, True), key.size)
            case OptionType(inner):
                present = leaf(TRUTH, tuple(f"{name} is there" for name in names), within)
                return OptionNode(kind, present, node(inner, names, within))
            case Truth() | Integer() | Named():
                return leaf(kind, names, within)

    return node(kind, (name,), False)


def _indexed(names: Sequence[str], values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(f"{name}[{value_name(value)}]" for name in names for value in values)


Writer: TypeAlias = Callable[[Field, int, int], None]


def encode(place: Place, value: Any, write: Writer) -> None:
    """Write what is stored for a Python value, which must be of the type; all else is zero already."""
    match place.node:
        case Leaf(kind, storage):
            assert isinstance(storage, Field)
            assert isinstance(place.at, Constant)
            write(storage, place.at.value, raw_code(kind, value))
        case RecordNode(kind, members):
            for name in members:
                encode(place.member(name), value[int(name)] if kind.cls is tuple else getattr(value, name), write)
        case ArrayNode():
            for number, item in enumerate(value):
                encode(place.element(Constant(number)), item, write)
        case SequenceNode():
            encode(place.length(), len(value), write)
            for number, item in enumerate(value):
                encode(place.element(Constant(number)), item, write)
        case SetNode(kind):
            for number, item in enumerate(domain(kind.element)):
                encode(place.presence(Constant(number)), item in value, write)
        case MapNode(kind):
            for number, key in enumerate(domain(kind.key)):
                encode(place.presence(Constant(number)), key in value, write)
                if key in value:
                    encode(place.element(Constant(number)), value[key], write)
        case OptionNode():
            encode(place.presence(), value is not None, write)
            if value is not None:
                encode(place.inner(), value, write)


def decode(place: Place, read: Callable[[Field, int], int]) -> Any:
    """The Python value that is stored."""
    match place.node:
        case Leaf(kind, storage):
            assert isinstance(storage, Field)
            assert isinstance(place.at, Constant)
            raw = read(storage, place.at.value)
            if isinstance(kind, Named):
                return kind.values[raw] if raw < kind.size else None
            return bool(raw) if isinstance(kind, Truth) else raw + base_of(kind)
        case RecordNode(kind, members):
            parts = {name: decode(place.member(name), read) for name in members}
            if kind.cls is tuple:
                return tuple(parts.values())
            record: Any = object.__new__(kind.cls)
            for name, part in parts.items():
                object.__setattr__(record, name, part)
            return record
        case ArrayNode(_, _, rows):
            return [decode(place.element(Constant(number)), read) for number in range(rows)]
        case SequenceNode(kind):
            length = decode(place.length(), read)
            items = [decode(place.element(Constant(number)), read) for number in range(length)]
            return Messages(kind.capacity, items) if kind.channel else items
        case SetNode(kind):
            values = enumerate(domain(kind.element))
            return {value for number, value in values if decode(place.presence(Constant(number)), read)}
        case MapNode(kind):
            return {
                key: decode(place.element(Constant(number)), read)
                for number, key in enumerate(domain(kind.key))
                if decode(place.presence(Constant(number)), read)
            }
        case OptionNode():
            return decode(place.inner(), read) if decode(place.presence(), read) else None
