"""Several violations of one property: other ends, none beyond another, each replayed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema
import pytest

from ouroboros.checking import check
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import Model, load, load_text
from ouroboros.report.json import report_data
from ouroboros.source import Source
from ouroboros.system.interpret import evaluate
from ouroboros.verdict.report import Report
from tests.cli.test_verdicts import SCHEMA

EXAMPLES = Path(__file__).parents[2] / "examples"

GRID = """
int x = 0, y = 0;
process P { state s; init s; trans s -> s { guard x < 6; effect x = x + 1; }; }
process Q { state s; init s; trans s -> s { guard y < 6; effect y = y + 1; }; }
system async;
"""
"""Every way from (0, 0) to (6, 6), which is a deadlock."""

STEPS = """
byte x, y;
active proctype P() { do :: x < 6 -> x++ od }
active proctype Q() { do :: y < 6 -> y++ :: y == 3 -> assert(x < 4) :: x == 2 -> assert(y != 5) od }
"""
"""One assertion fails in many states before the other fails in any."""


def grid() -> Model:
    return load_text(Source("grid.dve", GRID))


def told(report: Report) -> Report:
    data = report_data(report)
    jsonschema.validate(data, SCHEMA)
    for answer, each in zip(report.answers, data["properties"], strict=True):
        assert len(each.get("further", [])) == len(answer.further)
    return report


def ends(report: Report) -> list[tuple[int, ...]]:
    """The values of x and y where each violation of a property ends."""
    found = []
    for trace in report.answers[-1].traces:
        *_, last = trace.states
        x, y = (item for item in trace.system.layout.fields if item.name in "xy")
        found.append((trace.system.layout.read(last, x), trace.system.layout.read(last, y)))
    return found


@pytest.mark.parametrize("store", ["full", "tree", "collapse"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("reductions", [(), None], ids=["whole", "reduced"])
def test_the_first_of_each_chain_of_states_that_are_wrong(store: str, workers: int, reductions: Any) -> None:
    options: dict[str, Any] = {} if reductions is None else {"reductions": reductions}
    report = told(check(grid(), invariants=["x + y < 9"], violations=10, store=store, team=Team(workers), **options))
    # Beyond them there are six more states, which no run comes to without one of these.
    assert sorted(ends(report)) == [(3, 6), (4, 5), (5, 4), (6, 3)]
    assert {len(trace.steps) for trace in report.answers[-1].traces} == {9}
    assert (report.verdict, report.verdict.exit_code) == ("violated", 1)


def test_no_more_than_asked() -> None:
    report = told(check(grid(), invariants=["x + y < 9", "x < 6"], violations=3))
    by_name = {answer.property: answer for answer in report.answers}
    assert len(by_name["x + y < 9"].traces) == 3
    # One for each y, but those beyond (6, 0) come through it, or through a state of their own.
    assert 1 <= len(by_name["x < 6"].traces) <= 3
    assert by_name["assertions"].verdict == "holds"
    assert check(grid(), invariants=["x + y < 9"]).answers[-1].further == ()


@pytest.mark.parametrize("invariant", ["x * y < 7", "x != 3 or y > 2", "x - y < 2 and y - x < 2", "x + y != 4"])
def test_no_run_comes_through_another_end(invariant: str) -> None:
    report = told(check(grid(), invariants=[invariant], violations=100, reductions=()))
    traces = report.answers[-1].traces
    assert len(set(ends(report))) == len(traces) >= 1
    for trace in traces:
        predicate = trace.violation.proposition
        assert predicate
        *before, last = [evaluate(trace.system, state, predicate.expression) for state in trace.states]
        assert all(before)
        assert not last
    lengths = [len(trace.steps) for trace in traces]
    assert lengths == sorted(lengths)


@pytest.mark.parametrize("workers", [1, 2])
def test_steps_that_fail_otherwise_come_first(workers: int) -> None:
    report = told(check(load_text(Source("steps.pml", STEPS)), violations=2, team=Team(workers)))
    (assertions,) = [answer for answer in report.answers if answer.property == "assertions"]
    told_of = {trace.violation.message for trace in assertions.traces}
    assert told_of == {"assertion violated: x < 4", "assertion violated: y != 5"}


def test_several_deadlocks() -> None:
    text = GRID.replace("x < 6", "x < 6 and x + y != 3").replace("y < 6", "y < 6 and x + y != 3")
    report = told(check(load_text(Source("dead.dve", text)), properties=["deadlock"], violations=9))
    assert sorted(ends(report)) == [(0, 3), (1, 2), (2, 1), (3, 0)]


def test_formulas_have_one_and_say_so() -> None:
    report = told(check(grid(), ltl=["[] (x < 3)"], violations=4))
    (answer,) = [each for each in report.answers if each.property == "[] (x < 3)"]
    assert answer.further == ()
    assert "only properties of states have several" in answer.warnings[-1]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"first": True}, "--first ends the search at one violation"),
        ({"store": "compact"}, "needs a store that keeps them"),
        ({"store": "bitstate"}, "needs a store that keeps them"),
    ],
)
def test_what_does_not_go_together(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        check(grid(), invariants=["x < 3"], violations=2, **options)


@pytest.mark.parametrize("inclusion", [None, True, False])
def test_of_timed_automata(inclusion: bool | None) -> None:
    model = load(EXAMPLES / "uppaal" / "fischer.xml")
    options: dict[str, Any] = {} if inclusion is None else {"inclusion": inclusion}
    report = told(check(model, invariants=["P(1).critical + P(2).critical < 1"], violations=3, **options))
    assert [len(trace.steps) for trace in report.answers[-1].traces] == [3, 3, 5]
