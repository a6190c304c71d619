"""The full store against a dictionary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.owners import Ownership
from ouroboros.engine.stores import keys
from ouroboros.engine.stores.full import FullStore
from ouroboros.memory import Budget, OutOfMemory
from ouroboros.system.layout import Vector

LARGEST = (1 << 64) - 1

FAMILIES: dict[str, Callable[[int, int], Vector]] = {
    "counting in the first word": lambda number, words: (number, *(0,) * (words - 1)),
    "counting in the last word": lambda number, words: (*(0,) * (words - 1), number),
    "only high bits differ": lambda number, words: (number << 48, *(7,) * (words - 1)),
    "equal low halves": lambda number, words: (number << 32 | 0xABCD, *(number << 32,) * (words - 1)),
    "all words the same": lambda number, words: (number,) * words,
    "all but all ones": lambda number, words: (LARGEST - number, *(LARGEST,) * (words - 1)),
    "single bits": lambda number, words: tuple(
        (1 << number % 64) ^ (1 << number // 64 % 64) if word == number // 4096 % words else 0 for word in range(words)
    ),
}


class Checked:
    """A store beside its model."""

    def __init__(self, words: int, memory: int = 1 << 24, short: bool = False) -> None:
        self.store = FullStore(words, Budget(memory), short)
        self.model: dict[Vector, int] = {}

    def insert(self, vectors: Sequence[Vector]) -> None:
        if self.store.table.stride < self.store.words * 8:
            vectors = [(*vector[:-1], vector[-1] & 0xFFFFFFFF) for vector in vectors]
        ids = np.zeros(max(1, len(vectors)), np.uint32)
        self.store.insert(np.array(vectors, np.uint64).reshape(-1), len(vectors), ids)
        expected = [self.model.setdefault(vector, len(self.model)) for vector in vectors]
        assert list(ids[: len(vectors)]) == expected
        assert self.store.count == len(self.model)

    def check_all(self) -> None:
        for vector, identifier in self.model.items():
            assert self.store.find(vector) == identifier
            assert self.store.vector(identifier) == vector
        order = Random(0).sample(list(self.model.items()), len(self.model))
        gathered = self.store.gather(np.array([identifier for _, identifier in order], np.uint32))
        assert [tuple(row) for row in gathered.reshape(-1, self.store.words).tolist()] == [
            vector for vector, _ in order
        ]
        for start in range(0, len(self.model), 7):
            batch = self.store.batch(start, len(self.model))
            ordered = list(self.model)[start : start + batch.size // self.store.words]
            assert ordered
            assert [tuple(row) for row in batch.reshape(-1, self.store.words).tolist()] == ordered


@given(
    words=st.integers(1, 8),
    slots=st.sampled_from((2, 4, 1 << 14)),
    batches=st.lists(st.lists(st.integers(0, 40), max_size=20), max_size=12),
    family=st.sampled_from(list(FAMILIES)),
    short=st.booleans(),
)
@settings(max_examples=200)
def test_ids_are_dense_and_in_the_order_of_first_arrival(
    words: int, slots: int, batches: list[list[int]], family: str, short: bool
) -> None:
    with patch.object(keys, "_FIRST_SLOTS", slots):
        checked = Checked(words, short=short)
    for batch in batches:
        checked.insert([FAMILIES[family](number, words) for number in batch])
    checked.check_all()
    for number in range(41, 80):
        stranger = FAMILIES[family](number, words)
        if short and stranger[-1] >> 32:
            continue
        if stranger not in checked.model:
            assert checked.store.find(stranger) is None
    assert checked.store.count == len(checked.model)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("words", [1, 2, 3, 7])
@pytest.mark.parametrize("short", [False, True])
def test_many_doublings(words: int, family: str, short: bool) -> None:
    """Every family grows the table from two slots on, in batches that are larger than the table."""
    random = Random(f"{words} {family}")
    with patch.object(keys, "_FIRST_SLOTS", 2):
        checked = Checked(words, short=short)
    for _ in range(10):
        numbers = [random.randrange(4000) for _ in range(500)]
        checked.insert([FAMILIES[family](number, words) for number in numbers])
    checked.check_all()
    assert checked.store.bytes == checked.store.count * (8 * words - 4 * short) + 4 * checked.store.table._index.size
    assert checked.store.count < checked.store.table._index.size <= 8 * checked.store.count


def test_a_full_store_is_out_of_memory_and_keeps_what_it_has() -> None:
    with patch.object(keys, "_FIRST_SLOTS", 2):
        checked = Checked(2, memory=4000)

    def fill() -> None:
        for number in range(1000):
            checked.insert([(number, 1)])

    with pytest.raises(OutOfMemory):
        fill()
    assert len(checked.model) > 50
    for vector, identifier in checked.model.items():
        assert checked.store.find(vector) == identifier


def test_the_table_has_a_largest_size() -> None:
    with patch.object(keys, "_FIRST_SLOTS", 2), patch.object(keys, "_MOST_SLOTS", 8):
        checked = Checked(1)
        checked.insert([(number,) for number in range(2)])
        with pytest.raises(OutOfMemory):
            checked.store.table.grow()
        checked.insert([(number,) for number in range(2)])


@pytest.mark.parametrize("workers", [2, 3, 7, 16])
@pytest.mark.parametrize("family", FAMILIES)
def test_every_worker_owns_a_fair_share(family: str, workers: int) -> None:
    states = 4000
    shares, ownership = np.zeros(workers), Ownership(3, 3, workers)
    for number in range(states):
        shares[ownership.of_one(tuple(FAMILIES[family](number, 3)))] += 1
    # Six standard deviations of a fair lottery.
    assert np.abs(shares - states / workers).max() < 6 * np.sqrt(states / workers)
