"""Workers that are MPI ranks: `mpiexec -n 64 ouro check …`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.base import Column, Columns, Exchange, Totals, give_way, nothing
from ouroboros.errors import UsageError

_ACTIVE_TESTS = 100

_LAUNCHER_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "MPI_LOCALNRANKS")


def launched_ranks() -> int:
    """How many ranks the launcher started, read from the environment so that nothing heavy is imported; else 1."""
    return max((int(os.environ[name]) for name in _LAUNCHER_SIZES if os.environ.get(name, "").isdigit()), default=1)


class MpiExchange(Exchange):
    """Messages to other ranks are sent point to point; a rank's own share is passed on without a copy."""

    def __init__(self) -> None:
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise UsageError(
                "started by an MPI launcher, but MPI for Python is not installed: pip install 'ouroboros[mpi]'"
            ) from error
        self._mpi = MPI
        self._world = MPI.COMM_WORLD
        self.rank: int = self._world.Get_rank()
        self.size: int = self._world.Get_size()
        self._inboxes: dict[tuple[int, int], npt.NDArray[Any]] = {}

    @property
    def ranks_on_this_machine(self) -> int:
        """The ranks that share this machine's memory."""
        machine = self._world.Split_type(self._mpi.COMM_TYPE_SHARED)
        size: int = machine.Get_size()
        machine.Free()
        return size

    def meet(
        self, numbers: Totals, *columns: Column, meanwhile: Callable[[], None] = nothing
    ) -> tuple[Totals, Columns]:
        sums = np.empty_like(numbers)
        sent = np.array([[array.size for array in column] for column in columns], np.int64).T.copy()
        announced = np.empty_like(sent)
        requests = []
        if numbers.size:
            requests.append(self._world.Iallreduce(numbers, sums))
        if columns:
            requests.append(self._world.Ialltoall(sent, announced))
        under_way = [
            self._world.Isend(array, target, tag)
            for tag, column in enumerate(columns)
            for target, array in enumerate(column)
            if target != self.rank and array.size
        ]
        meanwhile()
        self._wait(requests)
        received = self._receive(columns, announced, under_way)
        self._wait(under_way)
        return sums, received

    def _wait(self, requests: list[Any]) -> None:
        """A rank that waits for long lets others use its core: MPI does so only if it has started too many itself."""
        tests = 0
        while not self._mpi.Request.Testall(requests):
            tests += 1
            if tests > _ACTIVE_TESTS:
                give_way()

    def _receive(self, columns: tuple[Column, ...], announced: npt.NDArray[np.int64], under_way: list[Any]) -> Columns:
        """Where what was announced will be when all that is `under_way` has arrived."""
        received: Columns = []
        for tag, column in enumerate(columns):
            arrivals = []
            for source in range(self.size):
                if source == self.rank:
                    arrivals.append(column[source])
                    continue
                box = self._inbox(tag, source, int(announced[source, tag]), column[source].dtype)
                if box.size:
                    under_way.append(self._world.Irecv(box, source, tag))
                arrivals.append(box)
            received.append(arrivals)
        return received

    def _inbox(self, tag: int, source: int, count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        """A buffer for what a rank sends; kept, so that memory is touched for the first time only once."""
        box = self._inboxes.get((tag, source))
        if box is None or box.dtype != dtype or box.size < count:
            box = self._inboxes[tag, source] = np.empty(max(1024, count + count // 2), dtype)
        return box[:count]

    def abort(self, code: int) -> None:
        """End every rank at once: this one cannot go on, and the others would wait for it for ever."""
        self._world.Abort(code)
