"""The overall answer, and how it is shown."""

from __future__ import annotations

import io
import time

import pytest

from ouroboros.engine.limits import Progress
from ouroboros.report.live import LiveLine, line
from ouroboros.report.process import peak_memory, process_started
from ouroboros.report.report import Answer, Report, Setting, Verdict
from ouroboros.report.terminal import check_report, show
from ouroboros.report.units import duration, size
from ouroboros.search.outcome import Statistics
from ouroboros.source import Source

HOLDS = Answer("a", Verdict.HOLDS)
UNKNOWN = Answer("b", Verdict.UNKNOWN, "time")
VIOLATED = Answer("c", Verdict.VIOLATED, "no step is possible")


def report(*answers: Answer) -> Report:
    return Report(
        model=Source("model", "text"),
        answers=answers,
        statistics=Statistics(10, 20, 0, 0, 5, 1000, 0.5, 0.25),
        setting=Setting("reachability", "full", "threads", 2),
        limit=None,
        seconds=1.5,
        peak_bytes=3 << 20,
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


def test_text_is_not_taken_for_markup() -> None:
    stream = io.StringIO()
    show(check_report(report(Answer("Slot[2] == 1", Verdict.UNKNOWN, "[bold]"))), stream)
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
    assert "1,234,567 states" in stream.getvalue()


def test_what_the_live_line_says() -> None:
    progress = Progress("reachability", 1234567, 20, 300, 21, 5 << 20)
    assert line(progress, 98765.4, 12.3) == (
        "reachability  1,234,567 states  98,765/s  frontier 300  depth 21  5.0 MiB  12.30 s"
    )


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
