"""Lists that are made of parts of others, also such whose length depends on the state."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ouroboros.languages.python.aliases import can_change
from ouroboros.languages.python.iteration import Iterations
from ouroboros.languages.python.storage import ArrayNode, Place, SequenceNode
from ouroboros.languages.python.values import Generated, Known, Listed, Value
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, conjunction

Parts = list[tuple[Expression, Value]]


class Sequences(Iterations):
    def list_of(self, parts: Sequence[tuple[Expression, Value]], node: ast.AST) -> Value:
        """A new list of all that is there, in this order."""
        there = [(condition, item) for condition, item in parts if condition != Constant(0)]
        if any(can_change(item) for _, item in there):
            raise self.refusal(
                node, "this list would have objects in common with another", "make new ones, or write a loop"
            )
        if all(isinstance(condition, Constant) for condition, _ in there):
            return Listed("list", tuple(self.held(item, node) for _, item in there))
        return self.sequence(there, node)

    def concatenated(self, left: Value, right: Value, node: ast.AST) -> Value | None:
        """`left + right`, where one is a list of the state."""
        if not (_is_list(left) and _is_list(right)):
            return None
        left, right = self.listing(left, node), self.listing(right, node)
        return self.list_of([*self.guarded(left, node, False), *self.guarded(right, node, False)], node)

    def sliced(self, container: Value, bounds: ast.Slice, node: ast.AST) -> Value:
        if isinstance(container, Known | Listed):
            return self._slice_of_known(container, bounds, node)
        parts = self._within(container, bounds, node)
        return self.list_of(parts, node)

    def _slice_of_known(self, container: Known | Listed, bounds: ast.Slice, node: ast.AST) -> Value:
        numbers = [None if each is None else self._constant(each) for each in (bounds.lower, bounds.upper, bounds.step)]
        if isinstance(container, Listed) and container.kind in ("list", "tuple"):
            return Listed(container.kind, container.items[slice(*numbers)], named=container.named)
        if isinstance(container, Known) and isinstance(container.value, tuple | list | range | str):
            return Known(container.value[slice(*numbers)])
        raise self.refusal(node, "this has no order")

    def _constant(self, node: ast.expr) -> int:
        value = self.value(node)
        if not isinstance(value, Known) or not isinstance(value.value, int):
            raise self.refusal(node, "a bound of this slice must be a constant", "go through the indices with a loop")
        return value.value

    def _within(self, container: Value, bounds: ast.Slice, node: ast.AST) -> Parts:
        """What is between the bounds."""
        if not (isinstance(container, Place) and isinstance(container.node, ArrayNode | SequenceNode)):
            raise self.refusal(node, "this has no slices", "slices are of lists")
        step = 1 if bounds.step is None else self._constant(bounds.step)
        if step == -1 and bounds.lower is None and bounds.upper is None:
            return self.guarded(container, node, False)[::-1]
        if step != 1:
            raise self.refusal(node, "a slice has no other step than 1, or -1 from end to end", "write a loop")
        parts = self.guarded(container, node, False)
        start, stop = self.bounds(container, bounds, node)
        return [
            (conjunction(there, _at_most(start, number), _beyond(stop, number)), item)
            for number, (there, item) in enumerate(parts)
        ]

    def bounds(self, container: Place, given: ast.Slice, node: ast.AST) -> tuple[Expression, Expression]:
        """Where a slice starts and stops, within the list or at its end."""
        length = self._rows_of(container)
        start = Constant(0) if given.lower is None else self._bound(given.lower, length, node)
        stop = length if given.upper is None else self._bound(given.upper, length, node)
        return start, stop

    def _rows_of(self, container: Place) -> Expression:
        if isinstance(container.node, SequenceNode):
            return self.code.saved(container.length().read())
        assert isinstance(container.node, ArrayNode)
        return Constant(container.node.rows)

    def _bound(self, given: ast.expr, length: Expression, node: ast.AST) -> Expression:
        kind, number = self.number(self.value(given), node)
        if isinstance(number, Constant) and isinstance(length, Constant):
            return Constant(slice(number.value, None).indices(length.value)[0])
        number = self.code.saved(number)
        if kind.low < 0:
            behind: Expression = Binary("+", number, length)
            behind = Conditional(Binary("<", behind, Constant(0)), Constant(0), behind)
            number = self.code.saved(Conditional(Binary("<", number, Constant(0)), behind, number))
        return self.code.saved(Conditional(Binary("<", number, length), number, length))

    def put_slice(self, owner: Value, given: ast.Slice, value: Value, node: ast.AST, name: str) -> None:
        """`owner[start:stop] = value`."""
        is_list = isinstance(owner, Place) and isinstance(owner.node, ArrayNode | SequenceNode)
        if not isinstance(owner, Place) or not is_list or given.step is not None:
            raise self.refusal(node, "this slice cannot be assigned to", "write a loop")
        value = self.held(self.listing(value, node), node)
        parts = self.guarded(owner, node, False)
        start, stop = self.bounds(owner, given, node)
        # What stops before it starts is empty, and there is where it starts.
        stop = self.code.saved(Conditional(Binary("<", stop, start), start, stop))
        before = [(conjunction(there, _beyond(start, at)), item) for at, (there, item) in enumerate(parts)]
        after = [(conjunction(there, _at_most(stop, at)), item) for at, (there, item) in enumerate(parts)]
        self.store(owner, self.list_of([*before, *self.guarded(value, node, False), *after], node), node, name)


def _is_list(value: Value) -> bool:
    match value:
        case Place(ArrayNode() | SequenceNode()):
            return True
        case Listed("list"):
            return True
        case Known(list()):
            return True
        case Generated(ast.ListComp()):
            return True
    return False


def _at_most(bound: Expression, number: int) -> Expression:
    """Whether a bound is no larger than a number."""
    if isinstance(bound, Constant):
        return Constant(int(bound.value <= number))
    return Binary("<=", bound, Constant(number))


def _beyond(bound: Expression, number: int) -> Expression:
    if isinstance(bound, Constant):
        return Constant(int(bound.value > number))
    return Binary(">", bound, Constant(number))
