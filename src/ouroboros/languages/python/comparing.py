"""Whether two values are equal, and whether one is in another."""

from __future__ import annotations

import ast
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from ouroboros.languages.python.storage import (
    ArrayNode,
    MapNode,
    OptionNode,
    Place,
    RecordNode,
    SequenceNode,
    SetNode,
)
from ouroboros.languages.python.structures import Structures
from ouroboros.languages.python.types import (
    Integer,
    Named,
    Truth,
    domain,
    type_of,
)
from ouroboros.languages.python.values import Known, Listed, Made, Scalar, Value
from ouroboros.system.expressions import (
    FALSE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Unary,
    conjunction,
    disjunction,
    is_constant,
)


class Comparing(Structures):
    def equal(self, left: Value, right: Value, node: ast.AST) -> Expression:
        left, right = self._unfolded(self.load(left)), self._unfolded(self.load(right))
        match left, right:
            case Known(first), Known(second):
                return Constant(int(bool(first == second)))
            case (Place(OptionNode()) as option, Known(None)) | (Known(None), Place(OptionNode()) as option):
                return Unary("not", option.presence().read())
            case (Place(OptionNode()), Place(OptionNode())):
                inner = self.equal(left.inner(), right.inner(), node)
                both = conjunction(left.presence().read(), right.presence().read(), inner)
                neither = Unary("not", disjunction(left.presence().read(), right.presence().read()))
                return disjunction(neither, both)
            case (Place(OptionNode()) as option, other) | (other, Place(OptionNode()) as option):
                return conjunction(option.presence().read(), self.equal(option.inner(), other, node))
            case Scalar() | Known(), Scalar() | Known():
                if self._without_type(left) or self._without_type(right):
                    return FALSE
                return self.same_scalar(self.scalar(left, node), self.scalar(right, node))
        parts = self._record_parts(left), self._record_parts(right)
        if parts[0] is not None and parts[1] is not None:
            if _class_of(left) is not _class_of(right) or parts[0].keys() != parts[1].keys():
                return FALSE
            return conjunction(*(self.equal(part, parts[1][name], node) for name, part in parts[0].items()))
        rows = self._rows(left), self._rows(right)
        if rows[0] is not None and rows[1] is not None:
            return self._equal_rows(rows[0], rows[1], node)
        if isinstance(left, Place) and isinstance(left.node, SetNode | MapNode):
            return self._equal_sets(left, right, node)
        if isinstance(right, Place) and isinstance(right.node, SetNode | MapNode):
            return self._equal_sets(right, left, node)
        raise self.refusal(node, "these cannot be compared", "compare parts of them")

    def identical(self, left: Value, right: Value, node: ast.AST) -> Expression:
        """`left is right`, where it can be told: for None, truth and members of enumerations, which there are once."""
        left, right = self.load(left), self.load(right)
        for value, other in ((left, right), (right, left)):
            match value, other:
                case Known(None | Enum()), _:
                    return self.equal(left, right, node)
                case Known(bool()), Known(known):
                    return Constant(int(value.value is known))
                case Known(bool()), Scalar(Truth()):
                    return self.equal(left, right, node)
                case Known(bool()), Scalar(Named(values)):
                    return self.equal(left, right, node) if all(_is_unique(each) for each in values) else FALSE
        match left, right:
            case Scalar(Truth()), Scalar(Truth()):
                return self.equal(left, right, node)
            case Scalar(Named(values)), Scalar(Named(others)) if all(map(_is_unique, (*values, *others))):
                return self.equal(left, right, node)
            case Known(first), Known(second) if _is_unique(first) or _is_unique(second):
                return Constant(int(first is second))
        raise self.refusal(node, "whether two values are the same object is not compiled", "write ==")

    def _without_type(self, value: Value) -> bool:
        return isinstance(value, Known) and type_of(value.value) is None

    def _record_parts(self, value: Value) -> dict[str, Value] | None:
        match value:
            case Place(RecordNode(_, members)):
                return {name: self.load(value.member(name)) for name in members}
            case Made(_, parts):
                return parts
            case Listed("tuple", items):
                return {str(number): item for number, item in enumerate(items)}
            case Known(record) if is_dataclass(record) and not isinstance(record, type):
                return {item.name: Known(getattr(record, item.name)) for item in fields(record)}
        return None

    def _rows(self, value: Value) -> tuple[Expression, list[Value]] | None:
        match value:
            case Place(ArrayNode(_, _, rows)):
                return Constant(rows), [self.load(value.element(Constant(number))) for number in range(rows)]
            case Place(SequenceNode(_, _, _, rows)):
                length = value.length().read()
                return length, [self.load(value.element(Constant(number))) for number in range(rows)]
            case Listed("list", items):
                return Constant(len(items)), list(items)
        return None

    def _equal_rows(
        self, left: tuple[Expression, list[Value]], right: tuple[Expression, list[Value]], node: ast.AST
    ) -> Expression:
        length = left[0]
        parts: list[Expression] = [Binary("==", length, right[0])]
        for number, (first, second) in enumerate(zip(left[1], right[1], strict=False)):
            beyond = Binary("<=", length, Constant(number))
            parts.append(disjunction(beyond, self.equal(first, second, node)))
        return conjunction(*parts)

    def _equal_sets(self, left: Place, right: Value, node: ast.AST) -> Expression:
        assert isinstance(left.node, SetNode | MapNode)
        kind = left.node.type.element if isinstance(left.node, SetNode) else left.node.type.key
        parts: list[Expression] = []
        for number, value in enumerate(domain(kind)):
            there = left.presence(Constant(number)).read()
            also = self.contains(right, Known(value), node)
            parts.append(Binary("==", there, also))
            if isinstance(left.node, MapNode):
                if not (isinstance(right, Place) and right.type == left.type):
                    raise self.refusal(node, "a mapping can be compared with another of its type alone")
                same = self.equal(left.element(Constant(number)), right.element(Constant(number)), node)
                parts.append(disjunction(Unary("not", there), same))
        return conjunction(*parts)

    def contains(self, container: Value, value: Value, node: ast.AST) -> Expression:
        """`value in container`."""
        container = self._unfolded(self.load(container))
        match container:
            case Known(range() as numbers) if isinstance(value, Known):
                return Constant(int(value.value in numbers))
            case Known(range() as numbers) if numbers.step == 1 and len(numbers):
                return self.position(Integer(numbers[0], numbers[-1]), value, node)[0]
            case Listed("dict", _, keys) if keys:
                return disjunction(*(self.equal(key, value, node) for key in keys))
            case Listed(_, items):
                return disjunction(*(self.equal(item, value, node) for item in items))
            case Place(SetNode() | MapNode() as inner):
                kind = inner.type.element if isinstance(inner, SetNode) else inner.type.key
                inside, index = self.position(kind, value, node)
                # An index that is out of range is not looked at.
                safe = index if is_constant(inside, 1) else Conditional(inside, index, Constant(0))
                return conjunction(inside, container.presence(safe).read())
            case Place(ArrayNode() | SequenceNode()):
                rows = self._rows(container)
                assert rows is not None
                return disjunction(
                    *(
                        conjunction(Binary(">", rows[0], Constant(number)), self.equal(item, value, node))
                        if isinstance(container.node, SequenceNode)
                        else self.equal(item, value, node)
                        for number, item in enumerate(rows[1])
                    )
                )
        raise self.refusal(node, "`in` needs a list, tuple, set, range or mapping")


def _class_of(value: Value) -> type:
    match value:
        case Place(RecordNode(kind)) | Made(kind):
            return kind.cls
        case Known(record):
            return type(record)
    return tuple


def _is_unique(value: Any) -> bool:
    return value is None or isinstance(value, bool | Enum | type)
