"""The searches that pages have started: each in a process of its own, in a list that outlives a page."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Literal

from ouroboros.errors import InputError
from ouroboros.web.searching import Inquiry, search
from ouroboros.web.told import Data

Status = Literal["running", "done", "stopped", "failed"]

MOST_RUNNING = 4
_MOST_KEPT = 50
_MOST_MOMENTS = 600
"""Of the chart over time; beyond, every second one is forgotten."""
UNWATCHED = 60.0


@dataclass
class Run:
    """A search, and what is known of it so far."""

    number: int
    model: str
    """As the page knows it."""
    title: str
    inquiry: Inquiry
    keep: bool
    """Whether it goes on when no page watches."""
    stamp: tuple[int, int]
    """Of the model's file, as it was."""
    started: float = field(default_factory=time.time)
    status: Status = "running"
    moments: list[Data] = field(default_factory=list)
    result: Data | None = None
    ended: float | None = None

    def summary(self) -> Data:
        return {
            "number": self.number,
            "model": self.model,
            "title": self.title,
            "stamp": list(self.stamp),
            "status": self.status,
            "keep": self.keep,
            "seconds": (self.ended or time.time()) - self.started,
            "progress": self.moments[-1] if self.moments else None,
            "verdict": (self.result or {}).get("report", {}).get("verdict") if self.result else None,
            "error": (self.result or {}).get("error"),
        }


class Runs:
    def __init__(self, unwatched: float = UNWATCHED) -> None:
        """`unwatched`: seconds without any page, after which a search ends that was not asked to go on."""
        self._unwatched = unwatched
        self._lock = threading.RLock()
        self._runs: dict[int, Run] = {}
        self._processes: dict[int, tuple[BaseProcess, Connection]] = {}
        self._newest = 0
        self._last_seen = time.monotonic()
        self._closing = False
        threading.Thread(target=self._end_unwatched, daemon=True).start()

    def seen(self) -> None:
        """A page is there."""
        self._last_seen = time.monotonic()

    def start(self, model: str, title: str, inquiry: Inquiry, keep: bool, stamp: tuple[int, int]) -> Run:
        with self._lock:
            if sum(run.status == "running" for run in self._runs.values()) >= MOST_RUNNING:
                raise InputError(f"{MOST_RUNNING} searches are running: stop one, or wait for it")
            self._newest += 1
            run = Run(self._newest, model, title, inquiry, keep, stamp)
            self._runs[run.number] = run
            for number in sorted(self._runs)[: max(0, len(self._runs) - _MOST_KEPT)]:
                if self._runs[number].status != "running":
                    del self._runs[number]
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=search, args=(inquiry, theirs), name=f"search {run.number}")
        process.start()
        theirs.close()
        with self._lock:
            self._processes[run.number] = process, ours
        threading.Thread(target=self._listen, args=(run, process, ours), daemon=True).start()
        return run

    def all(self) -> list[Run]:
        with self._lock:
            return [self._runs[number] for number in sorted(self._runs, reverse=True)]

    def get(self, number: int) -> Run:
        with self._lock:
            if number not in self._runs:
                raise InputError(f"there is no run {number}")
            return self._runs[number]

    def stop(self, number: int) -> None:
        run = self.get(number)
        with self._lock:
            if run.status == "running":
                run.status = "stopped"
                run.ended = time.time()
                self._kill(number)

    def remove(self, number: int) -> None:
        self.stop(number)
        with self._lock:
            self._runs.pop(number, None)

    def close(self) -> None:
        """End every search."""
        self._closing = True
        for run in self.all():
            self.stop(run.number)

    def _kill(self, number: int) -> None:
        process, pipe = self._processes.pop(number, (None, None))
        if process is None or pipe is None:
            return
        for kill in (os.killpg, os.kill):
            with suppress(ProcessLookupError, PermissionError):
                if process.pid:
                    kill(process.pid, signal.SIGKILL)  # the process leads its group, once it has begun
        pipe.close()

    def _listen(self, run: Run, process: BaseProcess, pipe: Connection) -> None:
        try:
            while True:
                kind, data = pipe.recv()
                if kind == "progress":
                    self._note(run, data)
                else:
                    with self._lock:
                        if run.status == "running":
                            run.result = data
                            run.status = "failed" if data["error"] else "done"
                            run.ended = time.time()
                    break
        except (EOFError, OSError):
            with self._lock:
                if run.status == "running":
                    told = "the search was ended from outside: the machine may have run out of memory"
                    run.result = {"error": {"message": told, "hint": "set a lower memory limit", "place": None}}
                    run.status = "failed"
                    run.ended = time.time()
        with self._lock:
            self._kill(run.number)
        process.join()

    def _note(self, run: Run, progress: Data) -> None:
        with self._lock:
            run.moments.append({"seconds": time.time() - run.started, **progress})
            if len(run.moments) > _MOST_MOMENTS:
                del run.moments[1:-1:2]

    def _end_unwatched(self) -> None:
        while not self._closing:
            time.sleep(min(1.0, self._unwatched / 2))
            if time.monotonic() - self._last_seen > self._unwatched:
                for run in self.all():
                    if run.status == "running" and not run.keep:
                        self.stop(run.number)
