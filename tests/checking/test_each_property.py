"""After a violation the search goes on, until each property of states has its own answer."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checking import check
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.errors import UsageError
from ouroboros.languages import Model, load
from ouroboros.properties.asking import described_properties
from ouroboros.properties.states import ENDED_EARLY
from ouroboros.verdict.report import Report

COUNTER = """
byte x = 0, y = 0;
active proctype P() {
  do
  :: x < 10 -> x++
  :: x == 10 -> x = 0
  :: x == 7 -> assert(x != 7)
  od
}
"""

NAMED = """
var x: 0..10; y: 0..3;
startstate begin x := 0; y := 0; end;
rule "up" x < 10 ==> begin x := x + 1; end;
rule "down" x > 0 ==> begin x := x - 1; end;
invariant "small" x < 5;
ruleset i: 0..2 do invariant "low" x != 8 + i; end;
invariant "zero" y = 0;
invariant x < 11;
"""


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def verdicts(report: Report) -> dict[str, str]:
    return {answer.property: answer.verdict.value for answer in report.answers}


def lengths(report: Report) -> dict[str, int]:
    return {answer.property: len(answer.trace.steps) for answer in report.answers if answer.trace}


@pytest.fixture
def model(tmp_path: Path) -> Model:
    return load(written(tmp_path / "counter.pml", COUNTER))


@pytest.mark.parametrize("workers", [1, 2])
def test_each_invariant_has_its_own_answer_and_shortest_run(model: Model, workers: int) -> None:
    asked = ["x < 8", "x < 5", "y == 0"]
    report = check(model, invariants=asked, reductions=(), team=Team(workers))
    assert verdicts(report) == {"assertions": "violated", "x < 8": "violated", "x < 5": "violated", "y == 0": "holds"}
    assert lengths(report) == {"assertions": 16, "x < 8": 16, "x < 5": 10}
    assert report.verdict.exit_code == 1
    assert report.decisive.property == "x < 5"
    assert report.complete
    assert len(report.searches) == 1


def test_the_first_violation_ends_the_search_if_asked(model: Model) -> None:
    report = check(model, invariants=["x < 8", "x < 5"], reductions=(), first=True)
    assert verdicts(report) == {"assertions": "unknown", "x < 8": "unknown", "x < 5": "violated"}
    assert {answer.reason for answer in report.answers if answer.verdict.value == "unknown"} == {ENDED_EARLY}
    assert not report.complete


def test_a_limit_leaves_open_what_was_not_seen_to_be_wrong(model: Model) -> None:
    report = check(model, invariants=["x < 0", "y == 0"], reductions=(), limits=Limits(states=3))
    assert verdicts(report)["x < 0"] == "violated"
    assert verdicts(report)["y == 0"] == "unknown"


def test_more_properties_than_a_valuation_has_room_for(model: Model) -> None:
    asked = [f"x != {value}" for value in range(100, 0, -1)]
    report = check(model, invariants=asked, reductions=())
    found = verdicts(report)
    assert [found[f"x != {value}"] for value in (100, 99, 80)] == ["holds"] * 3
    # The last ones share a bit: the nearest of them is found, of the others nothing is known that holds.
    assert found["x != 1"] == "violated"
    assert "holds" not in {found[f"x != {value}"] for value in range(2, 11)}


def test_a_proposition_that_cannot_be_evaluated_says_nothing_of_others(tmp_path: Path) -> None:
    text = "byte x = 0; active proctype P() { x = 1; x = 0; x = 2 }"
    model = load(written(tmp_path / "model.pml", text))
    report = check(model, invariants=["4 / (x - 1) != 9", "x != 2"], reductions=())
    assert verdicts(report)["4 / (x - 1) != 9"] == "violated"
    assert verdicts(report)["x != 2"] == "unknown"


def test_named_invariants_have_rows_and_can_be_chosen(tmp_path: Path) -> None:
    model = load(written(tmp_path / "model.m", NAMED))
    assert {"small", "low", "zero"} <= set(described_properties(model.system))
    report = check(model)
    assert verdicts(report) == {
        "assertions": "holds",
        "deadlock": "holds",
        "small": "violated",
        "low": "violated",
        "zero": "holds",
    }
    assert lengths(report) == {"small": 5, "low": 8}
    assert verdicts(check(model, properties=["zero"])) == {"assertions": "holds", "zero": "holds"}
    assert verdicts(check(model, properties=["low"])) == {"assertions": "holds", "low": "violated"}


def test_named_invariants_come_along_like_assertions(tmp_path: Path) -> None:
    """Else a model would be said to hold that violates what it asserts, only because more was asked of it."""
    model = load(written(tmp_path / "model.m", NAMED))
    own = {"assertions": "holds", "small": "violated", "low": "violated", "zero": "holds"}
    assert verdicts(check(model, invariants=["y < 2"])) == {**own, "y < 2": "holds"}
    assert verdicts(check(model, properties=["deadlock"])) == {**own, "deadlock": "holds"}
    assert verdicts(check(model, properties=["zero"], invariants=["y < 2"])) == {
        "assertions": "holds",
        "zero": "holds",
        "y < 2": "holds",
    }
    assert verdicts(check(model, ltl=["[] (y < 2)"])) == {"[] (y < 2)": "holds"}


def test_names_that_several_have_are_told_apart(tmp_path: Path) -> None:
    text = """
    byte x;
    active proctype P() { do :: x < 3 -> progress: x++ :: x == 3 -> x = 0 od }
    ltl progress { []<> (x == 2) }
    """
    model = load(written(tmp_path / "model.pml", text))
    names = [answer.property for answer in check(model).answers]
    assert len(set(names)) == len(names)
    assert {"automaton progress", "ltl progress"} <= set(names)
    [answer] = check(model, properties=["ltl progress"]).answers
    assert answer.formula
    with pytest.raises(UsageError, match="choose automaton progress or ltl progress"):
        check(model, properties=["progress"])


GUARDS = ["x < 2", "y < 2", "x == y", "true", "x + y < 3", "x > 0"]
EFFECTS = ["x++", "y++", "x = 0", "y = 0", "assert(x < 2)", "assert(x != y)", "skip"]
STEPS = st.lists(st.tuples(st.sampled_from(GUARDS), st.sampled_from(EFFECTS)), min_size=1, max_size=3)


@settings(max_examples=8, deadline=None)
@given(st.lists(STEPS, min_size=2, max_size=3))
def test_reductions_change_no_answer_after_a_violation(processes: list[list[tuple[str, str]]]) -> None:
    """What is left out beside a step that fails must not be what violates another property."""
    bodies = []
    for number, steps in enumerate(processes):
        body = "; ".join(f"{guard} -> {effect}; own++" for guard, effect in steps)
        bodies.append(f"active proctype P{number}() {{ byte own; {body} }}")
    with TemporaryDirectory() as directory:
        model = load(written(Path(directory) / "model.pml", "byte x, y;\n" + "\n".join(bodies)))
    asked = ["x < 2", "y < 2", "x != y || x == 0", "x + y < 3"]
    whole = verdicts(check(model, invariants=asked, properties=["end-states"], reductions=()))
    assert verdicts(check(model, invariants=asked, properties=["end-states"])) == whole
    assert "unknown" not in whole.values()
    hashed = verdicts(check(model, invariants=asked, properties=["end-states"], store="compact"))
    assert all(hashed[name] in (verdict, "unknown") for name, verdict in whole.items())
