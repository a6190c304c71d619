"""Quotients by simulation: merge states that imitate each other, drop transitions that a better one imitates.

Direct simulation on transition-based automata, forwards and backwards, as in Somenzi and Bloem (CAV 2000) and Babiak,
Badie, Duret-Lutz, Křetínský and Strejček (SPIN 2013). A state `p` imitates `q` if whatever transition `q` takes, on
each of its letters `p` has one with at least its marks, to a state that imitates its target.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.ltl.cleanup import trim, trim_state_based
from ouroboros.ltl.diagrams import FALSE
from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition

# Pairs of a state and a transition: beyond, only equal states are merged, as the comparison would take many seconds.
_MOST_PAIRS = 100_000


def reduce_by_simulation(automaton: GeneralisedAutomaton, state_based: bool) -> GeneralisedAutomaton:
    """Alternates forward and backward quotients until neither helps."""
    clean = trim_state_based if state_based else trim
    automaton = _merge_equal_states(clean(automaton))
    while True:
        before = states, transitions = weight(automaton)
        if states * transitions > _MOST_PAIRS:
            return automaton
        generous = _with_free_marks(automaton, state_based)
        if generous.transitions != automaton.transitions:
            automaton = clean(_forward_quotient(generous))
        automaton = clean(_forward_quotient(automaton))
        automaton = clean(_backward_quotient(automaton, state_based))
        if weight(automaton) >= before:
            return automaton


def weight(automaton: GeneralisedAutomaton) -> tuple[int, int]:
    """What is to be small: states first, then transitions."""
    return automaton.states, sum(map(len, automaton.transitions))


def _merge_equal_states(automaton: GeneralisedAutomaton) -> GeneralisedAutomaton:
    """The quotient by bisimulation, which is weaker than simulation but fast."""
    block = [0] * automaton.states
    while True:
        signatures: dict[tuple[Transition, ...], int] = {}
        refined = []
        for edges in automaton.transitions:
            row = automaton.merged(edge._replace(target=block[edge.target]) for edge in edges)
            refined.append(signatures.setdefault(tuple(sorted(row)), len(signatures)))
        if len(signatures) == len(set(block)):
            break
        block = refined
    leader = [block.index(own) for own in block]
    return automaton.restricted(sorted(set(leader)), leader[automaton.initial], leader.__getitem__)


def _with_free_marks(automaton: GeneralisedAutomaton, state_based: bool) -> GeneralisedAutomaton:
    """Marks outside of cycles decide nothing; giving them all away lets more states imitate the others."""
    component_of = {state: index for index, component in enumerate(automaton.components()) for state in component}

    def marks(source: int, edge: Transition) -> int:
        if state_based:
            free = all(component_of[other.target] != component_of[source] for other in automaton.transitions[source])
        else:
            free = component_of[source] != component_of[edge.target]
        return automaton.all_marks if free else edge.marks

    transitions = [
        [edge._replace(marks=marks(source, edge)) for edge in edges]
        for source, edges in enumerate(automaton.transitions)
    ]
    return GeneralisedAutomaton(automaton.diagrams, automaton.sets, automaton.initial, transitions)


def _forward_quotient(automaton: GeneralisedAutomaton) -> GeneralisedAutomaton:
    everyone = (1 << automaton.states) - 1
    return _quotient(automaton, [everyone] * automaton.states)


def _backward_quotient(automaton: GeneralisedAutomaton, state_based: bool) -> GeneralisedAutomaton:
    """The quotient of the reversed automaton: states that can be reached in the same ways are merged."""
    start = []
    for state in range(automaton.states):
        imitators = 0
        for other in range(automaton.states):
            # The initial state has a past that no other has. With marks on states, the mark of a state is
            # on the transitions out of it, which the reversed comparison does not see.
            worse = state_based and _mark(automaton, state) & ~_mark(automaton, other)
            if not worse and (state != automaton.initial or other == automaton.initial):
                imitators |= 1 << other
        start.append(imitators)
    return _reversed(_quotient(_reversed(automaton), start))


def _mark(automaton: GeneralisedAutomaton, state: int) -> int:
    return automaton.transitions[state][0].marks if automaton.transitions[state] else 0


def _reversed(automaton: GeneralisedAutomaton) -> GeneralisedAutomaton:
    transitions: list[list[Transition]] = [[] for _ in range(automaton.states)]
    for source, edges in enumerate(automaton.transitions):
        for guard, marks, target in edges:
            transitions[target].append(Transition(guard, marks, source))
    return GeneralisedAutomaton(automaton.diagrams, automaton.sets, automaton.initial, transitions)


def _quotient(automaton: GeneralisedAutomaton, start: list[int]) -> GeneralisedAutomaton:
    imitators = _simulation(automaton, start)
    # The first of the states that imitate each other stands for all of them.
    leader = [
        next(other for other in range(automaton.states) if imitators[state] >> other & imitators[other] >> state & 1)
        for state in range(automaton.states)
    ]
    leaders = sorted(set(leader))
    quotient = automaton.restricted(leaders, leader[automaton.initial], leader.__getitem__)
    imitated_by = [
        sum(1 << new for new, other in enumerate(leaders) if imitators[state] >> other & 1) for state in leaders
    ]
    diagrams = automaton.diagrams
    transitions = []
    for edges in quotient.transitions:
        kept = []
        for edge in edges:
            better = diagrams.any_of(
                other.guard
                for other in edges
                if other is not edge and not edge.marks & ~other.marks and imitated_by[edge.target] >> other.target & 1
            )
            guard = diagrams.difference(edge.guard, better)
            if guard != FALSE:
                kept.append(edge._replace(guard=guard))
        transitions.append(kept)
    return GeneralisedAutomaton(diagrams, quotient.sets, quotient.initial, transitions)


def _simulation(automaton: GeneralisedAutomaton, start: list[int]) -> list[int]:
    """The largest simulation within `start`: for each state, the set (as bits) of those that imitate it."""
    diagrams = automaton.diagrams
    letters = [diagrams.any_of(edge.guard for edge in edges) for edges in automaton.transitions]
    imitators = list(start)
    for state in range(automaton.states):
        for other in range(automaton.states):
            if not diagrams.implies(letters[state], letters[other]):
                imitators[state] &= ~(1 << other)
    shrunk = set(range(automaton.states))
    while shrunk:
        shrunk_before, shrunk = shrunk, set()
        answers: dict[tuple[int, int, int], int] = {}
        for state, edges in enumerate(automaton.transitions):
            doubtful = [edge for edge in edges if edge.target in shrunk_before]
            for other in _bits(imitators[state] & ~(1 << state)) if doubtful else ():
                for guard, marks, target in doubtful:
                    question = (other, marks, target)
                    if question not in answers:
                        answers[question] = diagrams.any_of(
                            edge.guard
                            for edge in automaton.transitions[other]
                            if not marks & ~edge.marks and imitators[target] >> edge.target & 1
                        )
                    if not diagrams.implies(guard, answers[question]):
                        imitators[state] &= ~(1 << other)
                        shrunk.add(state)
                        break
    return imitators


def _bits(members: int) -> Iterator[int]:
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest
