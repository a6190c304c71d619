"""A search in a process of its own: what it is asked, and what it tells.

The process tells of its progress, then of its result, and ends. It also ends when the server does, whatever it is
doing: the pipe to the server breaks.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any

from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import Abilities, GrowingModel, Model, load
from ouroboros.source import Source
from ouroboros.system.expressions import Unary
from ouroboros.system.model import Proposition, System
from ouroboros.web.counting import counted
from ouroboros.web.told import Data, report_text, told_error
from ouroboros.web.traces import told_trace
from ouroboros.web.walks import Path, Walks
from ouroboros.web.ways import way_along

_BETWEEN_REPORTS = 0.2  # seconds


@dataclass(frozen=True)
class Inquiry:
    """What a page asks of a search."""

    file: str
    definitions: dict[str, str] = field(default_factory=dict)
    question: dict[str, Any] = field(default_factory=dict)
    """Arguments of `check`."""
    sought: str | None = None
    """Instead: the nearest state where this expression holds."""
    start: Path | None = None
    """Where it is sought from."""
    counted: bool = False
    """Instead: how often each action is taken."""
    workers: int = 1
    memory: int | None = None
    seconds: float | None = None
    states: int | None = None


class _Seeking:
    """The model, as if it claimed that what is sought never holds."""

    def __init__(self, model: Model, start: Path | None) -> None:
        self.model = model
        self._walks = Walks(model)
        self._start = start
        self._made: tuple[System, System] | None = None

    @property
    def system(self) -> System:
        if not self._start:
            return self.model.system
        if self._made is None or self._made[0] is not self.model.system:
            start = self._start
            state = self._walks.again(lambda: self._walks.state(start))
            self._made = self.model.system, replace(self.model.system, initial=(state,))
        return self._made[1]

    @property
    def abilities(self) -> Abilities:
        return self.model.abilities

    def proposition(self, source: Source) -> Proposition:
        found = self.model.proposition(source)
        return found._replace(expression=Unary("not", found.expression))


class _GrowingSeeking(_Seeking):
    def grow(self, sites: Iterable[int]) -> None:
        assert isinstance(self.model, GrowingModel)
        self.model.grow(sites)


def search(inquiry: Inquiry, pipe: Connection) -> None:
    """The whole life of the process."""
    os.setsid()
    # The server's signals are not ours: it tells us itself when to end.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_the_server, args=(pipe,), daemon=True).start()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        result = _result(inquiry, pipe)
    except InputError as error:
        result = {"error": told_error(error)}
    except OuroborosError as error:
        result = {"error": {"message": str(error), "hint": None, "place": None}}
    except MemoryError:
        result = {"error": {"message": "the machine has too little memory for this", "hint": None, "place": None}}
    except Exception as error:
        told = f"{type(error).__name__}: {error}: this is a bug in Ouroboros, and nothing is decided"
        result = {"error": {"message": told, "hint": None, "place": None}}
    pipe.send(("result", result))


def _end_with_the_server(pipe: Connection) -> None:
    with suppress(EOFError, OSError):
        pipe.recv()
    os.killpg(0, signal.SIGKILL)


def _result(inquiry: Inquiry, pipe: Connection) -> Data:
    from ouroboros.checking import check
    from ouroboros.engine.limits import Limits, Progress
    from ouroboros.engine.team import Team
    from ouroboros.report.json import report_data

    model = load(inquiry.file, definitions=inquiry.definitions)
    last = 0.0

    def observe(progress: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= _BETWEEN_REPORTS:
            last = now
            pipe.send(
                (
                    "progress",
                    {
                        "phase": progress.phase,
                        "states": progress.states,
                        "transitions": progress.transitions,
                        "frontier": progress.frontier,
                        "depth": progress.depth,
                        "bytes": progress.bytes,
                    },
                )
            )

    if inquiry.counted:
        counts = counted(model, Limits(inquiry.memory, inquiry.seconds, inquiry.states), observe)
        return {"counts": counts, "error": None}
    question = dict(inquiry.question)
    asked: Model = model
    if inquiry.sought is not None:
        seeking = _GrowingSeeking if isinstance(model, GrowingModel) else _Seeking
        asked = seeking(model, inquiry.start)
        question = {"invariants": [inquiry.sought], "deadlock": "off", "reductions": ()}
    report = check(
        asked,
        **question,
        team=Team(inquiry.workers),
        limits=Limits(inquiry.memory, inquiry.seconds, inquiry.states),
        observer=observe,
    )
    data = report_data(report)
    data.pop("trace", None)
    for each in data["properties"]:
        each.pop("trace", None)
    walks = Walks(model)
    traces = {
        answer.property: {**told_trace(answer.trace), "path": way_along(answer.trace, walks, inquiry.start)}
        for answer in report.answers
        if answer.trace
    }
    return {"report": data, "text": report_text(report), "traces": traces, "error": None}
