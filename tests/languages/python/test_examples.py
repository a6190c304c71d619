"""The examples say what to expect of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ouroboros import check, explore, load
from tests.languages.python.oracle import assert_agrees

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example(path: Path) -> None:
    text = path.read_text()
    (verdict,) = re.findall(r"^check: (\w+)$", text, re.MULTILINE)
    model = load(path)
    assert check(model).verdict == verdict
    statistics = explore(load(path)).statistics
    assert assert_agrees(load(path), 10_000) == statistics.states
    for states, transitions in re.findall(r"^states: (\d+), transitions: (\d+)", text, re.MULTILINE):
        assert (statistics.states, statistics.transitions) == (int(states), int(transitions))
