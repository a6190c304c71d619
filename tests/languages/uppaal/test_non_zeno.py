"""Runs on which time goes on without end, and those on which it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies

from ouroboros.checking import check
from ouroboros.errors import InputError, UsageError
from ouroboros.languages.uppaal import load
from ouroboros.source import Source
from ouroboros.system.interpret import evaluate, successors
from ouroboros.system.layout import Vector
from ouroboros.system.model import Query
from tests.languages.uppaal.regions import Automaton, Predicate, Regions, State, automata, predicates

UNIT = 1
MODEL = "clock x; process P() {{ state {states}; init s; trans {edges}; }} system P;"


def _verdicts(states: str, edges: str, query: str) -> list[str]:
    """Of all runs, and of those on which time goes on."""
    model = load(Source("model.xta", MODEL.format(states=states, edges=edges))).with_query(query)
    return [str(check(model, properties=[query], non_zeno=each).verdict) for each in (False, True)]


@pytest.mark.parametrize(
    ("states", "edges", "query", "verdicts"),
    [
        # Again and again, but x is never set: one has to leave.
        ("s { x <= 1 }, t", "s -> s { guard x < 1; }, s -> t { }", "A<> P.t", ["violated", "holds"]),
        ("s { x <= 1 }, t", "s -> s { guard x < 1; }, s -> t { }", "E[] P.s", ["holds", "violated"]),
        # With x set, time goes on by less than one each time, or not at all.
        ("s { x <= 1 }, t", "s -> s { assign x = 0; }, s -> t { }", "A<> P.t", ["violated", "violated"]),
        # x is set, but never passes zero.
        ("s { x <= 0 }, t", "s -> s { assign x = 0; }, s -> t { }", "A<> P.t", ["violated", "holds"]),
        # Waiting for ever counts.
        ("s, t", "s -> t { guard x >= 1; }", "A<> P.t", ["violated", "violated"]),
        # A timelock does not.
        ("s { x <= 2 }, t, u { x <= 3 }", "s -> t { }, s -> u { guard x >= 1; }", "A<> P.t", ["violated", "holds"]),
        ("s { x <= 2 }, t", "s -> t { guard x >= 3; }", "A<> P.t", ["violated", "holds"]),
        ("s { x <= 2 }, t", "s -> t { guard x >= 3; }", "E[] P.s", ["holds", "violated"]),
        # After t one comes back to s only where time passes.
        ("s, t { x <= 1 }", "s -> t { assign x = 0; }, t -> t { guard x < 1; }, t -> s { }", "P.t --> P.s",
         ["violated", "holds"]),
        # What clocks say counts as well.
        ("s { x <= 5 }, t", "s -> s { guard x < 5; }, s -> t { guard x < 4; }", "A<> P.t and x < 4",
         ["violated", "holds"]),
        ("s { x <= 5 }, t", "s -> s { guard x < 5; }, s -> t { guard x < 4; }", "A<> P.t and x < 3",
         ["violated", "violated"]),
    ],
)  # fmt: skip
def test_which_runs_count(states: str, edges: str, query: str, verdicts: list[str]) -> None:
    assert _verdicts(states, edges, query) == verdicts


def test_a_violation_is_a_run_with_times() -> None:
    text = MODEL.format(states="s { x <= 1 }, t", edges="s -> s { guard x >= 1; assign x = 0; }, s -> t { }")
    report = check(load(Source("model.xta", text)).with_query("A<> P.t"), properties=["A<> P.t"], non_zeno=True)
    assert report.trace
    assert not report.trace.zeno
    assert report.trace.moments[-1] > 0


@pytest.mark.parametrize(
    "question",
    [{"ltl": ["<> P.t"]}, {"responses": ["P.s ~> P.t"]}, {"invariants": ["P.s"]}, {"properties": ["A[] P.s"]}],
)
def test_other_questions_are_refused(question: dict[str, Any]) -> None:
    model = load(Source("model.xta", MODEL.format(states="s, t", edges="s -> t { guard x >= 1; }")))
    with pytest.raises(UsageError, match="--non-zeno says which runs count"):
        check(model.with_query("A[] P.s"), non_zeno=True, **question)


def test_deadlocks_are_refused() -> None:
    model = load(Source("model.xta", MODEL.format(states="s, t", edges="s -> t { guard x >= 1; }")))
    with pytest.raises(InputError, match="not told apart by --non-zeno"):
        check(model.with_query("A<> deadlock"), properties=["A<> deadlock"], non_zeno=True)


class _Ticking(Regions):
    """The region graph with one more clock, of which it is asked whether time goes on."""

    def __init__(self, automaton: Automaton) -> None:
        super().__init__(automaton._replace(clocks=automaton.clocks + 1))
        self._clock = automaton.clocks

    def ticks(self, state: State) -> list[State]:
        if state.region.value(self._clock) < 2 * UNIT:
            return []
        return [State(state.location, state.region.reset(((self._clock, 0),)))]

    def successors(self, state: State) -> list[State]:
        return [*super().successors(state), *self.ticks(state)]

    def some_run_stays(self, starts: set[State], stays: Callable[[State], bool]) -> bool:
        left = self.reachable_within({each for each in starts if stays(each)}, set(filter(stays, self.reachable())))
        while True:
            before = {state: set(self.successors(state)) & left for state in left}
            lasting = {state for state in left if left.intersection(self.ticks(state))}
            while more := {state for state in left - lasting if before[state] & lasting}:
                lasting |= more
            if lasting == left:
                return bool(left)
            left = lasting


@settings(max_examples=40, deadline=None)
@given(automata().flatmap(lambda one: strategies.tuples(strategies.just(one), predicates(one), predicates(one))))
def test_random_automata(question: tuple[Automaton, Predicate, Predicate]) -> None:
    automaton, one, other = question
    regions = _Ticking(automaton)
    causes = {state for state in regions.reachable() if one.holds(state)}
    start = {regions.initial}
    model = load(Source("random.xta", automaton.text))
    for text, expected in {
        f"E[] {one.text}": regions.some_run_stays(start, one.holds),
        f"A<> {one.text}": not regions.some_run_stays(start, lambda state: not one.holds(state)),
        f"{one.text} --> {other.text}": not regions.some_run_stays(causes, lambda state: not other.holds(state)),
    }.items():
        query = next(each for each in model.with_query(text).system.queries if each.text == text)
        assert query.diverging
        found = _found(query.diverging())
        assert (found if query.kind == "possibly always" else not found) == expected, (text, automaton.text)


def _found(query: Query) -> bool:
    """Whether what the query looks for is in its zone graph, by the interpreter."""
    system = query.system()
    after: dict[Vector, list[Vector]] = {}
    waiting = list(system.initial)
    while waiting:
        state = waiting.pop()
        if state not in after:
            after[state] = [step.state for step in successors(system, state) if step.state is not None]
            waiting += after[state]
    first, *rest, ticks = [
        {state for state in after if evaluate(system, state, each.expression)} for each in query.propositions()
    ]
    starts = first if rest else set(system.initial)
    left = after.keys() - (rest[0] if rest else first)
    found, waiting = set[Vector](), [state for state in starts if state in left]
    while waiting:
        state = waiting.pop()
        if state not in found:
            found.add(state)
            waiting += [each for each in after[state] if each in left]
    left = found
    while True:
        lasting = {state for state in left if any(each in ticks and each in left for each in after[state])}
        while more := {state for state in left - lasting if lasting.intersection(after[state])}:
            lasting |= more
        if lasting == left:
            return bool(left)
        left = lasting
