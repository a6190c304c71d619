"""A trace in words: one row a step, with only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.source import Span
from ouroboros.trace.trace import Trace, TraceStep
from ouroboros.trace.values import changes, components


class Row(NamedTuple):
    """A step, as the columns of a table."""

    number: str
    processes: str
    place: str
    statement: str
    changes: str


def initial_state(trace: Trace) -> Iterator[tuple[str, str]]:
    """The first state in full: each component and its contents."""
    for component, contents in components(trace.system.layout, trace.initial).items():
        shown = []
        for name, value in contents.items():
            text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            # The component stands in front already; a process's location bears its name alone.
            shown.append(text if name == component else f"{name.removeprefix(component + '.')}: {text}")
        yield component, ", ".join(shown)


def rows(trace: Trace) -> Iterator[Row]:
    for number, (before, step) in enumerate(trace.transitions(), 1):
        parts = trace.parts(step)
        differences = changes(trace.system.layout, before, step.state) if step.state else ()
        changed = [f"{change.name}: {change.before} → {change.after}" for change in differences]
        yield Row(
            str(number),
            " → ".join(dict.fromkeys(part.process for part in parts)),
            _place(trace, step),
            " | ".join(_one_line(part.text) for part in parts),
            f"fails: {step.failure.message}" if step.failure else ", ".join(changed) or "nothing changes",
        )


def _place(trace: Trace, step: TraceStep) -> str:
    spans = [part.span for part in trace.parts(step) if part.span]
    if not spans and step.failure and step.failure.span:
        spans = [step.failure.span]
    return ", ".join(_line(trace, span) for span in spans)


def _line(trace: Trace, span: Span) -> str:
    """The line is enough where a model is one file."""
    return f"line {span.line}" if span.source is trace.system.source else f"{span.source.name}:{span.line}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
