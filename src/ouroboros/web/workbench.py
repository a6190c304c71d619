"""What the workbench can do, for any page: models, states, graphs, searches and their traces."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path as File
from typing import Any

from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import Model, is_program, load, load_text
from ouroboros.properties.response import read_response
from ouroboros.source import Source
from ouroboros.web.drawn import MOST_STATES, control_flow, formula_graph, keys_along, state_graph
from ouroboros.web.picture import picture_of
from ouroboros.web.runs import Run, Runs
from ouroboros.web.searching import Inquiry
from ouroboros.web.shelf import Shelf
from ouroboros.web.told import Data, told_error, told_model
from ouroboros.web.trace_states import TraceStates
from ouroboros.web.traces import FOR_THE_SERVER
from ouroboros.web.walks import Path, Walks

_MOST_OPEN = 8
_LONGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Ceiling:
    """What a search that a page starts may use at most."""

    memory: int | None
    seconds: float


class Opened:
    """A model that is in use, as its file was when it was read."""

    def __init__(self, model: Model, stamp: tuple[int, int]) -> None:
        self.walks = Walks(model)
        self.stamp = stamp


class Workbench:
    """One thread at a time works with models; the searches have processes of their own."""

    def __init__(self, shelf: Shelf, ceiling: Ceiling) -> None:
        self._shelf = shelf
        self._ceiling = ceiling
        self._lock = threading.RLock()
        self._opened: OrderedDict[tuple[str, tuple[tuple[str, str], ...]], Opened] = OrderedDict()
        self._traces: OrderedDict[tuple[int, str], TraceStates] = OrderedDict()
        self.runs = Runs()

    def models(self) -> Data:
        return {"models": self._shelf.names()}

    def model(self, name: str, definitions: dict[str, str]) -> Data:
        """The text, and what is in it or wrong with it."""
        path = self._shelf.path(name)
        text = _text(path)
        data: Data = {"name": name, "text": text, "stamp": list(_stamp(path)), "error": None, "about": None}
        with self._lock:
            try:
                data["about"] = told_model(self._open(name, definitions).walks.model.system)
            except OuroborosError as error:
                data["error"] = told_error(error)
        return data

    def draft(self, name: str, text: str, definitions: dict[str, str]) -> Data:
        """What would be wrong with a text if it were the model's. Where that would run it, nobody has asked for that
        yet."""
        path = self._shelf.path(name)
        if is_program(path):
            return {"error": None, "looked": False}
        if len(text) > _LONGEST_TEXT:
            raise InputError("the text is too long to be looked at while it is written")
        with self._lock:
            try:
                load_text(Source(str(path), text), definitions=definitions)
            except OuroborosError as error:
                return {"error": told_error(error), "looked": True}
        return {"error": None, "looked": True}

    def save(self, name: str, text: str, stamp: list[int]) -> Data:
        """Write the model's file, unless it has changed since the page has read it."""
        path = self._shelf.path(name)
        if list(_stamp(path)) != stamp:
            raise InputError("the file has changed on disk meanwhile: read it again first")
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{name}: the file cannot be written: {error.strerror}") from None
        return {"stamp": list(_stamp(path))}

    def look(self, name: str, definitions: dict[str, str], path: Path, watches: list[str], trail: bool) -> Data:
        with self._lock:
            walks = self._open(name, definitions).walks
            data = walks.look(path, watches)
            if trail:
                data["trail"] = walks.trail(path)
            data["picture"] = walks.again(
                lambda: picture_of(walks.model, walks.state(path[:-1] if data["failed"] else path))
            )
            return data

    def wander(
        self, name: str, definitions: dict[str, str], path: Path, most: int, until: str | None, seed: int
    ) -> Data:
        """A random run: where it leads, each step in words."""
        with self._lock:
            walks = self._open(name, definitions).walks
            reached, found = walks.wander(path, most, until, seed)
            return {"path": list(reached), "found": found, "trail": walks.trail(reached)[len(path) - 1 :]}

    def recorded(self, name: str, definitions: dict[str, str], path: Path) -> Data:
        with self._lock:
            return {"trace": self._open(name, definitions).walks.recorded(path)}

    def along(self, name: str, definitions: dict[str, str], trace: dict[str, Any]) -> Data:
        """The path of a trace from a file."""
        with self._lock:
            return {"path": list(self._open(name, definitions).walks.along("the file", trace))}

    def states(
        self,
        name: str,
        definitions: dict[str, str],
        path: Path | None,
        most: int,
        group: str | None,
        process: str | None,
    ) -> Data:
        with self._lock:
            walks = self._open(name, definitions).walks
            return walks.again(lambda: state_graph(walks, path, min(most, MOST_STATES), group, process))

    def keys(self, name: str, definitions: dict[str, str], path: Path) -> Data:
        """What the states of a path are called in a graph."""
        with self._lock:
            walks = self._open(name, definitions).walks
            return {"keys": walks.again(lambda: keys_along(walks, path))}

    def control(self, name: str, definitions: dict[str, str]) -> Data:
        with self._lock:
            return {"processes": control_flow(self._open(name, definitions).walks.model.system)}

    def formula(self, name: str, definitions: dict[str, str], text: str) -> Data:
        with self._lock:
            return formula_graph(self._open(name, definitions).walks.model, text)

    def expression(self, name: str, definitions: dict[str, str], text: str) -> Data:
        """Raises InputError with the place where an expression is wrong."""
        with self._lock:
            self._open(name, definitions).walks.model.proposition(Source("expression", text))
        return {}

    def response(self, name: str, definitions: dict[str, str], text: str) -> Data:
        """Raises InputError with the place where `P ~> Q` is wrong."""
        with self._lock:
            read_response(text, self._open(name, definitions).walks.model)
        return {}

    def start(self, name: str, title: str, arguments: dict[str, Any], keep: bool) -> Run:
        memory = arguments.pop("memory", None) or self._ceiling.memory
        seconds = arguments.pop("seconds", None) or self._ceiling.seconds
        inquiry = Inquiry(
            file=str(self._shelf.path(name)),
            memory=min(memory, self._ceiling.memory) if memory and self._ceiling.memory else memory,
            seconds=min(seconds, self._ceiling.seconds),
            **arguments,
        )
        return self.runs.start(name, title, inquiry, keep, _stamp(self._shelf.path(name)))

    def run(self, number: int) -> Data:
        """All that is known of a run, but for the states of its traces."""
        run = self.runs.get(number)
        data = {**run.summary(), "moments": run.moments}
        if run.result and "counts" in run.result:
            data["counts"] = run.result["counts"]
        elif run.result and not run.result["error"]:
            data["report"] = run.result["report"]
            data["text"] = run.result["text"]
            data["traces"] = list(run.result["traces"])
        return data

    def trace(self, number: int, name: str) -> Data:
        told = self._told_trace(number, name)
        return {key: value for key, value in told.items() if key not in FOR_THE_SERVER}

    def trace_picture(self, number: int, name: str, at: int) -> Data:
        with self._lock:
            return {"picture": self._states_of(number, name).picture(at)}

    def trace_values(self, number: int, name: str, text: str) -> Data:
        with self._lock:
            return self._states_of(number, name).values(text)

    def trace_messages(self, number: int, name: str) -> Data:
        with self._lock:
            return {"svg": self._states_of(number, name).chart()}

    def messages(self, name: str, definitions: dict[str, str], path: Path) -> Data:
        """The message chart of a path."""
        with self._lock:
            return {"svg": self._open(name, definitions).walks.chart(path)}

    def stamps(self, names: list[str]) -> dict[str, list[int] | None]:
        """By which a page notices that a file has changed."""
        found: dict[str, list[int] | None] = {}
        for name in names[:_MOST_OPEN]:
            try:
                found[name] = list(_stamp(self._shelf.path(name)))
            except InputError:
                found[name] = None
        return found

    def _told_trace(self, number: int, name: str) -> Data:
        run = self.runs.get(number)
        traces = (run.result or {}).get("traces") or {}
        if name not in traces:
            raise InputError(f"run {number} has no counterexample of {name}")
        told: Data = traces[name]
        return told

    def _states_of(self, number: int, name: str) -> TraceStates:
        told = self._told_trace(number, name)
        if (number, name) not in self._traces:
            run = self.runs.get(number)
            model = load(run.inquiry.file, definitions=run.inquiry.definitions)
            self._traces[number, name] = TraceStates(model, told)
            while len(self._traces) > _MOST_OPEN:
                self._traces.popitem(last=False)
        return self._traces[number, name]

    def _open(self, name: str, definitions: dict[str, str]) -> Opened:
        path = self._shelf.path(name)
        key = name, tuple(sorted(definitions.items()))
        stamp = _stamp(path)
        if key not in self._opened or self._opened[key].stamp != stamp:
            self._opened.pop(key, None)
            self._opened[key] = Opened(load(path, definitions=definitions), stamp)
        self._opened.move_to_end(key)
        while len(self._opened) > _MOST_OPEN:
            self._opened.popitem(last=False)
        return self._opened[key]


def _stamp(path: File) -> tuple[int, int]:
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"{path.name}: the file cannot be read: {error.strerror}") from None
    return status.st_mtime_ns // 1000, status.st_size


def _text(path: File) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise InputError(f"{path.name}: the file cannot be read: {error.strerror}") from None
