"""From a formula to the smallest Büchi automaton that we can find, by the steps of the other modules."""

from __future__ import annotations

from ouroboros.ltl.automaton import Automaton, Edge
from ouroboros.ltl.cleanup import trim_state_based
from ouroboros.ltl.degeneralise import degeneralise
from ouroboros.ltl.diagrams import Diagrams
from ouroboros.ltl.expansion import Expansion
from ouroboros.ltl.formula import Formula, atoms_of, negation_normal_form
from ouroboros.ltl.generalised import GeneralisedAutomaton
from ouroboros.ltl.obligation import is_syntactic_obligation, minimal_weak_automaton, recognises
from ouroboros.ltl.rewrite import simplify
from ouroboros.ltl.simulation import reduce_by_simulation, weight

# More subsets are not worth the time: the deterministic automaton would hardly be the smaller one.
_MOST_SUBSETS = 500


def translate(formula: Formula) -> Automaton:
    """A Büchi automaton that accepts exactly the words on which the formula holds."""
    simple = simplify(negation_normal_form(formula))
    atoms = tuple(sorted(atoms_of(simple), key=atoms_of(formula).index))
    expansion = Expansion(atoms, Diagrams())
    generalised = reduce_by_simulation(expansion.automaton(simple), state_based=False)
    smallest = _degeneralised(generalised)
    return _with_cubes(_deterministic(simple, generalised, expansion, smallest.states) or smallest, atoms)


def smallest_of(automaton: GeneralisedAutomaton, atoms: tuple[str, ...]) -> Automaton:
    """The automaton of the search for one that comes from elsewhere; variable i of its diagrams is atom i."""
    return _with_cubes(_degeneralised(reduce_by_simulation(automaton, state_based=False)), atoms)


def _degeneralised(generalised: GeneralisedAutomaton) -> GeneralisedAutomaton:
    # Both ways to enter a component are tried, as neither is always the better one.
    unfolded = [degeneralise(generalised, enter_high=True), degeneralise(generalised, enter_high=False)]
    if unfolded[0] == unfolded[1]:
        unfolded.pop()
    return min((reduce_by_simulation(automaton, state_based=True) for automaton in unfolded), key=weight)


def _deterministic(
    formula: Formula, generalised: GeneralisedAutomaton, expansion: Expansion, most_states: int
) -> GeneralisedAutomaton | None:
    """The minimal weak deterministic automaton, if there is one and it is small enough: of two automata of one size
    the deterministic one makes the smaller product."""
    complete = minimal_weak_automaton(generalised, _MOST_SUBSETS)
    if complete is None:
        return None
    trimmed = trim_state_based(complete)
    if trimmed.states > most_states:
        return None
    if not is_syntactic_obligation(formula):
        complement = expansion.automaton(simplify(negation_normal_form(formula, negated=True)))
        if not recognises(complete, generalised, complement):
            return None
    return trimmed


def _with_cubes(automaton: GeneralisedAutomaton, atoms: tuple[str, ...]) -> Automaton:
    """The automaton of the search: edges labelled by cubes, states numbered in the order of a first visit."""
    order = [automaton.initial]
    number = {automaton.initial: 0}
    edges = []
    for state in order:
        row = []
        for guard, _, target in automaton.transitions[state]:
            if target not in number:
                number[target] = len(order)
                order.append(target)
            row += [Edge(cube.mask, cube.value, number[target]) for cube in automaton.diagrams.disjoint_cover(guard)]
        edges.append(tuple(row))
    accepting = (any(edge.marks for edge in automaton.transitions[state]) for state in order)
    return Automaton(atoms, 0, tuple(edges), tuple(accepting))
