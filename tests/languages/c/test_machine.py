"""Machine code and reference agree, step by step."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.languages.c.walks import Both

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.c"))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_machine_code_agrees_with_the_reference_on_random_walks(path: Path) -> None:
    both = Both(path)
    assert sum(both.walk(Random(seed), 100) for seed in range(6)) > 0
