"""The final report for people."""

from __future__ import annotations

from io import StringIO
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ouroboros.report.report import Report, Verdict
from ouroboros.report.units import duration, plural, size
from ouroboros.trace.text import initial_state, rows
from ouroboros.trace.trace import Trace

_STYLES = {Verdict.HOLDS: "bold green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "bold yellow"}

_WIDE = 100_000
"""Columns where there is no terminal: a line is not broken, so that other programs can read it."""

_ADVICE = {
    "memory": "allow more with --memory, or spread the states over machines: mpiexec -n 8 ouro …",
    "time": "allow more with --time, or use more workers: --workers N",
    "states": "allow more with --states",
}


def show(content: RenderableType, stream: TextIO) -> None:
    """Print to a terminal in its width and colours; elsewhere as plain lines without trailing blanks."""
    if stream.isatty():
        Console(file=stream, highlight=False).print(content)
        return
    buffer = StringIO()
    Console(file=buffer, width=_WIDE, highlight=False, color_system=None).print(content)
    stream.write("".join(f"{line.rstrip()}\n" for line in buffer.getvalue().splitlines()))


def check_report(report: Report) -> RenderableType:
    """The trace if there is one, then the verdict, the figures and what they rest on."""
    parts: list[RenderableType] = []
    if report.trace:
        parts += [trace_table(report.trace), Text()]
    return Group(*parts, verdict_line(report), _answers(report), figures(report), _assurance(report))


def states_report(report: Report) -> RenderableType:
    parts: list[RenderableType] = [] if report.complete else [verdict_line(report)]
    return Group(*parts, figures(report), _assurance(report))


def verdict_line(report: Report) -> Text:
    text = Text.assemble((report.verdict.value, _STYLES[report.verdict]))
    if report.reason:
        text.append(f": {report.reason}")
    if report.trace:
        span = report.trace.violation.span
        # An expression from the command line stands in no file.
        if span and span.source is report.model:
            text.append(f" ({span})")
        text.append(f"\n  {plural(len(report.trace.steps), 'step')}; no run gets there in fewer")
    if report.limit:
        text.append(f"\n  {_ADVICE[report.limit]}")
    return text


def _answers(report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for answer in report.answers:
        verdict = Text.assemble((answer.verdict.value, _STYLES[answer.verdict]))
        table.add_row(verdict, Text(answer.property), Text(answer.reason or ""))
    return Padding(table, (0, 0, 0, 4))


def figures(report: Report) -> RenderableType:
    statistics = report.statistics
    rate = statistics.states / max(statistics.seconds, 1e-6)
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="left")
    table.add_column(justify="right")
    table.add_row("states", f"{statistics.states:,}", "" if report.complete else "found before the search ended")
    table.add_row("transitions", f"{statistics.transitions:,}")
    table.add_row("deadlocks", f"{statistics.deadlocks:,}")
    if statistics.failures:
        table.add_row("failing actions", f"{statistics.failures:,}")
    table.add_row("depth", f"{statistics.depth:,}")
    table.add_row("time", duration(report.seconds), "in all")
    search = f"{rate:,.0f} states/s, {duration(statistics.cpu_seconds)} of CPU time"
    table.add_row("search", duration(statistics.seconds), search)
    table.add_row("memory", size(report.peak_bytes), f"at its peak, {report.bytes_per_state:,.1f} bytes a state")
    return Padding(table, (1, 0, 1, 2))


def _assurance(report: Report) -> Text:
    return Text(" · ".join(report.assurance), style="dim")


def trace_table(trace: Trace) -> RenderableType:
    start = Table.grid(padding=(0, 2))
    for component, contents in initial_state(trace):
        start.add_row(Text(component), Text(contents))
    steps = Table.grid(padding=(0, 2))
    steps.add_column(justify="right", no_wrap=True)
    steps.add_column(no_wrap=True)
    steps.add_column(no_wrap=True)
    for row in rows(trace):
        number, processes, place, statement, changed = map(Text, row)
        changed.stylize("bold")
        steps.add_row(number, processes, place, statement, changed)
    return Group(
        Text("initial state", style="underline"),
        Padding(start, (0, 0, 0, 2)),
        Text("steps", style="underline"),
        Padding(steps, (0, 0, 0, 2)),
    )
