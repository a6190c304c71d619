"""Budgets, and the queue that needs no more room than there are states."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.queue import Queue, push
from ouroboros.jit import kernel
from ouroboros.memory import Budget, OutOfMemory


def test_a_budget_refuses_what_breaks_the_limit() -> None:
    budget = Budget(100)
    budget.claim("this", 60)
    with pytest.raises(OutOfMemory):
        budget.claim("that", 41)
    assert budget.used == 60
    budget.claim("that", 40)
    budget.claim("this", 10)
    assert budget.used == 50


def test_a_budget_gives_up_what_can_be_spared() -> None:
    budget = Budget(100)
    given_up = []

    def give_up() -> None:
        given_up.append("luxury")
        budget.claim("luxury", 0)

    budget.claim("luxury", 80)
    budget.spare(give_up)
    budget.claim("need", 20)
    assert not given_up
    budget.claim("need", 50)
    assert given_up == ["luxury"]
    assert budget.used == 50


@kernel("void(uint32[::1], int64[::1], uint32)")
def _push(ring: Any, ends: Any, number: Any) -> None:
    push(ring, ends, number)


@given(size=st.integers(1, 6), steps=st.lists(st.tuples(st.booleans(), st.integers(0, 7)), max_size=60))
@settings(deadline=None)
def test_a_queue_is_first_in_first_out(size: int, steps: list[tuple[bool, int]]) -> None:
    """Also where its ring comes round; it holds as many as there are states."""
    queue, model = Queue(size), deque[int]()
    for number, (pushing, most) in enumerate(steps):
        if pushing:
            if len(model) < size:
                # As kernels push, or from outside of them.
                if most % 2:
                    _push(queue.ring, queue.ends, np.uint32(number))
                else:
                    queue.push(number)
                model.append(number)
        else:
            first = queue.peek(most)
            assert list(first) == list(model)[: first.size]
            assert first.size > 0 or most == 0 or not model
            assert first.size <= most
            queue.drop(first.size)
            for _ in range(first.size):
                model.popleft()
        assert queue.count == len(model)


@given(
    size=st.integers(1, 40),
    steps=st.lists(st.tuples(st.booleans(), st.integers(1, 9)), max_size=60),
    window=st.integers(1, 9),
)
@settings(deadline=None)
def test_an_arranged_queue_loses_nothing(size: int, steps: list[tuple[bool, int]], window: int) -> None:
    """Whatever is asked for, something comes, and it is what would have come before long."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ouroboros.engine.queue._WINDOW", window)
        queue, waiting = Queue(size), set[int]()
        free = list(range(size))[::-1]
        for pushing, most in steps:
            if pushing:
                if free:
                    queue.push(free[-1])
                    waiting.add(free.pop())
                continue
            first = [int(state) for state in queue.arranged(most)]
            assert bool(first) == bool(waiting)
            assert len(first) == len(set(first)) <= most
            assert set(first) <= waiting
            assert list(queue.peek(len(first))) == first
            queue.drop(len(first))
            waiting -= set(first)
            free += first
        assert queue.count == len(waiting)


def test_arranged_states_are_in_order() -> None:
    """Up to what is a bucket: here each number has its own."""
    queue = Queue(100)
    for state in (42, 7, 99, 0, 13):
        queue.push(state)
    assert list(queue.arranged(100)) == [0, 7, 13, 42, 99]
