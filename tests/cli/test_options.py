"""Sizes and durations as people write them."""

from __future__ import annotations

import pytest

from ouroboros.cli.options import duration, size


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1000", 1000),
        ("512M", 512 << 20),
        ("512m", 512 << 20),
        ("4G", 4 << 30),
        ("4GiB", 4 << 30),
        ("4 GB", 4 * 10**9),
        ("1.5GiB", 3 << 29),
        ("2T", 2 << 40),
        ("100 bytes", 100),
    ],
)
def test_sizes(text: str, count: int) -> None:
    assert size(text) == count


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("60", 60),
        ("0.5", 0.5),
        ("60s", 60),
        ("5m", 300),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("1d", 86400),
        ("250ms", 0.25),
    ],
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text) == seconds
