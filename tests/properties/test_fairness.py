"""Weak fairness, by every algorithm: only runs count on which no process that could always move never does."""

from __future__ import annotations

import pytest

from ouroboros.checking import check
from ouroboros.languages import dve, promela
from ouroboros.search.accepting import Algorithm
from ouroboros.source import Source

ALGORITHMS: tuple[Algorithm, ...] = ("ndfs", "owcty", "map")

STARVING = "bit x; active proctype A() { do :: skip od } active proctype B() { x = 1 }"
"""Nothing but fairness makes B move."""
COMPETING = "bit x; active proctype A() { do :: x = 1; x = 0 od } active proctype B() { bit y; (x == 1); y = 1; x = 0 }"
"""B can move again and again, but not always: weak fairness does not help it."""
SHAKING = (
    "chan c = [0] of { bit }; byte n; active proctype A() { do :: skip od }"
    " active proctype S() { c!1; n = 1 } active proctype R() { bit y; c?y }"
)
"""The sender of a rendezvous could always move."""
ENDING = "bit x; active proctype A() { x = 1 } active proctype B() { (x == 2) }"
"""A run that ends is fair: nobody can move."""


def verdict(text: str, formula: str, fair: bool, algorithm: Algorithm) -> str:
    model = promela.load(Source("model.pml", text))
    report = check(model, ltl=[formula], fairness="weak" if fair else None, algorithm=algorithm)
    return report.verdict.value


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(
    ("text", "formula", "unfair", "fair"),
    [
        (STARVING, "<> (x == 1)", "violated", "holds"),
        (STARVING, "[] (x == 0)", "violated", "violated"),
        (COMPETING, "<> [] (x == 0)", "violated", "violated"),
        (COMPETING, "[] <> (x == 0)", "holds", "holds"),
        (ENDING, "<> [] (x == 1)", "holds", "holds"),
        (ENDING, "[] <> (x == 0)", "violated", "violated"),
    ],
)
def test_verdicts(text: str, formula: str, unfair: str, fair: str, algorithm: Algorithm) -> None:
    assert verdict(text, formula, False, algorithm) == unfair
    assert verdict(text, formula, True, algorithm) == fair


def test_progress_under_fairness() -> None:
    """Without fairness the idle process may run for ever, and the other one never makes progress."""
    text = "active proctype A() { do :: skip od } active proctype B() { do :: skip; progress: skip od }"
    for fairness, expected in ((None, "violated"), ("weak", "holds")):
        model = promela.load(Source("model.pml", text))
        report = check(model, properties=["progress"], fairness="weak" if fairness else None)
        assert report.verdict.value == expected


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
def test_in_a_handshake_two_processes_move(algorithm: Algorithm) -> None:
    assert verdict(SHAKING, "<> (n == 1)", False, algorithm) == "violated"
    assert verdict(SHAKING, "<> (n == 1)", True, algorithm) == "holds"


def test_processes_of_dve_are_treated_fairly_as_well() -> None:
    text = "byte x; process P { state a; init a; trans a -> a {}; } process Q { state a, b; init a; trans a -> b {}; } "
    for fairness, expected in ((None, "violated"), ("weak", "holds")):
        model = dve.load(Source("m.dve", text + "system async;"))
        report = check(model, ltl=["<> Q.b"], fairness="weak" if fairness else None)
        assert report.verdict.value == expected
