"""From a formula in negation normal form to a generalised automaton, one formula-set at a time.

Couvreur's construction (FM 1999): a formula is rewritten into what must hold of the first letter, what must hold of the
rest of the word (a *next* variable), and what was postponed (a *promise* variable), and this function is kept as a
decision diagram. Its prime cubes are the transitions. A state is a conjunction of formulas, but known by its diagram:
conjunctions that have the same successors are one state, whatever they look like.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ouroboros.ltl.diagrams import FALSE, TRUE, Diagrams
from ouroboros.ltl.formula import (
    And,
    Atom,
    Constant,
    Finally,
    Formula,
    Globally,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
)
from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition

_Meaning = tuple[Literal["next", "promise"], Formula]


class Expansion:
    """The diagrams of formulas over some atoms; variable i < len(atoms) is atom i, the others are made on demand."""

    def __init__(self, atoms: Sequence[str], diagrams: Diagrams) -> None:
        self.diagrams = diagrams
        self._border = len(atoms)
        self._atoms = {atom: variable for variable, atom in enumerate(atoms)}
        self._expanded: dict[Formula, int] = {}
        self._variables: dict[_Meaning, int] = {}
        self._meanings: list[_Meaning] = []

    def _variable(self, kind: Literal["next", "promise"], formula: Formula) -> int:
        meaning = (kind, formula)
        if meaning not in self._variables:
            self._variables[meaning] = self._border + len(self._meanings)
            self._meanings.append(meaning)
        return self.diagrams.variable(self._variables[meaning])

    def _in_the_next_state(self, formula: Formula) -> int:
        # Next distributes over both connectives, so that different ways to say the same share their variables.
        match formula:
            case Constant(value):
                return TRUE if value else FALSE
            case And():
                return self.diagrams.all_of(map(self._in_the_next_state, formula.operands))
            case Or():
                return self.diagrams.any_of(map(self._in_the_next_state, formula.operands))
        return self._variable("next", formula)

    def expand(self, formula: Formula) -> int:
        if formula not in self._expanded:
            self._expanded[formula] = self._expand(formula)
        return self._expanded[formula]

    def _expand(self, formula: Formula) -> int:
        both, either = self.diagrams.conjunction, self.diagrams.disjunction
        match formula:
            case Constant(value):
                return TRUE if value else FALSE
            case Atom(name):
                return self.diagrams.variable(self._atoms[name])
            case Not(operand):
                return self.diagrams.negation(self.expand(operand))
            case And():
                return self.diagrams.all_of(map(self.expand, formula.operands))
            case Or():
                return self.diagrams.any_of(map(self.expand, formula.operands))
            case Next(operand):
                return self._in_the_next_state(operand)
        again = self._in_the_next_state(formula)
        match formula:
            case Globally(operand):
                return both(self.expand(operand), again)
            case Finally(operand):
                return either(self.expand(operand), both(again, self._variable("promise", operand)))
            case WeakUntil(left, right):
                return either(self.expand(right), both(self.expand(left), again))
            case Until(left, right):
                postponed = both(again, self._variable("promise", right))
                return either(self.expand(right), both(self.expand(left), postponed))
            case Release(left, right):
                return both(self.expand(right), either(self.expand(left), again))
            case StrongRelease(left, right):
                postponed = both(again, self._variable("promise", left))
                return both(self.expand(right), either(self.expand(left), postponed))
        raise AssertionError(f"not in negation normal form: {formula}")

    def automaton(self, formula: Formula) -> GeneralisedAutomaton:
        first = self.expand(formula)
        number = {first: 0}
        # Which promises a transition makes; it belongs to the acceptance sets of all the others.
        drafts: list[list[tuple[int, list[int], int]]] = []
        for state in (waiting := [first]):
            draft = []
            for guard, below in self.diagrams.split(state, self._border):
                for cube in self.diagrams.cover(below):
                    target, promises = self._read(cube.mask)
                    if target == FALSE:
                        continue
                    if target not in number:
                        number[target] = len(number)
                        waiting.append(target)
                    draft.append((guard, promises, number[target]))
            drafts.append(draft)
        sets = sorted({promise for draft in drafts for _, promises, _ in draft for promise in promises})
        automaton = GeneralisedAutomaton(self.diagrams, max(1, len(sets)), 0, [])
        for draft in drafts:
            transitions = []
            for guard, promises, target in draft:
                broken = sum(1 << sets.index(promise) for promise in promises)
                transitions.append(Transition(guard, automaton.all_marks & ~broken, target))
            automaton.transitions.append(automaton.merged(transitions))
        return automaton

    def _read(self, variables: int) -> tuple[int, list[int]]:
        """The state that a cube of next and promise variables leads to, and the promises that it makes."""
        target = TRUE
        promises = []
        for variable in range(self._border, variables.bit_length()):
            if variables >> variable & 1:
                kind, formula = self._meanings[variable - self._border]
                if kind == "next":
                    target = self.diagrams.conjunction(target, self.expand(formula))
                else:
                    promises.append(variable)
        return target, promises
