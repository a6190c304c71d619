"""Generalised Büchi automata with acceptance on transitions: what a formula is translated to first.

A run is accepting if it takes, for each acceptance set, a transition of that set infinitely often. Marks on transitions
rather than on states keep automata small until the last moment (Couvreur 1999).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ouroboros.ltl.diagrams import Diagrams


class Transition(NamedTuple):
    guard: int  # a diagram: the letters on which it can be taken
    marks: int  # bit i: it belongs to acceptance set i
    target: int


@dataclass(frozen=True)
class GeneralisedAutomaton:
    diagrams: Diagrams
    sets: int
    initial: int
    transitions: list[list[Transition]]

    @property
    def states(self) -> int:
        return len(self.transitions)

    @property
    def all_marks(self) -> int:
        return (1 << self.sets) - 1

    def components(self) -> list[list[int]]:
        """The strongly connected components that the initial state reaches, each after those that it can reach."""
        return strong_components([self.initial], lambda state: [edge.target for edge in self.transitions[state]])

    def merged(self, transitions: Iterable[Transition]) -> list[Transition]:
        """The same transitions, with one guard for all that agree in marks and target."""
        guards: dict[tuple[int, int], int] = {}
        for guard, marks, target in transitions:
            guards[marks, target] = self.diagrams.disjunction(guards.get((marks, target), 0), guard)
        return [Transition(guard, marks, target) for (marks, target), guard in guards.items() if guard]

    def restricted(
        self, states: list[int], initial: int, rename: Callable[[int], int] | None = None
    ) -> GeneralisedAutomaton:
        """The automaton on some of its states; a target is renamed first, and its transition goes if it is not kept."""
        number = {state: index for index, state in enumerate(states)}
        transitions = []
        for state in states:
            kept = []
            for guard, marks, target in self.transitions[state]:
                renamed = rename(target) if rename else target
                if renamed in number:
                    kept.append(Transition(guard, marks, number[renamed]))
            transitions.append(self.merged(kept))
        return GeneralisedAutomaton(self.diagrams, self.sets, number[initial], transitions)


def product(left: GeneralisedAutomaton, right: GeneralisedAutomaton) -> GeneralisedAutomaton:
    """The automaton of the words that both accept; they share their diagrams."""
    first = (left.initial, right.initial)
    number = {first: 0}
    transitions: list[list[Transition]] = []
    for one, other in (waiting := [first]):
        row = []
        for guard, marks, target in left.transitions[one]:
            for other_guard, other_marks, other_target in right.transitions[other]:
                both = left.diagrams.conjunction(guard, other_guard)
                if both:
                    pair = (target, other_target)
                    if pair not in number:
                        number[pair] = len(waiting)
                        waiting.append(pair)
                    row.append(Transition(both, marks | other_marks << left.sets, number[pair]))
        transitions.append(row)
    return GeneralisedAutomaton(left.diagrams, left.sets + right.sets, 0, transitions)


def strong_components(roots: Iterable[int], successors: Callable[[int], Iterable[int]]) -> list[list[int]]:
    """Tarjan's algorithm without recursion; components come out in reverse topological order."""
    index: dict[int, int] = {}
    lowest: dict[int, int] = {}
    pending: list[int] = []
    closed: set[int] = set()
    result: list[list[int]] = []
    for root in roots:
        if root in index:
            continue
        index[root] = lowest[root] = len(index)
        pending.append(root)
        path = [(root, iter(successors(root)))]
        while path:
            state, rest = path[-1]
            for target in rest:
                if target not in index:
                    index[target] = lowest[target] = len(index)
                    pending.append(target)
                    path.append((target, iter(successors(target))))
                    break
                if target not in closed:
                    lowest[state] = min(lowest[state], index[target])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[state])
                if lowest[state] == index[state]:
                    component = []
                    while True:
                        member = pending.pop()
                        closed.add(member)
                        component.append(member)
                        if member == state:
                            break
                    result.append(sorted(component))
    return result
