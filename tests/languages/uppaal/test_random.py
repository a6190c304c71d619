"""Zones against regions: both say the same of random timed automata; and interpreter and machine code agree."""

from __future__ import annotations

from hypothesis import given, settings

from ouroboros.checking import check, explore
from ouroboros.languages.uppaal import UppaalModel, load
from ouroboros.source import Source
from ouroboros.system.interpret import successors
from ouroboros.system.layout import Vector
from tests.languages.uppaal.regions import Automaton, Regions, automata


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
def test_machine_code_and_queries(automaton: Automaton) -> None:
    model = load(Source("random.xta", automaton.text))
    regions = Regions(automaton)
    for each in (model, model.with_equal_bounds()):
        states, steps = _states(each)
        statistics = explore(each).statistics
        assert (statistics.states, statistics.transitions) == (len(states), steps)
    assert _holds(model, "A[] not deadlock") == (not any(map(regions.stuck, regions.reachable())))
    last = automaton.locations - 1
    assert _holds(model, f"A<> P.s{last}") == (not regions.avoidable(last))
    reached = any(state.location == last for state in regions.reachable())
    assert _holds(model, f"E<> P.s{last}") == reached
