"""Who works: one worker alone, processes of this machine, or the ranks of an MPI run."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeVar, cast

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.mpi import MpiExchange, launched_ranks
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.errors import OuroborosError, SelfCheckError, UsageError
from ouroboros.jit.plain import PLAIN
from ouroboros.memory import Budget, available

Result = TypeVar("Result")

_TIME_TO_BE_HEARD = 0.3  # seconds
_SHARE_OF_THE_MACHINE = 0.85
"""Of the memory that is free at the start; the rest is for the interpreter, the compiler and the user's other work."""


@dataclass(frozen=True)
class Team:
    """The workers of a run, and how they talk to each other."""

    workers: int = 1

    @cached_property
    def _ranks(self) -> MpiExchange | None:
        if launched_ranks() == 1:
            return None
        if self.workers != 1:
            raise UsageError("--workers starts processes, and each MPI rank is one worker already: start more ranks")
        return MpiExchange()

    @property
    def exchange(self) -> Literal["solo", "processes", "mpi"]:
        if self._ranks:
            return "mpi"
        return "solo" if self.workers == 1 else "processes"

    @property
    def size(self) -> int:
        return self._ranks.size if self._ranks else self.workers

    @property
    def leads(self) -> bool:
        """Whether this process is the one that prints."""
        return self._ranks is None or self._ranks.rank == 0

    def run(self, work: Callable[[Exchange, Budget], Result], memory: int | None) -> Result:
        """Let every worker do `work`, and return the result of the first. An error of any worker is raised here.

        `memory` is the limit for all workers on this machine together.
        """
        limit = int(available() * _SHARE_OF_THE_MACHINE) if memory is None else memory
        if self._ranks:
            return self._run_rank(self._ranks, work, limit)
        if self.workers == 1:
            return work(SoloExchange(), Budget(limit))
        if PLAIN:
            raise UsageError(
                "OUROBOROS_PLAIN: kernels in plain Python have no atomic operations, by which workers meet: "
                "leave out --workers, or unset OUROBOROS_PLAIN"
            )
        from ouroboros.engine.exchange.processes import run_processes

        def body(exchange: Exchange) -> Result | None:
            result = work(exchange, Budget(limit // self.workers))
            return result if exchange.rank == 0 else None

        return cast(Result, run_processes(self.workers, body)[0])

    @staticmethod
    def _run_rank(exchange: MpiExchange, work: Callable[[Exchange, Budget], Result], limit: int) -> Result:
        try:
            return work(exchange, Budget(limit // exchange.ranks_on_this_machine))
        except OuroborosError as error:
            _say_and_abort(exchange, f"ouro: rank {exchange.rank}: {error}", error.exit_code)
            raise
        except Exception:
            message = f"ouro: rank {exchange.rank} failed\n{traceback.format_exc()}"
            _say_and_abort(exchange, message, SelfCheckError.exit_code)
            raise


def _say_and_abort(exchange: MpiExchange, message: str, exit_code: int) -> None:
    print(message, file=sys.stderr, flush=True)
    # Aborting ends the launcher as well: give it the time to pass the message on.
    time.sleep(_TIME_TO_BE_HEARD)
    exchange.abort(exit_code)
