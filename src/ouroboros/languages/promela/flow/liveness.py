"""Dead variables: which local variables of a process are never read again from a place on, before they are written.

The classical analysis, backwards over the flow until nothing changes. Only scalars count; of an array or a structure
it is not followed which part is meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ouroboros.languages.promela.flow.elements import Element
from ouroboros.languages.promela.flow.flow import Flow, Step, steps_at
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import nodes


class _Touched(NamedTuple):
    read: frozenset[terms.Variable]
    written: frozenset[terms.Variable]


class Liveness:
    """Of the scalars of one proctype."""

    def __init__(self, flow: Flow) -> None:
        self._touched: dict[Element, _Touched] = {}
        self._live: dict[Element, set[terms.Variable]] = {place: set() for place in flow.at}
        before = -1
        while before != (before := sum(map(len, self._live.values()))):
            for place in reversed(list(flow.at)):
                for step in steps_at(flow, place):
                    read, written = self._of(step)
                    self._live[place] |= read
                    if step.target:
                        self._live[place] |= self._live[step.target] - written

    def dying(self, place: Element, step: Step) -> list[terms.Variable]:
        """The variables that a step from a place has touched, or that were alive before it, and that are dead after."""
        if step.target is None:
            return []
        read, written = self._of(step)
        dead = (self._live[place] | read | written) - self._live[step.target]
        return sorted(dead, key=lambda variable: (variable.span.start, variable.name))

    def _of(self, step: Step) -> _Touched:
        if step.element not in self._touched:
            self._touched[step.element] = _touched(step)
        return self._touched[step.element]


def _touched(step: Step) -> _Touched:
    statement: Any = step.statement
    if isinstance(statement, ast.DStep):
        # What it writes, it may write only on some of its ways.
        return _Touched(frozenset(_scalars(statement.body)), frozenset())
    match statement:
        case ast.Assignment(_, terms.Access() as place, value) if _is_scalar(place):
            return _Touched(frozenset(_scalars(value)), frozenset({place.variable}))
        case ast.Receive(_, channel, _, _, arguments):
            into = [argument for argument in arguments if isinstance(argument, terms.Access) and _is_scalar(argument)]
            others = tuple(argument for argument in arguments if argument not in into)
            return _Touched(frozenset(_scalars((channel, others))), frozenset(argument.variable for argument in into))
    return _Touched(frozenset(_scalars(statement)), frozenset())


def _scalars(tree: Any) -> Iterator[terms.Variable]:
    for node in nodes(tree):
        if isinstance(node, terms.Access) and _is_scalar(node):
            yield node.variable


def _is_scalar(access: terms.Access) -> bool:
    variable = access.variable
    return variable.process is not None and variable.size is None and isinstance(variable.type, terms.Basic)
