"""Marks in lowered code, for those who ask whether a model tells the elements of a scalarset apart.

A model is lowered a second time for that question, and only for that. Where the text ranges over alike values, the code
then says so: by scopes whose labels are known here. Their number is negative, and nobody ever leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ouroboros.languages.murphi.code import leaves_of
from ouroboros.languages.murphi.places import ArrayNode, Leaf, MultisetNode, Node, Place, RecordNode
from ouroboros.languages.murphi.types import Scalarset, Simple, Union
from ouroboros.source import Span
from ouroboros.system.blocks import Block, Scope
from ouroboros.system.expressions import Constant, Evaluate, Expression
from ouroboros.system.layout import Field
from ouroboros.system.symmetry import Asymmetry

Group = tuple[int, ...]
"""Positions among the rounds of a loop, or the parts of a quantifier, whose order has no meaning."""


class Loop(NamedTuple):
    span: Span
    what: str
    """As an error message calls it."""
    groups: tuple[Group, ...]


class Quantifier(NamedTuple):
    span: Span
    forall: bool
    parts: tuple[Expression, ...]
    groups: tuple[Group, ...]


class Addition(NamedTuple):
    """To a multiset: it looks for an empty slot, or it stores the element there."""

    multiset: MultisetNode
    at: Expression
    """Which one, where there are several in an array."""
    stores: bool


@dataclass(eq=False)
class Marks:
    """What the labels of marked scopes mean, and what was objected to already while the model was lowered."""

    loops: dict[int, Loop] = field(default_factory=dict)
    """The body of such a scope is a scope for each round."""
    quantifiers: dict[int, Quantifier] = field(default_factory=dict)
    additions: dict[int, Addition] = field(default_factory=dict)
    removals: dict[int, MultisetNode] = field(default_factory=dict)
    objections: list[Asymmetry] = field(default_factory=list)
    elements: dict[Field, MultisetNode] = field(default_factory=dict)
    """Which fields are the elements of a multiset that alike values are in."""
    _labels: int = 0

    def label(self) -> int:
        self._labels -= 1
        return self._labels

    def object(self, message: str, span: Span | None) -> None:
        self.objections.append(Asymmetry(message, span))

    def loop(self, span: Span, what: str, groups: tuple[Group, ...], rounds: Sequence[Block]) -> Scope:
        label = self.label()
        self.loops[label] = Loop(span, what, groups)
        return Scope(label, tuple(Scope(self.label(), body) for body in rounds))

    def quantifier(
        self, span: Span, forall: bool, parts: Sequence[Expression], groups: tuple[Group, ...], joined: Expression
    ) -> Expression:
        if all(isinstance(part, Constant) for part in parts):
            return joined
        label = self.label()
        self.quantifiers[label] = Quantifier(span, forall, tuple(parts), groups)
        return Evaluate((Scope(label, ()),), joined)

    def addition(self, place: Place, stores: bool, body: Block) -> Scope:
        assert isinstance(place.node, MultisetNode)
        label = self.label()
        self.additions[label] = Addition(place.node, place.at, stores)
        self.know(place.node)
        return Scope(label, body)

    def removal(self, place: Place, body: Block) -> Scope:
        assert isinstance(place.node, MultisetNode)
        label = self.label()
        self.removals[label] = place.node
        self.know(place.node)
        return Scope(label, body)

    def know(self, multiset: MultisetNode) -> None:
        if holds_alike(multiset):
            for leaf in leaves_of(multiset.element):
                if isinstance(leaf.storage, Field):
                    self.elements[leaf.storage] = multiset


def alike(kind: Simple) -> bool:
    """Whether a permutation may change values of this type."""
    match kind:
        case Scalarset(_, size, named):
            return named and size > 1
        case Union(_, members):
            return any(alike(member) for member in members)
    return False


def groups_of(kind: Simple) -> tuple[Group, ...]:
    """Which values of a type are alike, by their numbers: those of each scalarset in it."""
    groups: list[Group] = []
    first = 0
    for member in kind.members if isinstance(kind, Union) else (kind,):
        if alike(member):
            groups.append(tuple(range(first, first + member.size)))
        first += member.size
    return tuple(groups)


def holds_alike(node: Node) -> bool:
    """Whether alike values are somewhere in a variable, as values or as indices."""
    match node:
        case Leaf(kind):
            return alike(kind)
        case RecordNode(_, members):
            return any(holds_alike(member) for member in members.values())
        case ArrayNode(kind, element):
            return alike(kind.index) or holds_alike(element)
        case MultisetNode():
            return holds_alike(node.element)


def clears_to_alike(node: Node) -> bool:
    """Whether `clear` gives a part of a variable the first of alike values."""
    match node:
        case Leaf(kind):
            return alike(kind.members[0] if isinstance(kind, Union) else kind)
        case RecordNode(_, members):
            return any(clears_to_alike(member) for member in members.values())
        case ArrayNode(_, element):
            return clears_to_alike(element)
        case MultisetNode():
            return False


def has_multiset_of_alike(node: Node) -> bool:
    match node:
        case RecordNode(_, members):
            return any(has_multiset_of_alike(member) for member in members.values())
        case ArrayNode(_, element):
            return has_multiset_of_alike(element)
        case MultisetNode():
            return holds_alike(node)
        case Leaf():
            return False
