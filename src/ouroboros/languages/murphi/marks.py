"""Marks in lowered code, for those who ask whether a model tells the elements of a scalarset apart.

A model is lowered a second time for that question, and only for that. Where the text ranges over alike values, the code
then says so: by scopes whose labels are known here. Their number is negative, and nobody ever leaves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ouroboros.languages.murphi.code import leaves_of, multisets_of
from ouroboros.languages.murphi.places import ArrayNode, Leaf, MultisetNode, Node, Place, RecordNode
from ouroboros.languages.murphi.types import Scalarset, Simple, Union
from ouroboros.source import Span
from ouroboros.system.blocks import Block, Scope
from ouroboros.system.building import Storage
from ouroboros.system.expressions import Call, Constant, Evaluate, Expression
from ouroboros.system.layout import Field
from ouroboros.system.symmetry import Asymmetry

Group = tuple[int, ...]
"""Positions among the rounds of a loop, or the parts of a quantifier, whose order has no meaning."""


class Loop(NamedTuple):
    span: Span
    what: str
    """As an error message calls it."""
    groups: tuple[Group, ...]
    multiset: MultisetNode | None = None
    """The one whose slots the rounds are for."""


class Slot(NamedTuple):
    """What a round of a loop over a multiset may call its own."""

    multiset: MultisetNode
    at: Expression
    """Which one, where there are several in an array."""
    number: int


class Overwriting(NamedTuple):
    """Of a multiset by another one, or by nothing; all that is in it is written."""

    target: MultisetNode
    source: MultisetNode | None


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
    removals: dict[int, frozenset[MultisetNode]] = field(default_factory=dict)
    overwritings: dict[int, tuple[Overwriting, ...]] = field(default_factory=dict)
    slots: dict[int, Slot] = field(default_factory=dict)
    """Of rounds that have one."""
    sortings: set[int] = field(default_factory=set)
    """Where the multisets of the state are sorted."""
    objections: list[Asymmetry] = field(default_factory=list)
    elements: dict[Storage, set[MultisetNode]] = field(default_factory=dict)
    """Which multisets fields and local arrays are parts of, as far as the order of slots may be seen in these parts."""
    numbered: list[Place] = field(default_factory=list)
    """Multisets, one for each name of a slot, where such a name was used as a number."""
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

    def slot_loop(self, span: Span, what: str, multiset: Place, rounds: Sequence[Block]) -> Scope:
        """One whose rounds are for the slots of a multiset, which have an order if no alike values are in them."""
        node = multiset.node
        assert isinstance(node, MultisetNode)
        scope = self.loop(span, what, (tuple(range(len(rounds))),) if holds_alike(node) else (), rounds)
        self.loops[scope.label] = self.loops[scope.label]._replace(multiset=node)
        if not any(place is multiset for place in self.numbered):
            for number, each in enumerate(scope.body):
                assert isinstance(each, Scope)
                self.slots[each.label] = Slot(node, multiset.at, number)
        return scope

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
        self.removals[label] = frozenset(multisets_of(place.node))
        for node in self.removals[label]:
            self.know(node)
        return Scope(label, body)

    def overwriting(self, target: Place, source: Place | None, body: Block) -> Scope:
        """Of all multisets in a place."""
        targets = multisets_of(target.node)
        sources = [None] * len(targets) if source is None else multisets_of(source.node)
        label = self.label()
        self.overwritings[label] = tuple(map(Overwriting, targets, sources))
        for node in targets:
            self.know(node)
        return Scope(label, body)

    def sorting(self) -> Scope:
        label = self.label()
        self.sortings.add(label)
        return Scope(label, ())

    def know(self, multiset: MultisetNode) -> None:
        leaves = leaves_of(multiset.element)
        if holds_alike(multiset):
            # Names of their slots are only used to read and write elements; and those of local ones in loops alone.
            leaves = [leaf for leaf in leaves if isinstance(leaf.storage, Field)]
        else:
            leaves = [multiset.present, *leaves]
        for leaf in leaves:
            self.elements.setdefault(leaf.storage, set()).add(multiset)


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


def is_marked(code: tuple[object, ...]) -> bool:
    """Whether it ranges over alike values anywhere, or may do so in what it calls."""
    waiting: list[object] = [code]
    while waiting:
        part = waiting.pop()
        match part:
            case Scope(label) if label < 0:
                return True
            case Call():
                return True
            case tuple():
                waiting += part
    return False
