"""Assignments: to names, attributes and elements."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ouroboros.languages.python.calls import Calls
from ouroboros.languages.python.storage import MapNode, Place, RecordNode
from ouroboros.languages.python.types import Type, is_immutable, type_of
from ouroboros.languages.python.values import Generated, Known, Listed, Made, Scalar, Value
from ouroboros.system.blocks import SetLocal
from ouroboros.system.expressions import Constant, Local


class Assignments(Calls):
    def assign(self, target: ast.expr, value: Value) -> None:
        name = self.frame.places.text(target)
        match target:
            case ast.Name(variable):
                self.assign_name(variable, value, target)
            case ast.Tuple(targets) | ast.List(targets):
                self._unpack(targets, self.listing(value, target), target)
            case ast.Attribute(inner, attribute):
                held, owner = self._target(value, inner)
                place = self.attribute(owner, attribute, target)
                if not isinstance(place, Place):
                    raise self.frame.places.refusal(
                        target, f"`{name}` is no part of the state", "annotate it in the class"
                    )
                if isinstance(owner, Place) and isinstance(owner.node, RecordNode) and owner.node.type.frozen:
                    raise self.frame.places.refusal(target, f"`{owner.type}` is frozen", "store a new one")
                self.store(place, held, target, name)
            case ast.Subscript(inner, key):
                held, owner = self._target(value, inner)
                at, block = self.code.captured(lambda: self.value(key))
                if block:
                    held = self.held(held, target)
                    self.code.emit(*block)
                if isinstance(owner, Place) and isinstance(owner.node, MapNode):
                    self.put(owner, at, held, target, self.frame.places.text(inner))
                    return
                place = self._element(owner, at, target)
                self.store(place, held, target, name)
            case _:
                raise self.frame.places.refusal(target, "this cannot be assigned to")

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
            case Place(node=inner) if hasattr(inner, "rows") and not hasattr(inner, "present"):
                length = owner.length().read() if hasattr(inner, "length") else Constant(inner.rows)
                return owner.element(self.index(at, length, inner.rows, node, name))
        raise self.frame.places.refusal(node, f"the elements of `{name}` cannot be assigned to")

    def _unpack(self, targets: Sequence[ast.expr], value: Value, node: ast.AST) -> None:
        match value:
            case Listed(_, items) if len(items) == len(targets):
                parts: list[Value] = [self.held(item, node) for item in items]
            case Known(tuple() | list() as known) if len(known) == len(targets):
                parts = [Known(item) for item in known]
            case Place(RecordNode(kind)) if kind.cls is tuple and len(kind.fields) == len(targets):
                parts = [self.held(value.member(name), node) for name in kind.fields]
            case Place() if hasattr(value.node, "rows") and getattr(value.node, "rows", 0) == len(targets):
                parts = [self.held(value.element(Constant(number)), node) for number in range(len(targets))]
            case _:
                raise self.frame.places.refusal(node, f"there are {len(targets)} names for it, and it has other parts")
        for target, part in zip(targets, parts, strict=True):
            self.assign(target, part)

    def _augmented(self, target: ast.expr, operator: ast.operator, value: ast.expr, node: ast.stmt) -> None:
        load = _loaded(target)
        before, given = self.operands([load, value])
        self.assign(target, self.binary(operator, before, given, node))

    def assign_name(self, name: str, value: Value, node: ast.AST) -> None:
        frame = self.frame
        if name in frame.kept:
            self.store(frame.kept[name], value, node, name)
            return
        if name in frame.fixed:
            return
        value = self.load(value)
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
        if isinstance(target, ast.Subscript):
            owner, key = self.operands([target.value, target.slice])
            if isinstance(owner, Place) and isinstance(owner.node, MapNode):
                self.remove_key(owner, key, target, self.frame.places.text(target.value))
                return
        raise self.frame.places.refusal(target, "this cannot be deleted", "`del` is for keys of a mapping")


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
