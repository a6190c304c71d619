"""The live line: all that matters in 80 columns, and how far a search is, as far as anybody can know."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest

from ouroboros.engine.limits import Progress
from ouroboros.report.live import Levels, line

ROBOTS = [
    1, 6, 27, 98, 287, 720, 1602, 3236, 6012, 10_348, 16_571, 24_763, 34_646, 45_540, 56_436, 66_174, 73_679, 78_190,
    79_399, 77_441, 72_791, 66_106, 58_108, 49_495, 40_889, 32_808, 25_624, 19_528, 14_526, 10_503, 7_318, 4_860, 3_047,
    1_783, 960, 465, 198, 71, 20, 4,
]  # fmt: skip
"""The widths of the levels of a state space."""


def progress(depth: int, states: int, width: int) -> Progress:
    return Progress("exploration", states, 3 * states, width, depth, 24 * states)


def test_the_line_fits_into_80_columns() -> None:
    moment = Progress("exploration", 987_654_321, 3 * 10**9, 123_456_789, 1_234, 23 * 10**9)
    told = line(moment, 12_345_678.0, 7_384.0, 64 << 30, (0.41, 0.87))
    assert told == "2:03:04  988M states  12.3M/s  123M to go  depth 1,234  21 GiB/64 GiB  41-87%"
    assert len(told) <= 80
    small = line(progress(3, 120, 30), 0.0, 4.0)
    assert small == "0:04  120 states  0/s  30 to go  depth 3  2.8 KiB"


def test_what_is_done_is_guessed_once_levels_shrink() -> None:
    levels, total = Levels(), sum(ROBOTS)
    widest, states, told = ROBOTS.index(max(ROBOTS)), 0, 0
    for depth, width in enumerate(ROBOTS):
        states += width
        share = levels.share(progress(depth, states, width))
        if depth <= widest:
            assert share is None
        if share:
            told += 1
            least, most = share
            assert 0 < least <= most <= 0.99
            assert least - 0.1 < states / total < most + 0.1
    assert told > 10


@pytest.mark.parametrize("widths", [[1] * 30, list(range(1, 200)), [5, 4, 3]])
def test_nothing_is_guessed_where_levels_do_not_shrink(widths: list[int]) -> None:
    levels = Levels()
    assert not any(levels.share(progress(depth, sum(widths[: depth + 1]), width)) for depth, width in enumerate(widths))


def on_a_terminal(*arguments: object) -> str:
    """What the standard error of a run shows, if it is a terminal of 80 columns."""
    reader, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "80"}
    command = [sys.executable, "-m", "ouroboros", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal, env=environment) as process:
        os.close(terminal)
        shown = b""
        # Where nobody has the other end any more, a terminal fails and does not end.
        with suppress(OSError):
            while part := os.read(reader, 1 << 16):
                shown += part
        process.wait(timeout=60)
    os.close(reader)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())


def test_what_is_done_beside_searching_is_shown(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text("byte x;\nactive proctype P() { do :: x < 200 -> x++ :: x == 200 -> x = 0 od }\n")
    page, report = tmp_path / "page.html", tmp_path / "report.json"
    shown = on_a_terminal(
        "check", model, "--ltl", "[]<> (x == 250)", "--algorithm", "owcty", "--html", page, "--json", report
    )
    for doing in (
        f"reading {model}"[:60],
        "reading what is asked",
        "looking for what can be left out",
        "compiling the model",
        "counterexample",
        "confirming by the interpreter what was found",
        "writing ",
    ):
        assert doing in shown, doing
    assert page.exists()
    assert report.exists()


def test_room_that_is_made_is_shown(tmp_path: Path) -> None:
    model = tmp_path / "m.pml"
    model.write_text(
        "byte x; proctype Q() { skip }\n"
        "active proctype P() { do :: x < 200 -> x++ :: x == 200 -> x++; run Q(); break od }\n"
    )
    assert "making room in the model for more than it had" in on_a_terminal("check", model)
