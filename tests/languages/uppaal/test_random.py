"""Zones against regions: both say the same of random timed automata; and interpreter and machine code agree."""

from __future__ import annotations

from hypothesis import given, settings, strategies

from ouroboros.checking import check, explore
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from ouroboros.system.layout import Vector
from tests.languages.uppaal.regions import Automaton, Predicate, Regions, automata, predicates


def _states(model: UppaalModel) -> tuple[set[Vector], int]:
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


@settings(max_examples=150, deadline=None)
@given(automata())
def test_the_same_locations_are_reachable(automaton: Automaton) -> None:
    model = load(Source("random.xta", automaton.text))
    expected = {state.location for state in Regions(automaton).reachable()}
    for each in (model, model.with_equal_bounds()):
        states, _ = _states(each)
        location = each.system.layout.fields[0]
        assert {each.system.layout.read(state, location) for state in states} == expected


@settings(max_examples=25, deadline=None)
@given(automata())
def test_machine_code_and_deadlocks(automaton: Automaton) -> None:
    model = load(Source("random.xta", automaton.text))
    regions = Regions(automaton)
    for each in (model, model.with_equal_bounds()):
        states, steps = _states(each)
        statistics = explore(each).statistics
        assert (statistics.states, statistics.transitions) == (len(states), steps)
    assert _holds(model, "A[] not deadlock") == (not any(map(regions.stuck, regions.reachable())))


@settings(max_examples=30, deadline=None)
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


@settings(max_examples=30, deadline=None)
@given(questions())
def test_queries(question: tuple[Automaton, Predicate, Predicate]) -> None:
    automaton, one, other = question
    model = load(Source("random.xta", automaton.text))
    regions = Regions(automaton)
    states = regions.reachable()
    causes = {state for state in states if one.holds(state)}
    start = {regions.initial}
    for query, expected in {
        f"E<> {one.text}": bool(causes),
        f"A[] {one.text}": causes == states,
        f"E[] {one.text}": regions.some_run_stays(start, one.holds),
        f"A<> {one.text}": not regions.some_run_stays(start, lambda state: not one.holds(state)),
        f"{one.text} --> {other.text}": not regions.some_run_stays(causes, lambda state: not other.holds(state)),
    }.items():
        assert _holds(model, query) == expected, query
