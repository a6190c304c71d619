"""Models, states, steps and errors as the page is told of them: plain data for JSON."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from io import StringIO
from typing import Any

from ouroboros.errors import InputError
from ouroboros.properties.asking import described_properties
from ouroboros.report.description import type_text
from ouroboros.report.page import Page
from ouroboros.report.terminal import write_check
from ouroboros.report.trace import TraceView
from ouroboros.source import Span
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System
from ouroboros.trace.text import Head, head_of
from ouroboros.verdict.channels import Buffer, buffers_of, told_messages
from ouroboros.verdict.clocks import told_clocks
from ouroboros.verdict.report import Report
from ouroboros.verdict.trace import Trace

Data = dict[str, Any]

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")

CLOCKS = "clocks"
"""What the page calls the bounds on clocks, as if they were a component."""
VALUES = "values"
"""And what is told of a state that has no fields to be told of."""


def told_error(error: Exception) -> Data:
    if not isinstance(error, InputError):
        return {"message": str(error), "hint": None, "place": None}
    return {"message": error.message, "hint": error.hint, "place": error.span and told_place(error.span)}


def told_place(span: Span) -> Data:
    return {
        "file": span.source.name,
        "line": span.line,
        "column": span.column,
        "length": max(1, span.end - span.start),
    }


def told_model(system: System) -> Data:
    return {
        "language": system.language,
        "processes": list(system.processes),
        "places": list(place_fields(system)),
        "initial": len(system.initial),
        "components": [
            {
                "name": component,
                "process": component in system.processes,
                "variables": [{"name": item.name, "type": type_text(item), "elements": item.length} for item in fields],
            }
            for component, fields in system.layout.components.items()
        ],
        "properties": [{"name": name, "meaning": meaning} for name, meaning in described_properties(system).items()],
        "symmetric": system.symmetry is not None,
    }


def place_fields(system: System) -> dict[str, Field]:
    """For each process the field that says where it is, as far as the model has places."""
    return {
        item.component: item
        for item in system.layout.fields
        if item.component in system.processes
        and item.length is None
        and (item.told == "place" or item.name == item.component)
    }


def spans_of(system: System, parts: tuple[Any, ...]) -> Iterator[Span]:
    return (part.span for part in parts if part.span and part.span.source is system.source)


class Teller:
    """Tells what is in the states of one run: each component that is there, with its variables."""

    def __init__(self, run: Trace) -> None:
        self._run = run
        self._system = run.system
        self._fields: dict[str, list[Field]] = {}
        for item in fields_of(run):
            if item is not run.system.zone:
                self._fields.setdefault(item.component, []).append(item)
        self._buffers: dict[str, list[Buffer]] = {}
        for buffer in buffers_of(run.system):
            self._buffers.setdefault(buffer.length.component, []).append(buffer)

    @property
    def names(self) -> list[str]:
        """Of the components, in order."""
        if self._system.foreign:
            return [VALUES]
        return [*self._fields, *([CLOCKS] if self._system.zone else [])]

    def state(self, state: Vector, before: Vector | None = None) -> list[Data]:
        """The whole state, and what differs from the one before."""
        changed: set[str] = set()
        if before is not None:
            changed = {change.name for change in self._run.differences.between(before, state)}
        told = (self.component(name, state, before, changed) for name in self.names)
        return [one for one in told if one is not None]

    def component(self, name: str, state: Vector, before: Vector | None, changed: Container[str]) -> Data | None:
        """One component; None where it is not there."""
        if name == CLOCKS and self._system.zone:
            bounds = [
                {"name": "", "value": bound, "changed": CLOCKS in changed}
                for bound in told_clocks(self._system, state).split(", ")
            ]
            return {"name": name, "process": False, "new": False, "variables": bounds}
        if name == VALUES and self._system.foreign:
            values = [
                {"name": name, "value": str(value), "changed": name in changed}
                for name, value in (self._system.shown(state) or {}).items()
            ]
            return {"name": name, "process": False, "new": False, "variables": values}
        exists = self._run.differences.exists
        if not exists(name, state):
            return None
        return {
            "name": name,
            "process": name in self._system.processes,
            "new": before is not None and not exists(name, before),
            "variables": [
                *self._channels(name, state, changed),
                *(
                    self._variable(item, state, changed)
                    for item in self._fields[name]
                    if item.told == "value" and name not in self._buffers
                ),
            ],
        }

    def _channels(self, component: str, state: Vector, changed: Container[str]) -> Iterator[Data]:
        for buffer in self._buffers.get(component, ()):
            value = told_messages(buffer.messages(self._system, state))
            yield {"name": buffer.name, "value": value, "changed": buffer.name in changed}

    def _variable(self, item: Field, state: Vector, changed: Container[str]) -> Data:
        read = self._system.layout.read
        if item.length is not None:
            return {
                "name": item.name.removeprefix(f"{item.component}."),
                "value": [item.show(read(state, item, index)) for index in range(item.length)],
                "changed": [index for index in range(item.length) if item.element_name(index) in changed],
            }
        name = "" if item.name == item.component else item.name.removeprefix(f"{item.component}.")
        return {"name": name, "value": item.show(read(state, item)), "changed": item.name in changed}


def fields_of(run: Trace) -> tuple[Field, ...]:
    """Those that a state is told by."""
    return () if run.system.foreign else run.fields


def told_state(run: Trace, state: Vector, before: Vector | None = None) -> list[Data]:
    return Teller(run).state(state, before)


def told_step(run: Trace, before: Vector, step: Step, number: int) -> Data:
    """A step that can be made, with what it would change."""
    head = head_of(run, run.steps[0])
    parts = step.parts or run.system.parts(step.action)
    failure = None if step.failure is None else run.system.failures[step.failure]
    changes = [] if step.state is None else [change.text for change in run.differences.between(before, step.state)]
    return {
        "number": number,
        **told_head(head),
        "lines": [span.line for span in spans_of(run.system, parts)],
        "changes": changes,
        "fails": failure.message if failure else None,
        "prints": step.printed or None,
    }


def report_text(report: Report) -> str:
    """What the terminal says, without the traces and without colours."""
    text = StringIO()
    write_check(report, Page(text), TraceView("none", ""))
    return _COLOUR.sub("", text.getvalue())


def told_head(head: Head) -> Data:
    return {"process": head.processes, "place": head.place, "statement": head.statement}
