"""The sieve leaves out only what it has let through before."""

from __future__ import annotations

from unittest import mock

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ouroboros.engine import sieve as sieve_module
from ouroboros.engine.sieve import Sieve
from ouroboros.memory import Budget

Batch = list[tuple[int, int]]

vectors = st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, (1 << 64) - 1])), max_size=60)


def mixed(sieve: Sieve, messages: list[Batch]) -> list[tuple[int, int]]:
    """The sender and the number of each vector that is kept, after checking that it is the right one."""
    columns = [np.array(message, np.uint64).reshape(-1) for message in messages]
    numbers = [np.arange(len(message), dtype=np.uint32) for message in messages]
    out = np.zeros(sum(column.size for column in columns), np.uint64)
    sources = np.zeros(out.size // 2, np.uint32)
    kept, runs = sieve.mix(columns, numbers, out, sources)
    lengths = np.diff(runs.ends, prepend=0)
    assert lengths.sum() == kept
    senders = [int(sender) for sender in np.repeat(runs.senders, lengths)]
    edges = [(sender, int(source)) for sender, source in zip(senders, sources[:kept], strict=True)]
    rows = [tuple(map(int, vector)) for vector in out[: 2 * kept].reshape(-1, 2)]
    assert rows == [messages[sender][number] for sender, number in edges]
    return edges


@given(st.lists(st.lists(vectors, min_size=1, max_size=3), max_size=4), st.integers(1, 20))
def test_what_is_left_out_was_let_through_before(rounds: list[list[Batch]], piece: int) -> None:
    sieve = Sieve(2, Budget(1 << 30))
    passed: set[tuple[int, int]] = set()
    with mock.patch.object(sieve_module, "_PIECE", piece):
        for messages in rounds:
            edges = mixed(sieve, messages)
            assert len(set(edges)) == len(edges)
            for sender, message in enumerate(messages):
                numbers = [number for origin, number in edges if origin == sender]
                assert numbers == sorted(numbers), "parents are stored as differences, which must not be negative"
                passed.update(message[number] for number in numbers)
            assert passed.issuperset(vector for message in messages for vector in message)


def test_a_vector_that_comes_again_at_once_is_left_out() -> None:
    sieve = Sieve(2, Budget(1 << 30))
    assert mixed(sieve, [[(7, 7), (7, 7)], [(7, 7)]]) == [(0, 0)]
    assert mixed(sieve, [[(7, 7)]]) == []


def test_neighbours_from_different_workers_meet() -> None:
    """Each worker sends so much that the sieve has forgotten the beginning when it comes to the end."""
    message = [(number, 1) for number in range(50_000)]
    assert len(mixed(Sieve(2, Budget(1 << 30)), [message, message])) < 60_000


def test_the_vector_of_zeros_is_not_taken_for_one_that_was_met() -> None:
    assert mixed(Sieve(2, Budget(1 << 30)), [[(0, 0)]]) == [(0, 0)]
