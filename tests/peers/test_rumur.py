"""rumur gives the same verdicts, states and fired rules on the models of the Murphi tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.verdict.report import Verdict
from tests.languages.murphi.models import ALL, Expected
from tests.peers.random_murphi import random_model


@pytest.fixture(scope="session")
def rumur() -> str:
    """It may be missing on a developer's machine, but not where it counts."""
    found = shutil.which("rumur")
    if found is None or shutil.which("gcc") is None:
        if os.environ.get("CI"):
            pytest.fail("rumur and a C compiler are needed")
        pytest.skip("rumur is not installed")
    return found


def counted_by_rumur(rumur: str, model: Path, options: list[str], directory: Path) -> tuple[bool, int, int]:
    """Whether it found no error, states, fired rules."""
    command = [rumur, "--threads", "1", *options, str(model), "-o", "model.c"]
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    build = ["gcc", "-std=c11", "-O0", "-w", "-mcx16", "-o", "model", "model.c", "-lpthread"]
    subprocess.run(build, cwd=directory, check=True)
    ran = subprocess.run(["./model"], cwd=directory, capture_output=True, text=True, check=False)
    numbers = re.search(r"(\d+) states, (\d+) rules fired", ran.stdout)
    assert numbers, ran.stdout
    return ran.returncode == 0, int(numbers[1]), int(numbers[2])


@pytest.mark.parametrize(
    "model", [model for model in ALL if model.peer and "--invariant" not in model.options], ids=str
)
def test_same_verdict_and_counts(rumur: str, tmp_path: Path, model: Expected) -> None:
    options = ["--symmetry-reduction", "off"]
    if "--deadlock" in model.options:
        options += ["--deadlock-detection", model.options[model.options.index("--deadlock") + 1]]
    holds, states, rules = counted_by_rumur(rumur, model.path, options, tmp_path)
    assert holds == (model.counts is not None)
    if model.counts:
        assert (states, rules) == model.counts


@pytest.mark.parametrize("model", [model for model in ALL if model.peer and model.symmetric], ids=str)
def test_same_orbits(rumur: str, tmp_path: Path, model: Expected) -> None:
    holds, *counts = counted_by_rumur(rumur, model.path, ["--symmetry-reduction", "exhaustive"], tmp_path)
    assert holds
    assert tuple(counts) == model.symmetric


@pytest.mark.parametrize("seed", range(12))
def test_random_models(rumur: str, tmp_path: Path, seed: int) -> None:
    path = tmp_path / "model.m"
    path.write_text(random_model(seed))
    holds, states, rules = counted_by_rumur(rumur, path, ["--symmetry-reduction", "off"], tmp_path)
    report = check(load(path))
    assert (report.verdict is Verdict.HOLDS) == holds
    if holds:
        assert (report.statistics.states, report.statistics.transitions) == (states, rules)
