"""The examples say what to expect of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check, explore
from ouroboros.expectations.header import read_header
from ouroboros.languages import load
from ouroboros.source import Source
from tests.languages.python.oracle import assert_agrees

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example(path: Path) -> None:
    found = read_header(Source(path.name, path.read_text()))
    assert check(load(path)).verdict == found.checks[0].expected[0].verdict
    statistics = explore(load(path)).statistics
    assert assert_agrees(load(path), 10_000) == statistics.states
    (count,) = found.counts
    assert (statistics.states, statistics.transitions) == (count.numbers["states"], count.numbers["transitions"])
