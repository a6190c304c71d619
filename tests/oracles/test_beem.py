"""DiVinE's counts and verdicts on the BEEM models, one worker, two workers, two MPI ranks, every algorithm."""

from __future__ import annotations

import pytest

from ouroboros.engine.team import Team
from tests.oracles.beem import Counted, Judged, count_difference, counted, judged, verdict_difference
from tests.oracles.where import PRESENT
from tests.ranks import run_ranks

pytestmark = pytest.mark.skipif(not PRESENT, reason="the collection of BEEM models is not here")


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("row", counted(), ids=lambda row: row.model)
def test_counts(row: Counted, workers: int) -> None:
    assert count_difference(row, Team(workers)) is None


@pytest.mark.parametrize(("algorithm", "workers"), [("ndfs", 1), ("owcty", 1), ("owcty", 2), ("map", 1), ("map", 2)])
@pytest.mark.parametrize("row", judged(), ids=lambda row: row.model)
def test_verdicts(row: Judged, algorithm: str, workers: int) -> None:
    assert verdict_difference(row, algorithm, Team(workers)) is None


def test_ranks_agree_with_divine() -> None:
    ran = run_ranks(2, "-m", "tests.oracles.beem")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 ranks: " in ran.stdout
    assert " 0 differ" in ran.stdout
