"""Models whose verdict depends on what can see whether a step of another process is possible.

Each was judged wrongly once. The first line says what is right, and whose eyes it was that were forgotten.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.system.model import REDUCTIONS, ReductionKind

MODELS = sorted((Path(__file__).parent / "models").glob("*.pml"))
CHOICES: list[frozenset[ReductionKind]] = [REDUCTIONS, frozenset(), *(frozenset({kind}) for kind in sorted(REDUCTIONS))]


@pytest.mark.parametrize("reductions", CHOICES, ids=lambda kinds: " ".join(sorted(kinds)) or "none")
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_verdict_of(path: Path, reductions: frozenset[ReductionKind]) -> None:
    expected = path.read_text().removeprefix("/* ").split(":")[0]
    assert check(load(path), reductions=reductions).verdict.value == expected
