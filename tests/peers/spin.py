"""Running Spin on a model, without reductions."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest


class Judgement(NamedTuple):
    """What Spin says of a model."""

    states: int
    transitions: int
    """Edges between stored states: `pan` counts one more, into the initial state."""
    error: str | None


def required_spin() -> str:
    """Spin may be missing on a developer's machine, but not where it counts."""
    found = shutil.which("spin")
    if found is None or shutil.which("gcc") is None:
        if os.environ.get("CI"):
            pytest.fail("Spin and a C compiler are needed")
        pytest.skip("Spin is not installed")
    return found


def judged_by_spin(text: str, directory: Path, *properties: str, optimise: str = "-O1") -> Judgement | str:
    """Run Spin with everything switched off that changes counts; a text is why it refuses the model.

    Properties are options of `pan`, such as `-a`; without any, safety is checked.
    """
    (directory / "model.pml").write_text(text)
    translated = subprocess.run(
        [required_spin(), "-a", "-o1", "-o2", "-o3", "model.pml"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    if translated.returncode != 0:
        return translated.stdout + translated.stderr
    options = [optimise, "-w", "-DNOREDUCE", "-DVECTORSZ=4096"]
    if not properties:
        options += ["-DSAFETY", "-DNOCLAIM"]
    if "-l" in properties:
        options += ["-DNP"]
    compiled = subprocess.run(
        ["gcc", *options, "-o", "pan", "pan.c"], cwd=directory, capture_output=True, text=True, check=False
    )
    if compiled.returncode != 0:
        return compiled.stderr
    command = ["./pan", "-m100000", "-c0", *properties]
    printed = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False, timeout=60).stdout
    numbers = re.search(r"(\d+) states, stored.*\n\s*(?:.*visited.*\n\s*)?(\d+) states, matched", printed)
    if not numbers:
        return printed
    stored, matched = map(int, numbers.groups())
    error = re.search(r"^pan:1: (.*) \(at depth", printed, re.MULTILINE)
    return Judgement(stored, stored + matched - 1, error.group(1) if error else None)
