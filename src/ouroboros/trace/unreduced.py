"""From a finding in a reduced system to one in the whole system.

What a reduced system leaves out lies between its states, and what it forgets is missing in them. So the whole system
makes the run again, action by action: each action of the reduced system is made of some of the whole one. The result
is a finding like any other, and is replayed and confirmed as such.

Beside an automaton the longer run needs another run of the automaton. There is one, since the property does not count
steps; it is found by a search among the positions of the run and the states of the automaton.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from ouroboros.errors import SelfCheckError
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.interpret import Step, single_steps, successors, valuation
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import ASSUMPTIONS, Failure, Reduced, System
from ouroboros.verdict.outcome import Finding
from ouroboros.verdict.trace import Watcher

_MOST_ROUNDS = 64
_Node = tuple[int, int]
"""A position of the run, and a state of the automaton."""


def unreduced(system: System, reduced: Reduced, finding: Finding) -> Finding:
    """The same violation, in the whole system."""
    run = _Run(system, reduced, finding.path[0])
    for before, after in pairwise(finding.path):
        run.follow(before, after)
    if finding.kind in ("failure", "overflow"):
        overflows = finding.kind == "overflow"
        run.go_on_to_failure(finding.path[-1], lambda _, failure: (failure.kind == "overflow") == overflows)
    return replace(finding, path=run.states)


def unreduced_beside(system: System, watcher: Watcher, reduced: Reduced, finding: Finding) -> Finding:
    """The same for a run beside an automaton, whose state is one of the fields of both systems."""
    without = _without(system, watcher.field)
    start = replace(system, initial=tuple(map(without, system.initial)))
    path = [without(state) for state in finding.path]
    run = _Run(start, reduced, path[0])
    for before, after in pairwise(path):
        run.follow(before, after)
    if finding.kind == "failure":
        # A run goes on after an assertion, and it may satisfy the property or not.
        run.go_on_to_failure(path[-1], lambda step, _: step.state is None)
    if finding.kind == "proposition":
        return replace(finding, path=_with_run(start, watcher, _up_to_unknown(start, watcher, run.states), True))
    if finding.cycle is None:
        return replace(finding, path=_with_run(start, watcher, run.states, False))
    first = [path[-1], *(without(state) for state in finding.cycle)]
    # Values that the reduced system forgets may differ after the first round; after the next they cannot.
    begins: dict[Vector, int] = {}
    for _ in range(_MOST_ROUNDS):
        if run.states[-1] in begins:
            return _lasso(start, watcher, run.states, begins[run.states[-1]])
        begins[run.states[-1]] = len(run.states) - 1
        for before, after in pairwise(first):
            run.follow(before, after)
    raise SelfCheckError("the cycle of the counterexample does not close in the whole system")


class _Run:
    """A run of the whole system, as a reduced one leads it."""

    def __init__(self, system: System, reduced: Reduced, first: Vector) -> None:
        if first not in system.initial:
            raise SelfCheckError("the counterexample does not begin in an initial state")
        self.system = system
        self.reduced = replace(reduced.system, layout=system.layout, initial=system.initial)
        self.origins = reduced.origins
        self.states: list[Vector] = [first]
        """Those that are not transient."""
        self._now = first

    def follow(self, before: Vector, after: Vector) -> None:
        """Make the step between two states of the reduced system."""
        steps = successors(self.reduced, before)
        for step in steps:
            if step.state == after:
                for each in (*step.before, step):
                    self._make(each)
                return
        if steps or before != after:
            raise SelfCheckError("the interpreter cannot make a step of the counterexample in the reduced system")
        # Where a run has ended, its last state repeats itself.
        self.states.append(self._now)

    def go_on_to_failure(self, last: Vector, counts: Callable[[Step, Failure], bool]) -> None:
        """From the last state of the reduced system, make what comes before an action that fails in a way that
        counts.
        """
        for step in successors(self.reduced, last):
            steps = (*step.before, step)
            for number, each in enumerate(steps):
                failure = None if each.failure is None else self.reduced.failures[each.failure]
                if failure and failure.kind not in ASSUMPTIONS and counts(each, failure):
                    for before in steps[:number]:
                        self._make(before)
                    self._make(each, fails=True)
                    return
        raise SelfCheckError("the interpreter finds no failing action in the reduced system")

    def _make(self, step: Step, fails: bool = False) -> None:
        """Make an action of the reduced system; if it fails, only what comes before that."""
        for action in self.origins[step.action] if step.action is not None else ():
            made = next((each for each in single_steps(self.system, self._now) if each.action == action), None)
            if fails and made is not None and made.failure is not None:
                return
            if made is None or made.state is None:
                raise SelfCheckError("the whole system cannot make a step that the reduced system makes")
            self._now = made.state
            exclusive = self.system.exclusive
            if exclusive is None or not self.system.layout.read(self._now, exclusive.field):
                self.states.append(self._now)


def _without(system: System, field: Field) -> Callable[[Vector], Vector]:
    """A state with the automaton in its initial state."""

    def without(state: Vector) -> Vector:
        return _placed(system, field, state, field.initial[0])

    return without


def _placed(system: System, field: Field, state: Vector, location: int) -> Vector:
    words = list(state)
    system.layout.write(words, field, 0, location)
    return tuple(words)


def _lasso(system: System, watcher: Watcher, states: list[Vector], begin: int) -> Finding:
    """A run of the automaton along states, the last of which is the one at `begin` again, that accepts for ever."""
    count = len(states) - 1
    moves = _moves(system, watcher, states[:count], lambda position: position + 1 if position + 1 < count else begin)
    reached = _ways((0, watcher.automaton.initial), moves)
    for node in reached:
        position, location = node
        if position < begin or not watcher.automaton.accepting[location]:
            continue
        for following in moves(node):
            back = _ways(following, moves)
            if node in back:
                stem, cycle = _way(reached, node), _way(back, node)
                placed = [_placed(system, watcher.field, states[at], location) for at, location in (*stem, *cycle)]
                return Finding("cycle", placed[: len(stem)], placed[len(stem) :])
    raise SelfCheckError("the automaton of the property does not accept the counterexample in the whole system")


def _up_to_unknown(system: System, watcher: Watcher, states: list[Vector]) -> list[Vector]:
    """States up to the first that has no valuation."""
    for number, state in enumerate(states):
        try:
            valuation(system, state, watcher.propositions)
        except ExecutionError:
            return states[: number + 1]
    raise SelfCheckError("the whole system has a valuation in every state of the counterexample")


def _with_run(system: System, watcher: Watcher, states: list[Vector], unknown: bool) -> list[Vector]:
    """States with those of some run of the automaton along them; the last may have no valuation."""
    last = len(states) - 1
    moves = _moves(system, watcher, states[:last] if unknown else states, lambda position: position + 1)
    reached = _ways((0, watcher.automaton.initial), lambda node: moves(node) if node[0] < last else [])
    for node in reached:
        if node[0] == last:
            return [_placed(system, watcher.field, states[at], location) for at, location in _way(reached, node)]
    raise SelfCheckError("the automaton of the property cannot go along with the counterexample in the whole system")


def _moves(
    system: System, watcher: Watcher, states: list[Vector], following: Callable[[int], int]
) -> Callable[[_Node], list[_Node]]:
    letters = [
        sum(1 << bit for bit, holds in enumerate(valuation(system, state, watcher.propositions)) if holds)
        for state in states
    ]

    def moves(node: _Node) -> list[_Node]:
        position, location = node
        edges = watcher.automaton.edges[location]
        return [(following(position), edge.target) for edge in edges if edge.allows(letters[position])]

    return moves


def _ways(start: _Node, moves: Callable[[_Node], list[_Node]]) -> dict[_Node, _Node | None]:
    """What is reached from a node, each with the one before it on a shortest way."""
    reached: dict[_Node, _Node | None] = {start: None}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for following in moves(node):
            if following not in reached:
                reached[following] = node
                waiting.append(following)
    return reached


def _way(reached: dict[_Node, _Node | None], node: _Node) -> list[_Node]:
    way = [node]
    while (before := reached[way[-1]]) is not None:
        way.append(before)
    return way[::-1]
