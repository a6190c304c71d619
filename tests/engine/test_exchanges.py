"""Solo, threads and MPI ranks keep the same promises, and a worker that fails stops the others."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from ouroboros.engine.exchange.base import WorkerLost
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.exchange.threads import ThreadExchange, run_threads
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.search.reachability import Question
from tests.engine.contract import keep_promises
from tests.engine.failing import EXIT_CODES
from tests.graphs import Formula, search_states
from tests.ranks import run_ranks

pytestmark = pytest.mark.timeout(60)


def test_one_worker_alone() -> None:
    keep_promises(SoloExchange())


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_threads(size: int) -> None:
    run_threads(size, keep_promises)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(ranks: int) -> None:
    ran = run_ranks(ranks, "-m", "tests.engine.contract")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_results_come_by_rank() -> None:
    assert run_threads(4, lambda exchange: exchange.rank * 10) == [0, 10, 20, 30]


def test_memory_is_divided_among_threads() -> None:
    limits: list[int] = []
    Team(4).run(lambda exchange, budget: limits.append(budget.limit), memory=1000)
    assert limits == [250] * 4


@pytest.mark.parametrize("failing", [0, 2])
@pytest.mark.parametrize("meetings", [0, 1, 50])
def test_a_thread_that_fails_ends_all(failing: int, meetings: int) -> None:
    error = ZeroDivisionError("the message of the error")
    lost = []

    def work(exchange: ThreadExchange) -> None:
        try:
            for meeting in range(100):
                if meeting == meetings and exchange.rank == failing:
                    raise error
                exchange.total(np.ones(1, np.int64))
        except WorkerLost:
            lost.append(exchange.rank)
            raise

    with pytest.raises(ZeroDivisionError) as raised:
        run_threads(3, work)
    assert raised.value is error
    assert sorted(lost) == sorted({0, 1, 2} - {failing})


def test_a_thread_that_is_interrupted_ends_all() -> None:
    def work(exchange: ThreadExchange) -> None:
        if exchange.rank == 1:
            raise KeyboardInterrupt
        exchange.total(np.ones(1, np.int64))

    with pytest.raises(KeyboardInterrupt):
        run_threads(2, work)


def test_a_thread_that_fails_in_the_middle_of_a_search_ends_it() -> None:
    """The observer is called by the first worker between two rounds."""

    def observe(progress: object) -> None:
        raise RuntimeError("the observer fails")

    def work(exchange: ThreadExchange) -> None:
        search_states(Formula(5000, 1, 1, 1, 2, 0), Question(), exchange, limits=Limits(), observer=observe)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ouroboros.search.exploration._REPORT_EVERY", 0.0)
        with pytest.raises(RuntimeError, match="the observer fails"):
            run_threads(3, work)


def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    run_threads(4, keep_promises)

    def work(exchange: ThreadExchange) -> None:
        if exchange.rank == 1:
            raise ZeroDivisionError
        keep_promises(exchange)

    with pytest.raises(ZeroDivisionError):
        run_threads(3, work)
    assert threading.active_count() == before


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("how", EXIT_CODES)
def test_a_rank_that_fails_ends_all(how: str, failing: int) -> None:
    ran = run_ranks(2, "-m", "tests.engine.failing", how, str(failing))
    assert ran.returncode == EXIT_CODES[how]
    assert f"rank {failing}" in ran.stderr
    assert "the message of the error" in ran.stderr


@pytest.mark.parametrize("failing", [0, 1])
def test_a_rank_that_is_killed_ends_all(failing: int) -> None:
    assert run_ranks(2, "-m", "tests.engine.failing", "kill", str(failing)).returncode != 0
