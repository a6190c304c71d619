"""A counterexample for the page: its steps in words, and its states so that the server can make them again.

A state is given by the values of its fields, by name: the server's own copy of the model may have other places for
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.simulation.simulation import run_of
from ouroboros.system.choices import Part
from ouroboros.system.layout import Field, Vector
from ouroboros.trace.text import head_of, inner_heads
from ouroboros.verdict.trace import Trace
from ouroboros.web.picture import picture_of
from ouroboros.web.told import Data, spans_of, told_head, told_state
from ouroboros.web.walks import LONGEST_PATH, LayoutChanged, Path, Walks, Watch

_LONGEST_WALK = 2_000
"""Steps of a trace that are looked up among the possible ones, so that it can be gone along in the explorer."""


def told_trace(trace: Trace, walks: Walks, start: Path | None) -> Data:
    fields = trace.fields
    return {
        "message": trace.violation.message,
        "kind": trace.violation.kind,
        "loop": trace.loop_start,
        "initial": told_state(trace, trace.initial),
        "steps": [_step(trace, number) for number in range(1, len(trace.steps) + 1)],
        "dues": [{"action": due.action.name, "told": str(due)} for due in trace.dues],
        "path": _path(trace, walks, start),
        "fields": [item.name for item in fields],
        "values": _values(trace, trace.initial, fields),
        "written": _written(trace, fields),
    }


def _step(trace: Trace, number: int) -> Data:
    step = trace.steps[number - 1]
    before = trace.before(number)
    changes = (
        []
        if step.state is None
        else [{"name": change.name, "text": change.text} for change in trace.differences.between(before, step.state)]
    )
    parts = trace.parts(step)
    return {
        **told_head(head_of(trace, step)),
        "processes": list(dict.fromkeys(part.process for part in parts)),
        "lines": [span.line for span in spans_of(trace.system, parts)],
        "inner": [told_head(head) for head in inner_heads(trace, step)] if step.within else [],
        "changes": changes,
        "fails": step.failure.message if step.failure else None,
        "automaton": None if step.state is None else trace.location(step.state),
    }


def _values(trace: Trace, state: Vector, fields: Sequence[Field]) -> list[list[int]]:
    read = trace.system.layout.read
    return [[read(state, item, index) for index in range(item.elements)] for item in fields]


def _written(trace: Trace, fields: Sequence[Field]) -> list[list[list[int]]]:
    """For each step the field, element and new value of all that it changes."""
    found: list[list[list[int]]] = []
    values = _values(trace, trace.initial, fields)
    for step in trace.steps:
        if step.state is None:
            found.append([])
            continue
        after = _values(trace, step.state, fields)
        found.append(
            [
                [at, index, new]
                for at, (olds, news) in enumerate(zip(values, after, strict=True))
                if olds != news
                for index, (old, new) in enumerate(zip(olds, news, strict=True))
                if old != new
            ]
        )
        values = after
    return found


def _path(trace: Trace, walks: Walks, start: Path | None) -> list[int] | None:
    """The choices that lead along the trace in the explorer; None where it is too long, or goes another way."""
    if len(trace.steps) > _LONGEST_WALK or len(start or ()) + len(trace.steps) > LONGEST_PATH:
        return None
    system = walks.model.system
    names = [item.name for item in trace.fields]
    by_name = {item.name: item for item in system.layout.fields}
    if any(name not in by_name for name in names):
        return None

    def same(state: Vector | None, other: Vector | None) -> bool:
        if state is None or other is None:
            return state is other
        return all(
            system.layout.read(state, by_name[item.name], index) == trace.system.layout.read(other, item, index)
            for item in trace.fields
            for index in range(item.elements)
        )

    if start:
        path, state = list(start), walks.state(start)
    else:
        begins = [at for at, state in enumerate(system.initial) if same(state, trace.initial)]
        if not begins:
            return None
        path, state = [begins[0]], system.initial[begins[0]]
    for step in trace.steps:
        if step.action is None and step.failure is None:
            break  # the run has ended, and repeats its last state
        told = [(part.process, part.text) for part in trace.parts(step)]
        try:
            possible = walks.steps(state)
        except LayoutChanged:
            return None
        fitting = [
            (told != [(part.process, part.text) for part in _parts(walks.model, each.action)], at)
            for at, each in enumerate(possible)
            if same(each.state, step.state)
        ]
        if not fitting:
            return None
        at = min(fitting)[1]
        path.append(at)
        reached = possible[at].state
        if reached is None:
            break
        state = reached
    return path


def _parts(model: Model, action: int | None) -> tuple[Part, ...]:
    return () if action is None else model.system.actions[action].parts


class TraceStates:
    """The states of a trace in a model of the server's own."""

    def __init__(self, model: Model, told: Data) -> None:
        self._model = model
        self._told = told
        self._layout = model.system.layout
        self._states = self._made()

    def state(self, at: int) -> list[Data]:
        """A state in full; steps count from one, and what comes before is the initial state."""
        self._remake_if_changed()
        at = max(0, min(at, len(self._states) - 1))
        before = self._states[at - 1] if at else None
        return told_state(run_of(self._model.system, self._states[at]), self._states[at], before)

    def picture(self, at: int) -> str | None:
        self._remake_if_changed()
        return picture_of(self._model, self._states[max(0, min(at, len(self._states) - 1))])

    def chart(self) -> str:
        """The messages of the run; raises InputError where it is too long, or cannot be made again."""
        path = self._told["path"]
        if path is None:
            raise InputError("the run is too long for a chart of its messages")
        return Walks(self._model).chart(tuple(path))

    def values(self, text: str) -> Data:
        """The value of an expression in every state."""
        watch = Watch(self._model, text)
        self._remake_if_changed()
        system = self._model.system
        found = [watch.value(system, state) for state in self._states]
        error = next((one["error"] for one in found if one["error"]), None)
        return {"values": [one["value"] for one in found], "error": error}

    def _remake_if_changed(self) -> None:
        if self._model.system.layout is not self._layout:
            self._layout = self._model.system.layout
            self._states = self._made()

    def _made(self) -> list[Vector]:
        layout = self._layout
        by_name = {item.name: item for item in layout.fields}
        fields = [by_name.get(name) for name in self._told["fields"]]
        words = list(layout.initial())
        for item, values in zip(fields, self._told["values"], strict=True):
            for index, value in enumerate(values[: item.elements] if item else []):
                assert item
                layout.write(words, item, index, value)
        states = [tuple(words)]
        for step, written in zip(self._told["steps"], self._told["written"], strict=True):
            if step["fails"] and not written:
                continue
            for at, index, value in written:
                item = fields[at]
                if item is not None and index < item.elements:
                    layout.write(words, item, index, value)
            states.append(tuple(words))
        return states
