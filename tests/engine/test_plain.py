"""Kernels in plain Python find what compiled ones find.

Whether they are plain is decided when the engine is imported, so that each of these searches is a process of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ouroboros.jit import intrinsics, plain

EXAMPLES = Path(__file__).parents[2] / "examples"

SEARCHES = {
    "states": ("states", "dve/philosophers.dve"),
    "tree": ("states", "dve/philosophers.dve", "--store", "tree"),
    "compact": ("states", "dve/philosophers.dve", "--store", "compact"),
    "bitstate": ("states", "dve/philosophers.dve", "--store", "bitstate"),
    "symmetry": ("states", "murphi/letters.m", "--symmetry"),
    "ndfs": ("check", "promela/token_ring.pml"),
    "owcty": (
        "check", "dve/philosophers_fixed.dve", "--ltl", "[](Hypatia.waiting -> <> Hypatia.eating)",
        "--algorithm", "owcty",
    ),
    "map": (
        "check", "dve/philosophers_fixed.dve", "--ltl", "[](Hypatia.waiting -> <> Hypatia.eating)",
        "--algorithm", "map",
    ),
    "response": (
        "check", "dve/philosophers_fixed.dve", "--response", "Hypatia.waiting ~> Hypatia.eating", "--fairness", "weak",
    ),
}  # fmt: skip


COMPARED = {"verdict", "properties", "trace", "states", "transitions", "deadlocks", "depth", "iterations", "coverage"}


def run(command: tuple[str, ...], *options: str, is_plain: bool) -> subprocess.CompletedProcess[str]:
    kind, model, *rest = command
    environment = {name: value for name, value in os.environ.items() if name != "OUROBOROS_PLAIN"}
    if is_plain:
        environment["OUROBOROS_PLAIN"] = "1"
    return subprocess.run(
        [sys.executable, "-W", "error", "-m", "ouroboros", kind, str(EXAMPLES / model), *rest, *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def found(command: tuple[str, ...], *, is_plain: bool) -> Any:
    ran = run(command, "--json", "-", is_plain=is_plain)
    # 3: the bitstate store cannot know that it has missed nothing.
    assert ran.returncode in (0, 1, 3), ran.stderr
    report = json.loads(ran.stdout)
    assert report["states"] > 10
    return {part: value for part, value in report.items() if part in COMPARED}


@pytest.mark.parametrize("search", SEARCHES)
def test_plain_kernels_find_the_same(search: str) -> None:
    assert found(SEARCHES[search], is_plain=True) == found(SEARCHES[search], is_plain=False)


def test_nothing_is_compiled() -> None:
    program = (
        "import ouroboros, numba.core.dispatcher as d; from pathlib import Path\n"
        "def refuse(*arguments): raise AssertionError('compiled')\n"
        "d.Dispatcher.compile = refuse\n"
        f"print(ouroboros.explore(ouroboros.load({str(EXAMPLES / 'dve/philosophers.dve')!r})).statistics.states)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "OUROBOROS_PLAIN": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.stdout == "392\n", ran.stderr


def test_workers_cannot_meet_in_plain_python() -> None:
    ran = run(SEARCHES["states"], "--workers", "2", is_plain=True)
    assert ran.returncode == 2
    assert "OUROBOROS_PLAIN" in ran.stderr


def test_every_intrinsic_has_a_plain_version() -> None:
    names = {name for name, value in vars(intrinsics).items() if type(value).__name__ == "_Intrinsic"}
    assert len(names) > 10
    assert {name for name in names if not callable(getattr(plain, name, None))} == set()


def test_bytes_as_numbers() -> None:
    stored = np.arange(24, dtype=np.uint8)
    assert plain.load(stored, 3) == int.from_bytes(range(3, 11), "little")
    plain.save(stored, 5, 0x1122334455667788)
    assert plain.load(stored, 5) == 0x1122334455667788
    assert stored[4] == 4
    assert stored[13] == 13
    assert plain.equal_bytes(stored, 8, 0x55) == 1
    assert plain.lowest_bit(0b101000) == 3


def test_parameters_of_a_signature() -> None:
    signature = "UniTuple(int64, 2)(int64[:, ::1], uint64, UniTuple(uint8, 3), boolean, width)"
    assert list(plain._parameters(signature)) == [
        "int64[:, ::1]",
        "uint64",
        "UniTuple(uint8, 3)",
        "boolean",
        "width",
    ]
