"""A trace in words: one row a step, with only what changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.source import Span
from ouroboros.trace.channels import told_changes
from ouroboros.trace.trace import Trace, TraceStep
from ouroboros.trace.values import contents


class Row(NamedTuple):
    """A step, as the columns of a table."""

    number: str
    processes: str
    place: str
    statement: str
    changes: str
    automaton: str
    """The state that the automaton of the property goes to, if it is another one."""
    in_cycle: bool
    """Whether the step is one of those that are repeated for ever."""


def initial_state(trace: Trace) -> Iterator[tuple[str, str]]:
    """The first state in full: each component and its contents."""
    shown: dict[str, list[str]] = {}
    for item, value in contents(trace, trace.initial).items():
        text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
        # The component stands in front already; a process's location bears its name alone.
        name = item.name.removeprefix(item.component + ".")
        shown.setdefault(item.component, []).append(text if item.name == item.component else f"{name}: {text}")
    for component, texts in shown.items():
        yield component, ", ".join(texts)
    location = trace.location(trace.initial)
    if location is not None:
        yield "automaton", location


def rows(trace: Trace) -> Iterator[Row]:
    for number, (before, step) in enumerate(trace.transitions(), 1):
        parts = trace.parts(step)
        yield Row(
            str(number),
            " → ".join(dict.fromkeys(part.process for part in parts)),
            _place(trace, step),
            _statement(trace, step),
            f"fails: {step.failure.message}" if step.failure else _changed(trace, before, step),
            _automaton(trace, before, step),
            trace.loop_start is not None and number > trace.loop_start,
        )


def _statement(trace: Trace, step: TraceStep) -> str:
    if step.stutters:
        return "no action is taken, the run stutters"
    if step.repeats:
        return "no step is possible, the state repeats"
    return " | ".join(_one_line(part.text) for part in trace.parts(step))


def _changed(trace: Trace, before: tuple[int, ...], step: TraceStep) -> str:
    assert step.state is not None
    told = told_changes(trace, before, step.state)
    differences = [f"{change.name}: {change.before} → {change.after}" for change in told]
    return ", ".join(differences) or "nothing changes"


def _automaton(trace: Trace, before: tuple[int, ...], step: TraceStep) -> str:
    if step.state is None or trace.location(step.state) == trace.location(before):
        return ""
    return f"automaton: {trace.location(step.state)}"


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
