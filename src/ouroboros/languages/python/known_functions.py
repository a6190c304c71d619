"""Functions of Python that are known by heart."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import partial

from ouroboros.languages.python.containers import Containers
from ouroboros.languages.python.storage import ArrayNode, Place, SequenceNode
from ouroboros.languages.python.types import TRUTH, Integer
from ouroboros.languages.python.values import (
    Adapted,
    Generated,
    Known,
    Listed,
    Numbers,
    Scalar,
    Value,
)
from ouroboros.system.blocks import If, Require, SetLocal
from ouroboros.system.expressions import (
    Binary,
    Conditional,
    Constant,
    Expression,
    Local,
    Unary,
    conjunction,
    disjunction,
    is_constant,
)


class KnownFunctions(Containers):
    def _builtin(self, name: str, arguments: list[Value], named: dict[str, Value], node: ast.Call) -> Value | None:
        match name, arguments:
            case "range", _:
                return self._range(arguments, node)
            case (("reversed" | "sorted"), [value]) if not named:
                return Adapted(name, (value,))
            case "zip", _ if not set(named) - {"strict"}:
                return Adapted("zip", tuple(arguments), int(named.get("strict") == Known(True)))
            case "enumerate", [value, *rest]:
                start = rest[0] if rest else named.get("start", Known(0))
                if not isinstance(start, Known):
                    raise self.refusal(node, "the first number of `enumerate` must be a constant")
                return Adapted("enumerate", (value,), start.value)
            case "len", [value]:
                return self._length(value, node)
            case "bool", [value]:
                truth = self.truth(value, node)
                return Known(bool(truth.value)) if isinstance(truth, Constant) else Scalar(TRUTH, truth)
            case "int", [value] if not isinstance(value, Known):
                return Scalar(*self.number(value, node))
            case "abs", [value] if not isinstance(value, Known):
                kind, number = self.number(value, node)
                number = self.code.saved(number)
                high = max(abs(kind.low), abs(kind.high))
                return Scalar(
                    Integer(0, high), Conditional(Binary("<", number, Constant(0)), Unary("-", number), number)
                )
            case (("any" | "all"), [value]):
                return self._quantified(name == "all", value, node)
            case "sum", [value]:
                return self._sum(value, node)
            case (("min" | "max"), _) if not set(named) - {"default"}:
                items = arguments[0] if len(arguments) == 1 else Listed("tuple", tuple(arguments))
                return self._extreme(name == "min", items, named.get("default"), node)
            case (("list" | "set" | "tuple" | "dict"), []):
                return Listed(name, ())
            case "tuple", [Place(ArrayNode(_, _, rows)) as place]:
                return Listed("tuple", tuple(self.load(place.element(Constant(each))) for each in range(rows)))
            case (("list" | "set" | "dict"), [Place() as place]):
                self.shallow(place, node)
                return self.copied(place, node)
            case (("list" | "tuple" | "set"), [Generated() as value]):
                found = self.listing(value, node)
                if isinstance(found, Place) and name == "list":
                    return found
                if not isinstance(found, Listed):
                    raise self.refusal(node, "how many elements this has depends on the state", "use a loop")
                return Listed(name, found.items)
            case (("list" | "tuple" | "set"), [Listed(_, items)]):
                return Listed(name, items)
            case "list", [Known(range() | tuple() as items)]:
                return Listed("list", tuple(map(Known, items)))
        return None

    def _range(self, arguments: list[Value], node: ast.Call) -> Value:
        if all(isinstance(each, Known) for each in arguments):
            return Known(range(*(each.value for each in arguments if isinstance(each, Known))))
        start, stop = (Known(0), arguments[0]) if len(arguments) == 1 else arguments[:2]
        step = arguments[2] if len(arguments) == 3 else Known(1)
        if not isinstance(step, Known) or step.value == 0:
            raise self.refusal(node, "the step of a range must be a constant other than 0")
        return Numbers(Scalar(*self.number(start, node)), Scalar(*self.number(stop, node)), step.value)

    def _length(self, value: Value, node: ast.AST) -> Value:
        match value:
            case Known(known):
                return Known(len(known))
            case Place(SequenceNode()):
                return self.load(value.length())
            case Place(ArrayNode(_, _, rows)):
                return Known(rows)
            case Listed("list" | "tuple", items):
                return Known(len(items))
            case Numbers() | Generated() | Place():
                if isinstance(value, Generated) and isinstance(value.node, ast.SetComp):
                    raise self.refusal(node, "the size of a set that is made cannot be compiled")
                found = self.guarded(value, node)
                return Scalar(Integer(0, len(found)), _added([condition for condition, _ in found]))
        raise self.refusal(node, "this has no length")

    def _quantified(self, is_all: bool, value: Value, node: ast.AST) -> Value:
        """`all` or `any`. Of a generator, what is behind the element that decides is not evaluated."""
        found, block = self.code.captured(lambda: self._quantified_at_once(is_all, value, node))
        if not block or not isinstance(value, Generated) or not isinstance(value.node, ast.GeneratorExp):
            self.code.emit(*block)
            return found
        slot = self.code.slot()
        self.code.emit(SetLocal(slot, Constant(int(is_all))))

        def visit(item: Value) -> None:
            self.code.emit(SetLocal(slot, self.truth(item, node)))

        self.each(value, node, visit, Local(slot) if is_all else Unary("not", Local(slot)))
        return Scalar(TRUTH, Local(slot))

    def _quantified_at_once(self, is_all: bool, value: Value, node: ast.AST) -> Value:
        parts: list[Expression] = []
        for condition, item in self.guarded(value, node):
            truth = self.truth(item, node)
            if is_all:
                parts.append(truth if is_constant(condition, 1) else disjunction(Unary("not", condition), truth))
            else:
                parts.append(truth if is_constant(condition, 1) else conjunction(condition, truth))
        decided = 0 if is_all else 1
        if any(is_constant(part, decided) for part in parts):
            return Known(not is_all)
        found = (conjunction if is_all else disjunction)(*parts)
        return Known(bool(found.value)) if isinstance(found, Constant) else Scalar(TRUTH, found)

    def _sum(self, value: Value, node: ast.AST) -> Value:
        total: Value = Known(0)
        for condition, item in self.guarded(value, node):
            kind, number = self.number(item, node)
            if not is_constant(condition, 1):
                kind = Integer(min(0, kind.low), max(0, kind.high))
                number = Conditional(condition, number, Constant(0))
            known = isinstance(item, Known) and is_constant(condition, 1)
            total = self.binary(ast.Add(), total, item if known else Scalar(kind, number), node)
        return total

    def _saved_number(self, value: Value, node: ast.AST) -> tuple[Integer, Expression]:
        kind, number = self.number(value, node)
        return kind, self.code.saved(number)

    def _extreme(self, is_min: bool, value: Value, default: Value | None, node: ast.AST) -> Value:
        items = self.guarded(value, node)
        best, there = self.code.slot(), self.code.slot()
        kind: Integer | None = None
        self.code.emit(SetLocal(there, Constant(0)))
        if default is not None:
            kind, number = self.number(default, node)
            self.code.emit(SetLocal(best, number))
        for condition, item in items:
            (own, number), block = self.code.captured(partial(self._saved_number, item, node))
            kind = own if kind is None else Integer(min(kind.low, own.low), max(kind.high, own.high))
            better = Binary("<" if is_min else ">", number, Local(best))
            wanted = disjunction(Unary("not", Local(there)), better)
            self.code.emit(If(condition, (*block, If(wanted, (SetLocal(best, number), SetLocal(there, Constant(1)))))))
        if kind is None:
            raise self.refusal(node, "there is nothing to compare")
        if default is None and not any(is_constant(condition, 1) for condition, _ in items):
            site = self.site("error", f"{'min' if is_min else 'max'} of nothing", node)
            self.code.emit(Require(Local(there), site))
        return Scalar(kind, Local(best))


def _added(parts: Sequence[Expression]) -> Expression:
    total: Expression = Constant(0)
    for part in parts:
        total = Binary("+", total, part)
    return total
