"""The sieve leaves out only what it has let through before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.engine.memory import Budget
from ouroboros.engine.sieve import Sieve

vectors = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, (1 << 64) - 1])), max_size=60)


@given(st.lists(vectors, max_size=4))
def test_what_is_left_out_was_let_through_before(batches: list[list[tuple[int, int]]]) -> None:
    sieve = Sieve(2, Budget(1 << 30))
    passed: set[tuple[int, int]] = set()
    for batch in batches:
        out = np.array(batch, np.uint64).reshape(-1)
        sources = np.arange(len(batch), dtype=np.uint32)
        kept = sieve.sift(out, sources, len(batch))
        survivors = [int(source) for source in sources[:kept]]
        assert survivors == sorted(set(survivors))
        assert [tuple(map(int, vector)) for vector in out[: 2 * kept].reshape(-1, 2)] == [batch[k] for k in survivors]
        for k, vector in enumerate(batch):
            if k in survivors:
                passed.add(vector)
            assert vector in passed


def test_a_vector_that_comes_again_at_once_is_left_out() -> None:
    sieve = Sieve(1, Budget(1 << 30))
    assert sieve.sift(np.array([7, 7, 7], np.uint64), np.zeros(3, np.uint32), 3) == 1
    assert sieve.sift(np.array([7], np.uint64), np.zeros(1, np.uint32), 1) == 0


def test_the_vector_of_zeros_is_not_taken_for_one_that_was_met() -> None:
    assert Sieve(3, Budget(1 << 30)).sift(np.zeros(3, np.uint64), np.zeros(1, np.uint32), 1) == 1
