"""Global variables that are written and never read: what they hold makes no difference to what a model does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import bodies, nodes
from ouroboros.system.blocks import Assign, Block, If, Scope, Statement, While
from ouroboros.system.expressions import Binary, Constant
from ouroboros.system.layout import Field


def only_written(model: ast.Model) -> frozenset[terms.Variable]:
    """Those that are in no expression of a process, claim or event automaton. Formulas are not looked into."""
    return frozenset(model.globals) - {node.variable for _, tree in bodies(model) for node in _reads(tree)}


def unread_globals(model: ast.Model) -> frozenset[terms.Variable]:
    """Those, and also what is only counted up and down: `x++` reads x for itself alone."""
    counted = {
        id(node.place)
        for _, tree in bodies(model)
        for node in nodes(tree)
        if isinstance(node, ast.Assignment) and isinstance(node.value, terms.Binary) and node.value.left is node.place
    }
    read = {node.variable for _, tree in bodies(model) for node in _reads(tree) if id(node) not in counted}
    return frozenset(model.globals) - read


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


def forgetting(block: Block, fields: Iterable[Field]) -> Block:
    """The same, but what is assigned to these fields is evaluated and forgotten: they are set to zero."""
    forgotten = frozenset(fields)

    def changed(statement: Statement) -> Statement:
        match statement:
            case Assign(field) if field in forgotten:
                return statement._replace(value=Binary("&", statement.value, Constant(0)))
            case If(_, then, otherwise):
                return statement._replace(then=through(then), otherwise=through(otherwise))
            case While(_, body) | Scope(_, body):
                return statement._replace(body=through(body))
        return statement

    def through(block: Block) -> Block:
        return tuple(map(changed, block))

    return through(block)
