"""A counterexample for people: the first state in full, then each step in a line; the cycle of a lasso apart."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ouroboros.report.units import plural
from ouroboros.trace.text import Row, initial_state, rows
from ouroboros.trace.trace import Trace

CYCLE = "cycle, repeated for ever"
FAIR = "why the cycle is fair"


def trace_table(trace: Trace) -> RenderableType:
    start = Table.grid(padding=(0, 2))
    for component, contents in initial_state(trace):
        start.add_row(Text(component), Text(contents))
    parts: list[RenderableType] = [_heading("initial state"), Padding(start, (0, 0, 0, 2))]
    steps = list(rows(trace))
    stem = [row for row in steps if not row.in_cycle]
    cycle = [row for row in steps if row.in_cycle]
    if stem or not cycle:
        parts += [_heading("steps"), Padding(_steps(stem), (0, 0, 0, 2))]
    if cycle:
        parts += [_heading(CYCLE), Padding(_steps(cycle), (0, 0, 0, 2))]
    if trace.dues:
        parts += [_heading(FAIR), Padding(_dues(trace), (0, 0, 0, 2))]
    return Group(*parts)


def trace_length(trace: Trace) -> str:
    """How long the run is, in words."""
    if trace.loop_start is None:
        return plural(len(trace.steps), "step")
    cycle = f"a cycle of {plural(len(trace.steps) - trace.loop_start, 'step')}"
    return f"{plural(trace.loop_start, 'step')} to {cycle}" if trace.loop_start else f"{cycle} from the initial state"


def _heading(text: str) -> Text:
    return Text(text, style="underline")


def _dues(trace: Trace) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for due in trace.dues:
        table.add_row(f"{due.action.strength}ly fair", Text(due.action.name), str(due))
    return table


def _steps(steps: list[Row]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    for row in steps:
        # A bar in the margin shows the cycle at a glance, also where its heading has scrolled away.
        number = Text(f"│ {row.number}" if row.in_cycle else row.number)
        changed, automaton = Text(row.changes, style="bold"), Text(row.automaton, style="dim")
        table.add_row(number, Text(row.processes), Text(row.place), Text(row.statement), changed, automaton)
    return table
