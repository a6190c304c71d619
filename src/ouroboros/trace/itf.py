"""A trace in the Informal Trace Format (Apalache's ADR-015): JSON that other tools can read and show.

A state is written in full. What the format has no word for stands in `#meta`: of the trace, what is wrong; of a state,
the action that led to it. The last state of a lasso is the one at index `loop` again, so that each step has its state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ouroboros.source import Span
from ouroboros.system.layout import Vector
from ouroboros.trace.values import Value, contents
from ouroboros.verdict.trace import Trace, TraceStep

DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"

_LARGEST_NUMBER = 2**53 - 1
"""Beyond it, a reader that keeps numbers in floating point would lose digits."""


def trace_itf(trace: Trace, origin: Mapping[str, Any]) -> dict[str, Any]:
    """The trace with what is known of its origin: model, property, algorithm and so on, for `#meta`."""
    violation: dict[str, Any] = {
        "kind": trace.violation.kind,
        "message": trace.violation.message,
        **_place(trace.violation.span),
    }
    states = [_state(trace, 0, trace.initial, {})]
    for index, step in enumerate(trace.steps, 1):
        if step.state is not None:
            states.append(_state(trace, index, step.state, {"action": _action(trace, step)}))
        elif step.failure:
            violation["failure"] = step.failure.kind
            violation["action"] = _action(trace, step)
    data: dict[str, Any] = {
        "#meta": {
            "format": "ITF",
            "format-description": DESCRIPTION,
            **origin,
            "steps": len(trace.steps),
            "violation": violation,
        },
        "vars": [item.name for item in trace.fields],
        "states": states,
    }
    if trace.loop_start is not None:
        data["loop"] = trace.loop_start
    if trace.moments:
        data["#meta"]["times"] = [str(moment) for moment in trace.moments]
    if trace.dues:
        data["#meta"]["fairness"] = [
            {"action": due.action.name, "strength": due.action.strength, "kind": due.kind, "step": due.step}
            for due in trace.dues
        ]
    return data


def _state(trace: Trace, index: int, state: Vector, meta: dict[str, Any]) -> dict[str, Any]:
    location = trace.location(state)
    automaton = {} if location is None else {"automaton": location}
    values = {
        item.name: list(map(_value, value)) if isinstance(value, list) else _value(value)
        for item, value in contents(trace, state).items()
    }
    return {"#meta": {"index": index, **automaton, **meta}, **values}


def _value(value: Value) -> Any:
    if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        return {"#bigint": str(value)}
    return value


def _action(trace: Trace, step: TraceStep) -> list[dict[str, Any]] | None:
    """Who does what; two in a handshake, the sender first. None where the state repeats, and nothing happens."""
    if step.repeats or step.stutters:
        return None
    return [{"process": part.process, "statement": part.text, **_place(part.span)} for part in trace.parts(step)]


def _place(span: Span | None) -> dict[str, Any]:
    return {"file": span.source.name, "line": span.line, "column": span.column} if span else {}
