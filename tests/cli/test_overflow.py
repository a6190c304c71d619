"""A value that does not fit its variable: DiVinE's error state by default, C's low bits if asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.helpers import ouro

# A byte counts up from 250. As in DiVinE the step from 255 leads to the error state; the states are 250 to 255 and it.
MODEL = """byte x = 250;
process P { state a; init a; trans a -> a { effect x = x + 1; }; }
system async;
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "counter.dve"
    path.write_text(MODEL)
    return path


def test_the_error_state_is_counted(model: Path) -> None:
    data = ouro("states", model, "--json", "-").data
    assert (data["states"], data["transitions"], data["deadlocks"], data["overflows"]) == (7, 6, 1, 1)


def test_wrapping_goes_on(model: Path) -> None:
    data = ouro("states", model, "--overflow", "wrap", "--json", "-").data
    assert (data["states"], data["transitions"], data["deadlocks"], data["overflows"]) == (256, 256, 0, 0)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_overflow_is_the_end_of_a_run(model: Path, workers: int) -> None:
    ran = ouro("check", model, "--workers", workers, "--json", "-")
    assert (ran.code, ran.data["property"]) == (1, "deadlock")
    assert ran.data["reason"] == "overflow: the value does not fit `x`, which holds 0 to 255"
    assert ran.data["trace"]["#meta"]["steps"] == 6


def test_an_overflow_fails_no_assertion(model: Path) -> None:
    assert ouro("check", model, "--property", "assertions").code == 0


def test_a_formula_says_nothing_of_runs_that_overflow(model: Path) -> None:
    ran = ouro("check", model, "--ltl", "<> x == 3")
    assert ran.code == 0
    assert "a variable overflows in 1 step of the product" in ran.out
    wrapped = ouro("check", model, "--ltl", "<> x == 3", "--overflow", "wrap")
    assert wrapped.code == 0
    assert "warning" not in wrapped.out
