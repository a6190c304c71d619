"""A counterexample for people: the first state in full, then each step in a line; the cycle of a lasso apart.

A trace may be of any length, so lines are written one after the other. The columns are as wide as what the actions of
the trace need, which is known before its steps are told; a statement that is too long is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ouroboros.report.page import Page
from ouroboros.trace.text import Head, Row, head_of, initial_state, inner_heads, rows, standing
from ouroboros.units import plural
from ouroboros.verdict.trace import Trace

CYCLE = "cycle, repeated for ever"
STUCK = "what each process waits for"
FAIR = "why the cycle is fair"

Extent = Literal["full", "short", "none"]
"""How much of a trace is shown: all, and nothing is cut; the first and last steps of it and of its cycle; nothing."""

_LONG = 300
"""From so many steps on, a terminal gets the short form unless another one is asked for."""
_ENDS = 20
"""How many of the first, and how many of the last steps the short form has."""
_LONGEST_STATEMENT = 60
"""Where no terminal says how wide a line may be."""
_LEAST_STATEMENT = 16
_GAP = "  "


class TraceView(NamedTuple):
    """What is to be shown of traces."""

    extent: Extent | None = None
    """None: what suits the page."""
    command: str = "ouro check MODEL"
    """That has made the report, and would make it again."""


WHAT_SUITS = TraceView()


def is_shortened(trace: Trace, view: TraceView, page: Page) -> bool:
    if view.extent is None:
        return page.is_terminal and len(trace.steps) > _LONG
    return view.extent == "short"


def write_trace(trace: Trace, page: Page, view: TraceView) -> None:
    page.line(page.styled("initial state", "underline"))
    _write_columns(page, list(initial_state(trace)))
    columns = _Columns(trace, page, cut=view.extent != "full")
    short = is_shortened(trace, view, page)
    last = len(trace.steps)
    begin = last if trace.loop_start is None else trace.loop_start
    if begin or trace.loop_start is None:
        page.line(columns.heading() if last else page.styled("no steps", "underline"))
        _write_steps(trace, range(1, begin + 1), columns, short, view)
    if trace.loop_start is not None:
        page.line(page.styled(CYCLE, "underline"))
        _write_steps(trace, range(begin + 1, last + 1), columns, short, view)
    if waiting := list(standing(trace)):
        page.line(page.styled(STUCK, "underline"))
        _write_columns(page, waiting)
    if trace.dues:
        page.line(page.styled(FAIR, "underline"))
        dues = [(f"{due.action.strength}ly fair", f"{due.action.name}{_GAP}{due}") for due in trace.dues]
        _write_columns(page, dues)


def trace_length(trace: Trace) -> str:
    """How long the run is, in words."""
    if trace.loop_start is None:
        return plural(len(trace.steps), "step")
    cycle = f"a cycle of {plural(len(trace.steps) - trace.loop_start, 'step')}"
    return f"{plural(trace.loop_start, 'step')} to {cycle}" if trace.loop_start else f"{cycle} from the initial state"


def _write_steps(trace: Trace, steps: range, columns: _Columns, short: bool, view: TraceView) -> None:
    write, line = columns.page.line, columns.line
    left_out = len(steps) - 2 * _ENDS
    parts = [steps] if not short or left_out <= 1 else [steps[:_ENDS], steps[-_ENDS:]]
    for number, part in enumerate(parts):
        if number:
            write(f"{_GAP}… {left_out:,} more steps: {view.command} --trace full")
        for row in rows(trace, part):
            write(line(row))


def _write_columns(page: Page, lines: list[tuple[str, str]]) -> None:
    width = max((len(first) for first, _ in lines), default=0)
    for first, second in lines:
        told = list(_broken(second.split(", "), None if page.width is None else page.width - width - 4))
        for number, text in enumerate(told):
            page.line(f"{_GAP}{'' if number else first:<{width}}{_GAP}{text}".rstrip())


class _Columns:
    """How wide the columns are, and how a row becomes a line."""

    def __init__(self, trace: Trace, page: Page, cut: bool) -> None:
        self.page = page
        self._cut = cut
        heads = set(_heads(trace))
        self._number = max(len(str(len(trace.steps))), len("step"))
        self._processes = max((len(head.processes) for head in heads), default=0)
        self._place = max((len(head.place) for head in heads), default=0)
        if self._processes:
            self._processes = max(self._processes, len("process"))
        if self._place:
            self._place = max(self._place, len("line"))
        begin = 2 + self._number + len(_GAP)
        begin += sum(width + len(_GAP) for width in (self._processes, self._place) if width)
        longest = max((len(head.statement) for head in heads if head.processes), default=0)
        longest = longest or max((len(head.statement) for head in heads), default=0)
        most = _LONGEST_STATEMENT if page.width is None else max(_LEAST_STATEMENT, (page.width - begin) // 2)
        self._statement = max(len("statement"), min(longest, most))
        self._indent = begin + 2
        self._room = None if page.width is None else page.width - begin - self._statement - len(_GAP)
        self._known: dict[Head, str] = {}

    def heading(self) -> str:
        told = self._laid_out(("process", "line", "statement"))
        return self.page.styled(f"  {'step':>{self._number}}{_GAP}{told}{_GAP}changes", "dim")

    def line(self, row: Row) -> str:
        # A bar in the margin shows the cycle at a glance, also where its heading has scrolled away.
        start = f"{'│' if row.in_cycle else ' '} {'' if row.number is None else row.number:>{self._number}}{_GAP}"
        head = self._known.get(row.head)
        if head is None:
            head = self._known[row.head] = self._laid_out(row.head)
        told = (*row.changes, row.automaton) if row.automaton else row.changes
        if not told:
            return f"{start}{head}".rstrip()
        changes = ", ".join(told)
        if self._room is None or len(changes) <= self._room:
            return f"{start}{head}{_GAP}{self.page.styled(changes, 'bold')}"
        return self._in_several_lines(f"{start}{head}", row, told)

    def _in_several_lines(self, begin: str, row: Row, told: tuple[str, ...]) -> str:
        """What changes does not fit beside the statement: it has lines of its own below."""
        assert self.page.width is not None
        bar = "│" if row.in_cycle else " "
        below = _broken(list(told), self.page.width - self._indent)
        return "\n".join(
            [begin.rstrip(), *(f"{bar:<{self._indent}}{self.page.styled(text, 'bold')}" for text in below)]
        )

    def _laid_out(self, head: tuple[str, str, str]) -> str:
        processes, place, statement = head
        if self._cut and processes and len(statement) > self._statement:
            statement = f"{statement[: self._statement - 1]}…"
        columns = [
            *([f"{processes:<{self._processes}}"] if self._processes else []),
            *([f"{place:>{self._place}}"] if self._place else []),
            f"{statement:<{self._statement}}",
        ]
        return _GAP.join(columns)


def _heads(trace: Trace) -> Iterator[Head]:
    told: set[object] = set()
    for step in trace.steps:
        if step.within:
            yield from inner_heads(trace, step)
            if len(trace.parts(step)) == 1:
                continue
        if step.action is None or (step.action, step.parts) not in told:
            told.add((step.action, step.parts))
            yield head_of(trace, step)


def _broken(texts: list[str], width: int | None) -> Iterator[str]:
    """The texts with commas between them, in lines that are no wider than this if they need not be."""
    line = texts[0]
    for text in texts[1:]:
        if width is not None and len(line) + len(text) + 3 > width:
            yield f"{line},"
            line = text
        else:
            line = f"{line}, {text}"
    yield line
