"""From a question to a report, on systems that no front end made."""

from __future__ import annotations

import pytest

from ouroboros.checking import AUTOMATA_NOT_CHECKED, ENDED_EARLY, check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import InputError, UsageError
from ouroboros.report.report import Verdict

from ..trace.handmade import counter


def test_without_a_choice_deadlocks_are_looked_for() -> None:
    report = check(counter(3))
    assert [(answer.property, answer.verdict, answer.reason) for answer in report.answers] == [
        ("assertions", Verdict.UNKNOWN, ENDED_EARLY),
        ("deadlock", Verdict.VIOLATED, "no step is possible"),
    ]
    assert report.trace is not None
    assert len(report.trace.steps) == 3


def test_what_holds_is_counted_in_full() -> None:
    report = check(counter(3, loop=True))
    assert report.verdict is Verdict.HOLDS
    assert report.complete
    # 0 to 3 while the slots are being set, then 0 to 2 with all of them set; the next state is known.
    assert (report.statistics.states, report.statistics.transitions) == (7, 7)
    assert explore(counter(3, loop=True)).statistics.states == 7


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


def test_an_automaton_is_not_decided_yet() -> None:
    report = check(counter(3, automaton=True))
    assert (report.verdict, report.property_name, report.reason) == ("unknown", "progress", AUTOMATA_NOT_CHECKED)
    assert check(counter(3, automaton=True), properties=["assertions"]).verdict is Verdict.HOLDS


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="assertions, deadlock, progress"):
        check(counter(3, automaton=True), properties=["nothing"])
    with pytest.raises(InputError, match="unknown name"):
        check(counter(3), invariants=["nothing == 1"])


def test_the_engine_waits_until_the_question_is_accepted() -> None:
    called: list[bool] = []
    with pytest.raises(UsageError):
        check(counter(3), properties=["nothing"], before_search=lambda: called.append(True))
    assert not called
    check(counter(3), before_search=lambda: called.append(True))
    assert called == [True]
