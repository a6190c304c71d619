"""Sets that are made of others: union, intersection and differences."""

from __future__ import annotations

import ast

from ouroboros.languages.python.indexing import Indexing
from ouroboros.languages.python.storage import Place, SetNode
from ouroboros.languages.python.types import SetType, domain
from ouroboros.languages.python.values import Known, Listed, Value
from ouroboros.system.expressions import Binary, Constant, Expression, Unary, conjunction, disjunction

SIGNS: dict[type[ast.operator], str] = {ast.BitOr: "|", ast.BitAnd: "&", ast.Sub: "-", ast.BitXor: "^"}


class Sets(Indexing):
    def united_sets(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Place | None:
        """A new set; None where these are no sets of which one is a part of the state."""
        sign = SIGNS.get(type(operator))
        kind = _set_type(left) or _set_type(right)
        if sign is None or kind is None or not (_is_set(left) and _is_set(right)):
            return None
        made = self.local(kind, "set")
        self._all_allowed(kind, left, node)
        if sign in "|^":
            self._all_allowed(kind, right, node)
        for number, value in enumerate(domain(kind.element)):
            first, second = (self.contains(each, Known(value), node) for each in (left, right))
            found = {
                "|": disjunction(first, second),
                "&": conjunction(first, second),
                "-": conjunction(first, Unary("not", second)),
                "^": Binary("!=", first, second),
            }[sign]
            self.code.emit(made.presence(Constant(number)).write(found))
        return made

    def _all_allowed(self, kind: SetType, value: Value, node: ast.AST) -> None:
        if _set_type(value) == kind:
            return
        items = value.items if isinstance(value, Listed) else ()
        if isinstance(value, Known):
            items = tuple(map(Known, value.value))
        if isinstance(value, Place):
            assert isinstance(value.node, SetNode)
            others = domain(value.node.type.element)
            wrong: list[Expression] = [
                value.presence(Constant(number)).read()
                for number, each in enumerate(others)
                if each not in domain(kind.element)
            ]
            self.in_domain(Unary("not", disjunction(*wrong)), f"an element is not of the type {kind.element}", node)
        for item in items:
            inside, _ = self.position(kind.element, item, node)
            self.in_domain(inside, f"an element is not of the type {kind.element}", node)


def _set_type(value: Value) -> SetType | None:
    return value.node.type if isinstance(value, Place) and isinstance(value.node, SetNode) else None


def _is_set(value: Value) -> bool:
    match value:
        case Place(SetNode()):
            return True
        case Listed("set"):
            return True
        case Known(set() | frozenset()):
            return True
    return False
