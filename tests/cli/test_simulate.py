"""The command `ouro simulate`."""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import pytest

from tests.cli.helpers import MODELS, ouro
from tests.simulation.models import POST


@pytest.fixture
def post(tmp_path: Path) -> Path:
    path = tmp_path / "post.pml"
    path.write_text(POST)
    return path


def test_a_run_at_random_tells_its_seed(post: Path) -> None:
    first = ouro("simulate", post)
    assert first.code == 0
    seed = re.match(r"seed (\d+)\n", first.out)
    assert seed
    assert ouro("simulate", post, "--seed", seed[1]).out == first.out
    assert "delivered 1\n" in first.out
    assert first.out.splitlines()[-1].startswith("after 9 steps: no step is possible")


def test_steps_are_told_with_what_they_change(post: Path) -> None:
    lines = ouro("simulate", post, "--seed", 1, "--steps", 1).out.splitlines()
    assert lines[:3] == ["seed 1", "initial state", "  box  []"]
    step, _, changes = lines[-2].partition("box!letter(7)")
    assert step.split() == ["1", "Sender[0]", "line", "6"]
    assert changes.strip() == "box: [] → [letter,7]"
    assert lines[-1] == "after 1 step: the run could go on"


@pytest.mark.parametrize(
    ("letters", "told", "not_told"),
    [
        (["-p"], "box!letter(7)", "→ [letter"),
        (["-p", "-g"], "box: [] → [letter,7]", "Receiver[1].what"),
        (["-l"], "Receiver[1].what: 0 → 7", "box: []"),
        (["-s"], "box!letter(7)", "box?letter"),
        (["-r"], "box?letter(what)", "box!letter"),
    ],
)
def test_letters_choose_what_is_told(post: Path, letters: list[str], told: str, not_told: str) -> None:
    out = ouro("simulate", post, "--seed", 1, *letters).out
    assert told in out
    assert not_told not in out
    assert "delivered 1\n" in out


def test_a_failure_is_shown_and_is_the_exit_code() -> None:
    ran = ouro("simulate", MODELS / "division.dve", "--seed", 1)
    assert ran.code == 1
    assert "fails: " in ran.out
    assert "division.dve:" in ran.out.splitlines()[-1]


def interactive(monkeypatch: pytest.MonkeyPatch, path: Path, *lines: str) -> str:
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    ran = ouro("simulate", path, "--interactive", "--seed", 1)
    assert ran.code == 0
    return ran.out


def test_a_dialogue(monkeypatch: pytest.MonkeyPatch, post: Path) -> None:
    out = interactive(monkeypatch, post, "1", "v box", "s", "u", "u", "", "9", "x", "h", "v nothing", "r 2", "r", "q")
    assert "box.length: [1]" in out
    assert "globals  delivered: 0" in out
    assert "this is the initial state" in out
    assert "a number from 1 to 2 is expected" in out
    assert "undo the last step" in out
    assert "nothing is named nothing" in out
    assert "delivered 1" in out
    assert out.splitlines()[-1].startswith("after 9 steps")


def test_the_end_of_input_ends_the_dialogue(monkeypatch: pytest.MonkeyPatch, post: Path) -> None:
    assert interactive(monkeypatch, post, "1").splitlines()[-1] == "after 1 step: the run could go on"


def test_a_chart_is_drawn(post: Path, tmp_path: Path) -> None:
    target = tmp_path / "chart.svg"
    assert ouro("simulate", post, "--seed", 1, "--msc", target).code == 0
    assert target.read_text().count('class="arrow"') == 3


def test_a_chart_is_drawn_in_the_terminal(tmp_path: Path) -> None:
    """One way is possible only: a rendezvous, two messages into a channel, and one of them out of it."""
    model = tmp_path / "model.pml"
    model.write_text(
        "chan c = [0] of { byte }; chan q = [2] of { byte };"
        " active proctype P() { c!1; q!7; q!8; c!2 } active proctype Q() { byte k; c?k; c?k; q?k }"
    )
    out = ouro("simulate", model, "--seed", 1, "--msc", "-").out
    assert out.splitlines()[-7:] == [
        "            P[0]            Q[1]",
        "   1          │───── c!1 ────▶│",
        "   2          │(2) q!7 ─▶     │",
        "   3          │(3) q!8 ─▶     │",
        "   4          │───── c!2 ────▶│",
        "   5          │               │◀─ (2) q!7",
        "still in its channel: (3) q!8",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--interactive", "--replay", "t.json"], "cannot go together"),
        (["--msc", "/nowhere/chart.svg"], "there is no directory /nowhere"),
        (["--replay", "/nowhere/t.json"], "the trace cannot be read"),
        (["--steps", "-1"], "-1"),
    ],
)
def test_what_makes_no_sense(post: Path, arguments: list[str], message: str) -> None:
    ran = ouro("simulate", post, *arguments)
    assert ran.code == 2
    assert message in ran.err


def test_a_violation_is_chosen(tmp_path: Path) -> None:
    model, report = tmp_path / "model.dve", tmp_path / "report.json"
    model.write_text(
        "process P { int x = 0; state s; init s; trans s -> s { guard x < 6; effect x = x + 1; }; }\nsystem async;"
    )
    options = ["--invariant", "P.x < 2", "--invariant", "P.x != 4", "--property", "deadlock"]
    assert ouro("check", model, *options, "--json", report).code == 1

    def steps(*which: str) -> int:
        ran = ouro("simulate", model, "--replay", report, "-p", *which)
        return sum("s -> s" in line for line in ran.out.splitlines())

    assert steps() == steps("--violation", "P.x < 2") == 2
    assert steps("--violation", "P.x != 4") == 4
    assert steps("--violation", "deadlock") == 6
    assert sorted(steps("--violation", number) for number in "123") == [2, 4, 6]
    for wrong in ("4", "0", "nobody"):
        refused = ouro("simulate", model, "--replay", report, "--violation", wrong)
        assert refused.code == 2
        assert f"there is no trace {wrong}" in refused.err
        assert "P.x != 4" in refused.err
    several = tmp_path / "several.json"
    ouro("check", model, model, "--json", several)
    assert "this is about several models" in ouro("simulate", model, "--replay", several).err
    assert "name the report with --replay" in ouro("simulate", model, "--violation", "1").err
