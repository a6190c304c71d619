"""The live line: all that matters in 80 columns, and how far a search is, as far as anybody can know."""

from __future__ import annotations

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
