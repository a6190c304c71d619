"""Lists, sets, mappings and records: storing, comparing, indexing."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from ouroboros.languages.python.aliases import Aliases, is_shared
from ouroboros.languages.python.storage import (
    ArrayNode,
    Leaf,
    MapNode,
    OptionNode,
    Place,
    RecordNode,
    SequenceNode,
    SetNode,
    build,
)
from ouroboros.languages.python.types import (
    SequenceType,
    Simple,
    Type,
    is_immutable,
    is_simple,
    join,
    united,
)
from ouroboros.languages.python.values import Adapted, Generated, Known, Listed, Made, Numbers, Scalar, Value
from ouroboros.system.blocks import If, Require
from ouroboros.system.expressions import (
    TRUE,
    Binary,
    Constant,
    Expression,
    LocalArray,
    is_constant,
)


class Structures(Aliases):
    # Holding values

    def local(self, kind: Type, name: str) -> Place:
        """A new variable among the temporaries."""

        def make(simple: Simple, names: tuple[str, ...], length: int | None) -> LocalArray | int:
            return self.code.slot() if length is None else LocalArray(name, length)

        return Place(build(kind, make, name), in_state=False, fresh=True)

    def fixed(self, place: Place) -> Place:
        """The same place, also if what its indices are computed from changes later."""
        return place._replace(at=self.code.saved(place.at))

    def held(self, value: Value, node: ast.AST) -> Value:
        """The value as it is now, whatever is assigned later."""
        value = self.load(value)
        match value:
            case Scalar(kind, number):
                return Scalar(kind, self.code.saved(number))
            case Made(kind, parts):
                return Made(kind, {name: self.held(part, node) for name, part in parts.items()})
            case Listed(kind, items, keys, is_named):
                return Listed(
                    kind,
                    tuple(self.held(item, node) for item in items),
                    tuple(self.held(key, node) for key in keys),
                    is_named,
                )
            case Numbers(start, stop, step):
                return Numbers(self.held_scalar(start), self.held_scalar(stop), step)
            case Generated():
                if isinstance(value.node, ast.GeneratorExp):
                    raise self.refusal(
                        node, "a generator is run later, when other things have changed", "write a list: [… for …]"
                    )
                return self.held(self.listing(value, node), node)
            case Adapted(kind, parts, start):
                return Adapted(kind, tuple(self.held(part, node) for part in parts), start)
            case Place() if is_immutable(value.type):
                return self.copied(value, node)
            case Place():
                return self.fixed(value)
        return value

    def held_scalar(self, value: Scalar) -> Scalar:
        return Scalar(value.type, self.code.saved(value.number))

    @abstractmethod
    def present(self, place: Place, node: ast.AST) -> Place: ...

    @abstractmethod
    def listing(self, value: Value, node: ast.AST) -> Value: ...

    def copied(self, place: Place, node: ast.AST) -> Place:
        """A copy of an object with all that is in it."""
        copy = self.local(place.type, "copy")
        self._copy(copy, self.fixed(place))
        return copy

    def _copy(self, target: Place, source: Place) -> None:
        for to, origin in zip(target.leaves(), source.leaves(), strict=True):
            self.code.emit(to.write(origin.read()))

    # Storing

    def store(self, place: Place, value: Value, node: ast.AST, name: str) -> None:
        """Assign a value to a variable or a part of one."""
        if place.in_state and self.code.pure:
            raise self.refusal(node, f"`{name}` cannot be assigned to in a condition")
        value = self.load(value)
        if isinstance(place.node, Leaf):
            self.code.emit(place.write(self.converted(value, place.node.type, node, name)))
            return
        if is_shared(value):
            raise self.shared(node)
        self.moved(place.node)
        if isinstance(value, Place):
            self._store_place(place, value, node, name)
            return
        place = self.fixed(place)
        self._fill(place, self.held(self._unfolded(value), node), node, name)

    def _unfolded(self, value: Value) -> Value:
        """A list, tuple, set or dictionary that is known, as one that was made."""
        match value:
            case Known(list() | tuple() as items):
                kind: Any = "list" if isinstance(items, list) else "tuple"
                return Listed(kind, tuple(Known(item) for item in items))
            case Known(set() | frozenset() as items):
                return Listed("set", tuple(Known(item) for item in items))
            case Known(dict() as items):
                return Listed("dict", tuple(map(Known, items.values())), tuple(map(Known, items)))
        return value

    def _store_place(self, place: Place, value: Place, node: ast.AST, name: str) -> None:
        if is_shared(value):
            raise self.shared(node)
        if isinstance(place.node, OptionNode) and not isinstance(value.node, OptionNode):
            place = self.fixed(place)
            self.code.emit(place.presence().write(TRUE))
            place = place.inner()
        if isinstance(value.node, OptionNode) and not isinstance(place.node, OptionNode):
            value = self.present(value, node)
        if place.type != value.type and isinstance(place.node, ArrayNode | SequenceNode):
            self._store_rows(place, value, node, name)
            return
        if place.type != value.type:
            raise self.refusal(node, f"`{name}` is of the type {place.type}, and this is {value.type}")
        source = value if not place.in_state and not value.in_state else self.copied(value, node)
        self._copy(self.fixed(place), source)

    def _store_rows(self, place: Place, value: Place, node: ast.AST, name: str) -> None:
        """A list as one of another type: element by element, where it has the right length."""
        assert isinstance(place.node, ArrayNode | SequenceNode)
        if not isinstance(value.node, ArrayNode | SequenceNode):
            raise self.refusal(node, f"`{name}` is of the type {place.type}, and this is {value.type}")
        rows, most = place.node.rows, value.node.rows
        place, source = self.fixed(place), self.copied(value, node) if value.in_state else value
        length = source.length().read() if isinstance(source.node, SequenceNode) else Constant(most)
        if isinstance(place.node, ArrayNode):
            fits: Expression = Binary("==", length, Constant(rows))
        else:
            fits = Binary("<=", length, Constant(rows)) if most > rows else TRUE
            self.code.emit(*place.clear())
        if isinstance(length, Constant):
            fits = Constant(int(most == rows if isinstance(place.node, ArrayNode) else most <= rows))
        self.in_domain(fits, f"`{name}` is of the type {place.type}, and this has another length", node)
        if isinstance(place.node, SequenceNode):
            self.code.emit(place.length().write(length))
        for number in range(min(rows, most)):
            at = Constant(number)
            there = TRUE if isinstance(length, Constant) else Binary(">", length, at)

            def one(at: Constant = at) -> None:
                self.store(place.element(at), source.element(at)._replace(fresh=True), node, f"{name}[…]")

            self.when(there, one)

    def sequence(self, parts: Sequence[tuple[Expression, Value]], node: ast.AST) -> Place:
        """A new list of all that is there, among the temporaries."""
        kind: Type | None = None
        for _, item in parts:
            found = item.type if isinstance(item, Place) else self.scalar(item, node).type
            joined = found if kind is None or kind == found else None
            if joined is None and is_simple(found) and kind is not None and is_simple(kind):
                joined = join(kind, found) or united(kind, found)  # type: ignore[arg-type]
            if joined is None:
                raise self.refusal(node, "the elements of this list are of different types", "write a loop")
            kind = joined
        if kind is None:
            raise self.refusal(node, "the type of this list cannot be told", "write a loop")
        made = self.local(SequenceType(kind, len(parts), False), "list")
        self.code.emit(*made.clear())
        for there, item in parts:

            def appended(item: Value = item) -> None:
                end = self.code.saved(made.length().read())
                self.store(made.element(end), item, node, "this")
                self.code.emit(made.length().write(Binary("+", end, Constant(1))))

            self.when(there, appended)
        return made

    def _fill(self, place: Place, value: Value, node: ast.AST, name: str) -> None:
        """Store a value that was just made; nothing in it changes meanwhile."""
        match place.node, value:
            case Leaf(), _:
                self.store(place, value, node, name)
                return
            case OptionNode(), Known(None):
                self.code.emit(*place.clear())
                return
            case OptionNode(), _:
                self.code.emit(place.presence().write(TRUE))
                self._fill(place.inner(), value, node, name)
                return
            case RecordNode(kind, members), Made(made, parts) if kind.cls is made.cls:
                for part in members:
                    self._fill(place.member(part), parts[part], node, f"{name}.{part}")
                return
            case RecordNode(kind, members), Listed("tuple", items) if kind.cls is tuple and len(items) == len(members):
                for part, item in zip(members, items, strict=True):
                    self._fill(place.member(part), item, node, name)
                return
            case RecordNode(kind, members), Known(record) if isinstance(record, kind.cls) and kind.cls is not tuple:
                for part in members:
                    self._fill(place.member(part), Known(getattr(record, part)), node, name)
                return
            case ArrayNode(_, _, rows), Listed("list", items):
                if len(items) != rows:
                    raise self.refusal(node, f"`{name}` has {rows} elements, and these are {len(items)}")
                for number, item in enumerate(items):
                    self._fill(place.element(Constant(number)), item, node, f"{name}[{number}]")
                return
            case SequenceNode(_, _, _, rows), Listed("list", items):
                if len(items) > rows:
                    raise self.refusal(node, f"`{name}` has room for {rows} elements, and these are {len(items)}")
                self.code.emit(*place.clear(), place.length().write(Constant(len(items))))
                for number, item in enumerate(items):
                    self._fill(place.element(Constant(number)), item, node, f"{name}[{number}]")
                return
            case SetNode(), Listed("set" | "dict", items, ()):
                self.code.emit(*place.clear())
                for item in items:
                    self.add(place, item, node, name)
                return
            case MapNode(), Listed("dict", items, keys):
                self.code.emit(*place.clear())
                for key, item in zip(keys, items, strict=True):
                    self.put(place, key, item, node, name)
                return
            case _, Known() | Listed():
                unfolded = self._unfolded(value)
                if unfolded is not value:
                    self._fill(place, unfolded, node, name)
                    return
            case _, Place():
                self._store_place(place, value, node, name)
                return
        raise self.refusal(node, f"`{name}` is of the type {place.type}, and this is no value of it")

    def add(self, place: Place, value: Value, node: ast.AST, name: str, present: Expression = TRUE) -> None:
        """Make a value an element of a set."""
        assert isinstance(place.node, SetNode)
        self._writable(place, node, name)
        kind = place.node.type.element
        inside, index = self.position(kind, value, node)
        self.in_domain(inside, f"`{name}` is of the type {place.type}, and the element is none of its", node)
        self.code.emit(place.presence(index).write(present))

    def put(self, place: Place, key: Value, value: Value, node: ast.AST, name: str) -> None:
        """Give a key of a mapping a value."""
        assert isinstance(place.node, MapNode)
        self._writable(place, node, name)
        inside, index = self.position(place.node.type.key, key, node)
        self.in_domain(inside, f"`{name}` is of the type {place.type}, and the key is none of its", node)
        index = self.code.saved(index)
        value = self.held(value, node)
        self.code.emit(place.presence(index).write(TRUE))
        self.store(place.element(index), value, node, name)

    def _writable(self, place: Place, node: ast.AST, name: str) -> None:
        if place.in_state and self.code.pure:
            raise self.refusal(node, f"`{name}` cannot be changed in a condition")

    def in_domain(self, inside: Expression, message: str, node: ast.AST) -> None:
        if not is_constant(inside, 1):
            self.code.emit(Require(inside, self.site("range", message, node)))

    def when(self, condition: Expression, run: Any) -> None:
        """Emit what `run` emits, to be done where the condition holds."""
        if is_constant(condition, 0):
            return
        _, block = self.code.captured(run)
        if block:
            self.code.emit(*block if is_constant(condition, 1) else (If(condition, block),))
