"""What can go from an automaton without a look at its language: useless states, and marks that decide nothing."""

from __future__ import annotations

from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition


def inner_marks(automaton: GeneralisedAutomaton, component: list[int]) -> list[int]:
    """The marks of each transition that stays in the component."""
    members = set(component)
    return [edge.marks for state in component for edge in automaton.transitions[state] if edge.target in members]


def is_accepting(automaton: GeneralisedAutomaton, component: list[int]) -> bool:
    """Whether some run that stays in the component is accepting: then it can collect all the marks there are."""
    marks = inner_marks(automaton, component)
    union = 0
    for mark in marks:
        union |= mark
    return bool(marks) and union == automaton.all_marks


def is_empty(automaton: GeneralisedAutomaton) -> bool:
    return not any(is_accepting(automaton, component) for component in automaton.components())


def _live_components(automaton: GeneralisedAutomaton) -> list[tuple[list[int], bool]]:
    """The components from which some word is accepted, each with whether it is accepting itself."""
    live: set[int] = set()
    result = []
    for component in automaton.components():
        accepting = is_accepting(automaton, component)
        if accepting or any(edge.target in live for state in component for edge in automaton.transitions[state]):
            live.update(component)
            result.append((component, accepting))
    return result


def trim(automaton: GeneralisedAutomaton) -> GeneralisedAutomaton:
    """Keeps the states on some accepting run, marks inside accepting components, and sets that are not implied."""
    components = _live_components(automaton)
    live = sorted(state for component, _ in components for state in component)
    if not live:
        return GeneralisedAutomaton(automaton.diagrams, 1, 0, [[]])
    accepting = [component for component, accepts in components if accepts]
    kept = _needed_sets(automaton, [inner_marks(automaton, component) for component in accepting])
    home = {state: index for index, component in enumerate(accepting) for state in component}
    transitions: list[list[Transition]] = []
    for state, edges in enumerate(automaton.transitions):
        inside = home.get(state, -1)
        transitions.append(
            [
                Transition(guard, _renumbered(marks, kept) if inside == home.get(target, -2) else 0, target)
                for guard, marks, target in edges
            ]
        )
    return GeneralisedAutomaton(automaton.diagrams, len(kept), automaton.initial, transitions).restricted(
        live, automaton.initial
    )


def _needed_sets(automaton: GeneralisedAutomaton, components: list[list[int]]) -> list[int]:
    """Drops a set if in each component it contains another one, which then implies it. One set at least remains,
    because without any a rejecting component would accept."""
    kept = list(range(automaton.sets))
    for candidate in range(automaton.sets):
        others = [other for other in kept if other != candidate]
        if others and all(implied(candidate, others, marks) for marks in components):
            kept = others
    return kept


def implied(candidate: int, others: list[int], marks: list[int]) -> bool:
    """Whether all transitions are in the candidate set, or all those that are in some other set."""
    outside = [mark for mark in marks if not mark >> candidate & 1]
    return not outside or any(all(not mark >> other & 1 for mark in outside) for other in others)


def _renumbered(marks: int, kept: list[int]) -> int:
    return sum((marks >> old & 1) << new for new, old in enumerate(kept))


def trim_state_based(automaton: GeneralisedAutomaton) -> GeneralisedAutomaton:
    """The same for acceptance on states: all transitions from a state carry the one mark, or none does."""
    components = _live_components(automaton)
    live = sorted(state for component, _ in components for state in component)
    if not live:
        return GeneralisedAutomaton(automaton.diagrams, 1, 0, [[]])
    useful = {state for component, accepts in components if accepts for state in component}
    transitions = [
        [Transition(guard, marks if state in useful else 0, target) for guard, marks, target in edges]
        for state, edges in enumerate(automaton.transitions)
    ]
    return GeneralisedAutomaton(automaton.diagrams, 1, automaton.initial, transitions).restricted(
        live, automaton.initial
    )
