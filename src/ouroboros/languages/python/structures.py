"""Lists, sets, mappings and records: storing, comparing, indexing."""

from __future__ import annotations

import ast
from typing import Any

from ouroboros.languages.python.arithmetic import Arithmetic
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
    Integer,
    Named,
    Simple,
    Type,
    domain,
    is_immutable,
    join,
    type_of,
)
from ouroboros.languages.python.values import Known, Listed, Made, Scalar, Value
from ouroboros.system.blocks import If, Require
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Check,
    Conditional,
    Constant,
    Expression,
    LocalArray,
    Unary,
    conjunction,
    disjunction,
    is_constant,
)


class Structures(Arithmetic):
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
            case Listed(kind, items, keys):
                return Listed(
                    kind, tuple(self.held(item, node) for item in items), tuple(self.held(key, node) for key in keys)
                )
            case Place() if is_immutable(value.type):
                return self.copied(value, node)
            case Place():
                return self.fixed(value)
        return value

    def copied(self, place: Place, node: ast.AST) -> Place:
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
            raise self.frame.places.refusal(node, f"`{name}` cannot be assigned to in a condition")
        value = self.load(value)
        if isinstance(place.node, Leaf):
            self.code.emit(place.write(self.converted(value, place.node.type, node, name)))
            return
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
        if not (value.fresh or is_immutable(value.type)):
            raise self.frame.places.refusal(
                node,
                "this would be one object with two names, and a change of one would be a change of the other",
                "store a copy: list(…), set(…), dict(…), dataclasses.replace(…) or copy.deepcopy(…)",
            )
        if isinstance(place.node, OptionNode) and not isinstance(value.node, OptionNode):
            place = self.fixed(place)
            self.code.emit(place.presence().write(TRUE))
            place = place.inner()
        if place.type != value.type:
            raise self.frame.places.refusal(node, f"`{name}` is of the type {place.type}, and this is {value.type}")
        source = value if not place.in_state and not value.in_state else self.copied(value, node)
        self._copy(self.fixed(place), source)

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
                    raise self.frame.places.refusal(node, f"`{name}` has {rows} elements, and these are {len(items)}")
                for number, item in enumerate(items):
                    self._fill(place.element(Constant(number)), item, node, f"{name}[{number}]")
                return
            case SequenceNode(_, _, _, rows), Listed("list", items):
                if len(items) > rows:
                    raise self.frame.places.refusal(
                        node, f"`{name}` has room for {rows} elements, and these are {len(items)}"
                    )
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
        raise self.frame.places.refusal(node, f"`{name}` is of the type {place.type}, and this is no value of it")

    def add(self, place: Place, value: Value, node: ast.AST, name: str, present: Expression = TRUE) -> None:
        """Make a value an element of a set."""
        assert isinstance(place.node, SetNode)
        self._writable(place, node, name)
        kind = place.node.type.element
        inside, index = self.position(kind, value, node)
        self._in_domain(inside, f"`{name}` is of the type {place.type}, and the element is none of its", node)
        self.code.emit(place.presence(index).write(present))

    def put(self, place: Place, key: Value, value: Value, node: ast.AST, name: str) -> None:
        """Give a key of a mapping a value."""
        assert isinstance(place.node, MapNode)
        self._writable(place, node, name)
        inside, index = self.position(place.node.type.key, key, node)
        self._in_domain(inside, f"`{name}` is of the type {place.type}, and the key is none of its", node)
        index = self.code.saved(index)
        value = self.held(value, node)
        self.code.emit(place.presence(index).write(TRUE))
        self.store(place.element(index), value, node, name)

    def _writable(self, place: Place, node: ast.AST, name: str) -> None:
        if place.in_state and self.code.pure:
            raise self.frame.places.refusal(node, f"`{name}` cannot be changed in a condition")

    def _in_domain(self, inside: Expression, message: str, node: ast.AST) -> None:
        if not is_constant(inside, 1):
            self.code.emit(Require(inside, self.site("range", message, node)))

    # Comparing

    def equal(self, left: Value, right: Value, node: ast.AST) -> Expression:
        left, right = self._unfolded(self.load(left)), self._unfolded(self.load(right))
        match left, right:
            case Known(first), Known(second):
                return Constant(int(first == second))
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
            if parts[0].keys() != parts[1].keys():
                return FALSE
            return conjunction(*(self.equal(part, parts[1][name], node) for name, part in parts[0].items()))
        rows = self._rows(left), self._rows(right)
        if rows[0] is not None and rows[1] is not None:
            return self._equal_rows(rows[0], rows[1], node)
        if isinstance(left, Place) and isinstance(left.node, SetNode | MapNode):
            return self._equal_sets(left, right, node)
        if isinstance(right, Place) and isinstance(right.node, SetNode | MapNode):
            return self._equal_sets(right, left, node)
        raise self.frame.places.refusal(node, "these cannot be compared", "compare parts of them")

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
            case Known(record) if hasattr(type(record), "__dataclass_fields__"):
                return {name: Known(part) for name, part in vars(record).items()}
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
                    raise self.frame.places.refusal(node, "a mapping can be compared with another of its type alone")
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
                _, number = self.number(value, node)
                number = self.code.saved(number)
                return conjunction(
                    Binary(">=", number, Constant(numbers[0])), Binary("<=", number, Constant(numbers[-1]))
                )
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
        raise self.frame.places.refusal(node, "`in` needs a list, tuple, set, range or mapping")

    # Indexing

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
                    raise self.frame.places.refusal(node, f"Python finds nothing here: {error}") from None
            case Known(range() | tuple() | list() as known), _:
                return self._of_table([Known(item) for item in known], key, node, name)
            case Known(dict() as known), _:
                items = list(known)
                kind = Named(tuple(items))
                inside, index = self.position(kind, key, node)
                self._in_domain(inside, f"`{name}` has no such key", node)
                return self._of_table(
                    [Known(known[item]) for item in items], Scalar(Integer(0, len(items)), index), node, name
                )
            case Listed("list" | "tuple", items), Known(int() as at):
                if not -len(items) <= at < len(items):
                    raise self.frame.places.refusal(node, f"there are {len(items)} elements")
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
        raise self.frame.places.refusal(node, "this has no elements")

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
                raise self.frame.places.refusal(node, "the elements are of different types, and the index is not known")
            kind = Named(tuple(dict.fromkeys(values)))
            return Scalar(kind, self.table(at, [Constant(kind.index(value) or 0) for value in values]))
        return Scalar(kind, self.table(at, [scalar.number for scalar in scalars]))

    def when(self, condition: Expression, run: Any) -> None:
        """Emit what `run` emits, to be done where the condition holds."""
        _, block = self.code.captured(run)
        if block:
            self.code.emit(If(condition, block))
