"""What every exchange promises, as a program: the workers of any exchange can run it.

Run as a script, it is one rank of an MPI run, and ends with an error where a promise is broken.
"""

from __future__ import annotations

import time
from random import Random
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.team import Team
from ouroboros.memory import Budget

ROUNDS = 60
DTYPES = (np.uint64, np.uint32, np.uint16, np.uint8)
GARBAGE = 0xEE


def message(meeting: int, column: int, sender: int, receiver: int) -> npt.NDArray[Any]:
    """What goes from one worker to another at a meeting: both can compute it. Often nothing, sometimes a lot."""
    random = Random(f"{meeting} {column} {sender} {receiver}")
    size = random.choice((0, 0, 1, 5, 100, 2000))
    # A column has one dtype at a meeting, but another at the next.
    dtype = DTYPES[(meeting // 3 + column) % len(DTYPES)]
    return np.array([random.randrange(256) for _ in range(size)], dtype)


def keep_promises(exchange: Exchange) -> None:
    assert 0 <= exchange.rank < exchange.size
    ranks = exchange.total(np.array([1 << exchange.rank], np.int64))
    assert list(ranks) == [(1 << exchange.size) - 1], "the ranks are not 0, 1, …"
    _sums(exchange)
    _gathers(exchange)
    _swaps(exchange)


def _sums(exchange: Exchange) -> None:
    rank, size = exchange.rank, exchange.size
    values = np.array([[rank, -rank], [1 << 62, 7]], np.int64)
    total = exchange.total(values)
    everyone = size * (size - 1) // 2
    wrapped = (size << 62) % (1 << 64)
    assert total.tolist() == [[everyone, -everyone], [wrapped - (wrapped >> 63 << 64), 7 * size]]
    assert values.tolist() == [[rank, -rank], [1 << 62, 7]] or size == 1, "what was given was changed"
    assert exchange.total(np.zeros(0, np.int64)).size == 0


def _gathers(exchange: Exchange) -> None:
    """Any number that fits into 64 bits comes as it was, whatever the others have to say."""
    rank, size = exchange.rank, exchange.size
    least, greatest = -(1 << 63), (1 << 63) - 1
    assert exchange.gather(rank - 1).tolist() == [other - 1 for other in range(size)]
    own = np.array([[rank, least], [greatest, -rank]], np.int64)
    assert exchange.gather(own).tolist() == [[[other, least], [greatest, -other]] for other in range(size)]
    assert own.tolist() == [[rank, least], [greatest, -rank]], "what was given was changed"
    assert exchange.gather([0, rank]).tolist() == [[0, other] for other in range(size)]
    assert exchange.gather(rank == size - 1).tolist() == [0] * (size - 1) + [1]
    nothing = exchange.gather(np.zeros(0, np.int64))
    assert (nothing.shape, nothing.dtype) == ((size, 0), np.int64)


def _swaps(exchange: Exchange) -> None:
    rank, size = exchange.rank, exchange.size
    random = Random(rank)
    sent_before: list[list[npt.NDArray[Any]]] = []
    sent_long_ago: list[list[npt.NDArray[Any]]] = []
    other_work = 0
    for meeting in range(ROUNDS):
        columns = 1 + meeting % 4
        sent = [[message(meeting, column, rank, receiver) for receiver in range(size)] for column in range(columns)]
        # Numbers come with messages at every other meeting, as a round of a search has them.
        numbers = np.array([meeting, rank], np.int64)

        def work(boxes: list[list[npt.NDArray[Any]]] = sent_long_ago) -> None:
            """The last meeting is over: what was sent at the one before it may be overwritten."""
            nonlocal other_work
            other_work += 1
            _scribble(boxes)
            _dawdle(random)

        sums, received = exchange.meet(numbers, *sent, meanwhile=work) if meeting % 2 else (None, exchange.swap(*sent))
        assert sums is None or sums.tolist() == [meeting * size, size * (size - 1) // 2]
        assert numbers.tolist() == [meeting, rank], "what was given was changed"
        # The call before is over for all: its boxes may be filled anew, whoever is slow to read this one's.
        if meeting % 3:
            _scribble(sent_before)
        _dawdle(random)
        assert len(received) == columns
        for column, arrays in enumerate(received):
            assert len(arrays) == size
            for sender, array in enumerate(arrays):
                expected = message(meeting, column, sender, rank)
                assert array.dtype == expected.dtype
                assert np.array_equal(array, expected), (meeting, column, sender, rank)
        sent_long_ago, sent_before = sent_before, sent
        if meeting % 5 == 0:
            assert exchange.total(np.array([meeting], np.int64)) == [meeting * size]
    assert other_work == ROUNDS // 2


def _scribble(boxes_by_column: list[list[npt.NDArray[Any]]]) -> None:
    for boxes in boxes_by_column:
        for box in boxes:
            box.fill(GARBAGE)


def _dawdle(random: Random) -> None:
    if random.random() < 0.3:
        time.sleep(random.random() / 1000)


def _work(exchange: Exchange, budget: Budget) -> None:
    keep_promises(exchange)


if __name__ == "__main__":
    Team().run(_work, memory=1 << 20)
