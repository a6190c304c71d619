"""An MPI run in which one rank fails while the others wait for it: `python -m tests.engine.failing HOW RANK`."""

from __future__ import annotations

import os
import signal
import sys

import numpy as np

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.team import Team
from ouroboros.errors import InputError
from ouroboros.memory import Budget

EXIT_CODES = {"bug": 4, "input": 2}


def fail(how: str) -> None:
    match how:
        case "bug":
            raise ZeroDivisionError("the message of the error")
        case "input":
            raise InputError("the message of the error")
        case _:
            os.kill(os.getpid(), signal.SIGKILL)


def main(how: str, failing: int) -> None:
    def work(exchange: Exchange, budget: Budget) -> None:
        for meeting in range(100):
            if meeting == 50 and exchange.rank == failing:
                fail(how)
            exchange.total(np.ones(1, np.int64))

    Team().run(work, memory=1 << 20)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
