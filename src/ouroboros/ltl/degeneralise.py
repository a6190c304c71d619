"""From marks on transitions in several sets to accepting states.

The classical counter: a copy of the automaton for each level, level i waiting for a mark of set i, and the states of
the last level accepting. Each component is unfolded by itself, since a run ends in one: only the smallest closed part
of its unfolding is kept, in the best order of its sets, and a run may enter it at any level (compare Babiak et al.,
SPIN 2013).
"""

from __future__ import annotations

from itertools import islice, permutations

from ouroboros.ltl.cleanup import implied, inner_marks, is_accepting
from ouroboros.ltl.generalised import GeneralisedAutomaton, Transition, strong_components

# All orders of four sets.
_MOST_ORDERS = 24

# A state of the result: a state of the automaton, its level, and whether this is the accepting level.
_Copy = tuple[int, int, bool]


def degeneralise(automaton: GeneralisedAutomaton, enter_high: bool) -> GeneralisedAutomaton:
    """An automaton with one set, whose mark is on all the transitions out of a state or on none.

    A component is entered at the highest or at the lowest level that it has: which is better depends on the rest.
    """
    inside: dict[_Copy, list[Transition]] = {}
    entrance: dict[int, _Copy] = {}
    successor: dict[_Copy, dict[Transition, _Copy]] = {}
    for component in automaton.components():
        unfolded = _unfold_component(automaton, component)
        for copy in sorted(unfolded, reverse=not enter_high):
            entrance[copy[0]] = copy
        successor.update(unfolded)
        inside.update((copy, automaton.transitions[copy[0]]) for copy in unfolded)
    copies = sorted(inside)
    number = {copy: index for index, copy in enumerate(copies)}
    transitions = [
        [
            Transition(edge.guard, int(copy[2]), number[successor[copy].get(edge, entrance[edge.target])])
            for edge in inside[copy]
        ]
        for copy in copies
    ]
    return GeneralisedAutomaton(automaton.diagrams, 1, number[entrance[automaton.initial]], transitions)


def _unfold_component(automaton: GeneralisedAutomaton, component: list[int]) -> dict[_Copy, dict[Transition, _Copy]]:
    """The copies of the states, and where the transitions that stay in the component lead from each of them."""
    members = set(component)
    edges = [(source, edge) for source in component for edge in automaton.transitions[source] if edge.target in members]
    if not is_accepting(automaton, component):
        return {
            (state, 0, False): {edge: (edge.target, 0, False) for source, edge in edges if source == state}
            for state in component
        }
    sets = list(range(automaton.sets))
    marks = inner_marks(automaton, component)
    for candidate in range(automaton.sets):
        others = [other for other in sets if other != candidate]
        if implied(candidate, others, marks):
            sets = others
    marked = {chosen: _marks_on_entry(component, edges, chosen) for chosen in sets}
    return min(
        (
            _unfold_in_order(component, edges, [marked[chosen] for chosen in order])
            for order in islice(permutations(sets), _MOST_ORDERS)
        ),
        key=len,
    )


def _marks_on_entry(
    component: list[int], edges: list[tuple[int, Transition]], chosen: int
) -> set[tuple[int, Transition]]:
    """The transitions of a set, rearranged: a state all of whose transitions out (or in) are marked is visited
    infinitely often exactly if the set is, so that marks on the transitions into it do as well, with fewer copies."""
    marked = {(source, edge) for source, edge in edges if edge.marks >> chosen & 1}
    special: set[int] = set()
    while True:
        more = {
            state
            for state in component
            if state not in special
            and (
                all(pair in marked for pair in edges if pair[0] == state)
                or all(pair in marked for pair in edges if pair[1].target == state)
            )
        }
        if not more:
            break
        special |= more
        marked |= {pair for pair in edges if pair[0] in more or pair[1].target in more}
    return {pair for pair in marked if pair[1].target in special or pair[0] not in special}


def _unfold_in_order(
    component: list[int], edges: list[tuple[int, Transition]], sets: list[set[tuple[int, Transition]]]
) -> dict[_Copy, dict[Transition, _Copy]]:
    last = len(sets)
    outgoing: dict[int, list[Transition]] = {state: [] for state in component}
    for source, edge in edges:
        outgoing[source].append(edge)

    def step(source: int, level: int, edge: Transition) -> tuple[int, int]:
        level = 0 if level == last else level
        while level < last and (source, edge) in sets[level]:
            level += 1
        return edge.target, level

    nodes = [(state, level) for state in component for level in range(last + 1)]
    number = {node: index for index, node in enumerate(nodes)}
    successors = [{edge: step(*node, edge) for edge in outgoing[node[0]]} for node in nodes]
    parts = strong_components(range(len(nodes)), lambda node: [number[target] for target in successors[node].values()])
    # A closed part contains a copy of every state, as the component is strongly connected.
    closed = []
    for part in parts:
        members = {nodes[node] for node in part}
        if all(target in members for node in part for target in successors[node].values()):
            closed.append(part)
    return {
        _copy(nodes[node], last): {edge: _copy(target, last) for edge, target in successors[node].items()}
        for node in min(closed, key=len)
    }


def _copy(node: tuple[int, int], last: int) -> _Copy:
    state, level = node
    return state, level, level == last
