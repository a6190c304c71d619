"""A report in a notebook: the verdict, an answer a row, and a trace to unfold that tells only what changes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ouroboros.verdict.outcome import Statistics

if TYPE_CHECKING:
    from ouroboros.library.reports import Report
    from ouroboros.library.traces import Trace

_COLOURS = {"holds": "#1a7f37", "violated": "#cf222e", "unknown": "#9a6700"}
_MOST_ROWS = 400
"""Of a trace: a notebook keeps all that it shows."""


def report_html(report: Report, statistics: Statistics) -> str:
    return "".join(_parts(report, statistics))


def trace_html(trace: Trace) -> str:
    return "".join(_trace("counterexample", trace))


def _parts(report: Report, statistics: Statistics) -> Iterator[str]:
    yield "<div>"
    yield f"<b style='color:{_COLOURS[report.verdict]}'>{escape(report.verdict)}</b>"
    yield f" {escape(report.reason)}" if report.reason else ""
    yield "<table><tr><th>property</th><th>verdict</th><th></th></tr>"
    for name, answer in report.answers.items():
        yield f"<tr><td>{escape(name)}</td><td style='color:{_COLOURS[answer.verdict]}'>{escape(answer.verdict)}</td>"
        yield f"<td>{escape(answer.reason or '')}</td></tr>"
    yield "</table>"
    yield f"<p>{statistics.states:,} states, {statistics.transitions:,} transitions, depth {statistics.depth:,}</p>"
    for name, answer in report.answers.items():
        if answer.trace is not None:
            for trace in (answer.trace, *answer.further):
                yield from _trace(name, trace)
    yield f"<small>{escape(' · '.join(report.assurance))}</small></div>"


def _trace(name: str, trace: Trace) -> Iterator[str]:
    yield f"<details><summary>{escape(name)}: a run of {len(trace)} steps: {escape(trace.message)}</summary><table>"
    first = ", ".join(f"{key}: {value}" for key, value in trace.initial.items())
    yield f"<tr><td></td><td></td><td>initial state</td><td>{escape(first)}</td></tr>"
    for number, step in enumerate(trace[:_MOST_ROWS], 1):
        if trace.loop_start == number - 1:
            yield "<tr><th colspan='4'>repeated for ever</th></tr>"
        changes = ", ".join(f"{key}: {before} → {after}" for key, (before, after) in step.changes.items())
        told = [str(number), step.process, step.action, step.failure or changes]
        mark = (
            " style='border-left:3px solid #8250df'"
            if trace.loop_start is not None and number > trace.loop_start
            else ""
        )
        yield f"<tr{mark}>{''.join(f'<td>{escape(each)}</td>' for each in told)}</tr>"
    if len(trace) > _MOST_ROWS:
        yield f"<tr><td colspan='4'>and {len(trace) - _MOST_ROWS:,} more steps</td></tr>"
    yield "</table></details>"
