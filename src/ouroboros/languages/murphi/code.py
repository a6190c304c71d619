"""The code of a rule, a function or a procedure under construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar, cast

from ouroboros.languages.murphi.places import Leaf, MultisetNode, Node, Place, build
from ouroboros.languages.murphi.types import Simple, Type
from ouroboros.system.blocks import Statement
from ouroboros.system.building import Draft
from ouroboros.system.expressions import Binary, BinaryOperator, Constant, Expression, LocalArray

if TYPE_CHECKING:
    from ouroboros.languages.murphi.marks import Marks

Result = TypeVar("Result")


@dataclass(eq=False, slots=True)
class Frame:
    """A body that `return` ends: of a rule, a function or a procedure."""

    name: str
    label: int
    result: Place | None
    left_early: bool = False
    """Whether a `return` needs the scope with this label."""


@dataclass(eq=False, slots=True)
class Code(Draft):
    """What one action, one guard or one proposition is made of."""

    loops: int = 0
    """Loops around this code that are run, and not unrolled: temporaries must be cleared by hand in them."""
    frames: list[Frame] = field(default_factory=list)
    pure: bool = False
    """Whether nothing may be assigned to the state here: in guards and properties."""
    marks: Marks | None = None
    """Where code is to be marked that ranges over alike values."""

    def local(self, kind: Type, name: str) -> Place:
        """A new variable among the temporaries, undefined."""

        def make(simple: Simple, names: tuple[str, ...], length: int | None) -> LocalArray | int:
            return self.slot() if length is None else LocalArray(name, length)

        place = Place(build(kind, make, name), in_state=False)
        if self.loops:
            cleared: list[Statement] = [leaf.set_raw(Constant(0)) for leaf in place.leaves()]
            if self.marks and multisets_of(place.node):
                cleared = [self.marks.overwriting(place, None, tuple(cleared))]
            self.statements += cleared
        return place


def add(expression: Expression, number: int) -> Expression:
    """The sum with a constant, in as few operations as can be."""
    match expression:
        case Constant(value):
            return Constant(value + number)
        case Binary("+", inner, Constant(value)):
            return add(inner, value + number)
    return expression if number == 0 else Binary("+", expression, Constant(number))


def compare(operator: str, left: Expression, right: Expression) -> Expression:
    """A comparison; constants are brought to the right side, so that a field is compared as it is stored."""
    match left, right:
        case Constant(first), Constant(second):
            return Constant(int(_COMPARISONS[operator](first, second)))
        case Constant(), _:
            return compare(_MIRRORED[operator], right, left)
        case Binary("+", inner, Constant(offset)), Constant(value):
            return compare(operator, inner, Constant(value - offset))
        case Binary("+", inner, Constant(offset)), Binary("+", other, Constant(same)) if offset == same:
            return compare(operator, inner, other)
    return Binary("==" if operator == "=" else cast(BinaryOperator, operator), left, right)


_MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "=": lambda left, right: left == right,
    "!=": lambda left, right: left != right,
    "<": lambda left, right: left < right,
    "<=": lambda left, right: left <= right,
    ">": lambda left, right: left > right,
    ">=": lambda left, right: left >= right,
}


def joined(operator: str, parts: Sequence[Expression]) -> Expression:
    """A conjunction or disjunction of many parts, as a balanced tree, which may be as deep as Python can recurse."""
    neutral, decisive = (1, 0) if operator == "and" else (0, 1)
    kept: list[Expression] = []
    for part in parts:
        if isinstance(part, Constant):
            if part.value == decisive:
                kept.append(part)
                break
            continue
        kept.append(part)
    if not kept:
        return Constant(neutral)
    if kept == [Constant(decisive)]:
        return kept[0]

    def tree(first: int, last: int) -> Expression:
        if last - first == 1:
            return kept[first]
        middle = (first + last) // 2
        return Binary("and" if operator == "and" else "or", tree(first, middle), tree(middle, last))

    return tree(0, len(kept))


def leaves_of(node: Node) -> list[Leaf]:
    """The leaves of a node, each once."""
    match node:
        case Leaf():
            return [node]
        case MultisetNode():
            return [node.present, *leaves_of(node.element)]
    children = node.members.values() if hasattr(node, "members") else [node.element]
    return [leaf for child in children for leaf in leaves_of(child)]


def multisets_of(node: Node) -> list[MultisetNode]:
    """The multisets in a node, each after those that are in its elements."""
    match node:
        case Leaf():
            return []
        case MultisetNode():
            return [*multisets_of(node.element), node]
    children = node.members.values() if hasattr(node, "members") else [node.element]
    return [multiset for child in children for multiset in multisets_of(child)]
