"""Automata of formulas."""

from __future__ import annotations

from typing import Any, NamedTuple

from ouroboros.errors import UsageError
from ouroboros.ltl import Automaton as Translated
from ouroboros.ltl import Not, parse_span, translate
from ouroboros.ltl.output import guard_text, to_dot, to_hoa
from ouroboros.source import Source, Span


class Edge(NamedTuple):
    source: int
    target: int
    guard: str
    """The condition on the atoms under which the edge is taken; `1` is always true."""


class Automaton:
    """A Büchi automaton: it accepts the runs of which a formula is true."""

    def __init__(self, made: Translated) -> None:
        self._automaton = made

    @property
    def states(self) -> range:
        return range(self._automaton.states)

    @property
    def initial(self) -> int:
        return self._automaton.initial

    @property
    def accepting(self) -> frozenset[int]:
        return frozenset(state for state, accepts in enumerate(self._automaton.accepting) if accepts)

    @property
    def atoms(self) -> tuple[str, ...]:
        """The expressions that its guards are about."""
        return tuple(self._automaton.atoms)

    @property
    def edges(self) -> list[Edge]:
        made = self._automaton
        return [
            Edge(source, edge.target, guard_text(made, edge))
            for source in range(made.states)
            for edge in made.edges[source]
        ]

    def to_hoa(self) -> str:
        return to_hoa(self._automaton)

    def to_dot(self) -> str:
        return to_dot(self._automaton)

    def to_spot(self) -> Any:
        """As an automaton of the library Spot."""
        try:
            import spot
        except ImportError:
            raise UsageError("to_spot() needs Spot: pip install spottl") from None
        return spot.automaton(self.to_hoa())

    def __repr__(self) -> str:
        return f"<Automaton of {len(self.states)} states over {', '.join(self.atoms) or 'nothing'}>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/vnd.graphviz": self.to_dot()}


def automaton(formula: str, *, negated: bool = False) -> Automaton:
    """The automaton that accepts the runs of which a formula is true; `negated`: those that violate it.

    >>> made = automaton("[] <> p")
    >>> made.atoms, len(made.states)
    (('p',), 2)
    """
    if not isinstance(formula, str):
        raise UsageError(f"{formula!r} is no formula: write it as a text, such as '[] (p -> <> q)'")
    tree = parse_span(Span(Source("formula", formula), 0, len(formula))).formula
    return Automaton(translate(Not(tree) if negated else tree))
