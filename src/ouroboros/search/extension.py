"""From a bad prefix to a whole run: walking on from a state of a terminal automaton until the run closes a cycle."""

from __future__ import annotations

from ouroboros.ltl.automaton import Automaton
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import successors, valuation
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.outcome import Finding


def extend_to_lasso(
    system: System, propositions: list[Proposition], automaton: Automaton, field: Field, path: list[Vector]
) -> Finding:
    """A stem that goes on from the end of `path`, and the cycle after it.

    The automaton accepts every continuation from there, and the system can always go on: where nothing can happen, a
    run of it repeats its last state. So a walk closes at the first chance, unless it comes to where all that can happen
    is a failure, which is a violation too.
    """
    walk = [path[-1]]
    position = {walk[0]: 0}
    while True:
        try:
            following = _product_successors(system, propositions, automaton, field, walk[-1])
        except ExecutionError:
            return Finding("proposition", [*path[:-1], *walk])
        if not following:
            return Finding("failure", [*path[:-1], *walk])
        closing = [position[state] for state in following if state in position]
        if closing:
            start = max(closing)
            return Finding("cycle", [*path[:-1], *walk[: start + 1]], [*walk[start + 1 :], walk[start]])
        position[following[0]] = len(walk)
        walk.append(following[0])


def _product_successors(
    system: System, propositions: list[Proposition], automaton: Automaton, field: Field, state: Vector
) -> list[Vector]:
    """The successors that are accepting, too: of the ways that the automaton can go, one always is."""
    letter = sum(truth << index for index, truth in enumerate(valuation(system, state, propositions)))
    location = system.layout.read(state, field)
    targets = [
        edge.target for edge in automaton.edges[location] if edge.allows(letter) and automaton.accepting[edge.target]
    ]
    steps = [step.state for step in successors(system, state)] or [state]
    result = []
    for step in steps:
        if step is None:  # a failing action ends the run
            continue
        for target in targets:
            words = list(step)
            system.layout.write(words, field, 0, target)
            result.append(tuple(words))
    return result
