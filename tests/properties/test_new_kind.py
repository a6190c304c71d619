"""A new kind of question is one file and one line in the table: nothing else has to know of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ouroboros
from ouroboros.checking import check
from ouroboros.errors import UsageError
from ouroboros.languages import load
from ouroboros.properties import table
from ouroboros.simulation.replay import RecordedTrace
from ouroboros.simulation.simulation import Simulation
from ouroboros.verdict.report import Verdict

from ..cli.helpers import ouro
from .returning import Returns

MODEL = """
byte level;
process P {
  state up, down;
  init up;
  trans
    up -> up { guard level < 2; effect level = level + 1; },
    up -> up { guard level == 1; effect level = 0; },
    up -> down { guard level == 2; };
}
system async;
"""


@pytest.fixture(autouse=True)
def known() -> Iterator[None]:
    """The line in the table, for as long as a test runs."""
    table.KINDS.append(kind := Returns())
    yield
    table.KINDS.remove(kind)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "levels.dve"
    path.write_text(MODEL)
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_it_is_asked_from_python(model: Path, workers: int) -> None:
    report = ouroboros.load(model).check(returns=["level == 0", "level > 0"], team=workers)
    assert [(answer.name, answer.verdict, answer.reason) for answer in report.answers.values()] == [
        ("returns to level == 0", Verdict.VIOLATED, "from here no state is reached where `level == 0`"),
        ("returns to level > 0", Verdict.HOLDS, None),
    ]
    assert report.trace is not None
    assert [step.changes["level"] for step in report.trace] == [(0, 1), (1, 2)]


def test_it_is_asked_from_the_command_line(model: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    ran = ouro("check", model, "--returns", "level == 0", "--invariant", "level < 3", "--json", file)
    assert ran.code == 1, ran
    assert "from here no state is reached where `level == 0`" in ran.out
    simulation = Simulation(load(model))
    assert len(list(RecordedTrace(str(file)).follow(simulation))) == 2
    assert "--returns EXPR" in ouro("check", "--help").out


def test_it_goes_together_with_all_others(model: Path) -> None:
    report = check(load(model), returns=["level > 0"], invariants=["level < 3"], ltl=["<> level == 2"])
    assert [(answer.property, answer.verdict) for answer in report.answers] == [
        ("assertions", Verdict.HOLDS),
        ("level < 3", Verdict.HOLDS),
        ("<> level == 2", Verdict.VIOLATED),
        ("returns to level > 0", Verdict.HOLDS),
    ]


def test_what_it_cannot_go_together_with_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--returns needs the states themselves"):
        check(load(model), returns=["level > 0"], store="compact")
    ran = ouro("check", model, "--returns", "level > 0", "--certificate", tmp_path / "c")
    assert (ran.code, "nothing that a certificate shows" in ran.err) == (2, True)


def test_a_checkpoint_remembers_it(model: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    arguments = ("--returns", "level > 0", "--returns", "level == 0", "--checkpoint", saved)
    assert ouro("check", model, *arguments, "--states", "2").code == 3
    ran = ouro("resume", saved, "--json", "-")
    assert [(each["name"], each["verdict"]) for each in ran.data["properties"]] == [
        ("returns to level > 0", "holds"),
        ("returns to level == 0", "violated"),
    ]


def test_what_is_no_option_of_any_kind_is_a_wrong_call(model: Path) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'return'"):
        check(load(model), **{"return": ["level == 0"]})
