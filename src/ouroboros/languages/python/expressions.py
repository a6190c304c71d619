"""Expressions of Python to values of a step. Operands are evaluated from left to right, and only as far as needed."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ouroboros.languages.python.aliases import can_change, named
from ouroboros.languages.python.failing import can_fail
from ouroboros.languages.python.names import Names
from ouroboros.languages.python.types import TRUTH, Simple, join, united
from ouroboros.languages.python.values import Generated, Known, Listed, Processes, Scalar, Value
from ouroboros.system.blocks import Block, If, SetLocal
from ouroboros.system.expressions import (
    Conditional,
    Constant,
    Expression,
    Local,
    Unary,
    conjunction,
    disjunction,
)

_INSTEAD: dict[type[ast.AST], str] = {
    ast.Lambda: "write a function or method of its own",
    ast.Await: "use processes and `yield until(…)`",
    ast.JoinedStr: "texts can be printed, and nothing else",
    ast.Yield: "a `yield` stands as a statement of its own in a process",
    ast.YieldFrom: "write the steps out in the process",
    ast.Starred: "write the elements out",
}


class Expressions(Names):
    @abstractmethod
    def call(self, node: ast.Call) -> Value: ...

    @abstractmethod
    def assign_name(self, name: str, value: Value, node: ast.AST) -> None: ...

    @abstractmethod
    def sliced(self, container: Value, bounds: ast.Slice, node: ast.AST) -> Value: ...

    @abstractmethod
    def concatenated(self, left: Value, right: Value, node: ast.AST) -> Value | None: ...

    @abstractmethod
    def dictionary(self, node: ast.DictComp) -> Value: ...

    def condition(self, node: ast.expr) -> Expression:
        """Whether an expression is true; what must be run for it is emitted."""
        match node:
            case ast.BoolOp(operator, operands):
                return self._all_or_any(isinstance(operator, ast.And), operands)
            case ast.UnaryOp(ast.Not(), operand):
                return negated(self.condition(operand))
        return self.truth(self.value(node), node)

    def value(self, node: ast.expr) -> Value:
        """What an expression gives. What can go wrong does so here, whatever becomes of the value."""
        found = self._value(node)
        if isinstance(found, Scalar) and can_fail(found.number):
            return self.held_scalar(found)
        return found

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value):
                if value is None or isinstance(value, bool | int | str):
                    return Known(value)
                raise self.refusal(node, f"{value!r} is no value of a model", "use integers, texts and truth")
            case ast.Name(name):
                return named(self.load(self.name(name, node)))
            case ast.Attribute(inner, name):
                return self.load(self.attribute(self.value(inner), name, node))
            case ast.Subscript(inner, ast.Slice() as bounds):
                return self.sliced(self.value(inner), bounds, node)
            case ast.Subscript(inner, key):
                container, at = self.operands([inner, key])
                if isinstance(container, Processes):
                    return self._member(container, at, node)
                return self.subscript(container, at, node, self.frame.places.text(inner))
            case ast.BinOp(left, operator, right):
                first, second = self.operands([left, right])
                joined = self._repeated(operator, first, second, node) or self.united_sets(
                    operator, first, second, node
                )
                if joined is None and isinstance(operator, ast.Add):
                    joined = self.concatenated(first, second, node)
                return joined or self.binary(operator, first, second, node)
            case ast.UnaryOp(operator, operand):
                return self.unary(operator, self.value(operand), node)
            case ast.BoolOp(operator, operands):
                return self._decided(isinstance(operator, ast.And), operands, node)
            case ast.Compare(left, operators, right):
                first = self.value(left)
                return truth_value(self._compared_in_turn(first, left, operators, right, node))
            case ast.IfExp(test, then, otherwise):
                return self._conditional(test, then, otherwise, node)
            case ast.Call():
                return self.load(self.call(node))
            case ast.Tuple(items):
                return self._listed("tuple", items)
            case ast.List(items):
                return self._listed("list", items)
            case ast.Set(items):
                return self._listed("set", items)
            case ast.Dict(keys, items):
                if any(key is None for key in keys):
                    raise self.refusal(node, "`**` cannot be compiled", "write the keys out")
                found = self.operands([*(key for key in keys if key is not None), *items])
                return Listed("dict", tuple(found[len(keys) :]), tuple(found[: len(keys)]))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return Generated(node, self.frame)
            case ast.DictComp():
                return self.dictionary(node)
            case ast.NamedExpr() if self.code.pure:
                raise self.refusal(node, "`:=` in a condition or comprehension cannot be compiled")
            case ast.NamedExpr(ast.Name(name), inner):
                self.assign_name(name, self.value(inner), node)
                return self.load(self.name(name, node))
        what = type(node).__name__
        raise self.refusal(node, f"{what} cannot be compiled", _INSTEAD.get(type(node)))

    def operands(self, nodes: Sequence[ast.expr]) -> list[Value]:
        """Values one after the other: what a later one does changes nothing of an earlier one."""
        blocks: list[Block] = []
        values: list[Value] = []
        moves: list[int] = []
        for node in nodes:
            value, block = self.code.captured(partial(self.value, node))
            values.append(value)
            blocks.append(block)
            moves.append(len(self.code.moves))
        last = max((number for number, block in enumerate(blocks) if block), default=0)
        for number, block in enumerate(blocks):
            self.code.emit(*block)
            if number < last:
                values[number] = self.held(values[number], nodes[number])
                self.unmoved(values[number], moves[number], nodes[number])
        return values

    def _listed(self, kind: Any, items: Sequence[ast.expr]) -> Value:
        found = tuple(self.operands(items))
        if kind == "tuple" and all(isinstance(item, Known) for item in found):
            return Known(tuple(item.value for item in found if isinstance(item, Known)))
        return Listed(kind, found)

    def _repeated(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Value | None:
        """`[value] * 3`, and lists one after the other."""
        match operator, left, right:
            case (ast.Mult(), Listed("list" | "tuple" as kind, items), Known(int() as count)) | (
                ast.Mult(),
                Known(int() as count),
                Listed("list" | "tuple" as kind, items),
            ):
                if count > 1 and any(map(can_change, items)):
                    raise self.shared(node)
                return Listed(kind, items * count)
            case ast.Add(), Listed("list" | "tuple" as kind, first), Listed(other, second) if kind == other:
                return Listed(kind, first + second)
        return None

    # Logic

    def _all_or_any(self, is_and: bool, nodes: Sequence[ast.expr]) -> Expression:
        """Whether `and` or `or` is true; the rest is only evaluated where the first does not decide."""
        first = self.condition(nodes[0])
        for following in nodes[1:]:
            first = self.then_if(is_and, first, partial(self.condition, following))
        return first

    def then_if(self, is_and: bool, first: Expression, run: Callable[[], Expression]) -> Expression:
        """The first condition, and the one that `run` gives where that is needed."""
        if isinstance(first, Constant):
            return run() if bool(first.value) == is_and else first
        self.code.conditional += 1
        second, block = self.code.captured(run)
        self.code.conditional -= 1
        if not block:
            return (conjunction if is_and else disjunction)(first, second)
        slot = self.code.slot()
        self.code.emit(SetLocal(slot, first))
        condition: Expression = Local(slot) if is_and else Unary("not", Local(slot))
        self.code.emit(If(condition, (*block, SetLocal(slot, second))))
        return Local(slot)

    def _decided(self, is_and: bool, nodes: Sequence[ast.expr], node: ast.AST) -> Value:
        """What `and` and `or` give: the value that decides, or the last one."""
        value = self.load(self.value(nodes[0]))
        for number, following in enumerate(nodes[1:]):
            first = self.truth(value, node)
            if isinstance(first, Constant):
                value = self.load(self.value(following)) if bool(first.value) == is_and else value
            elif isinstance(value, Scalar) and value.type == TRUTH and self._is_truth(nodes[1 + number :]):
                rest = nodes[1 + number :]
                found = self.then_if(is_and, first, partial(self._all_or_any, is_and, rest))
                return truth_value(found)
            else:
                value = decided = self.held(value, node)
                other = lambda node=following: self.load(self.value(node))  # noqa: E731 - each has the values of its turn
                same = lambda value=decided: value  # noqa: E731 - likewise
                value = self.either(first, other if is_and else same, same if is_and else other, node)
        return value

    def _is_truth(self, nodes: Sequence[ast.expr]) -> bool:
        """Whether expressions can be nothing but True and False."""
        for node in nodes:
            match node:
                case ast.Compare() | ast.UnaryOp(ast.Not()) | ast.Constant(bool()):
                    continue
                case ast.BoolOp(_, operands) if self._is_truth(operands):
                    continue
            return False
        return True

    def _compared_in_turn(
        self, left: Value, at: ast.expr, operators: Sequence[ast.cmpop], nodes: Sequence[ast.expr], node: ast.AST
    ) -> Expression:
        """`a < b < c`: each is evaluated once, and c only where a < b."""
        moves = len(self.code.moves)
        right, block = self.code.captured(lambda: self.value(nodes[0]))
        if block:
            left = self.held(left, at)
            self.unmoved(left, moves, at)
            self.code.emit(*block)
        if len(operators) == 1:
            return self.compared(operators[0], left, right, node)
        right = self.held(right, nodes[0])
        first = self.compared(operators[0], left, right, node)
        return self.then_if(
            True, first, lambda: self._compared_in_turn(right, nodes[0], operators[1:], nodes[1:], node)
        )

    def compared(self, operator: ast.cmpop, left: Value, right: Value, node: ast.AST) -> Expression:
        match operator:
            case ast.Eq():
                return self.equal(left, right, node)
            case ast.NotEq():
                return negated(self.equal(left, right, node))
            case ast.Is():
                return self.identical(left, right, node)
            case ast.IsNot():
                return negated(self.identical(left, right, node))
            case ast.In():
                return self.contains(self.listing(right, node), left, node)
            case ast.NotIn():
                return negated(self.contains(self.listing(right, node), left, node))
        sign = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}[type(operator)]
        return self.ordered(sign, left, right, node)

    def _conditional(self, test: ast.expr, then: ast.expr, otherwise: ast.expr, node: ast.AST) -> Value:
        condition = self.condition(test)
        if isinstance(condition, Constant):
            return self.value(then if condition.value else otherwise)
        return self.either(condition, lambda: self.value(then), lambda: self.value(otherwise), node)

    def _as(self, value: Scalar, kind: Simple, node: ast.AST) -> tuple[Scalar, Block]:
        number, block = self.code.captured(lambda: self.converted(value, kind, node, "this"))
        return Scalar(kind, number), block

    def either(
        self, condition: Expression, then: Callable[[], Value], otherwise: Callable[[], Value], node: ast.AST
    ) -> Value:
        self.code.conditional += 1
        first, block = self.code.captured(lambda: self.scalar(then(), node))
        second, other = self.code.captured(lambda: self.scalar(otherwise(), node))
        self.code.conditional -= 1
        kind: Simple | None = join(first.type, second.type)
        if kind is None:
            kind = united(first.type, second.type)
            if kind is not None:
                first, more = self._as(first, kind, node)
                block = (*block, *more)
                second, more = self._as(second, kind, node)
                other = (*other, *more)
        if kind is None:
            raise self.refusal(node, f"this is sometimes {first.type} and sometimes {second.type}")
        if not block and not other:
            return Scalar(kind, Conditional(condition, first.number, second.number))
        slot = self.code.slot()
        self.code.emit(If(condition, (*block, SetLocal(slot, first.number)), (*other, SetLocal(slot, second.number))))
        return Scalar(kind, Local(slot))


def truth_value(expression: Expression) -> Value:
    return Known(bool(expression.value)) if isinstance(expression, Constant) else Scalar(TRUTH, expression)


def negated(expression: Expression) -> Expression:
    return Constant(1 - expression.value) if isinstance(expression, Constant) else Unary("not", expression)
