"""The final report for people."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ouroboros.report.page import Page
from ouroboros.report.trace import WHAT_SUITS, TraceView, trace_length, write_trace
from ouroboros.units import duration, plural, size
from ouroboros.verdict.report import Answer, Coverage, Report, Saving, Search, Verdict
from ouroboros.verdict.trace import Trace

_STYLES = {Verdict.HOLDS: "bold green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "bold yellow"}

_ADVICE = {
    "memory": "allow more with --memory, or spread the states over machines: mpiexec -n 8 ouro …",
    "disk": "name a directory on a larger disk with --scratch, or allow more with --memory",
    "time": "allow more with --time, or use more workers: --workers N",
    "states": "allow more with --states",
}


_LIMITS = {
    "memory": "the limit on memory was met",
    "disk": "the disk is full, or its directory is gone",
    "time": "the limit on time was met",
    "states": "the limit on states was met",
}
"""In words; programs get the names."""

_LEAST_STATES = 10_000
"""A rate, or bytes a state, of fewer states says more of buffers and of starting than of the model."""

_CAVEATS = {"compact": ", by which one may be missed,"}

_MOST_UNREACHED = 40

_MANY_STEPS = 40
"""From so many on, what stands behind a trace is out of sight."""


def write_check(report: Report, page: Page, view: TraceView = WHAT_SUITS) -> None:
    """The traces if there are any, then the verdict, the figures and what they rest on. The verdict also comes first
    where a trace would push it out of sight."""
    traces = () if view.extent == "none" else report.traces
    if sum(len(trace.steps) for _, trace in traces) > _MANY_STEPS:
        page.show(verdict_line(report))
        page.line("")
    for answer in report.answers:
        if answer.witness and view.extent != "none":
            page.line(page.styled(f"{answer.property} holds: a run that shows it", "bold"))
            write_trace(answer.witness, page, view)
            page.line("")
    for answer, trace in traces:
        if len(traces) > 1:
            page.line(page.styled(_title(answer, trace), "bold"))
        write_trace(trace, page, view)
        page.line("")
    page.show(Group(verdict_line(report), _answers(report), *figures(report), _assurance(report)))


def _title(answer: Answer, trace: Trace) -> str:
    if not answer.further:
        return f"{answer.property} is violated"
    which = answer.traces.index(trace) + 1
    return f"{answer.property} is violated, {which} of {len(answer.traces)}: {trace.violation.message}"


def write_states(report: Report, page: Page) -> None:
    parts: list[RenderableType] = [] if report.complete else [verdict_line(report)]
    page.show(Group(*parts, *figures(report), _assurance(report)))


def verdict_line(report: Report) -> Text:
    text = Text.assemble((report.verdict.value, _STYLES[report.verdict]))
    if report.verdict is Verdict.HOLDS and report.omission:
        text.append(f", with omission probability at most {report.omission:.1e}")
    if report.reason:
        text.append(f": {_told(report.decisive)}")
    if report.trace:
        span = report.trace.violation.span
        # An expression from the command line stands in no file.
        if span and span.source is report.model:
            text.append(f" ({span})")
        # Breadth-first search counts an atomic sequence as one step, and a reduction may leave out the shortest way.
        minimal = report.search.algorithm == "reachability" and not (
            report.omission or report.setting.reductions or report.trace.system.exclusive
        )
        shortest = "; no run gets there in fewer" if minimal else ""
        text.append(f"\n  {trace_length(report.trace)}{shortest}")
    if report.limit in _ADVICE:
        text.append(f"\n  {_ADVICE[report.limit]}")
    if report.limit == "memory":
        text.append(f"\n  {_other_stores(report)}")
    if report.limit and report.saving:
        text.append(f"\n  `ouro resume {report.saving.directory}` goes on from the last checkpoint")
    return text


def _told(answer: Answer) -> str:
    reason = answer.reason or ""
    meanwhile = f", while {answer.search.meanwhile}" if answer.search.meanwhile else ""
    return f"{_LIMITS.get(reason, reason)}{meanwhile}"


def _other_stores(report: Report) -> str:
    """What other stores would have made of the same memory, from what a state has cost."""
    search = next(search for search in report.searches if search.limit == "memory")
    name = report.setting.store.partition(":")[0]
    if name == "compact":
        return "--store bitstate:SIZE never needs more than SIZE and the states that wait, and misses more"
    if name == "bitstate":
        return "the states that wait, or the stack, do not fit beside the filter: choose a smaller one"
    if not search.bytes_per_state:
        return (
            "not even the first states had room: a process may reserve too little (ulimit -v), or --memory is too much"
        )
    told = [
        f"--store {one.store}{_CAVEATS.get(one.store, '')} would have room for {_about(one.states)} states, at"
        f" {one.bytes_per_state:.1f} bytes each"
        for one in search.forecasts
    ]
    return "; ".join([f"a state has cost {search.bytes_per_state:.1f} bytes", *told])


def _about(count: int) -> str:
    """A number with two digits that mean something."""
    return f"{round(count, 2 - len(str(count))):,}"


def _answers(report: Report) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for answer in report.answers:
        verdict = Text.assemble((answer.verdict.value, _STYLES[answer.verdict]))
        more = f", and {plural(len(answer.further), 'other violation')}" if answer.further else ""
        table.add_row(verdict, Text(answer.property), Text(_told(answer) + more))
    warnings = [
        Text.assemble(("warning", "bold yellow"), f": {answer.property}: {warning}")
        for answer in report.answers
        for warning in answer.warnings
    ] + [Text.assemble(("remark", "bold yellow"), f": {remark}") for remark in report.remarks]
    return Padding(Group(table, *warnings), (0, 0, 0, 4))


def figures(report: Report) -> list[RenderableType]:
    """The numbers of each search, and of the run."""
    several = len(report.searches) > 1
    parts: list[RenderableType] = []
    for search in report.searches:
        if search.meanwhile:
            continue
        answers = [answer for answer in report.answers if answer.search is search]
        title = [Text(", ".join(answer.property for answer in answers), style="underline")] if several else []
        parts.append(Padding(Group(*title, _search(search, answers[0])), (1, 0, 0, 2)))
    run = _grid()
    resumed = report.saving is not None and report.saving.resumed
    run.add_row("time", duration(report.seconds), "since it was resumed" if resumed else "in all")
    run.add_row("memory", size(report.peak_bytes), f"at its peak; {_counted(report)}")
    if report.saving:
        run.add_row("checkpoints", f"{report.saving.written:,}", _saving(report.saving, bool(report.limit)))
    parts.append(Padding(run, (1 if several else 0, 0, 1, 2)))
    parts += _coverage(report.coverage)
    return parts


def _counted(report: Report) -> str:
    """What `--memory` is about, of the search that needed most; buffers are counted whole, touched or not."""
    statistics = max((search.statistics for search in report.searches), key=lambda statistics: statistics.bytes)
    buffers = f", {size(statistics.buffers)} of it buffers" if statistics.buffers else ""
    return f"--memory counts {size(statistics.bytes)}{buffers}"


def _saving(saving: Saving, unfinished: bool) -> str:
    if saving.failure:
        return f"in {saving.directory}; the last one could not be written: {saving.failure}"
    kept = "the newest two are kept" if unfinished else "the run is finished, and nothing was removed"
    return f"in {saving.directory}; {kept}"


def _coverage(coverage: Coverage) -> list[RenderableType]:
    """What was never executed, by process and line; that nothing is known of it, only who asks is told."""
    if not coverage.unreached:
        return []
    table = Table.grid(padding=(0, 2))
    for part, tried in coverage.unreached[:_MOST_UNREACHED]:
        line = f"line {part.span.line}" if part.span else ""
        table.add_row(part.process, line, part.text, "never possible where a process comes to it" if tried else "")
    more = len(coverage.unreached) - _MOST_UNREACHED
    rest = [Text(f"and {more} more: --json has them all")] if more > 0 else []
    title = Text(f"{plural(len(coverage.unreached), 'statement')} never executed", style="underline")
    return [Padding(Group(title, table, *rest), (0, 0, 1, 2))]


def _search(search: Search, answer: Answer) -> RenderableType:
    statistics = search.statistics
    product = "of the product with the automaton" if answer.automaton else ""
    table = _grid()
    if answer.automaton:
        edges = plural(sum(map(len, answer.automaton.edges)), "edge")
        states = plural(answer.automaton.states, "state")
        table.add_row("automaton", answer.automaton.strength, f"{states}, {edges}")
        table.add_row("algorithm", search.algorithm, search.choice or "")
    elif search.algorithm == "response":
        table.add_row("algorithm", search.algorithm, search.choice or "")
    table.add_row("states", f"{statistics.states:,}", product if search.complete else "found before the search ended")
    table.add_row("transitions", f"{statistics.transitions:,}")
    table.add_row("deadlocks", f"{statistics.deadlocks:,}")
    if statistics.failures:
        table.add_row(
            "failing steps", f"{statistics.failures:,}", "they lead to the error state, which is counted once"
        )
    if statistics.overflows:
        table.add_row(
            "overflows", f"{statistics.overflows:,}", "steps that end the run: a value does not fit its variable"
        )
    table.add_row("depth", f"{statistics.depth:,}")
    if statistics.iterations:
        table.add_row("iterations", f"{statistics.iterations:,}")
    if statistics.fair:
        fair = statistics.fair
        if not answer.automaton:
            table.add_row("p", f"{fair.start_states:,}", "states where p holds, and q does not")
            table.add_row("pending", f"{fair.pending_states:,}", "states that one of them reaches without coming to q")
            table.add_row("q", f"{fair.end_states:,}", "states where q holds")
        share = fair.expansions / max(1, fair.pending_states)
        table.add_row("expansions", f"{fair.expansions:,}", f"{share:.2f} for each pending state")
    if statistics.moved:
        gain = (
            f"to workers with less to do; the longest queues were {statistics.balance_gain:.2f} times as long without"
        )
        table.add_row("moved", f"{statistics.moved:,}", gain)
    told = [f"{duration(statistics.cpu_seconds)} of CPU time"]
    if statistics.states >= _LEAST_STATES:
        rate = statistics.states / max(statistics.seconds, 1e-6)
        told = [f"{rate:,.0f} states/s", *told, f"{search.bytes_per_state:,.1f} bytes a state"]
    table.add_row("search", duration(statistics.seconds), ", ".join(told))
    for phase in statistics.phases:
        left = f"{size(phase.bytes)}, {plural(phase.states, 'state')} left"
        table.add_row(f"  {phase.name}", duration(phase.seconds), left)
    return table


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="left", min_width=11)
    table.add_column(justify="right", min_width=9)
    return table


def _assurance(report: Report) -> Text:
    return Text(" · ".join(report.assurance), style="dim")
