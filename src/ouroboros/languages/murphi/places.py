"""Where values are: the leaves of a variable in the state or among the temporaries, and the way to one of them.

A variable of a structured type is stored by its leaves: `array [I] of record a, b: T end` is two arrays. An element is
then found by one index for all the arrays around it, and has the fewest bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ouroboros.languages.murphi.types import Array, Multiset, Range, Record, Simple, Type, value_name
from ouroboros.system.blocks import Statement
from ouroboros.system.building import ZERO, Storage, row, store, stored
from ouroboros.system.expressions import Constant, Expression, LocalArray
from ouroboros.system.layout import Field, bits_for


@dataclass(frozen=True, eq=False, slots=True)
class Leaf:
    """A simple value, or as many of them as the arrays around it have elements."""

    type: Simple
    storage: Storage

    def raw(self, at: Expression) -> Expression:
        return stored(self.storage, at)

    def set_raw(self, at: Expression, value: Expression) -> Statement:
        return store(self.storage, at, value)


@dataclass(frozen=True, eq=False, slots=True)
class RecordNode:
    type: Record
    members: Mapping[str, Node]


@dataclass(frozen=True, eq=False, slots=True)
class ArrayNode:
    type: Array
    element: Node

    @property
    def length(self) -> int:
        return self.type.index.size


@dataclass(frozen=True, eq=False, slots=True)
class MultisetNode:
    type: Multiset
    present: Leaf
    """Which slots hold an element: one if so, else zero."""
    element: Node

    @property
    def length(self) -> int:
        return self.type.size


Node: TypeAlias = Leaf | RecordNode | ArrayNode | MultisetNode


class Place(NamedTuple):
    """A part of a variable: a node, and the number of its element among those of the arrays around it."""

    node: Node
    at: Expression = ZERO
    writable: bool = True
    in_state: bool = True
    passed: bool = False
    """Whether it is a parameter by value: it may have been given `undefined`, to be stored as that."""

    @property
    def type(self) -> Type:
        return self.node.type

    def member(self, name: str) -> Place:
        assert isinstance(self.node, RecordNode)
        return self._replace(node=self.node.members[name])

    def element(self, number: Expression) -> Place:
        """The element with a number from zero on, which must be one of them."""
        assert isinstance(self.node, ArrayNode | MultisetNode)
        return self._replace(node=self.node.element, at=row(self.at, self.node.length, number))

    def presence(self, number: Expression) -> Place:
        assert isinstance(self.node, MultisetNode)
        return self._replace(node=self.node.present, at=row(self.at, self.node.length, number))

    def raw(self) -> Expression:
        assert isinstance(self.node, Leaf)
        return self.node.raw(self.at)

    def set_raw(self, value: Expression) -> Statement:
        assert isinstance(self.node, Leaf)
        return self.node.set_raw(self.at, value)

    def leaves(self) -> Iterator[Place]:
        """Every simple value in it, the presence of a multiset's elements included."""
        match self.node:
            case Leaf():
                yield self
            case RecordNode(_, members):
                for name in members:
                    yield from self.member(name).leaves()
            case ArrayNode():
                for number in range(self.node.length):
                    yield from self.element(Constant(number)).leaves()
            case MultisetNode():
                for number in range(self.node.length):
                    yield self.presence(Constant(number))
                    yield from self.element(Constant(number)).leaves()


PRESENCE = Range(1, 1)
"""The type of the leaf that says whether a slot of a multiset holds an element: it does, or is undefined."""


def build(
    kind: Type, make: Callable[[Simple, tuple[str, ...], int | None], Field | LocalArray | int], name: str
) -> Node:
    """The leaves of a variable. `make` is given the type, the names of the elements, and their number in arrays."""

    def node(kind: Type, names: tuple[str, ...], within: bool) -> Node:
        match kind:
            case Record(fields):
                members = {
                    field: node(inner, tuple(f"{name}.{field}" for name in names), within)
                    for field, inner in fields.items()
                }
                return RecordNode(kind, members)
            case Array(index, element):
                labels = [value_name(index, index.low + number) for number in range(index.size)]
                inner_names = tuple(f"{name}[{label}]" for name in names for label in labels)
                return ArrayNode(kind, node(element, inner_names, True))
            case Multiset(size, element):
                slots = tuple(f"{name}[{number}]" for name in names for number in range(size))
                present = Leaf(PRESENCE, make(PRESENCE, slots, len(slots)))
                return MultisetNode(kind, present, node(element, slots, True))
        return Leaf(kind, make(kind, names, len(names) if within else None))

    return node(kind, (name,), False)


def state_field(kind: Simple, names: tuple[str, ...], length: int | None, variable: str) -> Field:
    """A field for a leaf of a variable of the state."""
    # The name without what is in brackets: the path to the leaf through records.
    path = _without_indices(names[0])
    return Field(
        name=path,
        component="globals" if path == variable else variable,
        bits=bits_for(kind.size + 1),
        length=length,
        initial=(0,) * (1 if length is None else length),
        value_names=("absent", "present") if kind is PRESENCE else ("undefined", *kind.names),
        offset=kind.low - 1,
        element_names=names if length is not None else (),
    )


def _without_indices(name: str) -> str:
    depth, kept = 0, []
    for character in name:
        depth += character == "["
        if depth == 0:
            kept.append(character)
        depth -= character == "]"
    return "".join(kept)
