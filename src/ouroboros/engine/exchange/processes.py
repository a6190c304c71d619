"""Workers that are processes of one machine: messages stay where they are, in memory that all share.

Threads would share one interpreter lock: after each meeting all want it at once, and who does not get it sleeps. In
searches with many small rounds that cost as much as the second worker brought. The first worker is the process that
starts the others, as copies of itself: a model is loaded and compiled once.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

import numpy as np
import numpy.typing as npt

from ouroboros.engine.exchange.arena import Arena
from ouroboros.engine.exchange.barrier import COUNTERS, Barrier, Broken
from ouroboros.engine.exchange.base import Column, Columns, Exchange, Totals, WorkerLost, nothing
from ouroboros.errors import UsageError, WorkerKilled
from ouroboros.outside import last_call

Result = TypeVar("Result")

_WORD = 8  # bytes
_FIRST_DESK = 1 << 16  # bytes
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass
class _Hub:
    """What the processes share. Desks are used in turn: who is slow to read one meeting's cannot find them overwritten
    by the next meeting, for the others need it at that meeting's barrier before they can go on to the one after.
    """

    arena: Arena
    barrier: Barrier
    desks: npt.NDArray[np.int64]
    """The place of what each worker has to say, at even and at odd meetings."""

    @classmethod
    def create(cls, size: int) -> _Hub:
        arena = Arena(size)
        counters = arena.array(arena.allocate(0, COUNTERS * _WORD), COUNTERS, np.int64)
        desks = arena.array(arena.allocate(0, 2 * size * _WORD), 2 * size, np.int64)
        return cls(arena, Barrier(size, counters), desks.reshape(2, size))


class ProcessExchange(Exchange):
    """On its desk a worker puts its numbers, then for each message its place and length, then what lies elsewhere than
    in shared memory.
    """

    def __init__(self, rank: int, size: int, hub: _Hub, is_lost: Callable[[], bool]) -> None:
        """`is_lost`: whether another worker has ended; a search that it has finished is finished for all."""
        self.rank = rank
        self.size = size
        self._hub = hub
        self._is_lost = is_lost
        self._meetings = 0
        self._desks = [(0, 0), (0, 0)]
        """Place and size."""

    def allocate(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        count = int(np.prod(shape))
        place = self._hub.arena.allocate(self.rank, count * np.dtype(dtype).itemsize)
        return self._hub.arena.array(place, count, dtype).reshape(shape)

    def meet(
        self, numbers: Totals, *columns: Column, meanwhile: Callable[[], None] = nothing
    ) -> tuple[Totals, Columns]:
        meeting = self._meetings
        self._meetings += 1
        self._put(meeting % 2, numbers, columns)
        self._hub.barrier.arrive(meeting)
        meanwhile()
        try:
            self._hub.barrier.wait(meeting, self._is_lost)
        except Broken:
            raise WorkerLost from None
        return self._read(meeting % 2, numbers, columns)

    def _put(self, side: int, numbers: Totals, columns: tuple[Column, ...]) -> None:
        arena = self._hub.arena
        head = numbers.size + 2 * len(columns) * self.size
        places: list[int] = []
        elsewhere: list[tuple[int, npt.NDArray[Any]]] = []
        end = head * _WORD
        for column in columns:
            for receiver, array in enumerate(column):
                place = 0
                if receiver != self.rank and array.size:
                    place = array.__array_interface__["data"][0] - arena.address
                    if not arena.holds(self.rank, place):
                        place = end
                        elsewhere.append((len(places), array))
                        end += -(-array.nbytes // _WORD) * _WORD
                places += (place, array.size)
        desk = self._desk(side, end)
        for at, array in elsewhere:
            places[at] += desk
            arena.array(places[at], array.size, array.dtype)[:] = array
        words = arena.array(desk, head, np.int64)
        words[: numbers.size] = numbers.reshape(-1)
        words[numbers.size :] = places
        self._hub.desks[side, self.rank] = desk

    def _desk(self, side: int, size: int) -> int:
        """A desk with so much room. A larger one takes the place of a smaller one."""
        place, room = self._desks[side]
        if size > room:
            room = max(_FIRST_DESK, 2 * size)
            place = self._hub.arena.allocate(self.rank, room)
            self._desks[side] = place, room
        return place

    def _read(self, side: int, numbers: Totals, columns: tuple[Column, ...]) -> tuple[Totals, Columns]:
        arena = self._hub.arena
        head = numbers.size + 2 * len(columns) * self.size
        sums = np.zeros(numbers.size, np.int64)
        received: Columns = [list(column) for column in columns]
        for sender, desk in enumerate(self._hub.desks[side].tolist()):
            words = arena.array(desk, head, np.int64)
            sums += words[: numbers.size]
            if sender == self.rank:
                continue
            places = words[numbers.size :].tolist()
            for index, arrays in enumerate(received):
                at = 2 * (index * self.size + self.rank)
                arrays[sender] = arena.array(places[at], places[at + 1], columns[index][self.rank].dtype)
        return sums.reshape(numbers.shape), received


@dataclass
class _Other:
    """A worker that this process has started."""

    pid: int
    inbox: int
    """A file descriptor: what it has to say at its end can be read there."""
    status: int | None = None
    """How it has ended, once that is known."""

    def has_ended(self) -> bool:
        self._wait(os.WNOHANG)
        return self.status is not None

    def kill(self) -> None:
        if not self.has_ended():
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.inbox)
        self._wait(0)

    def last_words(self) -> tuple[Any, BaseException | None]:
        """Its result, or its error. Waits for its end."""
        with open(self.inbox, "rb") as inbox:
            message = inbox.read()
        self._wait(0)
        if self.status or not message:
            code = os.waitstatus_to_exitcode(self.status or 0)
            return None, last_call(self.pid, code) or WorkerKilled(_obituary(code))
        result: tuple[Any, BaseException | None] = pickle.loads(message)
        return result

    def _wait(self, options: int) -> None:
        if self.status is None:
            pid, status = os.waitpid(self.pid, options)
            if pid:
                self.status = status


def _obituary(code: int) -> str:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"has ended with exit code {code}"
    return f"unknown: one of the workers {how}; if the machine was out of memory, give a limit with --memory"


def run_processes(size: int, work: Callable[[ProcessExchange], Result]) -> list[Result]:
    """Run `work` in this process and `size` - 1 copies of it, and return the results by rank.

    The first error of any of them ends them all, and is raised here.
    """
    hub = _Hub.create(size)
    others: list[_Other] = []

    def is_lost() -> bool:
        return any(other.has_ended() for other in others)

    results: list[Any] = []
    try:
        for rank in range(1, size):
            others.append(_start(rank, size, hub, work))
        results.append(work(ProcessExchange(0, size, hub, is_lost)))
    except WorkerLost:
        # Its error is the one to report.
        pass
    except BaseException:
        hub.barrier.abort()
        for other in others:
            other.kill()
        raise
    errors: list[BaseException] = []
    for other in others:
        result, error = other.last_words()
        results.append(result)
        if error and not isinstance(error, WorkerLost):
            errors.append(error)
    if errors:
        raise errors[0]
    assert len(results) == size, "a worker went away without a reason"
    return results


def _start(rank: int, size: int, hub: _Hub, work: Callable[[ProcessExchange], Any]) -> _Other:
    parent = os.getpid()
    inbox, outbox = os.pipe()
    # A signal must not make a copy leave its way before it is on it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        with warnings.catch_warnings():
            # A lock that another thread holds stays locked in the copy; the engine takes none that others may hold.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = os.fork()
        if pid == 0:
            _work_and_end(ProcessExchange(rank, size, hub, lambda: os.getppid() != parent), hub, work, outbox)
    except OSError as error:
        os.close(inbox)
        raise UsageError(f"--workers {size}: the system starts no more processes: {error.strerror}") from None
    finally:
        os.close(outbox)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return _Other(pid, inbox)


def _work_and_end(
    exchange: ProcessExchange, hub: _Hub, work: Callable[[ProcessExchange], Any], outbox: int
) -> NoReturn:
    """What a copy does. It never returns to what the original was about to do."""
    try:
        # Who wants to end the run tells the first worker.
        for number in _SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        # What there is now stays: looking for garbage in it would touch, and so copy, all of it.
        gc.freeze()
        words: tuple[Any, BaseException | None]
        try:
            words = work(exchange), None
        except BaseException as error:
            if not isinstance(error, WorkerLost):
                error.add_note(f"in worker {exchange.rank}:\n{traceback.format_exc()}")
            words = None, error
            # First of all: who is to hear of the error may be waiting at the barrier.
            hub.barrier.abort()
        with open(outbox, "wb") as stream:
            stream.write(_pickled(words))
    finally:
        os._exit(0)


def _pickled(words: tuple[Any, BaseException | None]) -> bytes:
    """An error that cannot be copied is described."""
    try:
        message = pickle.dumps(words)
        pickle.loads(message)
    except Exception as error:
        described = "".join(traceback.format_exception(words[1] or error))
        return pickle.dumps((None, RuntimeError(described)))
    return message
