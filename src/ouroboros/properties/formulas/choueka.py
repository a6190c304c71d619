"""Weak fairness: only runs on which certain conditions hold again and again can violate a property.

The conditions join the accepting states of the property's automaton. An accepting run must meet all of them for ever,
which a Büchi automaton sees by waiting for one after the other (Choueka, 1974): level 0 waits for an accepting state,
level k for condition k, and a run is accepted that comes to accepting states of level 0 for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ouroboros.ltl import Automaton, Edge
from ouroboros.properties.formulas.watched import Watched, confirm_room
from ouroboros.system.model import Proposition


def under_fairness(watched: Watched, conditions: Sequence[Proposition]) -> Watched:
    """The same property, of runs on which all conditions hold infinitely often."""
    automaton = watched.automaton
    first = len(automaton.atoms)
    levels = len(conditions) + 1
    confirm_room(first + len(conditions), "the automaton of the property has, with fairness,", "different atoms", None)
    edges: list[tuple[Edge, ...]] = []
    accepting: list[bool] = []
    for state, group in enumerate(automaton.edges):
        for level in range(levels):
            accepting.append(level == 0 and automaton.accepting[state])
            edges.append(tuple(_edges(group, level, levels, automaton.accepting[state], first)))
    return replace(
        watched,
        fair=True,
        automaton=Automaton(
            atoms=(*automaton.atoms, *(condition.name for condition in conditions)),
            initial=automaton.initial * levels,
            edges=tuple(edges),
            accepting=tuple(accepting),
        ),
        propositions=(*watched.propositions, *conditions),
        locations=tuple(f"{location}, level {level}" for location in watched.locations for level in range(levels)),
    )


def _edges(group: Sequence[Edge], level: int, levels: int, accepting: bool, first: int) -> list[Edge]:
    """The edges of one state at one level: state q of the property's automaton at level k has number q · levels + k."""
    if level == 0:
        target = 1 % levels if accepting else 0
        return [replace(edge, target=edge.target * levels + target) for edge in group]
    bit = 1 << (first + level - 1)
    found: list[Edge] = []
    for edge in group:
        base = edge.target * levels
        found.append(Edge(edge.mask | bit, edge.value | bit, base + (level + 1) % levels))
        found.append(Edge(edge.mask | bit, edge.value, base + level))
    return found
