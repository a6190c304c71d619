"""Global variables that are written and never read: what they hold makes no difference to what a model does."""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes


def only_written(model: ast.Model) -> frozenset[terms.Variable]:
    """Those that are in no expression of a process, claim or event automaton. Formulas are not looked into."""
    return frozenset(model.globals) - {node.variable for _, tree in bodies(model) for node in _reads(tree)}


def _reads(tree: object) -> Iterator[terms.Access]:
    """Every place that is read. The place of `x++` stands in the tree twice: to be written, and then to be read."""
    written: set[int] = set()
    for node in nodes(tree):
        match node:
            case ast.Assignment(_, terms.Access() as place):
                written.add(id(place))
            case ast.Receive():
                written.update(id(argument) for argument in node.arguments if isinstance(argument, terms.Access))
            case terms.Access() if id(node) in written:
                written.remove(id(node))
            case terms.Access():
                yield node
