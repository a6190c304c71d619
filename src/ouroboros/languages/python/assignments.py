"""Assignments: to names, attributes and elements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from ouroboros.languages.python.calls import Calls
from ouroboros.languages.python.storage import ArrayNode, MapNode, OptionNode, Place, RecordNode, SequenceNode
from ouroboros.languages.python.types import Type, is_immutable, type_of
from ouroboros.languages.python.values import Adapted, Generated, Known, Listed, Made, Processes, Scalar, Value
from ouroboros.system.blocks import SetLocal
from ouroboros.system.expressions import Constant, Local


class Assignments(Calls):
    def assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(variable):
                self.assign_name(variable, value, target)
            case ast.Tuple(targets) | ast.List(targets):
                self._unpack(targets, self.listing(value, target), target)
            case ast.Attribute(inner, attribute):
                held, owner = self._target(value, inner)
                self.assign_attribute(owner, attribute, held, target)
            case ast.Subscript(inner, ast.Slice() as bounds):
                held, owner = self._target(value, inner)
                self.put_slice(owner, bounds, held, target, self.frame.places.text(inner))
            case ast.Subscript(inner, key):
                held, owner = self._target(value, inner)
                at, block = self.code.captured(lambda: self.value(key))
                if block:
                    held = self.held(held, target)
                    self.code.emit(*block)
                self.assign_element(owner, at, held, target)
            case _:
                raise self.refusal(target, "this cannot be assigned to")

    def assign_attribute(self, owner: Value, attribute: str, value: Value, target: ast.expr) -> None:
        name = self.frame.places.text(target)
        if isinstance(owner, Processes):
            raise self.refusal(target, "only the process itself can change its variables")
        if isinstance(owner, Place) and isinstance(owner.node, OptionNode):
            owner = self.present(owner, target)
        place = self.attribute(owner, attribute, target)
        if not isinstance(place, Place) or not isinstance(owner, Place):
            raise self.refusal(target, f"`{name}` is no part of the state", "annotate it in the class")
        if isinstance(owner.node, RecordNode) and owner.node.type.frozen:
            raise self.refusal(target, f"`{owner.type}` is frozen", "store a new one")
        self.store(place, value, target, name)

    def assign_element(self, owner: Value, at: Value, value: Value, target: ast.expr) -> None:
        assert isinstance(target, ast.Subscript)
        if isinstance(owner, Place) and isinstance(owner.node, OptionNode):
            owner = self.present(owner, target)
        if isinstance(owner, Place) and isinstance(owner.node, MapNode):
            self.put(owner, at, value, target, self.frame.places.text(target.value))
            return
        self.store(self._element(owner, at, target), value, target, self.frame.places.text(target))

    def _target(self, value: Value, inner: ast.expr) -> tuple[Value, Value]:
        """A value and the object that a part of is assigned to; the value was there first."""
        owner, block = self.code.captured(lambda: self.value(inner))
        if block:
            value = self.held(value, inner)
            self.code.emit(*block)
        return value, owner

    def _element(self, owner: Value, at: Value, node: ast.Subscript) -> Place:
        name = self.frame.places.text(node.value)
        match owner:
            case Place(ArrayNode(_, _, rows)):
                return owner.element(self.index(at, Constant(rows), rows, node, name))
            case Place(SequenceNode(_, _, _, rows)):
                return owner.element(self.index(at, owner.length().read(), rows, node, name))
        raise self.refusal(node, f"the elements of `{name}` cannot be assigned to")

    def _unpack(self, targets: Sequence[ast.expr], value: Value, node: ast.AST) -> None:
        match value:
            case Listed(_, items) if len(items) == len(targets):
                parts: list[Value] = [self.held(item, node) for item in items]
            case Known(tuple() | list() as known) if len(known) == len(targets):
                parts = [Known(item) for item in known]
            case Place(RecordNode(kind)) if kind.cls is tuple and len(kind.fields) == len(targets):
                parts = [self.held(value.member(name), node) for name in kind.fields]
            case Place(ArrayNode(_, _, rows)) if rows == len(targets):
                parts = [self.held(value.element(Constant(number)), node) for number in range(len(targets))]
            case _:
                raise self.refusal(node, f"there are {len(targets)} names for it, and it has other parts")
        for target, part in zip(targets, parts, strict=True):
            self.assign(target, part)

    def augmented(self, node: ast.AugAssign) -> None:
        """`target += value`: the object and the index of the target are evaluated once, and before the value."""
        match node.target:
            case ast.Name(name):
                self._augment(self.value(_loaded(node.target)), node, lambda found: self.assign_name(name, found, node))
            case ast.Attribute(inner, attribute):
                owner = self._lasting_object(self.value(inner), node)
                moves = len(self.code.moves)
                before = self.load(self.attribute(owner, attribute, node.target))

                def to_attribute(found: Value) -> None:
                    self.unmoved(owner, moves, node)
                    self.assign_attribute(owner, attribute, found, node.target)

                self._augment(before, node, to_attribute)
            case ast.Subscript(inner, key):
                owner, at = self.operands([inner, key])
                owner, at = self._lasting_object(owner, node), self.held(at, node)
                moves = len(self.code.moves)
                name = self.frame.places.text(inner)
                before = self.subscript(owner, at, node, name)

                def to_element(found: Value) -> None:
                    self.unmoved(owner, moves, node)
                    self.assign_element(owner, at, found, node.target)

                self._augment(before, node, to_element)

    def _lasting_object(self, owner: Value, node: ast.AST) -> Value:
        return self.fixed(owner) if isinstance(owner, Place) else owner

    def _augment(self, before: Value, node: ast.AugAssign, assign: Callable[[Value], None]) -> None:
        value, block = self.code.captured(lambda: self.value(node.value))
        if block:
            before = self.held(before, node)
        self.code.emit(*block)
        if isinstance(before, Place):
            self.extended(before, node.op, value, node)
            return
        if isinstance(before, Listed) and before.kind != "tuple":
            raise self.refusal(node, "this list was made in this step", "write a new one: a = a + [...]")
        assign(self.binary(node.op, before, value, node))

    def assign_name(self, name: str, value: Value, node: ast.AST) -> None:
        frame = self.frame
        if name in frame.kept:
            self.store(frame.kept[name], value, node, name)
            return
        if name in frame.fixed:
            return
        value = self.load(value)
        if isinstance(value, Adapted) or (isinstance(value, Generated) and isinstance(value.node, ast.GeneratorExp)):
            raise frame.places.refusal(
                node, "this is gone through once, and when other things may have changed", "write it where it is used"
            )
        if isinstance(value, Generated):
            value = self.listing(value, node)
        if name in frame.declared:
            place = frame.structures.setdefault(name, self.local(frame.declared[name], name))
            self.store(place, value, node, name)
            frame.variables[name] = place
            frame.slots.setdefault(name, -1)
            return
        match value:
            case Scalar():
                self._to_slot(name, value)
            case Known(known) if self.code.conditional and type_of(known) is not None:
                self._to_slot(name, self.scalar(value, node))
            case Made(kind):
                place = self._structure(name, kind)
                self.store(place, value, node, name)
                frame.variables[name] = place
            case Place() if value.fresh and not value.in_state:
                frame.variables[name] = value
            case Place() if is_immutable(value.type):
                place = self._structure(name, value.type)
                self.store(place, value, node, name)
                frame.variables[name] = place
            case _:
                frame.variables[name] = self.held(value, node)
        frame.slots.setdefault(name, -1)

    def _structure(self, name: str, kind: Type) -> Place:
        place = self.frame.structures.get(name)
        if place is None or place.type != kind:
            place = self.frame.structures[name] = self.local(kind, name)
        return place

    def _to_slot(self, name: str, value: Scalar) -> None:
        slot = self.frame.slots.get(name, -1)
        if slot < 0:
            slot = self.frame.slots[name] = self.code.slot()
        self.code.emit(SetLocal(slot, value.number))
        self.frame.variables[name] = Scalar(value.type, Local(slot))

    def _delete(self, target: ast.expr) -> None:
        if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
            name = self.frame.places.text(target.value)
            self.put_slice(self.value(target.value), target.slice, Listed("list", ()), target, name)
            return
        if isinstance(target, ast.Subscript):
            owner, key = self.operands([target.value, target.slice])
            if isinstance(owner, Place) and isinstance(owner.node, SequenceNode):
                self.take_out(owner, key, target, self.frame.places.text(target.value))
                return
            if isinstance(owner, Place) and isinstance(owner.node, MapNode):
                self.remove_key(owner, key, target, self.frame.places.text(target.value))
                return
        raise self.refusal(target, "this cannot be deleted", "`del` is for elements of lists and keys of mappings")


def _loaded(target: ast.expr) -> ast.expr:
    """The same expression, to be read."""
    match target:
        case ast.Name(name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Attribute(value, attribute):
            return ast.copy_location(ast.Attribute(value, attribute, ast.Load()), target)
        case ast.Subscript(value, key):
            return ast.copy_location(ast.Subscript(value, key, ast.Load()), target)
    return target
