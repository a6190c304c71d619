"""Minimal deterministic automata for obligation properties.

A boolean combination of safety and guarantee properties is recognised by a weak deterministic automaton, and that one
has a unique minimal form. Dax, Eisinger and Klaedtke (ATVA 2007): determinise by plain subsets, ask of each component
whether a loop in it is accepted, and minimise as Löding (2001) does.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from ouroboros.ltl.cleanup import is_empty
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
from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition, product, strong_components


def is_syntactic_guarantee(formula: Formula) -> bool:
    match formula:
        case And() | Or() | Next() | Finally() | Until() | StrongRelease():
            return all(map(is_syntactic_guarantee, formula.operands))
    return isinstance(formula, Constant | Atom | Not)


def is_syntactic_safety(formula: Formula) -> bool:
    match formula:
        case And() | Or() | Next() | Globally() | WeakUntil() | Release():
            return all(map(is_syntactic_safety, formula.operands))
    return isinstance(formula, Constant | Atom | Not)


def is_syntactic_obligation(formula: Formula) -> bool:
    """A sufficient condition, by the shape of the formula (Chang, Manna and Pnueli, ICALP 1992)."""
    if is_syntactic_guarantee(formula) or is_syntactic_safety(formula):
        return True
    match formula:
        case And() | Or() | Next():
            return all(map(is_syntactic_obligation, formula.operands))
        case Until(left, right) | StrongRelease(right, left):
            return is_syntactic_obligation(left) and is_syntactic_guarantee(right)
        case WeakUntil(left, right) | Release(right, left):
            return is_syntactic_safety(left) and is_syntactic_obligation(right)
    return False


def minimal_weak_automaton(automaton: GeneralisedAutomaton, limit: int) -> GeneralisedAutomaton | None:
    """The minimal weak deterministic automaton, complete and with marks on states, of an obligation property.

    If the language is not an obligation, the result is an automaton for something else. None if there are more
    subsets than the limit.
    """
    subsets = _determinise(automaton, limit)
    if subsets is None:
        return None
    members, successors = subsets
    even = _even_levels(automaton, members, successors)
    return _minimise(automaton.diagrams, successors, even)


def recognises(
    deterministic: GeneralisedAutomaton, automaton: GeneralisedAutomaton, complement: GeneralisedAutomaton
) -> bool:
    """Whether a weak deterministic automaton, complete and with marks on states, has the language of the second one,
    of which the third one is the complement."""
    flipped = [[edge._replace(marks=edge.marks ^ 1) for edge in edges] for edges in deterministic.transitions]
    rejecting = replace(deterministic, transitions=flipped)
    return is_empty(product(automaton, rejecting)) and is_empty(product(complement, deterministic))


_Successors = list[dict[int, int]]  # for each state: target -> guard, guards disjoint and together true


def _determinise(automaton: GeneralisedAutomaton, limit: int) -> tuple[list[frozenset[int]], _Successors] | None:
    start = frozenset([automaton.initial])
    number = {start: 0}
    members = [start]
    successors: _Successors = []
    for subset in members:
        row: dict[int, int] = {}
        for targets, guard in _subset_successors(automaton, subset).items():
            if targets not in number:
                number[targets] = len(members)
                members.append(targets)
                if len(members) > limit:
                    return None
            row[number[targets]] = guard
        successors.append(row)
    return members, successors


def _subset_successors(automaton: GeneralisedAutomaton, subset: frozenset[int]) -> dict[frozenset[int], int]:
    diagrams = automaton.diagrams
    guards: dict[int, int] = {}
    for state in sorted(subset):
        for guard, _, target in automaton.transitions[state]:
            guards[target] = diagrams.disjunction(guards.get(target, FALSE), guard)
    result = {frozenset[int](): TRUE}
    for target, guard in guards.items():
        refined: dict[frozenset[int], int] = {}
        for targets, letters in result.items():
            for part, chosen in (
                (diagrams.conjunction(letters, guard), targets | {target}),
                (diagrams.difference(letters, guard), targets),
            ):
                if part != FALSE:
                    refined[chosen] = diagrams.disjunction(refined.get(chosen, FALSE), part)
        result = refined
    return result


def _even_levels(automaton: GeneralisedAutomaton, members: list[frozenset[int]], successors: _Successors) -> list[bool]:
    """Löding's normal form: the level of a component is the highest not above those of its successors that is even
    if it accepts and odd if it rejects. States of even level accept."""
    top = 2 * len(members)
    level: dict[int, int] = {}
    for component in strong_components([0], lambda state: successors[state]):
        inside = set(component)
        best = min(
            (level[target] for state in component for target in successors[state] if target in level), default=top
        )
        loops = any(target in inside for state in component for target in successors[state])
        if loops and (best % 2 == 0) != _accepts_a_loop(automaton, members, successors, component):
            best -= 1
        level.update(dict.fromkeys(component, best))
    return [level[state] % 2 == 0 for state in range(len(members))]


def _accepts_a_loop(
    automaton: GeneralisedAutomaton, members: list[frozenset[int]], successors: _Successors, component: list[int]
) -> bool:
    """Whether the automaton, from the states of a subset, accepts the repetition of some loop through it: for a weak
    language, of every loop in the component."""
    start, inside = component[0], set(component)
    diagrams = automaton.diagrams
    # Breadth first: a shortest loop from the start back to it.
    came_from: dict[int, tuple[int, int]] = {}
    queue = deque([start])
    while start not in came_from:
        state = queue.popleft()
        for target, guard in successors[state].items():
            if target in inside and target not in came_from:
                came_from[target] = (state, guard)
                queue.append(target)
    letters: list[int] = []
    state = start
    while not letters or state != start:
        state, guard = came_from[state]
        letters.append(diagrams.pick(guard))
    letters.reverse()
    # The loop as an automaton of its own: state `position * states + q`, with one more to start from all of the subset.
    count = automaton.states
    transitions: list[list[Transition]] = []
    for position, letter in enumerate(letters):
        following = (position + 1) % len(letters)
        for edges in automaton.transitions:
            transitions.append(
                [
                    Transition(TRUE, marks, following * count + target)
                    for guard, marks, target in edges
                    if diagrams.evaluate(guard, letter)
                ]
            )
    transitions.append([Transition(TRUE, 0, state) for state in sorted(members[start])])
    return not is_empty(GeneralisedAutomaton(diagrams, automaton.sets, len(transitions) - 1, transitions))


def _minimise(diagrams: Diagrams, successors: _Successors, accepting: list[bool]) -> GeneralisedAutomaton:
    """Moore's partition refinement; guards are canonical, so that rows compare as they are."""
    block = [int(accepts) for accepts in accepting]
    while True:
        signatures: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        refined = [
            signatures.setdefault((block[state], frozenset(_row(diagrams, row, block).items())), len(signatures))
            for state, row in enumerate(successors)
        ]
        if len(signatures) == len(set(block)):
            break
        block = refined
    leaders = {refined[state]: state for state in reversed(range(len(successors)))}
    transitions = [
        [
            Transition(guard, int(accepting[leaders[index]]), target)
            for target, guard in _row(diagrams, successors[leaders[index]], refined).items()
        ]
        for index in range(len(leaders))
    ]
    return GeneralisedAutomaton(diagrams, 1, refined[0], transitions)


def _row(diagrams: Diagrams, row: dict[int, int], block: list[int]) -> dict[int, int]:
    result: dict[int, int] = {}
    for target, guard in row.items():
        result[block[target]] = diagrams.disjunction(result.get(block[target], FALSE), guard)
    return result
