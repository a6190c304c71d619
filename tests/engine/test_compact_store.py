"""Fingerprints against a dictionary, the queue against a list, parents and lineages against lists."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine import vectors as queues
from ouroboros.engine.lineage import Lineage
from ouroboros.engine.parents import Parents, Runs
from ouroboros.engine.stores import fingerprints
from ouroboros.engine.stores.base import OLD
from ouroboros.engine.stores.fingerprints import Fingerprints
from ouroboros.engine.vectors import VectorQueue
from ouroboros.memory import Budget, OutOfDisk, OutOfMemory
from ouroboros.system.layout import Vector


@pytest.fixture
def _small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fingerprints, "_FIRST_LINES", 16)
    monkeypatch.setattr(fingerprints, "_MANY_LINES", 64)


@pytest.mark.usefixtures("_small_tables")
@pytest.mark.parametrize("bits", [40, 48, 64])
@pytest.mark.parametrize("words", [1, 3, 9])
def test_new_states_are_told_from_old_ones(words: int, bits: int) -> None:
    """Through many growths. With so few states a collision is as good as impossible."""
    random = Random(bits)
    table = Fingerprints(words, Budget(1 << 28), bits, seed=words, cut=None)
    known: dict[Vector, int] = {}
    ids, fresh = np.zeros(300, np.uint32), np.zeros(300 * words, np.uint64)
    for _ in range(150):
        rows = [(random.randrange(20_000), *[7] * (words - 1)) for _ in range(random.randrange(300))]
        expected, new = [], []
        for row in rows:
            expected.append(OLD if row in known else len(known))
            if row not in known:
                known[row] = len(known)
                new.append(row)
        found = table.insert(np.array(rows, np.uint64).reshape(-1), len(rows), ids, fresh)
        assert ids[: len(rows)].tolist() == expected
        assert fresh[: found * words].reshape(-1, words).tolist() == [list(row) for row in new]
    assert table.count == len(known) > 10_000
    assert table._homes > 64 * 1.25**2


def test_bits_of_identity() -> None:
    """32 bits of the place, of which so many are not stored as tell the lines apart, and the rest."""
    for bits, identity in ((32, 50), (40, 58), (48, 66), (64, 82)):
        assert Fingerprints(2, Budget(1 << 30), bits, 0, None).identity_bits == identity
    assert Fingerprints(2, Budget(1 << 30), 40, 0, cut=12).identity_bits == 12


@pytest.mark.parametrize("cut", [4, 12])
def test_a_cut_hash_makes_states_collide(cut: int) -> None:
    table = Fingerprints(1, Budget(1 << 28), 40, 0, cut)
    ids, fresh = np.zeros(20_000, np.uint32), np.zeros(20_000, np.uint64)
    found = table.insert(np.arange(20_000, dtype=np.uint64), 20_000, ids, fresh)
    assert 0.97 * (1 << cut) <= found <= 1 << cut


def test_seeds_give_other_collisions() -> None:
    """And as many of them as chance has it: about n² / 2 / 2**cut."""
    kept = []
    for seed in range(8):
        table = Fingerprints(1, Budget(1 << 28), 40, seed, 20)
        ids, fresh = np.zeros(1000, np.uint32), np.zeros(1000, np.uint64)
        table.insert(np.arange(1000, dtype=np.uint64) << np.uint64(20), 1000, ids, fresh)
        kept.append(tuple(np.flatnonzero(ids == OLD)))
    assert len(set(kept)) > 1
    assert 0 < sum(map(len, kept)) < 16


def test_too_little_memory() -> None:
    table = Fingerprints(1, Budget(200_000), 40, 0, None)
    ids, fresh = np.zeros(1000, np.uint32), np.zeros(1000, np.uint64)
    for start in range(0, 8000, 1000):
        table.insert(np.arange(start, start + 1000, dtype=np.uint64), 1000, ids, fresh)
    many = np.arange(8000, 30_000, dtype=np.uint64)
    with pytest.raises(OutOfMemory):
        table.insert(many, many.size, np.zeros(many.size, np.uint32), many.copy())


@given(
    words=st.integers(1, 5),
    rows=st.integers(1, 7),
    on_disk=st.booleans(),
    steps=st.lists(st.tuples(st.booleans(), st.integers(0, 60)), max_size=60),
)
@settings(deadline=None)
def test_a_queue_is_a_list(words: int, rows: int, on_disk: bool, steps: list[tuple[bool, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queues, "_BLOCK_BYTES", rows * words * 8)
        patch.setattr(queues, "_SHARE_OF_MEMORY", 1 << 40)
        queue = VectorQueue(words, Budget(1 << 20, tempfile.gettempdir() if on_disk else None), "queue")
    expected: list[list[int]] = []
    number = 0
    for appends, count in steps:
        if appends:
            block = np.arange(number, number + count * words, dtype=np.uint64)
            number += count * words
            queue.append(block)
            expected += block.reshape(-1, words).tolist()
        else:
            seen = queue.peek(count).reshape(-1, words).tolist()
            assert seen == expected[: len(seen)]
            assert len(seen) > 0 or count == 0 or not expected
            dropped = min(len(seen), count)
            queue.drop(dropped)
            del expected[:dropped]
        assert queue.count == len(expected)


def test_a_long_queue_needs_little_memory(tmp_path: Path) -> None:
    budget = Budget(160 << 20, str(tmp_path))
    queue = VectorQueue(4, budget, "queue")
    for number in range(60):
        queue.append(np.full(4 << 15, number, np.uint64))
    assert budget.used <= 11 << 20
    assert list(tmp_path.iterdir()) == []  # the file has no name
    for number in range(60):
        left = 1 << 15
        while left:
            some = queue.peek(left)
            assert (some == number).all()
            queue.drop(some.size // 4)
            left -= some.size // 4
    assert queue.count == 0


def test_a_scratch_directory_that_vanishes(tmp_path: Path) -> None:
    queue = VectorQueue(4, Budget(64 << 20, str(tmp_path / "gone")), "queue")
    with pytest.raises(OutOfDisk, match="No such file"):
        queue.append(np.zeros(4 << 20, np.uint64))


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    queue = VectorQueue(4, Budget(64 << 20, str(tmp_path)), "queue")
    with pytest.raises(OutOfDisk, match="No space left"):
        queue.append(np.zeros(4 << 20, np.uint64))


@given(seed=st.integers(0, 1 << 30), workers=st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_parents_are_those_of_the_arrivals(seed: int, workers: int) -> None:
    random = Random(seed)
    lineage, parents = Lineage(1, 10_000, Budget(1 << 24)), Parents(10_000, Budget(1 << 24))
    expected: list[tuple[int, int]] = []
    known = 0
    for _ in range(30):
        sender = random.randrange(workers)
        sources, targets, source = [], [], random.randrange(1 << 20)
        for _ in range(random.randrange(40)):
            source = max(0, source + random.choice((0, 0, 1, 3, 254, 255, 256, 100_000, -1, -1000)))
            new = random.random() < 0.5
            targets.append(known if new else OLD)
            sources.append(source)
            known += new
            if new:
                expected.append((sender, source))
        vectors = np.array([random.randrange(1 << 60) for _ in targets], np.uint64)
        edges = np.array(targets, np.uint32), np.array(sources, np.uint32), vectors, Runs.one(sender, len(targets))
        before = known - sum(target != OLD for target in targets)
        lineage.adopt(*edges)
        parents.adopt(*edges)
        fresh = [int(vector) for vector, target in zip(vectors, targets, strict=True) if target != OLD]
        for state, vector in enumerate(fresh, before):
            assert lineage.tag(state) == lineage.tag_of((vector,))
    assert [parents.parent(state) for state in range(known)] == expected
    assert [lineage.parent(state) for state in range(known)] == expected
