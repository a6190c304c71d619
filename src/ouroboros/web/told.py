"""Models, states, steps and errors as the page is told of them: plain data for JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ouroboros.errors import InputError
from ouroboros.properties.asking import described_properties
from ouroboros.report.description import type_text
from ouroboros.source import Span
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.trace.text import Head, head_of
from ouroboros.trace.values import contents
from ouroboros.verdict.channels import buffers_of, told_messages
from ouroboros.verdict.trace import Trace

Data = dict[str, Any]


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
        "lines": sorted({span.line for action in system.actions for span in spans_of(system, action.parts)}),
        "symmetric": system.symmetry is not None,
    }


def spans_of(system: System, parts: tuple[Any, ...]) -> Iterator[Span]:
    return (part.span for part in parts if part.span and part.span.source is system.source)


def told_state(run: Trace, state: Vector, before: Vector | None = None) -> list[Data]:
    """Each component that is there, with its variables, and whether they differ from the state before."""
    system = run.system
    changed = {change.name for change in run.differences.between(before, state)} if before is not None else set()
    buffers: dict[str, list[Data]] = {}
    for buffer in buffers_of(system):
        buffers.setdefault(buffer.length.component, []).append(
            {
                "name": buffer.name,
                "value": told_messages(buffer.messages(system, state)),
                "changed": buffer.name in changed,
            }
        )
    found: dict[str, list[Data]] = {}
    for item, value in contents(run, state).items():
        variables = found.setdefault(item.component, [])
        if item.component in buffers:
            variables[:] = buffers[item.component]
        elif item.told == "value":
            name = item.name.removeprefix(f"{item.component}.")
            if isinstance(value, list):
                names = [item.element_name(index) for index in range(len(value))]
                variables.append(
                    {
                        "name": name,
                        "value": [str(element) for element in value],
                        "changed": [index for index, each in enumerate(names) if each in changed],
                    }
                )
            else:
                place = item.name == item.component
                variables.append({"name": "" if place else name, "value": str(value), "changed": item.name in changed})
    return [
        {
            "name": component,
            "process": component in system.processes,
            "new": before is not None and not run.differences.exists(component, before),
            "variables": variables,
        }
        for component, variables in found.items()
        if run.differences.exists(component, state)
    ]


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


def told_head(head: Head) -> Data:
    return {"process": head.processes, "place": head.place, "statement": head.statement}
