"""From a question to a report, on systems that no front end made."""

from __future__ import annotations

from typing import Any

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import InputError, SelfCheckError, UsageError
from ouroboros.graph.product import ProductGraph
from ouroboros.verdict.outcome import Finding, Outcome, Statistics
from ouroboros.verdict.report import Verdict
from ouroboros.verdict.trace import Violation

from ..trace.handmade import counter


def test_without_a_choice_deadlocks_are_looked_for() -> None:
    report = check(counter(3))
    assert [(answer.property, answer.verdict, answer.reason) for answer in report.answers] == [
        ("assertions", Verdict.HOLDS, None),
        ("deadlock", Verdict.VIOLATED, "no step is possible"),
    ]
    assert report.trace is not None
    assert len(report.trace.steps) == 3


def test_what_holds_is_counted_in_full() -> None:
    report = check(counter(3, loop=True), reductions=())
    assert report.verdict is Verdict.HOLDS
    assert report.complete
    # 0 to 3 while the slots are being set, then 0 to 2 with all of them set; the next state is known.
    assert (report.statistics.states, report.statistics.transitions) == (7, 7)
    assert explore(counter(3, loop=True)).statistics.states == 7
    # Which slots are set nobody reads.
    assert check(counter(3, loop=True), reductions=("unread variables",)).statistics.states == 4


@pytest.mark.parametrize("workers", [1, 2])
def test_assertions_come_with_any_choice(workers: int) -> None:
    report = check(counter(5, bound=2), invariants=["B == 0"], properties=["deadlock"], team=Team(workers))
    # The invariant fails after one step, the assertion after two.
    assert report.property_name == "B == 0"
    report = check(counter(5, bound=2), properties=["deadlock"], team=Team(workers))
    assert (report.property_name, report.reason) == ("assertions", "`turn stays small` is false")


def test_a_failing_action_violates_the_assertions() -> None:
    report = check(counter(3, slots=1), properties=["assertions"])
    assert report.property_name == "assertions"
    assert report.reason == "index out of range: slot has too few elements"


def test_an_automaton_of_the_model_gets_its_own_search() -> None:
    # It accepts every run without end.
    report = check(counter(3, automaton=True, loop=True))
    assert [(answer.property, answer.verdict) for answer in report.answers] == [
        ("assertions", Verdict.HOLDS),
        ("progress", Verdict.VIOLATED),
    ]
    assert len(report.searches) == 2
    assert report.trace is not None
    # A run without end has been found, and its beginning decides: it is in a state that accepts whatever follows.
    assert report.trace.violation == Violation("prefix", "false in the initial state, whatever follows")
    assert (report.trace.steps, report.trace.loop_start) == ((), None)
    # Without a loop there is no such run.
    report = check(counter(3, automaton=True))
    assert report.verdict is Verdict.HOLDS
    assert [search.statistics.states for search in report.searches] == [4, 4]


def test_a_run_that_ends_may_count_as_one_that_stays() -> None:
    assert check(counter(3), ltl=["[]<> {turn == 0}"]).verdict is Verdict.HOLDS
    report = check(counter(3, extends=True), ltl=["[]<> {turn == 0}"])
    assert report.verdict is Verdict.VIOLATED
    assert report.trace is not None
    assert report.trace.steps[-1].repeats


def test_a_lasso_that_does_not_replay_is_never_a_violation(monkeypatch: pytest.MonkeyPatch) -> None:
    def mistaken(graph: ProductGraph, *_: Any) -> Outcome:
        initial = graph.initial[0]
        return Outcome(Statistics(), Finding("cycle", [initial], [initial]))

    monkeypatch.setattr("ouroboros.search.accepting.accepting_cycle", mistaken)
    with pytest.raises(SelfCheckError):
        check(counter(3, loop=True), ltl=["[]<> {turn == 0}"])


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="assertions, deadlock, progress"):
        check(counter(3, automaton=True), properties=["nothing"])
    with pytest.raises(InputError, match="unknown name"):
        check(counter(3), invariants=["nothing == 1"])


def test_the_engine_waits_until_the_question_is_accepted() -> None:
    called: list[str] = []
    with pytest.raises(UsageError):
        check(counter(3), properties=["nothing"], before_search=called.append)
    assert not called
    check(counter(3), before_search=called.append)
    assert called == ["states"]
