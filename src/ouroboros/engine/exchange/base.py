"""What workers need of each other, whatever carries it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Column = Sequence[npt.NDArray[Any]]
"""One array for each worker, all of the same dtype."""

Totals = npt.NDArray[np.int64]


class WorkerLost(Exception):
    """Another worker failed; its error is the one to report."""


class Exchange(Protocol):
    """The meeting point of the workers of a run. Every call is collective: all workers make it, in the same order."""

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    def swap(self, *columns: Column) -> list[list[npt.NDArray[Any]]]:
        """Send columns[c][r] to worker r; the result's [c][s] is what worker s sent here.

        What was received is valid, and what was sent must not be touched, until the next collective call returns.
        """

    def total(self, values: Totals) -> Totals:
        """The element-wise sum over all workers, modulo 2**64."""
