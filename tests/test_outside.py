"""Notes of calls outlive the process that has made them."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from ouroboros import outside


def ended(body: Callable[[], None]) -> tuple[int, int]:
    """The number of a copy of this process, and how it has ended."""
    pid = os.fork()
    if pid == 0:
        body()
        os._exit(0)
    return pid, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_crash_is_told_by_the_call_that_it_came_from() -> None:
    outside.name_functions("some/module.so", ("first", "second"))

    def crash() -> None:
        with outside.calling(2, 17, b"\1\2\3\4\5"):
            os.kill(os.getpid(), signal.SIGSEGV)

    error = outside.last_call(*ended(crash))
    assert error
    assert error.message == "some/module.so: second has crashed: SIGSEGV, a wrong access to memory"
    assert "with 17 for the state of 5 bytes" in str(error.hint)


def test_a_crash_between_calls_may_be_the_modules_fault() -> None:
    outside.name_functions("module.so", ("first",))
    error = outside.last_call(*ended(lambda: os.kill(os.getpid(), signal.SIGBUS)))
    assert error
    assert "outside of it" in error.message


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_who_is_ended_by_others_is_not_to_blame(number: signal.Signals) -> None:
    outside.name_functions("module.so", ("first",))
    assert outside.last_call(*ended(lambda: os.kill(os.getpid(), number))) is None
    assert outside.last_call(*ended(lambda: None)) is None


def test_a_call_that_does_not_come_back_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "LONGEST_CALL", 0.1)
    outside.name_functions("module.so", ("first",))
    pid = os.fork()
    if pid == 0:
        with outside.calling(1):
            while True:
                time.sleep(1)
    watch = outside.Watch()
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        watch.end_stuck()
        time.sleep(0.05)
    error = outside.last_call(pid, -signal.SIGKILL)
    assert error
    assert "first has not come back" in error.message
