"""Going through things: what a `for` and a comprehension range over."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from enum import EnumMeta
from functools import partial

from ouroboros.languages.python.expressions import Expressions
from ouroboros.languages.python.storage import ArrayNode, MapNode, Place, RecordNode, SequenceNode, SetNode
from ouroboros.languages.python.types import Integer, domain
from ouroboros.languages.python.values import (
    Adapted,
    Generated,
    Guarded,
    Indexed,
    Iteration,
    Known,
    Listed,
    Numbers,
    Scalar,
    Static,
    Value,
)
from ouroboros.system.blocks import Block, If
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, conjunction, is_constant

MOST_UNROLLED = 64
MOST_GUARDED = 4096


class Iterations(Expressions):
    def iteration(self, value: Value, node: ast.AST, unordered: bool = False) -> Iteration:
        """What there is to go through. `unordered` says that the order does not matter to who asks."""
        match value:
            case Known(range() | tuple() | list() | EnumMeta() as items):
                return self._of_known(items)
            case Known(set() | frozenset() | dict() as items) if unordered or len(items) < 2:
                return Static(tuple(Known(item) for item in items))
            case Listed("list" | "tuple", items):
                return Static(items)
            case Listed("set" | "dict", items, keys) if unordered or len(items) < 2:
                return Static(keys or items)
            case Numbers(start, stop, step):
                return self._of_numbers(start, stop, step)
            case Adapted():
                return self._adapted(value, node, unordered)
            case Generated():
                return Guarded(tuple(self.generated(value, node, unordered)))
            case Place(ArrayNode(_, _, rows)):
                if rows <= MOST_UNROLLED:
                    return Static(tuple(self.load(value.element(Constant(number))) for number in range(rows)))
                return Indexed(lambda: Constant(rows), rows, lambda at: self.load(value.element(at)))
            case Place(SequenceNode(_, _, _, rows)):
                place = self.fixed(value)
                return Indexed(lambda: place.length().read(), rows, lambda at: self.load(place.element(at)))
            case Place(SetNode() | MapNode() as inner):
                if not unordered:
                    raise self.refusal(
                        node,
                        "the order in which Python goes through a set or a mapping is not part of the state",
                        "go through all values of the type and ask whether they are in it",
                    )
                kind = inner.type.element if isinstance(inner, SetNode) else inner.type.key
                return Guarded(
                    tuple(
                        (value.presence(Constant(number)).read(), Known(each))
                        for number, each in enumerate(domain(kind))
                    )
                )
            case Place(RecordNode(kind)) if kind.cls is tuple:
                return Static(tuple(self.load(value.member(name)) for name in kind.fields))
        if isinstance(value, Known | Listed):
            raise self.refusal(node, "the order of a set is not known", "write a list or a tuple")
        raise self.refusal(node, "this cannot be gone through", "a range, list, tuple or Enum can")

    def _of_known(self, items: range | tuple[object, ...] | list[object] | EnumMeta) -> Iteration:
        if isinstance(items, range) and len(items) > MOST_UNROLLED:
            low, high = min(items[0], items[-1]), max(items[0], items[-1])
            first, step = items[0], items.step
            return Indexed(
                lambda: Constant(len(items)),
                len(items),
                lambda at: Scalar(Integer(low, high), Binary("+", Binary("*", at, Constant(step)), Constant(first))),
            )
        return Static(tuple(Known(item) for item in items))

    def _of_numbers(self, start: Scalar, stop: Scalar, step: int) -> Iteration:
        assert isinstance(start.type, Integer)
        assert isinstance(stop.type, Integer)
        first, last = self.code.saved(start.number), self.code.saved(stop.number)
        if step > 0:
            span: Expression = Binary("-", last, first)
            most = stop.type.high - start.type.low
            hull = Integer(start.type.low, max(start.type.low, stop.type.high - 1))
        else:
            span = Binary("-", first, last)
            most = start.type.high - stop.type.low
            hull = Integer(min(start.type.high, stop.type.low + 1), start.type.high)
        size = abs(step)
        rounds = span if size == 1 else Binary("/", Binary("+", span, Constant(size - 1)), Constant(size))
        count = self.code.saved(Conditional(Binary(">", span, Constant(0)), rounds, Constant(0)))
        return Indexed(
            lambda: count,
            max(0, -(-most // size)),
            lambda at: Scalar(hull, Binary("+", first, at if step == 1 else Binary("*", at, Constant(step)))),
        )

    def _adapted(self, value: Adapted, node: ast.AST, unordered: bool) -> Iteration:
        parts = [self.iteration(part, node, unordered or value.kind == "sorted") for part in value.parts]
        if value.kind == "zip":
            if not all(isinstance(part, Static) for part in parts):
                raise self.refusal(node, "`zip` needs lists whose lengths are known", "go through the indices")
            lengths = {len(part.items) for part in parts if isinstance(part, Static)}
            if value.start and len(lengths) > 1:
                raise self.refusal(node, "these have different lengths")
            rows = zip(*(part.items for part in parts if isinstance(part, Static)), strict=False)
            return Static(tuple(Listed("tuple", row) for row in rows))
        (part,) = parts
        if value.kind == "sorted":
            return Guarded(self._sorted(part, node))
        match value.kind, part:
            case "enumerate", Static(items):
                return Static(
                    tuple(Listed("tuple", (Known(number), item)) for number, item in enumerate(items, value.start))
                )
            case "enumerate", Indexed(length, most, item):
                start = value.start
                kind = Integer(start, start + max(0, most - 1))

                def numbered(at: Expression) -> Value:
                    number = Binary("+", at, Constant(start)) if start else at
                    return Listed("tuple", (Scalar(kind, number), item(at)))

                return Indexed(length, most, numbered)
            case "reversed", Static(items):
                return Static(items[::-1])
            case "reversed", Indexed(length, most, item):
                count = self.code.saved(length())
                last = Binary("-", count, Constant(1))
                return Indexed(lambda: count, most, lambda at: item(Binary("-", last, at)))
        raise self.refusal(node, f"`{value.kind}` needs an order", "go through a range or a list")

    def _sorted(self, part: Iteration, node: ast.AST) -> tuple[tuple[Expression, Value], ...]:
        """What is sorted already: constants, and the elements of a set of numbers."""
        items = [(Constant(1), item) for item in part.items] if isinstance(part, Static) else []
        found = list(part.items) if isinstance(part, Guarded) else items
        values = [item.value for _, item in found if isinstance(item, Known)]
        if len(values) < len(found) or isinstance(part, Indexed):
            raise self.refusal(node, "only a set of numbers and constants can be sorted", "write a loop")
        order = sorted(range(len(values)), key=lambda number: values[number])
        return tuple((self.code.saved(found[number][0]), found[number][1]) for number in order)

    def guarded(self, value: Value, node: ast.AST, unordered: bool = True) -> list[tuple[Expression, Value]]:
        """Everything that may be there, each with the condition that it is."""
        found = self.iteration(value, node, unordered)
        match found:
            case Static(items):
                return [(Constant(1), item) for item in items]
            case Guarded(items):
                return list(items)
            case Indexed(length, most, item):
                if most > MOST_GUARDED:
                    raise self.refusal(node, f"these are up to {most:,}", "give the numbers narrower ranges")
                count = self.code.saved(length())
                return [(Binary(">", count, Constant(number)), item(Constant(number))) for number in range(most)]

    def generated(self, value: Generated, node: ast.AST, unordered: bool) -> list[tuple[Expression, Value]]:
        """All elements of a comprehension; conditions and elements are evaluated where they are used."""
        found: list[tuple[Expression, Value]] = []
        outside, self.frame = self.frame, value.frame
        pure, self.code.pure = self.code.pure, True

        def inner(generators: Sequence[ast.comprehension], condition: Expression) -> None:
            if not generators:
                assert isinstance(value.node, ast.GeneratorExp | ast.ListComp | ast.SetComp)
                element = value.node.elt
                held, block = self.code.captured(lambda: self.value(element))
                self._where(condition, block)
                found.append((condition, held))
                return
            first, *rest = generators
            for there, item in self.guarded(self.value(first.iter), first.iter, unordered):
                self.bind(first.target, item)
                parts = [condition, there]
                for test in first.ifs:
                    tested, block = self.code.captured(partial(self.condition, test))
                    self._where(conjunction(*parts), block)
                    parts.append(tested)
                if not any(isinstance(part, Constant) and part.value == 0 for part in parts):
                    inner(rest, conjunction(*parts))

        before = dict(self.frame.variables)
        try:
            inner(value.node.generators, Constant(1))
        finally:
            self.frame.variables = before
            self.frame, self.code.pure = outside, pure
        return found

    def each(self, value: Generated, node: ast.AST, visit: Callable[[Value], None], going: Expression) -> None:
        """Do something with every element, one after the other, as long as a condition holds."""
        outside, self.frame = self.frame, value.frame
        pure, self.code.pure = self.code.pure, True
        before = dict(self.frame.variables)

        def inner(generators: Sequence[ast.comprehension]) -> None:
            if not generators:
                assert isinstance(value.node, ast.GeneratorExp | ast.ListComp | ast.SetComp)
                visit(self.value(value.node.elt))
                return
            first, *rest = generators
            for there, item in self.guarded(self.value(first.iter), first.iter):

                def tested(tests: Sequence[ast.expr], rest: Sequence[ast.comprehension] = rest) -> None:
                    if not tests:
                        inner(rest)
                    else:
                        self.when(self.condition(tests[0]), lambda: tested(tests[1:]))

                self.bind(first.target, item)
                self.when(conjunction(going, there), lambda tests=first.ifs: tested(tests))

        try:
            inner(value.node.generators)
        finally:
            self.frame.variables = before
            self.frame, self.code.pure = outside, pure

    def _where(self, condition: Expression, block: Block) -> None:
        """What must be run for an element, where there is one."""
        if block:
            self.code.emit(*block if is_constant(condition, 1) else (If(condition, block),))

    def bind(self, target: ast.expr, value: Value) -> None:
        """Names of a comprehension for a value."""
        match target, value:
            case ast.Name(name), _:
                self.frame.variables[name] = value
            case ast.Tuple(targets) | ast.List(targets), Listed(_, items) if len(targets) == len(items):
                for each, item in zip(targets, items, strict=True):
                    self.bind(each, item)
            case ast.Tuple(targets) | ast.List(targets), Known(tuple() as items) if len(targets) == len(items):
                for each, item in zip(targets, items, strict=True):
                    self.bind(each, Known(item))
            case ast.Tuple(targets), Place(RecordNode(kind)) if kind.cls is tuple and len(targets) == len(kind.fields):
                for number, each in enumerate(targets):
                    self.bind(each, self.load(value.member(str(number))))
            case _:
                raise self.refusal(target, "the value does not have so many parts")

    def listing(self, value: Value, node: ast.AST) -> Value:
        """A comprehension as a list."""
        if not isinstance(value, Generated):
            return value
        items = self.generated(value, node, isinstance(value.node, ast.SetComp))
        if any(not isinstance(condition, Constant) for condition, _ in items):
            if isinstance(value.node, ast.ListComp):
                return self.sequence(items, node)
            raise self.refusal(
                node, "how many elements this has depends on the state", "use a loop, or any, all, sum, min, max, len"
            )
        kind = "set" if isinstance(value.node, ast.SetComp) else "list"
        return Listed("set" if kind == "set" else "list", tuple(item for _, item in items))

    def dictionary(self, node: ast.DictComp) -> Value:
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
        generator = ast.copy_location(ast.GeneratorExp(pair, node.generators), node)
        items = self.listing(Generated(generator, self.frame), node)
        assert isinstance(items, Listed)
        pairs = [
            item.items if isinstance(item, Listed) else tuple(map(Known, item.value))
            for item in items.items
            if isinstance(item, Listed | Known)
        ]
        return Listed("dict", tuple(value for _, value in pairs), tuple(key for key, _ in pairs))
