"""Traces as they are printed: fast, in few columns, and without what nobody asked for."""

from __future__ import annotations

import io
import time

import pytest

from ouroboros.report.page import Page
from ouroboros.report.trace import TraceView, write_trace
from ouroboros.simulation.simulation import run_of, simulate
from ouroboros.verdict.trace import Trace, TraceStep, Violation
from tests.simulation.models import promela_model
from tests.trace.handmade import counter


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


def counting(steps: int, cycle: int = 0) -> Trace:
    """A handmade run: what is printed need not be possible."""
    system = counter(255).system
    layout = system.layout
    states = []
    for turn in (1, 0):
        words = list(layout.initial())
        layout.write(words, layout.fields[0], 0, turn)
        states.append(tuple(words))
    made = tuple(TraceStep(0, states[number % 2]) for number in range(steps))
    return Trace(system, layout.initial(), made, Violation("deadlock", ""), steps - cycle if cycle else None)


def printed(trace: Trace, stream: io.StringIO | None = None, view: TraceView | None = None) -> list[str]:
    stream = stream or io.StringIO()
    write_trace(trace, Page(stream), view or TraceView())
    return stream.getvalue().splitlines()


def promela(text: str, steps: int = 100) -> Trace:
    simulation = simulate(promela_model(text), seed=1, steps=steps)
    return run_of(simulation.system, simulation.initial, [taken.step for taken in simulation.taken])


def test_twenty_thousand_steps_are_printed_in_half_a_second() -> None:
    trace = counting(20_000)
    started = time.process_time()
    lines = printed(trace)
    assert time.process_time() - started < 0.5
    assert len(lines) > 20_000


def test_a_long_trace_is_short_on_a_terminal_and_says_how_to_see_the_rest() -> None:
    lines = printed(counting(1000, cycle=500), Terminal(), TraceView(command="ouro check a.dve"))
    left_out = [line for line in lines if "460 more steps: ouro check a.dve --trace full" in line]
    assert len(left_out) == 2
    assert len(lines) < 100
    assert len(printed(counting(1000), Terminal(), TraceView("full"))) > 1000
    assert len(printed(counting(1000))) > 1000
    assert len(printed(counting(1000), view=TraceView("short"))) < 60


def test_a_long_statement_is_cut_unless_asked_for() -> None:
    text = "byte x;\nactive proctype P() { x = " + " + ".join(["1"] * 100) + " }"
    assert any("…" in line for line in printed(promela(text)))
    assert max(map(len, printed(promela(text)))) < 120
    whole = printed(promela(text), view=TraceView("full"))
    assert not any("…" in line for line in whole)
    assert any(" + ".join(["1"] * 100) in line for line in whole)


def test_colours_are_for_terminals_and_who_asks_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert any("\x1b[" in line for line in printed(counting(3), Terminal()))
    assert not any("\x1b[" in line for line in printed(counting(3)))
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert any("\x1b[" in line for line in printed(counting(3)))


def test_the_bar_of_a_cycle_stands_in_one_column() -> None:
    lines = printed(counting(12, cycle=11))
    assert sum(line.startswith("│ ") for line in lines) == 11


ELECTION = """
mtype = { elect, done };
chan q[2] = [2] of { mtype, byte };
byte count;
proctype Node(byte me) {
  byte n;
  q[1 - me]!elect,me;
  d_step { count++; n = 3 }
}
init {
  byte i;
  atomic { do :: i < 2 -> run Node(i); i++ :: else -> break od }
}
"""


def test_a_promela_trace_tells_what_a_reader_of_promela_wants_to_know() -> None:
    lines = printed(promela(ELECTION))
    assert lines[:4] == ["initial state", "  q        [] []", "  globals  count: 0", "  init[0]  i: 0"]
    steps = [" ".join(line.split()[1:]) for line in lines[5:]]
    assert "init[0] 12 run Node(i) Node[1] starts" in steps
    assert "init[0] 12 run Node(i) Node[2] starts with me: 1" in steps
    assert any(step.endswith("q[0]: [] → [elect,1]") for step in steps)
    text = "\n".join(lines)
    # Neither where a process is, nor how many there are, nor that one does nothing but jump, nor that it is no more.
    assert not any(noise in text for noise in ("_nr_pr", "goto", "line 7", "me: 1 → 0"))


def test_the_statements_of_a_d_step_have_a_line_each() -> None:
    lines = [line.split() for line in printed(promela(ELECTION))]
    at = next(number for number, line in enumerate(lines) if "count++" in line)
    assert lines[at][0].isdigit()
    assert lines[at][1:] == [lines[at][1], "8", "count++", "count:", "0", "→", "1"]
    assert lines[at + 1][:5] == [lines[at][1], "8", "n", "=", "3"]


def test_a_step_is_one_line_of_eighty_columns() -> None:
    trace = promela(ELECTION)
    lines = printed(trace, Terminal())
    plain = printed(trace)
    assert len(lines) == len(plain)
    assert max(map(len, plain)) <= 80
