"""Walking over trees: every node of a statement or an expression, and what a body does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ouroboros.languages.promela.read import ast


def nodes(tree: Any) -> Iterator[Any]:
    """All nodes of a tree, or of a tuple of trees, outermost first."""
    waiting = [tree]
    while waiting:
        item = waiting.pop()
        if not isinstance(item, tuple):
            continue
        fields = getattr(item, "_fields", None)
        if fields and fields[0] == "source":
            continue
        if fields:
            yield item
        waiting.extend(reversed(item))


def bodies(model: ast.Model) -> Iterator[tuple[ast.Process, Any]]:
    """Each process, claim or event automaton, with the trees that it consists of."""
    for process in (*model.processes, *model.claims, *([model.events] if model.events else [])):
        initial = tuple(variable.initial for variable in process.variables if variable.initial is not None)
        yield process, (process.body, initial, process.provided)
