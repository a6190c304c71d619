"""Branches, and what is known of variables behind them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ouroboros.languages.python.assignments import Assignments
from ouroboros.languages.python.frames import Environment
from ouroboros.languages.python.storage import Place
from ouroboros.languages.python.types import join, type_of
from ouroboros.languages.python.values import Bound, Gone, Known, Listed, Processes, Scalar, Value
from ouroboros.system.blocks import If
from ouroboros.system.expressions import Constant, Expression, Local


class Branches(Assignments):
    def _settle(self, names: Iterable[str], node: ast.AST) -> None:
        """What may be assigned in a branch or loop must have a temporary before it."""
        for name in names:
            value = self.frame.variables.get(name)
            if isinstance(value, Known) and type_of(value.value) is not None:
                self._to_slot(name, self.scalar(value, node))

    def merged(self, environments: Sequence[Environment]) -> Environment:
        """What is known of variables wherever one of several ways was taken."""
        first, *rest = environments
        found: Environment = {}
        for name, value in first.items():
            joined: Value | None = value
            for other in rest:
                joined = merge(joined, other.get(name)) if joined is not None else None
            if joined is not None:
                found[name] = joined
        return found

    def branches(
        self, test: ast.expr | Expression, then: Callable[[], None], otherwise: Callable[[], None], node: ast.stmt
    ) -> None:
        condition = self.condition(test) if isinstance(test, ast.expr) else test
        if isinstance(condition, Constant):
            (then if condition.value else otherwise)()
            return
        self._settle(assigned(node), node)
        before = dict(self.frame.variables)
        self.code.conditional += 1
        _, first = self.code.captured(then)
        after, reached = self.frame.variables, self.code.reachable
        self.frame.variables, self.code.reachable = dict(before), True
        _, second = self.code.captured(otherwise)
        self.code.conditional -= 1
        ends = [*([after] if reached else []), *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        if first or second:
            self.code.emit(If(condition, first, second))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)


def merge(left: Value | None, right: Value | None) -> Value | None:
    """What a variable is that may have either value; None where nothing can be said."""
    match left, right:
        case (Gone(), _) | (_, Gone()):
            return left if isinstance(left, Gone) else right
        case Scalar(kind, Local(slot)), Scalar(other, Local(same)) if slot == same:
            joined = join(kind, other)
            return None if joined is None else Scalar(joined, Local(slot))
        case Scalar(kind, number), Scalar(other, same):
            return left if kind == other and is_same(number, same) else None
        case Place(node, at), Place(also, there):
            if node is not also or not is_same(at, there):
                return None
            return left._replace(fresh=left.fresh and right.fresh)
        case Known(), Known():
            return left if left == right else None
        case Listed(kind, items, keys, held), Listed(same, others, also, shared):
            if kind != same or len(items) != len(others) or len(keys) != len(also):
                return None
            parts = tuple(map(merge, (*items, *keys), (*others, *also)))
            if any(part is None for part in parts):
                return None
            found = tuple(part for part in parts if part is not None)
            return Listed(kind, found[: len(items)], found[len(items) :], held or shared)
        case Processes(), Processes():
            return left if left.owner.node is right.owner.node and left == right else None
        case Bound(receiver, name, function), Bound(other, same, also):
            owner = merge(receiver, other) if name == same and function is also else None
            return None if owner is None else Bound(owner, name, function)
    return None


def is_same(left: object, right: object) -> bool:
    """Named tuples of different kinds are equal if their contents are, and True equals 1: here they are not."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return type(left) is type(right) and len(left) == len(right) and all(map(is_same, left, right))
    return type(left) is type(right) and left == right


def assigned(node: ast.AST) -> list[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    names |= {part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs) and part.name}
    return sorted(names)
