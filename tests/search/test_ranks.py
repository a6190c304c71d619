"""MPI ranks find what one worker finds."""

from __future__ import annotations

import pytest

from tests.ranks import run_ranks


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_agree_with_tarjan(ranks: int) -> None:
    ran = run_ranks(ranks, "-m", "tests.search.agreement")
    assert (ran.returncode, ran.stderr) == (0, "")
