"""Workers that are threads of the test's own process: they start at once, and what they do can be seen.

Random tests of what workers do together, thousands of small searches, use these; the exchanges that users have are
held to the same promises by `tests.engine.contract`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from ouroboros.engine.exchange.base import Column, Columns, Exchange, Totals, WorkerLost, nothing

Result = TypeVar("Result")


class ThreadExchange(Exchange):
    """Messages are references, in two sets of slots that are used in turn."""

    def __init__(self, rank: int, size: int, barrier: threading.Barrier, slots: list[list[Any]]) -> None:
        self.rank = rank
        self.size = size
        self._barrier = barrier
        self._slots = slots
        self.meetings = 0
        self.busy = 0
        """Meetings in which something was done before the others were waited for."""

    def meet(
        self, numbers: Totals, *columns: Column, meanwhile: Callable[[], None] = nothing
    ) -> tuple[Totals, Columns]:
        slots = self._slots[self.meetings % 2]
        self.meetings += 1
        slots[self.rank] = numbers.copy(), columns
        self.busy += meanwhile is not nothing
        meanwhile()
        try:
            self._barrier.wait()
        except threading.BrokenBarrierError:
            raise WorkerLost from None
        sums: Totals = slots[0][0].copy()
        for others, _ in slots[1:]:
            sums += others
        return sums, [[sent[index][self.rank] for _, sent in slots] for index in range(len(columns))]


def run_threads(size: int, work: Callable[[Exchange], Result]) -> list[Result]:
    """The results by rank; the first error of any thread ends them all."""
    barrier = threading.Barrier(size)
    slots: list[list[Any]] = [[None] * size, [None] * size]
    results: list[Any] = [None] * size
    errors: list[BaseException] = []

    def body(rank: int) -> None:
        try:
            results[rank] = work(ThreadExchange(rank, size, barrier, slots))
        except WorkerLost:
            pass
        except BaseException as error:
            errors.append(error)
            barrier.abort()

    threads = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results
