"""Solo, processes and MPI ranks keep the same promises, and a worker that fails stops the others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ouroboros.engine.exchange.base import Exchange, WorkerLost
from ouroboros.engine.exchange.processes import ProcessExchange, run_processes
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.errors import WorkerKilled
from ouroboros.memory import Budget
from tests.engine.contract import keep_promises
from tests.engine.failing import EXIT_CODES
from tests.graphs import Formula, Question, search_states
from tests.ranks import run_ranks
from tests.threads import run_threads

pytestmark = pytest.mark.timeout(60)


def test_one_worker_alone() -> None:
    keep_promises(SoloExchange())


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_processes(size: int) -> None:
    run_processes(size, keep_promises)


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_threads_of_a_test(size: int) -> None:
    run_threads(size, keep_promises)


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks(ranks: int) -> None:
    ran = run_ranks(ranks, "-m", "tests.engine.contract")
    assert (ran.returncode, ran.stderr) == (0, "")


def test_results_come_by_rank() -> None:
    assert run_processes(4, lambda exchange: exchange.rank * 10) == [0, 10, 20, 30]


def test_memory_is_divided_among_processes() -> None:
    def work(exchange: Exchange, budget: Budget) -> int:
        return int(exchange.total(np.array([budget.limit], np.int64))[0])

    assert Team(4).run(work, memory=1000) == 4 * 250


def test_what_lies_in_shared_memory_is_not_copied() -> None:
    """Who receives reads what the sender writes, even later."""

    def work(exchange: ProcessExchange) -> int:
        box = exchange.allocate((3,), np.uint32)
        (received,) = exchange.swap([box] * exchange.size)
        box[:] = 7 + exchange.rank
        exchange.total(np.zeros(1, np.int64))
        return int(received[1 - exchange.rank][2])

    assert run_processes(2, work) == [8, 7]


def test_a_message_may_be_larger_than_the_desk() -> None:
    def work(exchange: ProcessExchange) -> bool:
        own = np.arange(1 << 18, dtype=np.uint64) + exchange.rank
        (received,) = exchange.swap([own] * exchange.size)
        return all(np.array_equal(array, own - exchange.rank + sender) for sender, array in enumerate(received))

    assert run_processes(3, work) == [True] * 3


@pytest.mark.parametrize("failing", [0, 2])
@pytest.mark.parametrize("meetings", [0, 1, 50])
def test_a_process_that_fails_ends_all(failing: int, meetings: int, tmp_path: Path) -> None:
    def work(exchange: ProcessExchange) -> None:
        try:
            for meeting in range(100):
                if meeting == meetings and exchange.rank == failing:
                    raise ZeroDivisionError("the message of the error")
                exchange.total(np.ones(1, np.int64))
        except WorkerLost:
            (tmp_path / str(exchange.rank)).touch()
            raise

    with pytest.raises(ZeroDivisionError, match="the message of the error") as raised:
        run_processes(3, work)
    lost = {path.name for path in tmp_path.iterdir()}
    if failing == 0:
        # The first worker does not wait for the others: they are ended.
        assert lost <= {"1", "2"}
    else:
        assert lost == {"0", "1"}
        assert "in worker 2" in raised.value.__notes__[0]


def test_an_error_that_cannot_be_copied_is_described() -> None:
    class Local(Exception):
        pass

    def work(exchange: ProcessExchange) -> None:
        if exchange.rank == 1:
            raise Local("the message of the error")
        exchange.total(np.ones(1, np.int64))

    with pytest.raises(RuntimeError, match="the message of the error"):
        run_processes(2, work)


@pytest.mark.parametrize("meetings", [0, 50])
def test_a_process_that_is_killed_ends_all(meetings: int) -> None:
    def work(exchange: ProcessExchange) -> None:
        for _ in range(meetings):
            exchange.total(np.ones(1, np.int64))
        if exchange.rank == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        exchange.total(np.ones(1, np.int64))

    with pytest.raises(WorkerKilled, match="SIGKILL"):
        run_processes(3, work)


def test_a_first_process_that_is_killed_ends_all() -> None:
    """The others are not left behind, waiting for it."""
    program = (
        "import os, signal\n"
        "from ouroboros.engine.exchange.processes import run_processes\n"
        "def work(exchange):\n"
        "    pids = exchange.gather(os.getpid())\n"
        "    if exchange.rank == 0:\n"
        "        print(*pids[1:], flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    exchange.total(pids)\n"
        "run_processes(3, work)\n"
    )
    # Returns when nobody is left who could write to the pipe.
    ran = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True, text=True, timeout=50)
    assert (ran.returncode, ran.stderr) == (-signal.SIGKILL, "")
    assert len(ran.stdout.split()) == 2


def test_a_process_that_is_interrupted_ends_all() -> None:
    def work(exchange: ProcessExchange) -> None:
        if exchange.rank == 1:
            raise KeyboardInterrupt
        exchange.total(np.ones(1, np.int64))

    with pytest.raises(KeyboardInterrupt):
        run_processes(2, work)


def test_a_process_that_fails_in_the_middle_of_a_search_ends_it() -> None:
    """The observer is called by the first worker between two rounds."""

    def observe(progress: object) -> None:
        raise RuntimeError("the observer fails")

    def work(exchange: ProcessExchange) -> None:
        search_states(Formula(5000, 1, 1, 1, 2, 0), Question(), exchange, limits=Limits(), observer=observe)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ouroboros.search.exploration._REPORT_EVERY", 0.0)
        with pytest.raises(RuntimeError, match="the observer fails"):
            run_processes(3, work)


def test_no_process_and_no_file_is_left_behind() -> None:
    files = len(os.listdir("/proc/self/fd"))
    run_processes(4, keep_promises)

    def work(exchange: ProcessExchange) -> None:
        if exchange.rank == 1:
            raise ZeroDivisionError
        keep_promises(exchange)

    with pytest.raises(ZeroDivisionError):
        run_processes(3, work)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    assert len(os.listdir("/proc/self/fd")) == files


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
