"""A process that stays behind while another one runs machine code of others, and tells how that has ended."""

from __future__ import annotations

import ctypes
import os
import select
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ouroboros import outside
from ouroboros.errors import WorkerKilled

_PASSED_ON = (signal.SIGTERM, signal.SIGHUP)
_BETWEEN_LOOKS = 0.5  # seconds
_END_WITH_PARENT = 1
"""PR_SET_PDEATHSIG."""


def guarded(command: Callable[[], int]) -> int:
    """Run a command in a copy of this process, and return its exit code; raises where it has crashed or loops.

    The copy returns as well, with the same code.
    """
    outside.begin()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
        return command() if os.getppid() == parent else WorkerKilled.exit_code
    with _signals_for(pid):
        code = os.waitstatus_to_exitcode(_awaited(pid))
    if code >= 0:
        return code
    raise outside.last_call(pid, code) or WorkerKilled(
        f"unknown: the search was ended by {signal.Signals(-code).name}; if the machine was out of memory, give a"
        " limit with --memory"
    )


def _awaited(pid: int) -> int:
    watch = outside.Watch()
    ended = os.pidfd_open(pid)
    try:
        while not select.select([ended], [], [], _BETWEEN_LOOKS)[0]:
            watch.end_stuck()
    finally:
        os.close(ended)
    return os.waitpid(pid, 0)[1]


@contextmanager
def _signals_for(pid: int) -> Iterator[None]:
    """A terminal interrupts both; who stays behind waits for what the other makes of it."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, *_PASSED_ON)}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in _PASSED_ON:
        signal.signal(number, lambda given, _: os.kill(pid, given))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
