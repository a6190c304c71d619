"""Threads: what real runs print is among what is found possible, and machine code and reference agree."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.languages.c.test_reference import explored
from tests.languages.c.threaded import outcomes_of_runs
from tests.languages.c.threaded_programs import threaded_program
from tests.languages.c.walks import Both


@pytest.mark.parametrize("seed", [1, 3])
def test_what_really_happens_is_possible(tmp_path: Path, seed: int) -> None:
    text = threaded_program(seed)
    found = explored(tmp_path, text, 4)
    assert outcomes_of_runs(tmp_path, text, 100) <= found.outputs
    assert not found.failures
    assert not found.deadlocks
    assert Both(tmp_path / "program.c").walk(Random(seed), 60) > 10
