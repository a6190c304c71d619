"""Runs with times: rational delays that keep every guard and every invariant, by exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import pytest
from hypothesis import given, settings, strategies

from ouroboros.checking import check
from ouroboros.languages.uppaal import load
from ouroboros.source import Source
from ouroboros.verdict.trace import Trace
from tests.languages.uppaal.regions import BETWEEN, Automaton, Constraint, Predicate, automata, predicates


class Valuation(NamedTuple):
    values: tuple[Fraction, ...]

    def holds(self, constraint: Constraint) -> bool:
        value = self.values[0] - self.values[1] if constraint.clock == BETWEEN else self.values[constraint.clock]
        bound = constraint.bound
        return {
            "<": value < bound,
            "<=": value <= bound,
            ">": value > bound,
            ">=": value >= bound,
            "==": value == bound,
            "!=": value != bound,
        }[constraint.operator]

    def later(self, delay: Fraction) -> Valuation:
        return Valuation(tuple(value + delay for value in self.values))

    def reset(self, resets: tuple[tuple[int, int], ...]) -> Valuation:
        values = list(self.values)
        for clock, value in resets:
            values[clock] = Fraction(value)
        return Valuation(tuple(values))


class Place(NamedTuple):
    """As a state of the region graph, with numbers in place of a region."""

    location: int
    region: Valuation


def places_at_the_end(automaton: Automaton, trace: Trace) -> set[Place]:
    """Where the run may be at its last moment, if all of its steps are made when it says."""
    locations = [trace.system.layout.read(state, trace.system.layout.fields[0]) for state in trace.states]
    places, now = {Place(0, Valuation((Fraction(0),) * automaton.clocks))}, Fraction(0)
    for target, moment in zip([*locations[1:], None], trace.moments, strict=False):
        assert moment >= now
        waited = {Place(at, valuation.later(moment - now)) for at, valuation in places}
        now = moment
        places = {place for place in waited if all(map(place.region.holds, automaton.invariants[place.location]))}
        if target is None:
            return places
        places = {
            Place(target, after)
            for at, valuation in places
            for edge in automaton.edges
            if (edge.source, edge.target) == (at, target) and all(map(valuation.holds, edge.guard))
            for after in [valuation.reset(edge.resets)]
            if all(map(after.holds, automaton.invariants[target]))
        }
    return places


@settings(max_examples=40, deadline=None)
@given(automata().flatmap(lambda automaton: strategies.tuples(strategies.just(automaton), predicates(automaton))))
def test_counterexamples_can_be_run(question: tuple[Automaton, Predicate]) -> None:
    automaton, predicate = question
    query = f"A[] {predicate.text}"
    model = load(Source("random.xta", automaton.text)).with_query(query)
    answer = next(each for each in check(model, properties=[query]).answers if each.property == query)
    if answer.trace:
        ends = places_at_the_end(automaton, answer.trace)
        assert any(not predicate.holds(place) for place in ends)  # type: ignore[arg-type]  # a place of the oracle


_ROUND = "clock x, y; process P() {{ state s {{ {0} }}, t {{ {0} }}; init s; trans {1}; }} system P;"


@pytest.mark.parametrize(
    ("limit", "steps", "zeno"),
    [
        # Nothing sets x, and it must stay below 2.
        ("x <= 2", "s -> s { }", True),
        ("x < 2", "s -> t { }, t -> s { assign y = 0; }", True),
        # Time may pass before each step.
        ("x <= 2", "s -> s { assign x = 0; }", False),
        ("x <= 2", "s -> t { }, t -> s { assign x = 0; }", False),
        # It may not, for x is zero all the time.
        ("x <= 0", "s -> t { }, t -> s { assign x = 0; }", True),
        ("x <= 1 && y <= 1", "s -> s { assign x = 0; }", True),
        ("x <= 1 && y <= 1", "s -> s { assign x = 0, y = 0; }", False),
        ("x <= 1 && y <= 1", "s -> t { assign x = 0; }, t -> s { assign y = 0; }", False),
    ],
)
def test_a_zeno_run_is_told_as_such(limit: str, steps: str, zeno: bool) -> None:
    model = load(Source("model.xta", _ROUND.format(limit, steps))).with_query("A<> x > 2")
    (answer,) = [each for each in check(model, properties=["A<> x > 2"]).answers if each.property == "A<> x > 2"]
    assert answer.trace is not None
    assert answer.trace.zeno == zeno
    assert any("Zeno" in warning for warning in answer.warnings) == zeno


def test_moments_are_rational() -> None:
    model = load(
        Source(
            "model.xta",
            "clock x, y; process P() { state s { x <= 2 }, t { y <= 3 }, u; init s;"
            " trans s -> t { guard x > 1; assign x = 0; }, t -> u { guard x > 1 && y < 3; }; } system P;",
        )
    ).with_query("A[] P.u imply y < 20")
    report = check(model, properties=["A[] P.u imply y < 20"])
    assert report.trace is not None
    first, second, end = report.trace.moments
    assert 1 < first <= 2
    assert second - first > 1
    assert second < 3
    assert end == 20
