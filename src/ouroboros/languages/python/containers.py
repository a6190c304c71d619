"""What lists, queues, sets and mappings can do by themselves."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from ouroboros.languages.python.sequences import Sequences
from ouroboros.languages.python.storage import ArrayNode, Leaf, MapNode, Place, SequenceNode, SetNode
from ouroboros.languages.python.types import TRUTH, Integer, domain
from ouroboros.languages.python.values import Bound, Known, Processes, Scalar, Value
from ouroboros.system.blocks import If, Require, Statement
from ouroboros.system.expressions import (
    FALSE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Unary,
    conjunction,
    is_constant,
)

NOTHING = Known(None)


class Containers(Sequences):
    def container_method(self, bound: Bound, arguments: Sequence[Value], node: ast.Call) -> Value:
        name = self.frame.places.text(node.func.value) if isinstance(node.func, ast.Attribute) else "this"
        receiver = bound.receiver
        match receiver:
            case Processes() if bound.name == "at" and len(arguments) == 1 and isinstance(arguments[0], Known):
                return Scalar(TRUTH, self.process_at(receiver, arguments[0].value, node))
            case Place(SequenceNode()):
                found = self._of_sequence(receiver, bound.name, list(arguments), node, name)
            case Place(SetNode()):
                found = self._of_set(receiver, bound.name, list(arguments), node, name)
            case Place(MapNode()):
                found = self._of_map(receiver, bound.name, list(arguments), node, name)
            case Place(ArrayNode()) if bound.name in ("count", "index"):
                found = self._counted(receiver, bound.name, list(arguments), node)
            case Place(ArrayNode()) if bound.name == "copy" and not arguments:
                self.shallow(receiver, node)
                found = self.copied(receiver, node)
            case _:
                found = None
        if found is None:
            raise self.refusal(
                node, f"`{bound.name}` of `{name}` cannot be compiled", "write what it does with simpler statements"
            )
        return found

    @abstractmethod
    def process_at(self, process: Processes, place: str, node: ast.AST) -> Expression: ...

    def _of_sequence(
        self, place: Place, method: str, arguments: list[Value], node: ast.Call, name: str
    ) -> Value | None:
        place = self.fixed(place)
        assert isinstance(place.node, SequenceNode)
        length = place.length().read()
        channel = place.node.type.channel
        most = place.node.rows
        match method, arguments:
            case "append", [item]:
                self._append(place, item, node, name)
            case "send", [item] if channel:
                site = self.site("disabled", f"`{name}` is full", node)
                self.code.emit(Require(Binary("<", length, Constant(most)), site))
                self._append(place, item, node, name)
            case "receive", [] if channel:
                site = self.site("disabled", f"`{name}` is empty", node)
                self.code.emit(Require(Binary(">", length, Constant(0)), site))
                return self._taken(place, Constant(0), node)
            case "pop", []:
                at = self.code.saved(self.index(Known(-1), length, most, node, name))
                return self._taken(place, at, node)
            case "pop", [number]:
                at = self.code.saved(self.index(number, length, most, node, name))
                return self._taken(place, at, node)
            case "popleft", []:
                at = self.code.saved(self.index(Known(0), length, most, node, name))
                return self._taken(place, at, node)
            case "insert", [number, item]:
                self._insert(place, number, item, node, name)
            case "remove", [item]:
                self._taken(place, self._found(place, item, node, name), node)
            case "clear", []:
                self._writable(place, node, name)
                self.moved(place.node.element)
                self.code.emit(*place.clear())
            case "extend", [items]:
                for there, item in self.guarded(items, node, unordered=False):
                    self.when(there, lambda item=item: self._append(place, item, node, name))
            case "copy", []:
                self.shallow(place, node)
                return self.copied(place, node)
            case (("count" | "index"), [_]):
                return self._counted(place, method, arguments, node)
            case _:
                return None
        return NOTHING

    def _append(self, place: Place, item: Value, node: ast.AST, name: str) -> None:
        assert isinstance(place.node, SequenceNode)
        self._writable(place, node, name)
        item = self.held(item, node)
        length = place.length().read()
        most = place.node.rows
        site = self.site("range", f"`{name}` has room for {most} elements", node)
        self.code.emit(Require(Binary("<", length, Constant(most)), site))
        end = self.code.saved(length)
        self.store(place.element(end), item, node, f"{name}[…]")
        self.code.emit(place.length().write(Binary("+", end, Constant(1))))

    def _taken(self, place: Place, at: Expression, node: ast.AST) -> Value:
        """Take an element out; those behind it move up."""
        assert isinstance(place.node, SequenceNode)
        self._writable(place, node, "this")
        element = place.element(at)
        taken = self._out(element, node)
        self.moved(place.node.element)
        rows = place.node.rows
        for number in range(rows - 1):
            moved: list[Statement] = [
                to.write(origin.read())
                for to, origin in zip(
                    place.element(Constant(number)).leaves(), place.element(Constant(number + 1)).leaves(), strict=True
                )
            ]
            if isinstance(at, Constant):
                if number >= at.value:
                    self.code.emit(*moved)
            else:
                self.code.emit(If(Binary("<=", at, Constant(number)), tuple(moved)))
        self.code.emit(*place.element(Constant(rows - 1)).clear())
        self.code.emit(place.length().write(Binary("-", place.length().read(), Constant(1))))
        return taken

    def take_out(self, place: Place, number: Value, node: ast.AST, name: str) -> None:
        """`del place[number]`."""
        place = self.fixed(place)
        assert isinstance(place.node, SequenceNode)
        at = self.code.saved(self.index(number, place.length().read(), place.node.rows, node, name))
        self._taken(place, at, node)

    def _out(self, element: Place, node: ast.AST) -> Value:
        """A copy of an element, which nobody else holds."""
        return self.held(element, node) if isinstance(element.node, Leaf) else self.copied(element, node)

    def _insert(self, place: Place, number: Value, item: Value, node: ast.AST, name: str) -> None:
        assert isinstance(place.node, SequenceNode)
        self._writable(place, node, name)
        bounds, at = self.number(number, node)
        if bounds.low < 0:
            raise self.refusal(node, "an index from behind cannot be compiled here", "use one from 0 on")
        item = self.held(item, node)
        self.moved(place.node.element)
        length, rows = self.code.saved(place.length().read()), place.node.rows
        site = self.site("range", f"`{name}` has room for {rows} elements", node)
        self.code.emit(Require(Binary("<", length, Constant(rows)), site))
        at = self.code.saved(at)
        at = self.code.saved(Conditional(Binary("<", at, length), at, length))
        for slot in range(rows - 1, 0, -1):
            moved = tuple(
                to.write(origin.read())
                for to, origin in zip(
                    place.element(Constant(slot)).leaves(), place.element(Constant(slot - 1)).leaves(), strict=True
                )
            )
            self.code.emit(If(Binary("<", at, Constant(slot)), moved))
        self.store(place.element(at), item, node, f"{name}[…]")
        self.code.emit(place.length().write(Binary("+", length, Constant(1))))

    def _found(self, place: Place, item: Value, node: ast.AST, name: str) -> Expression:
        """The index of the first element that equals a value; there must be one."""
        item = self.held(item, node)
        result: Expression = Constant(-1)
        for number, (there, element) in reversed(list(enumerate(self.guarded(place, node, False)))):
            same = conjunction(there, self.equal(element, item, node))
            result = Conditional(same, Constant(number), result)
        found = self.code.saved(result)
        site = self.site("error", f"`{name}` has no such element", node)
        self.code.emit(Require(Binary(">=", found, Constant(0)), site))
        return found

    def _counted(self, place: Place, method: str, arguments: list[Value], node: ast.AST) -> Value | None:
        if len(arguments) != 1:
            return None
        items = self.guarded(place, node, False)
        if method == "index":
            return Scalar(Integer(0, len(items) - 1), self._found(place, arguments[0], node, "this"))
        item = self.held(arguments[0], node)
        total: Expression = Constant(0)
        for there, element in items:
            total = Binary("+", total, conjunction(there, self.equal(element, item, node)))
        return Scalar(Integer(0, len(items)), total)

    def extended(self, place: Place, operator: ast.operator, value: Value, node: ast.AST) -> None:
        """`place += value` of a list and `place |= value` of a set, which change the object and do not replace it."""
        place = self.fixed(place)
        name = "this"
        match place.node, operator:
            case SequenceNode(), ast.Add():
                for there, item in self.guarded(value, node, unordered=False):
                    self.when(there, lambda item=item: self._append(place, item, node, name))
                return
            case SetNode(), _:
                found = self.united_sets(operator, place, value, node)
                if found is not None:
                    self._writable(place, node, name)
                    self._copy(place, found)
                    return
        raise self.refusal(node, "this assignment cannot be compiled", "write out what it does")

    def _of_set(self, place: Place, method: str, arguments: list[Value], node: ast.AST, name: str) -> Value | None:
        place = self.fixed(place)
        assert isinstance(place.node, SetNode)
        match method, arguments:
            case "add", [item]:
                self.add(place, item, node, name)
            case (("discard" | "remove"), [item]):
                self._writable(place, node, name)
                inside, index = self.position(place.node.type.element, item, node)
                index = self.code.saved(index)
                safe = index if is_constant(inside, 1) else Conditional(inside, index, Constant(0))
                there = conjunction(inside, place.presence(safe).read())
                if method == "remove":
                    self.code.emit(Require(there, self.site("error", f"`{name}` has no such element", node)))
                self.code.emit(If(there, (place.presence(index).write(FALSE),)))
            case "clear", []:
                self._writable(place, node, name)
                self.code.emit(*place.clear())
            case "update", [items]:
                for there, item in self.guarded(items, node):
                    self.when(there, lambda item=item: self.add(place, item, node, name))
            case "copy", []:
                return self.copied(place, node)
            case "difference_update", [items]:
                for there, item in self.guarded(items, node):
                    self.when(there, lambda item=item: self._of_set(place, "discard", [item], node, name))
            case (("issubset" | "issuperset" | "isdisjoint"), [other]):
                return Scalar(TRUTH, self._set_relation(place, method, other, node))
            case _:
                return None
        return NOTHING

    def _set_relation(self, place: Place, relation: str, other: Value, node: ast.AST) -> Expression:
        assert isinstance(place.node, SetNode)
        parts: list[Expression] = []
        if relation == "issuperset":
            for there, item in self.guarded(other, node):
                parts.append(Binary("or", Unary("not", there), self.contains(place, item, node)))
            return conjunction(*parts)
        other = self.listing(other, node)
        for number, value in enumerate(domain(place.node.type.element)):
            also = self.contains(other, Known(value), node)
            wrong = also if relation == "isdisjoint" else Unary("not", also)
            parts.append(Unary("not", conjunction(place.presence(Constant(number)).read(), wrong)))
        return conjunction(*parts)

    def _of_map(self, place: Place, method: str, arguments: list[Value], node: ast.AST, name: str) -> Value | None:
        place = self.fixed(place)
        assert isinstance(place.node, MapNode)
        match method, arguments:
            case "get", [key, otherwise]:
                inside, index = self.position(place.node.type.key, key, node)
                index = self.code.saved(index)
                safe = index if is_constant(inside, 1) else Conditional(inside, index, Constant(0))
                there = conjunction(inside, place.presence(safe).read())
                return self.either(there, lambda: self.load(place.element(safe)), lambda: otherwise, node)
            case "pop", [key]:
                self._writable(place, node, name)
                index = self.code.saved(self.key(place, key, node, name))
                element = place.element(index)
                taken = self._out(element, node)
                self.moved(element.node)
                self.code.emit(place.presence(index).write(FALSE), *element.clear())
                return taken
            case "clear", []:
                self._writable(place, node, name)
                self.moved(place.node.element)
                self.code.emit(*place.clear())
            case "keys", []:
                return place
            case _:
                return None
        return NOTHING

    def remove_key(self, place: Place, key: Value, node: ast.AST, name: str) -> None:
        """`del mapping[key]`."""
        self._of_map(place, "pop", [key], node, name)
