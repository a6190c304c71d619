"""Workers that are threads of one process: messages are references, meetings are barriers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ouroboros.engine.exchange.barrier import Barrier
from ouroboros.engine.exchange.base import Column, Columns, Exchange, Totals, WorkerLost

Result = TypeVar("Result")


class _Hub:
    """What the threads share: one slot for each worker, in two sets used in turn.

    A worker that is slow to read one meeting's slots cannot find them overwritten by the next meeting, for the others
    need it at that meeting's barrier before they can go on to the one after.
    """

    def __init__(self, size: int) -> None:
        self.barrier = Barrier(size)
        self.slots: list[list[Any]] = [[None] * size, [None] * size]


class ThreadExchange(Exchange):
    def __init__(self, rank: int, size: int, hub: _Hub) -> None:
        self.rank = rank
        self.size = size
        self._hub = hub
        self._meetings = 0

    def meet(self, numbers: Totals, *columns: Column) -> tuple[Totals, Columns]:
        meeting = self._meetings
        self._meetings += 1
        slots = self._hub.slots[meeting % 2]
        slots[self.rank] = numbers.copy(), columns
        try:
            self._hub.barrier.wait(meeting)
        except threading.BrokenBarrierError as error:
            raise WorkerLost from error
        sums: Totals = slots[0][0].copy()
        for others, _ in slots[1:]:
            sums += others
        return sums, [[sent[index][self.rank] for _, sent in slots] for index in range(len(columns))]


def run_threads(size: int, work: Callable[[ThreadExchange], Result]) -> list[Result]:
    """Run `work` in `size` threads and return the results by rank. The first error of any thread ends them all."""
    hub = _Hub(size)
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def body(rank: int) -> None:
        try:
            results[rank] = work(ThreadExchange(rank, size, hub))
        except WorkerLost:
            pass
        except BaseException as error:
            errors.append(error)
            hub.barrier.abort()

    threads = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException:  # the user's interrupt reaches the main thread only
        hub.barrier.abort()
        raise
    if errors:
        raise errors[0]
    return results
