"""Reductions leave out states and change no verdict; runs are shown as they are without them."""

from __future__ import annotations

from typing import Literal

import pytest

from ouroboros.checking import check
from ouroboros.engine.limits import Limits
from ouroboros.languages import promela
from ouroboros.source import Source
from ouroboros.system.model import REDUCTIONS, ReductionKind
from ouroboros.verdict.report import Report

NONE: frozenset[ReductionKind] = frozenset()
MERGING: frozenset[ReductionKind] = frozenset({"merging"})
DEAD: frozenset[ReductionKind] = frozenset({"dead variables"})
ORDER: frozenset[ReductionKind] = frozenset({"partial order"})

LOCAL = "byte x; active [2] proctype P() { byte i, j; x++; i = 1; j = i; i = j + 1; x = x + i }"
VALUES = """byte x;
active proctype P() {
  byte i;
  if :: i = 1 :: i = 2 :: i = 3 fi;
  x = 1 + i * 0;
  x = 2
}"""
GREETINGS = """proctype P(byte k) { k = k + 1 }
init { run P(1); run P(2); run P(3) }"""
CALLS = """chan c = [0] of { byte };
proctype P() { c!1 }
init { byte k; run P(); c?k; run P(); c?k; run P(); c?k }"""


def judged(text: str, reductions: frozenset[ReductionKind] = REDUCTIONS, **question: object) -> Report:
    return check(promela.load(Source("model.pml", text)), reductions=reductions, **question)


@pytest.mark.parametrize(
    ("text", "reductions", "states"),
    [
        # What there is without reductions, Spin counts as well.
        (LOCAL, NONE, 43),
        (LOCAL, ORDER, 13),
        # Of each process the places before x++, at the end and after death are left: additions are in accord.
        (LOCAL, MERGING, 7),
        # After x = 1 it does not matter any more which value i had.
        (VALUES, NONE, 11),
        (VALUES, DEAD, 7),
        (GREETINGS, NONE, 41),
        (CALLS, NONE, 17),
    ],
)
def test_states_that_are_left(text: str, reductions: frozenset[ReductionKind], states: int) -> None:
    report = judged(text, reductions)
    assert report.verdict.value == "holds"
    assert (report.statistics.states, frozenset(report.setting.reductions)) == (states, reductions)


FAILING = {
    "an assertion among merged statements": (
        "byte x; active proctype P() { byte i, j; x = 1; i = 1; j = i + 1; assert(j == 3); i = 0 }",
        ["x = 1", "i = 1", "j = i + 1", "assert(j == 3)"],
    ),
    "an index among merged statements": (
        "byte x; active proctype P() { byte i, a[2]; x = 1; i = 5; a[i] = 1; x = 2 }",
        ["x = 1", "i = 5", "a[i] = 1"],
    ),
    "an end where no run may end": (
        "byte x; active proctype P() { byte i; x = 1; i = 1; i = 2; x = i; false }",
        ["x = 1", "i = 1", "i = 2", "x = i"],
    ),
    "merged statements after a rendezvous": (
        "chan c = [0] of { byte }; active proctype P() { byte i; c!1; i = 1; i = 2; false }"
        " active proctype Q() { byte k, m; c?k; m = k; k = 0; assert(m == 0) }",
        ["c!1", "c?k", "m = k", "k = 0", "assert(m == 0)"],
    ),
    "merged statements after an atomic sequence": (
        "byte x; active proctype P() { byte i; atomic { x = 1; x = 2 }; i = 1; i = 2; assert(x == 1) }",
        ["x = 1", "x = 2", "i = 1", "i = 2", "assert(x == 1)"],
    ),
}


@pytest.mark.parametrize(("text", "statements"), FAILING.values(), ids=FAILING)
def test_every_statement_of_a_run_is_shown(text: str, statements: list[str]) -> None:
    for reductions in (REDUCTIONS, NONE):
        report = judged(text, reductions)
        assert report.trace
        told = [part.text for step in report.trace.steps for part in report.trace.parts(step)]
        assert set(statements) <= set(told)
        if reductions and len(statements) == len(told):
            assert told == statements


LOOP = """byte x;
active proctype P() {
  byte i, k;
  do
  :: x = 1; i = x; k = i + 1; i = 0; x = 0; k = k + 1; i = k; i = 0
  od
}
active proctype Q() { byte j; j = 1; j = 2; end: do :: x == 5 -> skip od }
"""


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize(
    ("formula", "verdict"), [("<> [] (x == 1)", "violated"), ("[] <> (x == 1)", "holds"), ("[] (x < 1)", "violated")]
)
def test_formulas(formula: str, verdict: str, algorithm: Literal["ndfs", "owcty", "map"]) -> None:
    for reductions in (REDUCTIONS, MERGING, DEAD, ORDER, NONE):
        report = judged(LOOP, reductions, ltl=[formula], algorithm=algorithm)
        assert report.verdict.value == verdict
        if report.trace and report.trace.loop_start is not None:
            told = [part.text for step in report.trace.steps for part in report.trace.parts(step)]
            assert {"x = 1", "i = x", "k = i + 1", "i = 0", "x = 0"} <= set(told)


def test_what_counts_steps_or_looks_on_switches_reductions_off() -> None:
    following = judged(LOOP, ltl=["[] (x == 1 -> X (x == 1))"])
    assert following.verdict.value == "violated"
    assert following.setting.reductions == ("dead variables",)
    assert [text for text in following.assurance if text.startswith("no merging, partial order")]
    claimed = judged(LOOP + "never { do :: x == 1 -> break :: else od; accept: do :: x == 1 od }")
    assert [text for text in claimed.assurance if "which may count steps" in text]
    fair = judged(LOOP, ltl=["[] <> (x == 1)"], fairness="weak")
    assert "no dead variables, merging, partial order under fairness" in fair.assurance


def test_a_variable_that_a_formula_reads_is_not_reset() -> None:
    text = "byte x; active proctype P() { byte i; i = 7; x = i; x = 2; end: do :: x = 2; x = 3 od }"
    assert judged(text, ltl=["<> [] (P:i == 7)"]).verdict.value == "holds"
    assert judged(text, ltl=["[] (P:i == 0)"]).verdict.value == "violated"


def test_a_label_that_a_formula_reads_is_not_merged() -> None:
    text = "byte x; active proctype P() { byte i; x = 1; i = 1; here: i = 2; x = 2 }"
    assert judged(text, ltl=["[] !P@here"]).verdict.value == "violated"


def test_a_process_whose_channel_is_still_known_does_not_go_first() -> None:
    text = """chan back = [1] of { chan }; byte x;
proctype P() { chan own = [1] of { byte }; back!own }
init { chan c; byte k; run P(); back?c; c!1; c?k; x = k }"""
    whole, reduced = judged(text, NONE), judged(text)
    assert [answer.verdict for answer in whole.answers] == [answer.verdict for answer in reduced.answers]


def test_a_d_step_that_never_ends_is_found_at_once() -> None:
    """The variable of the loop is a bit, which never comes to 3: the interpreter must not count to the limit."""
    report = judged("active proctype P() { bit l; d_step { skip; for (l : 0 .. 2) { skip } } }")
    assert (report.verdict.value, report.answers[0].property) == ("violated", "assertions")


COUNTS = """byte x; int n, last[2];
active [2] proctype P() { do :: x = 1 - x; n++; last[_pid] = n * 0 + x; assert(last[_pid] < 2) od }"""


def test_what_is_written_and_never_read_is_forgotten() -> None:
    # A counter that is only counted up: Spin finds 8 states as well, unless it is told to keep such variables.
    counting = "byte x; int n; active [2] proctype P() { do :: x = 1 - x; n++ od }"
    report = judged(counting, frozenset({"unread variables"}), safety=True, invariants=["x < 2"])
    assert (report.verdict.value, report.statistics.states) == ("holds", 8)
    # Nor does anybody read x, if nobody asks for it.
    assert judged(counting, frozenset({"unread variables"}), safety=True).statistics.states == 4
    assert judged(counting, NONE, safety=True, limits=Limits(states=1000)).verdict.value == "unknown"


def test_what_is_read_anywhere_is_not_forgotten() -> None:
    report = judged(COUNTS, frozenset({"unread variables"}), safety=True, limits=Limits(states=1000))
    assert report.verdict.value == "unknown", "n is read for `last`"
    asked = "byte x; byte n; active proctype P() { n++; n++; x = 1 }"
    assert judged(asked, invariants=["n < 2"]).verdict.value == "violated"


def test_a_failure_that_depends_on_an_unread_variable() -> None:
    assert judged("int x = 1; active proctype P() { x = 10 / x; x = 10 / x }", safety=True).verdict.value == "holds"
    assert judged("int x; active proctype P() { x = 10 / x }", safety=True).verdict.value == "violated"
    past = "byte a[2]; active proctype P() { byte i; do :: i < 3 -> a[i]++; i++ :: else -> break od }"
    assert judged(past, safety=True).verdict.value == "violated"


def test_a_cycle_comes_back_to_variables_that_nobody_reads() -> None:
    text = "byte x; byte n; active proctype P() { do :: x = 1 - x; n++ od }"
    report = judged(text, ltl=["<> [] (x == 1)"])
    assert report.verdict.value == "violated"
    assert "unread variables" not in report.setting.reductions
