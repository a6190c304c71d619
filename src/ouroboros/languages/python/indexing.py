"""Elements by their index or key."""

from __future__ import annotations

import ast

from ouroboros.languages.python.comparing import Comparing
from ouroboros.languages.python.storage import (
    ArrayNode,
    MapNode,
    OptionNode,
    Place,
    RecordNode,
    SequenceNode,
)
from ouroboros.languages.python.types import (
    Integer,
    Named,
    Simple,
    join,
)
from ouroboros.languages.python.values import Known, Listed, Scalar, Value
from ouroboros.system.blocks import Require
from ouroboros.system.expressions import (
    Binary,
    Check,
    Conditional,
    Constant,
    Expression,
    conjunction,
    is_constant,
)


class Indexing(Comparing):
    def index(self, value: Value, length: Expression, most: int, node: ast.AST, name: str) -> Expression:
        """An index into so many elements, from behind where it is negative; where there is no such, the step fails."""
        bounds, number = self.number(value, node)
        if bounds.low < 0:
            number = self.code.saved(number)
            if isinstance(number, Constant):
                number = Binary("+", length, number)
                if isinstance(length, Constant):
                    number = Constant(length.value + bounds.low)
            else:
                number = Conditional(Binary("<", number, Constant(0)), Binary("+", number, length), number)
        if isinstance(length, Constant):
            if bounds.low >= 0 and bounds.high < length.value:
                return number
            if isinstance(number, Constant) and 0 <= number.value < length.value:
                return number
            site = self.site("index", f"index out of range: `{name}` has {most} elements", node)
            return Check(number, 0, length.value - 1, site)
        number = self.code.saved(number)
        site = self.site("index", f"index out of range: `{name}` has fewer elements", node)
        return Check(Conditional(Binary("<", number, length), number, Constant(-1)), 0, most - 1, site)

    def subscript(self, container: Value, key: Value, node: ast.AST, name: str) -> Value:
        container, key = self.load(container), self.load(key)
        match container, key:
            case Known(known), Known(at):
                try:
                    return Known(known[at])
                except (LookupError, TypeError) as error:
                    raise self.refusal(node, f"Python finds nothing here: {error}") from None
            case Known(range() | tuple() | list() as known), _:
                return self._of_table([Known(item) for item in known], key, node, name)
            case Known(dict() as known), _:
                items = list(known)
                kind = Named(tuple(items))
                inside, index = self.position(kind, key, node)
                self.in_domain(inside, f"`{name}` has no such key", node)
                return self._of_table(
                    [Known(known[item]) for item in items], Scalar(Integer(0, len(items)), index), node, name
                )
            case Listed("list" | "tuple", items), Known(int() as at):
                if not -len(items) <= at < len(items):
                    raise self.refusal(node, f"there are {len(items)} elements")
                return items[at]
            case Listed("list" | "tuple", items), _:
                return self._of_table(list(items), key, node, name)
            case Place(RecordNode(kind)), Known(int() as at) if kind.cls is tuple:
                return self.load(container.member(str(at % len(kind.fields))))
            case Place(ArrayNode(_, _, rows)), _:
                at = self.index(key, Constant(rows), rows, node, name)
                return self.load(container.element(at))
            case Place(SequenceNode(_, _, _, rows)), _:
                at = self.index(key, container.length().read(), rows, node, name)
                return self.load(container.element(at))
            case Place(MapNode(kind, _, _, rows)), _:
                return self.load(container.element(self.key(container, key, node, name)))
            case Place(OptionNode()), _:
                return self.subscript(self.present(container, node), key, node, name)
        raise self.refusal(node, "this has no elements")

    def key(self, place: Place, key: Value, node: ast.AST, name: str) -> Expression:
        """The number of a key, which must be in the mapping."""
        assert isinstance(place.node, MapNode)
        inside, index = self.position(place.node.type.key, key, node)
        index = self.code.saved(index)
        safe = index if is_constant(inside, 1) else Conditional(inside, index, Constant(0))
        there = conjunction(inside, place.presence(safe).read())
        site = self.site("index", f"`{name}` has no such key", node)
        return Check(Conditional(there, index, Constant(-1)), 0, place.node.rows - 1, site)

    def present(self, place: Place, node: ast.AST) -> Place:
        """What is in a variable that may be None, and must not be."""
        assert isinstance(place.node, OptionNode)
        self.code.emit(Require(place.presence().read(), self.site("error", "this is None", node)))
        return place.inner()

    def _of_table(self, items: list[Value], key: Value, node: ast.AST, name: str) -> Value:
        at = self.index(key, Constant(len(items)), len(items), node, name)
        scalars = [self.scalar(item, node) for item in items]
        kind: Simple | None = scalars[0].type
        for scalar in scalars[1:]:
            kind = None if kind is None else join(kind, scalar.type)
        if kind is None:
            values = [item.value for item in items if isinstance(item, Known)]
            if len(values) < len(items):
                raise self.refusal(node, "the elements are of different types, and the index is not known")
            kind = Named(tuple(dict.fromkeys(values)))
            return Scalar(kind, self.table(at, [Constant(kind.index(value) or 0) for value in values]))
        return Scalar(kind, self.table(at, [scalar.number for scalar in scalars]))
