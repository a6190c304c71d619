"""Coverage: what is never executed is listed after a complete search, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.languages import load
from ouroboros.system.model import REDUCTIONS, ReductionKind
from ouroboros.verdict.report import Report

PROMELA = """
byte x;
proctype Never() { x = 3 }
active [2] proctype P() {
  do
  :: atomic { x < 3 -> x++; if :: x == 9 -> x = 0 :: else fi }
  :: x == 7 -> x = 8
  :: else -> break
  od;
  assert(x == 3);
  do :: break :: false -> skip od
}
"""
UNREACHED = [
    ("Never", 3, "x = 3", False),
    ("Never", 3, "-end-", False),
    ("P", 6, "x == 9", True),
    ("P", 6, "x = 0", False),
    ("P", 7, "x == 7", True),
    ("P", 7, "x = 8", False),
    ("P", 11, "false", True),
    ("P", 11, "skip", False),
]

DVE = """
byte x = 0;
process P {
  state a, b; init a;
  trans a -> b { guard x == 0; effect x = 1; },
        b -> a { guard x == 2; };
}
system async;
"""

MURPHI = """
type t: 1..3; var x: 0..3;
startstate x := 0; end;
ruleset i: t do rule "up" x < 3 ==> x := x + 1; end; end;
rule "back" x = 3 ==> x := 0; end;
rule "never" x > 3 ==> x := 0; end;
"""


def written(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def unreached(report: Report) -> list[tuple[str, int, str, bool]]:
    assert report.coverage.unreached is not None
    return [
        (part.process, part.span.line if part.span else 0, part.text, tried)
        for part, tried in report.coverage.unreached
    ]


@pytest.mark.parametrize("reductions", [REDUCTIONS, ()])
@pytest.mark.parametrize("workers", [1, 2])
def test_statements_of_promela_that_are_never_executed(
    tmp_path: Path, reductions: frozenset[ReductionKind], workers: int
) -> None:
    model = load(written(tmp_path / "model.pml", PROMELA))
    assert unreached(check(model, reductions=reductions, team=Team(workers))) == UNREACHED
    assert unreached(explore(model, team=Team(workers))) == UNREACHED


def test_transitions_of_dve_and_rules_of_murphi(tmp_path: Path) -> None:
    dve = check(load(written(tmp_path / "model.dve", DVE)), properties=["assertions"])
    assert [(process, line) for process, line, _, _ in unreached(dve)] == [("P", 6)]
    murphi = check(load(written(tmp_path / "model.m", MURPHI)))
    assert [text for _, _, text, _ in unreached(murphi)] == ["never"]


def test_strictly_it_is_a_failure(tmp_path: Path) -> None:
    model = load(written(tmp_path / "model.pml", PROMELA))
    report = check(model, strict=True)
    assert [(answer.property, answer.verdict.value) for answer in report.answers] == [
        ("assertions", "holds"),
        ("end-states", "holds"),
        ("coverage", "violated"),
    ]
    assert (report.reason, report.verdict.exit_code) == (
        "unreached statements: 8 of them are never executed",
        1,
    )
    covered = load(written(tmp_path / "covered.pml", "active proctype P() { skip }"))
    assert check(covered, strict=True).verdict.exit_code == 0


def test_strictly_a_search_is_made_for_it(tmp_path: Path) -> None:
    model = load(written(tmp_path / "model.pml", PROMELA))
    assert check(model, ltl=["<> (x == 3)"]).coverage.unreached is None
    report = check(model, ltl=["<> (x == 3)"], strict=True)
    assert [answer.verdict.value for answer in report.answers] == ["holds", "violated"]
    assert unreached(report) == UNREACHED


def test_nothing_is_said_after_a_search_that_was_not_complete(tmp_path: Path) -> None:
    violated = load(written(tmp_path / "model.pml", "active proctype P() { assert(false); skip }"))
    assert check(violated, first=True).coverage == (None, "the search ended before it had seen all")
    strictly = check(violated, strict=True, first=True)
    assert [answer.verdict.value for answer in strictly.answers] == ["violated", "unknown", "unknown"]
    model = load(written(tmp_path / "other.pml", PROMELA))
    assert check(model, store="compact:32").coverage == (None, "states may have been missed")
