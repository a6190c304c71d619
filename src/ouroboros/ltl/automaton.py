"""The Büchi automaton that a search runs beside the system, and whether a word is accepted by it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from ouroboros.ltl.classify import Strength, strength_of
from ouroboros.ltl.generalised import strong_components


@dataclass(frozen=True)
class Edge:
    """Taken when `valuation & mask == value`, where bit i of a valuation is the truth of atom i."""

    mask: int
    value: int
    target: int

    def allows(self, valuation: int) -> bool:
        return valuation & self.mask == self.value


@dataclass(frozen=True)
class Automaton:
    """A Büchi automaton with accepting states and one initial state.

    A transition reads the letter of the system state that the step leaves: a run over states s0 s1 … is a sequence
    q0 q1 … from the initial state, such that q(i) has an edge to q(i+1) that allows the valuation of s(i). Of the edges
    from one state to another, a translated formula has at most one that allows a given valuation.
    """

    atoms: tuple[str, ...]
    initial: int
    edges: tuple[tuple[Edge, ...], ...]
    accepting: tuple[bool, ...]

    @property
    def states(self) -> int:
        return len(self.edges)

    @cached_property
    def strength(self) -> Strength:
        return strength_of(self)

    def components(self) -> list[list[int]]:
        """The strongly connected components that the initial state reaches, each after those that it can reach."""
        return strong_components([self.initial], lambda state: [edge.target for edge in self.edges[state]])

    def accepts_everything(self, state: int) -> bool:
        """Whether it is plain that every word is accepted from a state on: it is accepting, and can always stay."""
        return self.accepting[state] and any(edge.target == state and not edge.mask for edge in self.edges[state])

    def accepts(self, prefix: Sequence[Collection[str]], cycle: Sequence[Collection[str]]) -> bool:
        """Whether the word `prefix · cycle · cycle · …` is accepted; a letter is the set of atoms that are true."""
        letters = [*map(self._valuation, prefix), *map(self._valuation, cycle)]
        following = [*range(1, len(letters)), len(prefix)]

        # The product of the automaton and the lasso: state `q * positions + position`.
        def successors(pair: int) -> list[int]:
            state, position = divmod(pair, len(letters))
            return [
                edge.target * len(letters) + following[position]
                for edge in self.edges[state]
                if edge.allows(letters[position])
            ]

        for component in strong_components([self.initial * len(letters)], successors):
            if any(self.accepting[pair // len(letters)] for pair in component) and any(
                target in component for target in successors(component[0])
            ):
                return True
        return False

    def _valuation(self, letter: Collection[str]) -> int:
        return sum(1 << index for index, atom in enumerate(self.atoms) if atom in letter)
