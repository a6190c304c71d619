"""What workers need of each other, whatever carries it."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Column = Sequence[npt.NDArray[Any]]
"""One array for each worker, all of the same dtype."""

Columns = list[list[npt.NDArray[Any]]]
"""What arrived: of each column that was sent, one array from each worker."""

Totals = npt.NDArray[np.int64]
NO_NUMBERS: Totals = np.zeros(0, np.int64)

give_way: Callable[[], None] = getattr(os, "sched_yield", lambda: time.sleep(0))
"""To who else wants the core of a worker that waits; not every system has a call for it."""


def nothing() -> None:
    """What there is to do meanwhile where there is nothing."""


class WorkerLost(Exception):
    """Another worker failed; its error is the one to report."""


class Exchange(ABC):
    """The meeting point of the workers of a run. Every call is collective: all workers make it, in the same order."""

    rank: int
    size: int

    def allocate(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array of zeros for messages: where workers share memory, it can be sent without being copied."""
        return np.zeros(shape, dtype)

    @abstractmethod
    def meet(
        self, numbers: Totals, *columns: Column, meanwhile: Callable[[], None] = nothing
    ) -> tuple[Totals, Columns]:
        """Send columns[c][r] to worker r, and have numbers summed; the second result's [c][s] is what worker s sent.

        The first result is the element-wise sum over all workers, modulo 2**64. What was received is valid until the
        next collective call is made, and what was sent must not be touched until that returns. Work that needs nothing
        of what arrives can be done `meanwhile`, so that who comes late is not waited for.
        """

    def swap(self, *columns: Column) -> Columns:
        """A meeting without numbers."""
        return self.meet(NO_NUMBERS, *columns)[1]

    def total(self, numbers: Totals) -> Totals:
        """A meeting with nothing but numbers."""
        return self.meet(numbers)[0]

    def gather(self, numbers: npt.ArrayLike) -> Totals:
        """What each worker has to say: a number, or a few in an array of the same shape for all; by rank."""
        own = np.asarray(numbers, np.int64)
        every = np.zeros((self.size, *own.shape), np.int64)
        every[self.rank] = own
        return self.total(every)
