"""The public surface, no more and no less."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import pytest

import ouroboros

MODEL = Path(__file__).parent / "cli" / "models" / "philosophers.dve"


def test_the_exported_names() -> None:
    assert ouroboros.__all__ == [
        "Limits",
        "OuroborosError",
        "Report",
        "Team",
        "Trace",
        "Verdict",
        "__version__",
        "check",
        "explore",
        "load",
        "simulate",
    ]
    assert dir(ouroboros) == ouroboros.__all__


@pytest.mark.parametrize("name", ouroboros.__all__)
def test_every_name_is_there(name: str) -> None:
    assert getattr(ouroboros, name) is not None


def test_no_other_name_is_there() -> None:
    with pytest.raises(AttributeError, match="chekc"):
        ouroboros.chekc  # noqa: B018


def test_the_version_is_the_package_s() -> None:
    assert ouroboros.__version__ == version("ouroboros-mc")


def test_a_simulation_from_python() -> None:
    simulation = ouroboros.simulate(ouroboros.load(MODEL), seed=3, steps=20)
    assert 0 < len(simulation.taken) <= 20
    assert simulation.taken == ouroboros.simulate(ouroboros.load(MODEL), seed=3, steps=20).taken


def test_a_check_from_python() -> None:
    model = ouroboros.load(MODEL)
    report = ouroboros.check(model)
    assert report.verdict is ouroboros.Verdict.VIOLATED
    assert report.property_name == "deadlock"
    assert isinstance(report.trace, ouroboros.Trace)
    assert len(report.trace.steps) == 2
    report = ouroboros.check(model, invariants=["fork[0] < 2"], team=ouroboros.Team(2))
    assert report.verdict == "holds"
    assert report.setting.workers == 2


def test_formulas_from_python(tmp_path: Path) -> None:
    model = ouroboros.load(MODEL)
    file = tmp_path / "forks.ltl"
    file.write_text("#define taken (fork[0] == 1)\n#property G(!taken || F(taken))\n")
    report = ouroboros.check(model, ltl=["[]<> Left.eating"], ltl_files=[file], algorithm="map", order="hash")
    assert [answer.verdict for answer in report.answers] == ["violated", "holds"]
    assert [answer.search.algorithm for answer in report.answers] == ["map", "map"]
    assert report.trace is report.answers[0].trace
    assert report.trace is not None
    assert report.trace.loop_start is not None
    with pytest.raises(ouroboros.OuroborosError, match="sequential"):
        ouroboros.check(model, ltl=["[]<> Left.eating"], algorithm="ndfs", team=ouroboros.Team(2))
    with pytest.raises(ouroboros.OuroborosError, match="'dfs' is no algorithm: choose from ndfs, owcty, map"):
        ouroboros.check(model, ltl=["[]<> Left.eating"], algorithm="dfs")


def test_an_exploration_from_python() -> None:
    report = ouroboros.explore(ouroboros.load(MODEL), limits=ouroboros.Limits(states=2))
    assert (report.verdict, report.reason) == ("unknown", "states")


def test_errors_have_one_base() -> None:
    with pytest.raises(ouroboros.OuroborosError):
        ouroboros.load("nowhere.dve")
