"""`sup`, `inf` and `bounds`; runs that show what holds; timelocks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import validate

from ouroboros.checking import check
from ouroboros.languages.uppaal import load
from ouroboros.properties.extremes import last_that_holds
from ouroboros.report.json import report_data
from ouroboros.source import Source
from ouroboros.verdict.report import Answer

_MODEL = (
    "int v = 3; clock x, y; process P() { state s { x <= 2 }, t { y < 7 }, u; init s;"
    " trans s -> s { guard x >= 1 && v < 40; assign x = 0, v = v + 1; }, s -> t { guard v == 9; assign y = 0; },"
    " t -> u { guard y > 4; assign v = -5; }; } system P;"
)


def _answer(query: str, text: str = _MODEL) -> Answer:
    model = load(Source("model.xta", text)).with_query(query)
    return next(each for each in check(model, properties=[query]).answers if each.property == query)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("sup: v", "the largest value of v is 40"),
        ("inf: v", "the smallest value of v is -5"),
        ("sup{P.s}: v - 1", "the largest value of v - 1 is 39"),
        ("inf{P.s}: v", "the smallest value of v is 3"),
        ("sup{P.s}: x", "the largest value of x is 2"),
        ("sup{P.t}: y", "the largest value of y is less than 7"),
        ("inf{P.u && v < 0}: y", "the smallest value of y is more than 4"),
        ("inf{P.s}: y", "the smallest value of y is 0"),
    ],
)
def test_extreme_values(query: str, told: str) -> None:
    answer = _answer(query)
    assert (str(answer.verdict), answer.reason) == ("holds", told)


def test_what_has_no_bound_is_told() -> None:
    assert "larger ones are not looked for" in str(_answer("sup{P.u}: x").reason)


def test_what_has_no_value_has_no_extreme() -> None:
    answer = _answer("sup{v == 2}: v")
    assert str(answer.verdict) == "violated"
    assert "no run comes to such a state" in str(answer.reason)


def test_each_measured_expression_has_an_answer() -> None:
    model = load(Source("model.xta", _MODEL)).with_query("bounds{P.t}: v, y")
    names = [query.name for query in model.system.queries if query.measure]
    assert names == [
        "bounds{P.t}: v, y, smallest v",
        "bounds{P.t}: v, y, largest v",
        "bounds{P.t}: v, y, smallest y",
        "bounds{P.t}: v, y, largest y",
    ]
    reasons = [answer.reason for answer in check(model, properties=names).answers if answer.property in names]
    assert reasons == [
        "the smallest value of v is 9",
        "the largest value of v is 9",
        "the smallest value of y is 0",
        "the largest value of y is less than 7",
    ]


def test_the_last_number_is_found_from_wherever_one_begins() -> None:
    for last in range(40):
        for most in (last, last + 1, last + 7, 100):
            for begin in (0, last // 2, last):
                assert (
                    last_that_holds(lambda number, last=last: number if number <= last else None, begin, most) == last
                )


def test_what_needs_one_run_has_one() -> None:
    answer = _answer("E<> P.u")
    assert str(answer.verdict) == "holds"
    assert answer.witness is not None
    assert len(answer.witness.steps) == 8
    assert answer.witness.moments[-1] > 10
    assert answer.trace is None


@pytest.mark.parametrize(
    ("state", "timelock"), [("s { x <= 2 }", True), ("s", False), ("s; urgent s", True), ("s { v == 0 }", False)]
)
def test_a_timelock_is_told_as_such(state: str, timelock: bool) -> None:
    answer = _answer("A[] not deadlock", f"int v; clock x; process P() {{ state {state}; init s; }} system P;")
    assert str(answer.verdict) == "violated"
    assert ("timelock" in str(answer.reason)) == timelock


def test_runs_and_times_are_in_the_report() -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs" / "report.schema.json").read_text(encoding="utf-8"))
    model = load(Source("model.xta", _MODEL)).with_query("A[] P.t imply y < 5").with_query("E<> P.u")
    data = report_data(check(model, properties=["A[] P.t imply y < 5", "E<> P.u"]))
    validate(data, schema)
    of = {answer["name"]: answer for answer in data["properties"]}
    assert len(of["E<> P.u"]["witness"]["#meta"]["times"]) == 9
    assert of["A[] P.t imply y < 5"]["trace"]["#meta"]["times"][-1] == "11"
