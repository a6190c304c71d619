"""The overall answer, and how it is shown."""

from __future__ import annotations

import io
import time
from dataclasses import replace

import pytest

from ouroboros.engine.limits import Progress
from ouroboros.ltl import Automaton, Edge
from ouroboros.process import peak_memory, process_started
from ouroboros.report.live import LiveLine, line
from ouroboros.report.page import Page
from ouroboros.report.terminal import write_check
from ouroboros.source import Source
from ouroboros.system.choices import Part
from ouroboros.units import duration, size
from ouroboros.verdict.outcome import Phase, Statistics
from ouroboros.verdict.report import Answer, Coverage, Report, Search, Setting, Unreached, Verdict

SEARCH = Search("reachability", None, Statistics(10, 20, 0, 0, 5, 1000, 0.5, 0.25), None, True)
LARGER = Search("owcty", "it suits", Statistics(30, 40, 0, 0, 5, 1000, 0.5, 0.25), None, True)
ENDED = Search("owcty", "it suits", Statistics(7, 8, 0, 0, 5, 1000, 0.5, 0.25), "time", False)

HOLDS = Answer("a", Verdict.HOLDS, SEARCH)
UNKNOWN = Answer("b", Verdict.UNKNOWN, ENDED, "time")
VIOLATED = Answer("c", Verdict.VIOLATED, SEARCH, "no step is possible")


def report(*answers: Answer) -> Report:
    return Report(
        model=Source("model", "text"),
        answers=answers,
        setting=Setting("full", "processes", 2),
        seconds=1.5,
        peak_bytes=3 << 20,
        coverage=Coverage((Unreached(Part("P", "x = 1", None, 7), True),)),
    )


@pytest.mark.parametrize(
    ("answers", "verdict", "name", "code"),
    [
        ([HOLDS], "holds", "a", 0),
        ([HOLDS, HOLDS], "holds", "a, a", 0),
        ([HOLDS, UNKNOWN], "unknown", "b", 3),
        ([UNKNOWN, HOLDS, VIOLATED], "violated", "c", 1),
    ],
)
def test_the_worst_answer_decides(answers: list[Answer], verdict: str, name: str, code: int) -> None:
    whole = report(*answers)
    assert (whole.verdict, whole.property_name, whole.verdict.exit_code) == (verdict, name, code)


def test_the_numbers_are_those_of_the_search_that_decides() -> None:
    whole = report(HOLDS, UNKNOWN, HOLDS)
    assert whole.searches == (SEARCH, ENDED)
    assert (whole.statistics.states, whole.complete, whole.limit) == (7, False, "time")
    whole = report(HOLDS, Answer("d", Verdict.HOLDS, LARGER))
    assert (whole.statistics.states, whole.complete, whole.limit) == (30, True, None)


def test_several_searches_are_told_apart() -> None:
    automaton = Automaton(("p",), 0, ((Edge(1, 0, 0),),), (True,))
    phases = (Phase("exploration", 1.5, 2048, 30), Phase("elimination", 0.5, 1024, 1))
    search = replace(LARGER, statistics=replace(LARGER.statistics, iterations=3, phases=phases))
    watched = Answer("<> p", Verdict.HOLDS, search, automaton=automaton, warnings=("too good to be true",))
    stream = io.StringIO()
    write_check(report(HOLDS, watched), Page(stream))
    lines = [" ".join(text.split()) for text in stream.getvalue().splitlines()]
    for expected in (
        "warning: <> p: too good to be true",
        "automaton weak 1 state, 1 edge",
        "algorithm owcty it suits",
        "states 30 of the product with the automaton",
        "iterations 3",
        "exploration 1.50 s 2.0 KiB, 30 states left",
        "elimination 0.50 s 1.0 KiB, 1 state left",
    ):
        assert lines.count(expected) == 1
    assert lines.index("a") < lines.index("states 10") < lines.index("<> p") < lines.index("iterations 3")


def test_text_is_not_taken_for_markup() -> None:
    stream = io.StringIO()
    write_check(report(Answer("Slot[2] == 1", Verdict.UNKNOWN, SEARCH, "[bold]")), Page(stream))
    assert "Slot[2] == 1" in stream.getvalue()
    assert "[bold]" in stream.getvalue()


def test_the_live_line_is_silent_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    live = LiveLine(stream)
    live.start()
    live(Progress("reachability", 10, 20, 3, 2, 4096))
    live.stop()
    assert stream.getvalue() == ""
    assert live.last is not None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_live_line_is_kept_up_to_date_on_a_terminal() -> None:
    stream = Terminal()
    live = LiveLine(stream)
    live.start()
    live(Progress("reachability", 1234567, 20, 3, 2, 4096))
    live.stop()
    assert "1.23M states" in stream.getvalue()


def test_what_the_live_line_says() -> None:
    progress = Progress("reachability", 1234567, 20, 300, 21, 5 << 20)
    assert line(progress, 98765.4, 12.3) == "0:12  reachability  1.23M states  98.8k/s  300 to go  depth 21  5.0 MiB"


def test_units() -> None:
    assert [size(count) for count in (0, 1023, 1536, 5 << 30, 3 << 40)] == [
        "0 bytes",
        "1023 bytes",
        "1.5 KiB",
        "5.0 GiB",
        "3.0 TiB",
    ]
    assert [duration(seconds) for seconds in (0.5, 75, 3720)] == ["0.50 s", "1 min 15 s", "1 h 02 min"]


def test_the_process_knows_itself() -> None:
    assert 0 <= time.monotonic() - process_started() < 24 * 3600
    assert 1 << 20 < peak_memory() < 1 << 40
