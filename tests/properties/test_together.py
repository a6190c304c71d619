"""Several properties of different kinds in one run: each gets the answer that it gets alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import ouroboros
from ouroboros.checking import check
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import load, uppaal
from ouroboros.properties.states import ENDED_EARLY, GOES_WRONG
from ouroboros.source import Source
from ouroboros.system.expressions import TRUE
from ouroboros.system.model import Probe, Proposition
from ouroboros.verdict.report import Report

from ..cli.helpers import ouro
from ..trace.handmade import HandmadeModel, counter

EXAMPLES = Path(__file__).parents[2] / "examples"

MURPHI = """
type id: scalarset(3);
var n: 0..4; at: array[id] of boolean;
startstate begin n := 0; for i: id do at[i] := false end end;
ruleset i: id do rule "in" !at[i] ==> begin at[i] := true; n := n + 1 end; end;
ruleset i: id do rule "out" at[i] ==> begin at[i] := false; n := n - 1 end; end;
liveness "empty" n = 0;
liveness "never" n = 4;
cover "full" n = 3;
cover "more" n > 3;
invariant "small" n <= 3
"""
QUESTIONS: dict[str, list[str]] = {
    "properties": ["deadlock"],
    "invariants": ["n < 4", "n <= 3"],
    "ltl": ["G F n = 0", "G (n = 3 -> F n = 2)", "F n >= 1"],
    "responses": ["n = 3 ~> n = 2", "n = 0 ~> n = 1"],
}


def verdicts(report: Report) -> dict[str, str]:
    return {answer.property: answer.verdict.value for answer in report.answers}


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("together") / "crowd.m"
    path.write_text(MURPHI)
    return path


@pytest.fixture(scope="module")
def alone(crowd: Path) -> dict[str, str]:
    """The answer to each question in a run of its own."""
    found: dict[str, str] = {}
    for option, texts in QUESTIONS.items():
        for text in texts:
            found |= verdicts(check(load(crowd), **{option: [text]}))
    return found


def test_what_is_asked_alone_has_both_answers(alone: dict[str, str]) -> None:
    assert alone == {
        "assertions": "holds",
        "deadlock": "holds",
        "small": "holds",
        "n < 4": "holds",
        "n <= 3": "holds",
        "liveness empty": "holds",
        "liveness never": "violated",
        "cover full": "holds",
        "cover more": "violated",
        "G F n = 0": "violated",
        "G (n = 3 -> F n = 2)": "holds",
        "F n >= 1": "holds",
        "n = 3 ~> n = 2": "violated",
        "n = 0 ~> n = 1": "violated",
    }


@pytest.mark.parametrize("store", ["full", "tree"])
@pytest.mark.parametrize("workers", [1, 2])
def test_together_as_alone(crowd: Path, alone: dict[str, str], workers: int, store: str) -> None:
    assert verdicts(check(load(crowd), **QUESTIONS, team=Team(workers), store=store)) == alone


def test_fairness_is_for_those_that_speak_of_runs(crowd: Path, alone: dict[str, str]) -> None:
    fair = {"n = 3 ~> n = 2": "holds", "n = 0 ~> n = 1": "holds"}
    asked = {**QUESTIONS, "fairness": "weak"}
    assert verdicts(check(load(crowd), **asked)) == {**alone, **fair}


def test_the_order_of_questions_makes_no_difference(crowd: Path, alone: dict[str, str]) -> None:
    """What the formulas say goes into one certificate, checkpoint and report in the same order as it is asked again."""
    for order in permutations(QUESTIONS["ltl"]):
        report = check(load(crowd), ltl=list(order))
        assert [answer.property for answer in report.answers] == list(order)
        assert verdicts(report).items() <= alone.items()


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1)])
def test_a_checkpoint_goes_on_with_all_of_them(
    crowd: Path, alone: dict[str, str], before: int, after: int, tmp_path: Path
) -> None:
    options = [word for option, texts in QUESTIONS.items() for text in texts for word in (f"--{_FLAG[option]}", text)]
    saved = tmp_path / "saved"
    ran = ouro("check", crowd, *options, "--checkpoint", saved, "--workers", before, "--states", 3)
    assert ran.code == 3, ran
    ran = ouro("resume", saved, "--workers", after, "--json", "-")
    assert {each["name"]: each["verdict"] for each in ran.data["properties"]} == alone


_FLAG = {"properties": "property", "invariants": "invariant", "ltl": "ltl", "responses": "response"}


def test_one_certificate_shows_all_that_it_can(tmp_path: Path) -> None:
    model, file = tmp_path / "turns.pml", tmp_path / "turns.cert"
    model.write_text("byte x;\nactive proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }\n")
    asked = ("--invariant", "x < 4", "--ltl", "[]<> (x == 1)", "--ltl", "<> (x == 2)", "--property", "end-states")
    assert ouro("check", model, *asked, "--certificate", file, "--workers", 2).code == 0
    ran = ouro("verify-certificate", model, file)
    assert ran.code == 0, ran
    for shown in ("assertions, end-states, x < 4: 8 states", "[]<> (x == 1): 14 states", "<> (x == 2): 5 states"):
        assert shown in ran.out


def test_what_is_asked_for_by_name_is_answered(tmp_path: Path) -> None:
    """Also where nothing in the model can go wrong, and other properties are searched for."""
    path = tmp_path / "free.pml"
    path.write_text("bool x;\nactive proctype P() { do :: x = !x od }\n")
    assert verdicts(check(load(path), properties=["assertions"], ltl=["[]<> x"])) == {
        "assertions": "holds",
        "[]<> x": "holds",
    }
    assert verdicts(check(load(path), ltl=["[]<> x"])) == {"[]<> x": "holds"}


def _with(model: HandmadeModel, **more: Any) -> HandmadeModel:
    return replace(model, system=replace(model.system, **more))


def test_where_the_model_goes_wrong_nothing_is_left_without_an_answer() -> None:
    model = _with(
        counter(5, bound=2),
        attainable=(Proposition("any", TRUE),),
        probes=(Probe("there", lambda: model.system),),
    )
    report = check(model)
    assert [(answer.property, answer.verdict.value, answer.reason) for answer in report.answers] == [
        ("assertions", "violated", "`turn stays small` is false"),
        ("deadlock", "violated", "no step is possible"),
        ("liveness any", "unknown", GOES_WRONG),
        ("cover there", "unknown", GOES_WRONG),
    ]


def test_another_failure_is_not_the_place_that_was_looked_for() -> None:
    """The search of the states has not come to it, and that of the place has."""
    model = _with(counter(3, loop=True), probes=(Probe("there", lambda: counter(3, slots=1).system),))
    answer = check(model, properties=["assertions"], limits=Limits(states=10**6)).answers[-1]
    assert (answer.property, answer.verdict.value, answer.reason) == ("cover there", "unknown", ENDED_EARLY)


def test_what_was_seen_is_certain_in_any_store(crowd: Path) -> None:
    """A predicate that was true somewhere is covered, whatever states were missed; that none was true is not known."""
    text = crowd.read_text().replace("liveness", "-- liveness")
    model = crowd.with_name("covers.m")
    model.write_text(text)
    report = check(load(model), properties=["assertions"], store="bitstate")
    assert verdicts(report) == {
        "assertions": "unknown",
        "small": "unknown",
        "cover full": "holds",
        "cover more": "unknown",
    }


CLOCKS = """
clock x;
process P() {
  state a { x <= 2 }, b;
  init a;
  trans a -> b { guard x >= 1; };
}
system P;
"""


def test_a_witness_is_certain_in_any_store() -> None:
    model = uppaal.load(Source("model.xta", CLOCKS))
    queries = ["E<> P.b", "E<> P.a and x > 2"]
    for query in queries:
        model = model.with_query(query)
    assert verdicts(check(model, properties=queries, store="bitstate")) == {
        "E<> P.b": "holds",
        "E<> P.a and x > 2": "unknown",
    }


def test_fairness_says_nothing_of_queries() -> None:
    model = uppaal.load(Source("model.xta", CLOCKS)).with_query("A<> P.b").with_query("E<> P.b")
    for means in ({"fairness": "weak"}, {"stutter": True}):
        with pytest.raises(UsageError, match="queries that a model brings along"):
            check(model, properties=["A<> P.b", "E<> P.b"], **means)
    with pytest.raises(UsageError, match="no property was asked for that speaks of them"):
        check(model, properties=["E<> P.b"], fairness="weak")


def test_a_text_alone_is_no_list(crowd: Path) -> None:
    """Else each of its letters would be a question."""
    with pytest.raises(TypeError, match=r"ltl is a list, also of one: ltl=\['F n = 1'\]"):
        check(load(crowd), ltl="F n = 1")


@pytest.mark.parametrize("example", ["dve/spin_lock.dve", "dve/jugs.dve", "promela/peterson.pml", "uppaal/lamp.xta"])
def test_what_a_model_asks_for_itself_is_what_is_answered(example: str) -> None:
    model = ouroboros.load(EXAMPLES / example)
    answered = set(model.check().answers)
    assert answered <= set(model.asked) <= {*answered, "assertions"}
