"""Queues on disk: what they do for a search, and what it says when the disk lets it down."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from ouroboros.checking import explore
from ouroboros.engine import vectors
from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import read_store
from ouroboros.engine.team import Team
from ouroboros.graph.product import ProductGraph
from ouroboros.languages import load
from ouroboros.memory import Budget
from ouroboros.search.accepting import Method, accepting_cycle
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Outcome
from tests.cli.helpers import MODELS, ouro
from tests.graphs import LAST_SEEN, Formula, Product, as_system, random_formula, run
from tests.ranks import run_ranks
from tests.search.conftest import tiny_rounds

COUNTERS = MODELS / "counters.dve"
STATES = 33**4


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a few thousand states are many."""
    monkeypatch.setattr(vectors, "_BLOCK_BYTES", 1 << 12)
    monkeypatch.setattr(vectors, "_SHARE_OF_MEMORY", 1 << 30)


class Blocks:
    """Counts those that go to disk and come back, and may fail."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.written = self.read = 0
        self.fail_write = self.fail_read = -1
        self._write, self._read = os.pwrite, os.preadv
        patch.setattr(os, "pwrite", self.pwrite)
        patch.setattr(os, "preadv", self.preadv)

    def pwrite(self, *arguments: object) -> int:
        self.written += 1
        if self.written == self.fail_write:
            raise OSError(28, "No space left on device")
        return self._write(*arguments)

    def preadv(self, *arguments: object) -> int:
        self.read += 1
        if self.read == self.fail_read:
            raise OSError(5, "Input/output error")
        return self._read(*arguments)


@pytest.fixture
def blocks(monkeypatch: pytest.MonkeyPatch) -> Blocks:
    return Blocks(monkeypatch)


def search(product: Product, workers: int, scratch: Path) -> list[Outcome]:
    """OWCTY_HC, with its queues on disk."""
    model = product.graph.model
    return run(
        workers,
        lambda exchange: accepting_cycle(
            ProductGraph(as_system(product), model.program, product.automaton, model.location, [model.accepting]),
            Method("owcty"),
            Worker(exchange, Budget(64 << 20, str(scratch)), store=read_store("compact")),
        ),
    )


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_accepting_states_go_to_disk_and_come_back(workers: int, blocks: Blocks, tmp_path: Path) -> None:
    random = Random(workers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vectors, "_BLOCK_BYTES", 64)
        for _ in range(6):
            product = Product(random_formula(random, 200), LAST_SEEN, random.random() < 0.5)
            with tiny_rounds():
                outcomes = search(product, workers, tmp_path)
            assert {outcome.limit for outcome in outcomes} == {None}
            assert (outcomes[0].finding is not None) == product.has_accepting_cycle
    assert blocks.written > 20
    assert blocks.read > 20
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("fails", ["fail_write", "fail_read"])
def test_a_disk_that_fails_in_any_phase_ends_the_search_for_all(
    workers: int, fails: str, blocks: Blocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several workers one only meets the failure; none may wait for it, and nobody may say that all holds."""
    monkeypatch.setattr(vectors, "_BLOCK_BYTES", 64)
    product = Product(Formula(400, 7, 3, 1000, every=2, which=0), LAST_SEEN, False)
    assert product.has_accepting_cycle
    search(product, workers, tmp_path)
    total = blocks.written if fails == "fail_write" else blocks.read
    assert total > 20
    limits = set()
    for number in range(1, total, max(1, total // 12)):
        blocks.written = blocks.read = 0
        setattr(blocks, fails, number)
        outcomes = search(product, workers, tmp_path)
        assert len({(outcome.limit, outcome.finding is None) for outcome in outcomes}) == 1
        limits.add(outcomes[0].limit)
        assert outcomes[0].limit == "disk" or outcomes[0].finding
    assert "disk" in limits
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("fails", ["fail_write", "fail_read"])
def test_what_was_found_until_the_disk_was_full(workers: int, fails: str, blocks: Blocks, tmp_path: Path) -> None:
    setattr(blocks, fails, 30)
    limits = Limits(memory=64 << 20, scratch=str(tmp_path))
    report = explore(load(COUNTERS), store="compact", team=Team(workers), limits=limits)
    assert (report.verdict, report.reason) == ("unknown", "disk")
    assert 1000 < report.statistics.states < STATES
    assert list(tmp_path.iterdir()) == []


def test_a_scratch_directory_that_vanishes(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    limits = Limits(memory=64 << 20, scratch=str(scratch))
    report = explore(
        load(COUNTERS), store="compact", limits=limits, before_search=lambda kernels: shutil.rmtree(scratch)
    )
    assert (report.verdict, report.reason) == ("unknown", "disk")


def test_a_directory_that_cannot_be_written_to() -> None:
    ran = ouro("states", COUNTERS, "--store", "compact", "--scratch", "/proc")
    assert ran.code in (2, 3)
    assert "writable" in ran.err if ran.code == 2 else ran.out.startswith("unknown: the disk is full")


def test_a_directory_that_is_none(tmp_path: Path) -> None:
    ran = ouro("states", COUNTERS, "--store", "compact", "--scratch", tmp_path / "none")
    assert ran.code == 2
    assert "does not exist" in ran.err


def test_a_worker_that_crashes_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def crash(*_: object) -> int:
        nonlocal calls
        calls += 1
        if calls == 40:
            raise RuntimeError("worker fell over")
        return write(*_)

    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", crash)
    ran = ouro("states", COUNTERS, "--store", "compact", "--workers", 2, "--scratch", tmp_path)
    assert ran.code == 4
    assert "worker fell over" in ran.err
    assert list(tmp_path.iterdir()) == []


_SMALL_FILES = """
import resource, sys
from ouroboros.cli import main
from ouroboros.engine import vectors
vectors._BLOCK_BYTES, vectors._SHARE_OF_MEMORY = 1 << 12, 1 << 30
if int(sys.argv[1]):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
main(sys.argv[2:])
"""


def process(limit: int, *arguments: object) -> list[str]:
    return [sys.executable, "-c", _SMALL_FILES, str(limit), *map(str, arguments)]


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_FSIZE"), reason="no limit on files")
def test_a_file_that_cannot_grow(tmp_path: Path) -> None:
    """As the operating system says it, not a test that stands in for it."""
    command = process(1 << 17, "states", COUNTERS, "--store", "compact", "--workers", 2, "--scratch", tmp_path)
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert ran.returncode == 3, ran
    assert ran.stdout.startswith(
        "unknown: the disk is full, or its directory is gone\n  name a directory on a larger disk with --scratch"
    )
    assert "found before the search ended" in ran.stdout


_RANK = """
import os, sys
from mpi4py import MPI
from ouroboros.cli import main
from ouroboros.engine import vectors
vectors._BLOCK_BYTES, vectors._SHARE_OF_MEMORY = 1 << 10, 1 << 30
rank, write, written = MPI.COMM_WORLD.rank, os.pwrite, []

def pwrite(*arguments):
    if rank == 1 and len(written) == int(sys.argv[1]):
        raise OSError(28, "No space left on device")
    written.append(write(*arguments))
    return written[-1]

os.pwrite = pwrite
try:
    main(sys.argv[3:])
finally:
    open(f"{sys.argv[2]}/{rank}", "w").write(str(len(written)))
"""
"""Its arguments: after how many writes the disk of rank 1 is full, where each rank leaves its number, the command."""


@pytest.mark.parametrize("last", [-1, 25])
def test_every_rank_has_a_file_of_its_own(last: int, tmp_path: Path) -> None:
    """And if one of them has no room for it, the run ends for all."""
    scratch, counts, report = tmp_path / "scratch", tmp_path / "counts", tmp_path / "report.json"
    scratch.mkdir()
    counts.mkdir()
    model = tmp_path / "small.dve"
    model.write_text(COUNTERS.read_text().replace("% 33", "% 14"))
    options = ("states", model, "--store", "compact", "--scratch", scratch, "--json", report)
    ran = run_ranks(2, "-c", _RANK, *map(str, (last, counts, *options)))
    assert ran.returncode == (0 if last < 0 else 3), ran
    told = json.loads(report.read_text())
    assert (told["exchange"], told["reason"]) == ("mpi", None if last < 0 else "disk")
    assert told["states"] == 14**4 if last < 0 else 1000 < told["states"] < 14**4
    written = [int((counts / str(rank)).read_text()) for rank in range(2)]
    assert written[0] > 20
    assert written[1] > 25 if last < 0 else written[1] == 25
    assert list(scratch.iterdir()) == []


def test_a_process_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    command = process(0, "states", COUNTERS, "--store", "compact", "--scratch", tmp_path)
    started = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while started.poll() is None and not _holds_a_file_in(started.pid, tmp_path):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        started.send_signal(signal.SIGKILL)
    finally:
        started.kill()
        started.wait()
    assert list(tmp_path.iterdir()) == []


def _holds_a_file_in(pid: int, folder: Path) -> bool:
    try:
        return any(str(folder) in os.readlink(entry) for entry in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
