"""A trace as plain dictionaries and lists, for JSON."""

from __future__ import annotations

from typing import Any

from ouroboros.source import Span
from ouroboros.trace.trace import Trace
from ouroboros.trace.values import changes, components


def trace_data(trace: Trace) -> dict[str, Any]:
    layout = trace.system.layout
    steps = []
    for before, step in trace.transitions():
        described: dict[str, Any] = {
            "parts": [
                {"process": part.process, "statement": part.text, **_place(part.span)} for part in trace.parts(step)
            ],
            "changes": [change._asdict() for change in changes(layout, before, step.state)] if step.state else [],
        }
        if step.failure:
            described["failure"] = {
                "kind": step.failure.kind,
                "message": step.failure.message,
                **_place(step.failure.span),
            }
        steps.append(described)
    violation = trace.violation
    return {
        "violation": {"kind": violation.kind, "message": violation.message, **_place(violation.span)},
        "initial": components(layout, trace.initial),
        "steps": steps,
        "loop_start": trace.loop_start,
    }


def _place(span: Span | None) -> dict[str, Any]:
    return {"file": span.source.name, "line": span.line, "column": span.column} if span else {}
