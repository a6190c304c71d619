"""Processes and MPI ranks find what one worker finds."""

from __future__ import annotations

import pytest

from ouroboros.engine.exchange.processes import run_processes
from ouroboros.memory import Budget
from tests.ranks import run_ranks
from tests.search.agreement import agree


@pytest.mark.parametrize("workers", [2, 3])
def test_processes_agree_with_tarjan(workers: int) -> None:
    run_processes(workers, lambda exchange: agree(exchange, Budget(1 << 30)))


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_agree_with_tarjan(ranks: int) -> None:
    ran = run_ranks(ranks, "-m", "tests.search.agreement")
    assert (ran.returncode, ran.stderr) == (0, "")
