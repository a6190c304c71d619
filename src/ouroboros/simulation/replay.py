"""A trace that was written to a file, made again: as ITF, alone or inside of a report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ouroboros.errors import InputError
from ouroboros.simulation.simulation import Simulation, Taken, run_of
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.trace.values import contents


class RecordedTrace:
    """The states of a trace, by the names of their variables."""

    def __init__(self, path: str, data: dict[str, Any] | None = None, which: str | None = None) -> None:
        """`data` is what the file has in it, where it was read already; `which` of several traces is meant, by the name
        of its property or by its number.
        """
        self.path = path
        data = _read(path) if data is None else data
        trace = data.get("trace", data) if which is None else self._chosen(data, which)
        states = trace.get("states") if isinstance(trace, dict) else None
        if not isinstance(states, list) or not all(isinstance(state, dict) for state in states) or not states:
            raise InputError(f"{path}: this is no trace", hint="write one with ouro check MODEL --json FILE")
        self._states = [{name: _decoded(value) for name, value in state.items()} for state in states]
        meta = trace.get("#meta")
        violation = meta.get("violation") if isinstance(meta, dict) else None
        self._fails = isinstance(violation, dict) and "failure" in violation

    def _chosen(self, data: dict[str, Any], which: str) -> Any:
        properties = data.get("properties")
        found = [
            (each.get("name"), trace)
            for each in (properties if isinstance(properties, list) else [])
            if isinstance(each, dict)
            for trace in (each.get("trace"), *(each.get("further") or ()))
            if trace is not None
        ]
        if which.isdigit() and 1 <= int(which) <= len(found):
            return found[int(which) - 1][1]
        named = [trace for name, trace in found if name == which]
        if not named:
            told = ", ".join(f"{number} {name}" for number, (name, _) in enumerate(found, 1))
            raise InputError(
                f"{self.path}: there is no trace {which}", hint=f"it has {told}" if told else "it has none of its own"
            )
        return named[0]

    def follow(self, simulation: Simulation) -> Iterator[Taken]:
        """Make every step of the trace, in a run that begins where it does; raises InputError where the model does
        otherwise."""
        for index in range(1, len(self._states)):
            if self._repeats(simulation, index):
                return
            yield self._step(simulation, index)
        if self._fails:
            failing = [number for number, step in enumerate(simulation.possible()) if step.failure is not None]
            if not failing:
                raise InputError(f"{self.path}: the model does not fail where the trace does", hint=_OTHER)
            yield simulation.take(failing[0])

    def start(self, system: System) -> int:
        """Which of the initial states the trace begins in; raises InputError if it is none of them."""
        if self._fits(system):
            for number, state in enumerate(system.initial):
                if self._is(system, state, 0):
                    return number
        raise InputError(f"{self.path}: the trace begins in another state than the model", hint=_OTHER)

    def _fits(self, system: System) -> bool:
        """Whether the trace has all that the model has, but for processes: of these there may be more or fewer."""
        fields = run_of(system, system.initial[0]).fields
        return all(item.name in self._states[0] for item in fields if item.component not in system.processes)

    def _repeats(self, simulation: Simulation, index: int) -> bool:
        """Whether the run has ended, and the trace repeats its last state for ever."""
        return self._action(index) is None and not simulation.possible()

    def _action(self, index: int) -> list[dict[str, Any]] | None:
        meta = self._states[index].get("#meta")
        action = meta.get("action") if isinstance(meta, dict) else None
        return action if isinstance(action, list) else None

    def _step(self, simulation: Simulation, index: int) -> Taken:
        told = [(part.get("process"), part.get("statement")) for part in self._action(index) or []]
        fitting = []
        for number, step in enumerate(simulation.possible()):
            if step.state is not None and self._is(simulation.system, step.state, index):
                parts = step.parts or simulation.system.parts(step.action)
                fitting.append((told != [(part.process, part.text) for part in parts], number))
        if not fitting:
            raise InputError(f"{self.path}: the model cannot make step {index} of the trace", hint=_OTHER)
        return simulation.take(min(fitting)[1])

    def _is(self, system: System, state: Vector, index: int) -> bool:
        """Whether a state has the values that the trace has; it may have more, or fewer, of processes that do not exist
        yet."""
        expected = self._states[index]
        found = contents(run_of(system, state), state)
        return all(item.name not in expected or expected[item.name] == value for item, value in found.items())


_OTHER = "was the trace written for this model, with the same options?"


def _decoded(value: Any) -> Any:
    """A number too large for JSON is written as a text."""
    if isinstance(value, list):
        return [_decoded(element) for element in value]
    if isinstance(value, dict) and isinstance(value.get("#bigint"), str) and value["#bigint"].lstrip("-").isdigit():
        return int(value["#bigint"])
    return value


def _read(path: str) -> dict[str, Any]:
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: the trace cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise InputError(f"{path}: this is no JSON", hint="write a trace with ouro check MODEL --json FILE") from None
    if isinstance(data, list) and data and all(isinstance(each, dict) and "verdict" in each for each in data):
        raise InputError(f"{path}: this is about several models", hint="check the one alone, with --json FILE")
    if not isinstance(data, dict):
        raise InputError(f"{path}: this is no trace", hint="write one with ouro check MODEL --json FILE")
    return data
