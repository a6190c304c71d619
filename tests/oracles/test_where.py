"""Oracles that are named or required must be there; they are skipped only where nobody asks, or on request."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracles.where import VARIABLE, locate

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("required", [False, True])
def test_named(tmp_path: Path, required: bool) -> None:
    assert locate(str(tmp_path), required) == tmp_path.resolve()
    with pytest.raises(FileNotFoundError, match=f"{VARIABLE}=none to do without"):
        locate(str(tmp_path / "nowhere"), required)


@pytest.mark.parametrize("unset", [None, ""])
def test_beside_the_checkout(tmp_path: Path, unset: str | None) -> None:
    for required in (False, True):
        assert locate(unset, required, tmp_path) == tmp_path
    assert locate(unset, False, tmp_path / "nowhere") is None
    with pytest.raises(FileNotFoundError, match=f"{VARIABLE}=none to do without"):
        locate(unset, True, tmp_path / "nowhere")


@pytest.mark.parametrize("required", [False, True])
def test_none(tmp_path: Path, required: bool) -> None:
    assert locate("none", required, tmp_path) is None


def run(*command: str, at: Path = ROOT, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in (VARIABLE, "CI")}
    return subprocess.run(command, cwd=at, env={**kept, **variables}, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("named", "code", "said"), [("nowhere", 4, "no oracles in"), ("none", 0, "skipped")])
def test_a_run_of_tests(named: str, code: int, said: str) -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "tests/oracles/test_promela_syntax.py"]
    ran = run(*command, **{VARIABLE: named})
    assert ran.returncode == code, ran.stdout + ran.stderr
    assert said in ran.stdout + ran.stderr


@pytest.fixture
def lonely(tmp_path: Path) -> Path:
    """A checkout with nothing beside it: of its files, those that look for oracles."""
    checkout = tmp_path / "checkout"
    for name in (".ci/run", "tests/__init__.py", "tests/oracles/__init__.py", "tests/oracles/where.py"):
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    return checkout


def test_a_machine_without_oracles(lonely: Path) -> None:
    command = [sys.executable, "-m", "tests.oracles.where"]
    assert "skipped" in run(*command, at=lonely).stdout
    assert "skipped" in run(*command, at=lonely, CI="true", **{VARIABLE: "none"}).stdout
    assert run(*command, at=lonely, CI="true").returncode == 1


@pytest.mark.parametrize("variables", [{"CI": "true"}, {VARIABLE: "nowhere"}], ids=["required", "named"])
def test_the_checks_of_a_change_begin_with_oracles(lonely: Path, variables: dict[str, str]) -> None:
    ran = run(str(lonely / ".ci" / "run"), **variables)
    assert ran.returncode == 1
    assert f"{VARIABLE}=none" in ran.stderr
