"""Which variables of a process must outlive a `yield`: those that are read after it, before they get another value."""

from __future__ import annotations

import ast
from collections.abc import Sequence

Names = frozenset[str]
NONE: Names = frozenset()


def local_names(definition: ast.FunctionDef) -> Names:
    """The variables that a function assigns to."""
    found = {part.id for part in _own(definition) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    found |= {part.name for part in ast.walk(definition) if isinstance(part, ast.MatchAs) and part.name}
    return frozenset(found)


def _own(node: ast.AST) -> list[ast.AST]:
    """All nodes but the targets of comprehensions, which are variables of their own."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = [node]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if isinstance(part, ast.comprehension):
            waiting += [part.iter, *part.ifs]
        else:
            waiting += ast.iter_child_nodes(part)
    return found


def _read(*nodes: ast.AST | None) -> Names:
    return frozenset(
        part.id
        for node in nodes
        if node is not None
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    )


def _written(*nodes: ast.AST | None) -> Names:
    found: set[str] = set()
    for node in nodes:
        for part in _own(node) if node is not None else ():
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                found.add(part.id)
            elif isinstance(part, ast.MatchAs) and part.name:
                found.add(part.name)
    return frozenset(found)


class Liveness:
    """The variables that are needed at each `yield` of a process, and at its begin."""

    def __init__(self, definition: ast.FunctionDef) -> None:
        self.at_yields: dict[ast.stmt, Names] = {}
        self._locals = local_names(definition)
        self.at_begin = self._before(definition.body, NONE, NONE, NONE) & self._locals

    @property
    def kept(self) -> Names:
        return frozenset().union(*self.at_yields.values()) & self._locals

    def _before(self, statements: Sequence[ast.stmt], after: Names, at_break: Names, at_continue: Names) -> Names:
        for statement in reversed(statements):
            after = self._statement(statement, after, at_break, at_continue)
        return after

    def _statement(self, node: ast.stmt, after: Names, at_break: Names, at_continue: Names) -> Names:
        match node:
            case ast.Expr(ast.Yield(value)):
                found = after | _read(value)
                self.at_yields[node] = self.at_yields.get(node, NONE) | found
                return found
            case ast.If(test, then, otherwise):
                first = self._before(then, after, at_break, at_continue)
                return _read(test) | first | self._before(otherwise, after, at_break, at_continue)
            case ast.While(test, body, otherwise):
                left = self._before(otherwise, after, at_break, at_continue)
                head = _read(test) | left
                while True:
                    again = head | self._before(body, head, after, head)
                    if again == head:
                        return head
                    head = again
            case ast.For(target, iterable, body, otherwise):
                left = self._before(otherwise, after, at_break, at_continue)
                head = left | _read(iterable)
                while True:
                    inside = self._before(body, head, after, head) - _written(target)
                    if head | inside == head:
                        return head
                    head |= inside
            case ast.Match(subject, cases):
                found = _read(subject) | after
                for case in cases:
                    inner = self._before(case.body, after, at_break, at_continue) | _read(case.guard)
                    found |= (inner - _written(case.pattern)) | _read(case.pattern)
                return found
            case ast.Break():
                return at_break
            case ast.Continue():
                return at_continue
            case ast.Return(value):
                return _read(value)
            case ast.AugAssign(target, _, value):
                return after | _read(target, value) | ({target.id} if isinstance(target, ast.Name) else NONE)
            case ast.AnnAssign(target, _, None):
                return after
            case ast.AnnAssign(target, _, value):
                return (after - _written(target)) | _read(target, value)
        return (after - _written(node)) | _read(node)
