"""Zones against regions: both say the same of random timed automata; and interpreter and machine code agree."""

from __future__ import annotations

import os

from hypothesis import given, settings, strategies

from ouroboros.checking import check, explore
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source
from ouroboros.system.interpret import evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Query
from tests.languages.uppaal.regions import Automaton, Predicate, Regions, automata, predicates

CAMPAIGN = int(os.environ.get("OUROBOROS_CAMPAIGN", "1"))
"""How many times as many cases are tried as in a usual run of the tests."""


def reached(model: UppaalModel) -> tuple[set[Vector], int]:
    system = model.system
    found, waiting, steps = set(system.initial), list(system.initial), 0
    while waiting:
        for step in successors(system, waiting.pop()):
            assert step.state is not None
            steps += 1
            if step.state not in found:
                found.add(step.state)
                waiting.append(step.state)
    return found, steps


def _holds(model: UppaalModel, query: str) -> bool:
    report = check(model.with_query(query), properties=[query])
    return next(answer for answer in report.answers if answer.property == query).verdict == "holds"


@settings(max_examples=80 * CAMPAIGN, deadline=None)
@given(automata())
def test_the_same_locations_are_reachable(automaton: Automaton) -> None:
    model = load(Source("random.xta", automaton.text))
    expected = {state.location for state in Regions(automaton).reachable()}
    for each in (model, model.with_equal_bounds()):
        states, _ = reached(each)
        location = each.system.layout.fields[0]
        assert {each.system.layout.read(state, location) for state in states} == expected


@settings(max_examples=15, deadline=None)
@given(automata())
def test_machine_code_and_deadlocks(automaton: Automaton) -> None:
    model = load(Source("random.xta", automaton.text))
    regions = Regions(automaton)
    for each in (model, model.with_equal_bounds()):
        states, steps = reached(each)
        statistics = explore(each).statistics
        assert (statistics.states, statistics.transitions) == (len(states), steps)
    assert _holds(model, "A[] not deadlock") == (not any(map(regions.stuck, regions.reachable())))


@settings(max_examples=8, deadline=None)
@given(automata().flatmap(lambda automaton: strategies.tuples(strategies.just(automaton), predicates(automaton))))
def test_deadlocks_among_other_conditions(question: tuple[Automaton, Predicate]) -> None:
    automaton, predicate = question
    model = load(Source("random.xta", automaton.text))
    regions = Regions(automaton)
    states = {state for state in regions.reachable() if predicate.holds(state)}
    stuck = set(filter(regions.stuck, states))
    assert _holds(model, f"E<> {predicate.text} and deadlock") == bool(stuck)
    assert _holds(model, f"E<> {predicate.text} and not deadlock") == (stuck != states)
    assert _holds(model, f"A[] {predicate.text} imply not deadlock") == (not stuck)


@strategies.composite
def questions(draw: strategies.DrawFn) -> tuple[Automaton, Predicate, Predicate]:
    automaton = draw(automata())
    each = predicates(automaton)
    return automaton, draw(each), draw(each)


def _expected(automaton: Automaton, one: Predicate, other: Predicate) -> dict[str, bool]:
    """What the regions say to each kind of query."""
    regions = Regions(automaton)
    states = regions.reachable()
    causes = {state for state in states if one.holds(state)}
    start = {regions.initial}
    stuck = set(filter(regions.stuck, causes))
    moves = {state for state in states if not regions.stuck(state)}
    return {
        f"E[] not deadlock and {one.text}": regions.some_run_stays(
            start, lambda state: state in moves and one.holds(state)
        ),
        f"A<> {one.text} or deadlock": not regions.some_run_stays(
            start, lambda state: state in moves and not one.holds(state)
        ),
        f"{one.text} --> {other.text} or deadlock": not regions.some_run_stays(
            causes, lambda state: state in moves and not other.holds(state)
        ),
        f"E<> {one.text} and deadlock": bool(stuck),
        f"E<> {one.text} and not deadlock": stuck != causes,
        f"E<> {one.text}": bool(causes),
        f"A[] {one.text}": causes == states,
        f"E[] {one.text}": regions.some_run_stays(start, one.holds),
        f"A<> {one.text}": not regions.some_run_stays(start, lambda state: not one.holds(state)),
        f"{one.text} --> {other.text}": not regions.some_run_stays(causes, lambda state: not other.holds(state)),
    }


@settings(max_examples=4, deadline=None)
@given(questions())
def test_queries(question: tuple[Automaton, Predicate, Predicate]) -> None:
    automaton, one, other = question
    model = load(Source("random.xta", automaton.text))
    for query, expected in _expected(automaton, one, other).items():
        assert _holds(model, query) == expected, (query, automaton.text)


@settings(max_examples=100 * CAMPAIGN, deadline=None)
@given(questions())
def test_queries_by_the_interpreter(question: tuple[Automaton, Predicate, Predicate]) -> None:
    automaton, one, other = question
    model = load(Source("random.xta", automaton.text))
    for text, expected in _expected(automaton, one, other).items():
        query = next(each for each in model.with_query(text).system.queries if each.text == text)
        found = Explored(query).found
        exists = query.kind in ("possibly", "possibly always")
        assert (found if exists else not found) == expected, text


class Explored:
    """The zone graph of a query, explored by the interpreter; whether what the query looks for is in it."""

    def __init__(self, query: Query) -> None:
        system = query.system()
        self.after: dict[Vector, list[Vector]] = {}
        waiting = list(system.initial)
        while waiting:
            state = waiting.pop()
            if state not in self.after:
                self.after[state] = [step.state for step in successors(system, state) if step.state is not None]
                waiting += self.after[state]
        first, *rest = [
            {state for state in self.after if evaluate(system, state, proposition.expression)}
            for proposition in query.propositions()
        ]
        if query.kind in ("always", "possibly"):
            self.found = len(first) < len(self.after)
        elif query.kind == "leads to":
            self.found = self._stays(first, self.after.keys() - rest[0])
        else:
            self.found = self._stays(set(system.initial), self.after.keys() - first)

    def _stays(self, starts: set[Vector], where: set[Vector]) -> bool:
        """Whether an infinite run begins in one of these states, and stays where it should."""
        left = set(where)
        while True:
            # A run that ends in a state repeats it, but here a state from which nothing is possible has a step.
            ends = {state for state in left if not any(after in left for after in self.after[state])}
            if not ends:
                return bool(starts & left)
            left -= ends
