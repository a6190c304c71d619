"""Branches, and what is known of variables behind them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence

from ouroboros.languages.python.assignments import Assignments
from ouroboros.languages.python.frames import Environment
from ouroboros.languages.python.storage import Place
from ouroboros.languages.python.types import join, type_of
from ouroboros.languages.python.values import Known, Scalar, Value
from ouroboros.system.blocks import If
from ouroboros.system.expressions import Constant, Expression


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
    match left, right:
        case Scalar(kind, number), Scalar(other, same) if number == same:
            joined = join(kind, other)
            return None if joined is None else Scalar(joined, number)
        case Place(), Place():
            return left if left.node is right.node and left.at == right.at else None
    return left if left is not None and left == right else None


def assigned(node: ast.AST) -> list[str]:
    names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    names |= {part.name for part in ast.walk(node) if isinstance(part, ast.MatchAs) and part.name}
    return sorted(names)
