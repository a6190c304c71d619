"""Tables of pairs of references, which have as many bytes as the largest needs, against a dictionary."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.engine.stores.keys import KeyTable
from ouroboros.memory import Budget

Key = tuple[int, ...]


def _pair(left: int, right: int) -> int:
    return left << 32 | right


@given(
    words=st.integers(1, 3),
    limits=st.lists(st.sampled_from((2, 255, 256, 257, 1 << 16, (1 << 16) + 1, 1 << 24, 1 << 32)), max_size=8),
    seed=st.integers(0, 1000),
)
def test_pairs_get_wider_as_references_grow(words: int, limits: list[int], seed: int) -> None:
    random = Random(seed)
    table = KeyTable(words, Budget(1 << 26), "pairs", pairs=True)
    model: dict[Key, int] = {}
    for limit in sorted(limits):
        # The largest reference and the least, on both sides, and what is between them.
        references = [0, limit - 1, *(random.randrange(limit) for _ in range(20))]
        keys = [
            tuple(_pair(random.choice(references), random.choice(references)) for _ in range(words)) for _ in range(60)
        ]
        table.refer_to(limit)
        ids = np.zeros(len(keys), np.uint32)
        table.intern(np.array(keys, np.uint64).reshape(-1), len(keys), ids)
        assert ids.tolist() == [model.setdefault(key, len(model)) for key in keys]
    assert table.count == len(model)
    stored = table.gather(np.arange(len(model), dtype=np.uint32)).reshape(-1, words)
    assert [tuple(row) for row in stored.tolist()] == list(model)
    for key, identifier in model.items():
        assert table.find(*key) == identifier


@pytest.mark.parametrize(("nodes", "stride"), [(256, 2), (257, 4), (1 << 16, 4), (1 << 24, 6), ((1 << 24) + 1, 8)])
def test_a_reference_takes_as_many_bytes_as_the_largest_needs(nodes: int, stride: int) -> None:
    table = KeyTable(1, Budget(1 << 20), "pairs", pairs=True)
    table.refer_to(nodes)
    assert table.stride == stride


def test_a_large_index_of_pairs_grows() -> None:
    """Beyond what is in a near cache, where look-ups overlap."""
    table = KeyTable(1, Budget(1 << 28), "pairs", pairs=True)
    table.refer_to(1 << 20)
    random = Random(1)
    model: dict[int, int] = {}
    ids = np.zeros(5000, np.uint32)
    for _ in range(60):
        keys = [_pair(random.randrange(1 << 20), random.randrange(1000)) for _ in range(4000)]
        keys += random.sample(list(model), min(1000, len(model)))
        table.intern(np.array(keys, np.uint64), len(keys), ids)
        assert ids[: len(keys)].tolist() == [model.setdefault(key, len(model)) for key in keys]
    assert table.count == len(model) > 200_000
