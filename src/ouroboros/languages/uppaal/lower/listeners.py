"""Who receives a broadcast where guards ask for clocks.

A zone may have valuations in which a process receives, and others in which it does not. So the broadcast is several
steps, one for each answer to what is asked; they exclude each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import product
from math import prod
from typing import NamedTuple

from ouroboros.languages.uppaal.lower.context import binary, negated
from ouroboros.languages.uppaal.lower.differences import opposite
from ouroboros.languages.uppaal.lower.processes import Edge
from ouroboros.system.expressions import Constant, Difference, Expression, disjunction, equal


class Answer(NamedTuple):
    """Which of the edges whose guards ask for clocks are enabled, and what that says of state and clocks."""

    guard: Expression = Constant(1)
    constraints: tuple[Difference, ...] = ()
    enabled: frozenset[Edge] = frozenset()

    def also(self, other: Answer) -> Answer:
        return Answer(
            binary("and", self.guard, other.guard),
            self.constraints + other.constraints,
            self.enabled | other.enabled,
        )


def count_answers(edges: Iterable[tuple[Edge, Expression]]) -> int:
    """How many answers there are at most."""
    places = _places(edges)
    return prod(
        1 + sum(prod(2 + len(edge.clocks) for edge in here) for here in by_place.values())
        for by_place in _by_process(places).values()
    )


def _places(edges: Iterable[tuple[Edge, Expression]]) -> dict[Edge, Expression]:
    return {edge: enabled for edge, enabled in edges if edge.clocks}


def _by_process(places: Iterable[Edge]) -> dict[object, dict[int, list[Edge]]]:
    by_process: dict[object, dict[int, list[Edge]]] = defaultdict(lambda: defaultdict(list))
    for edge in places:
        by_process[edge.process][edge.source].append(edge)
    return by_process


def answers(edges: Iterable[tuple[Edge, Expression]]) -> Iterator[Answer]:
    """All answers; with each edge comes what it asks of the state where its process is at its source."""
    places = _places(edges)
    by_process = _by_process(places)
    of_processes: list[list[Answer]] = []
    for by_place in by_process.values():
        location = next(iter(by_place.values()))[0].process.location
        elsewhere = negated(disjunction(*(equal(location, place) for place in by_place)))
        found = [Answer(elsewhere)]
        for place, here in by_place.items():
            at = Answer(equal(location, place))
            found += [_all((at, *each)) for each in product(*(list(_of_edge(edge, places[edge])) for edge in here))]
        of_processes.append(found)
    yield from map(_all, product(*of_processes))


def _all(parts: Iterable[Answer]) -> Answer:
    whole = Answer()
    for part in parts:
        whole = whole.also(part)
    return whole


def _of_edge(edge: Edge, enabled: Expression) -> Iterator[Answer]:
    differences = [timed.difference for timed in edge.clocks]
    if not (isinstance(enabled, Constant) and enabled.value):
        yield Answer(negated(enabled))
    yield Answer(enabled, tuple(differences), frozenset((edge,)))
    for number, difference in enumerate(differences):
        # The first of its constraints that fails is this one.
        yield Answer(enabled, (*differences[:number], opposite(difference)))
