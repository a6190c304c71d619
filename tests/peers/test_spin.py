"""Spin visits exactly the states and transitions that we do, on every example, translated to Promela."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ouroboros.checking import explore
from ouroboros.languages import load
from tests.peers.promela import promela

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "dve").glob("*.dve"))


@pytest.fixture(scope="session")
def spin() -> str:
    """It may be missing on a developer's machine, but not where it counts."""
    found = shutil.which("spin")
    if found is None or shutil.which("gcc") is None:
        if os.environ.get("CI"):
            pytest.fail("Spin and a C compiler are needed")
        pytest.skip("Spin is not installed")
    return found


def counted_by_spin(spin: str, text: str, directory: Path) -> tuple[int, int]:
    """States and transitions, without any reduction."""
    (directory / "model.pml").write_text(text)
    translated = subprocess.run(
        [spin, "-a", "-o1", "-o2", "-o3", "model.pml"], cwd=directory, capture_output=True, text=True, check=False
    )
    assert translated.returncode == 0, translated.stdout + translated.stderr
    options = ["-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096"]
    subprocess.run(["gcc", *options, "-o", "pan", "pan.c"], cwd=directory, check=True)
    command = ["./pan", "-m1000000", "-c0", "-E"]
    printed = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout
    numbers = re.search(r"(\d+) states, stored\n\s*(\d+) states, matched", printed)
    assert numbers, printed
    stored, matched = map(int, numbers.groups())
    # Before the loop there is one more state, in which the variables get their values; and `pan` counts the step into
    # its first state as a transition.
    return stored - 1, stored + matched - 2


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem != "robots"], ids=lambda path: path.stem)
def test_examples_have_the_states_that_spin_counts(spin: str, tmp_path: Path, path: Path) -> None:
    model = load(path, overflow="wrap")
    statistics = explore(model).statistics
    assert counted_by_spin(spin, promela(model.system), tmp_path) == (statistics.states, statistics.transitions)
