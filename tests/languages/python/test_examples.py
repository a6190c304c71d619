"""The examples say what to expect of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import explore
from ouroboros.expectations.header import read_header
from ouroboros.languages import load
from ouroboros.source import Source
from tests.languages.python.oracle import assert_agrees

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "python").glob("*.py"))


FOLDER = EXAMPLES[0].parents[1]
TWINS = {
    "election": "dve/election.dve",
    "frogs": "dve/frogs.dve",
    "philosophers": "dve/philosophers.dve",
    "philosophers_actions": "dve/philosophers.dve",
    "tickets": "murphi/tickets.m",
    "tickets_actions": "murphi/tickets.m",
}
"""The same steps in another language."""


def numbers(path: Path) -> dict[str, int]:
    return read_header(Source(path.name, path.read_text())).counts[0].numbers


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_in_python(path: Path) -> None:
    statistics = explore(load(path)).statistics
    found = numbers(path)
    assert (statistics.states, statistics.transitions) == (found["states"], found["transitions"])
    assert assert_agrees(load(path), 60) == min(60, statistics.states)


@pytest.mark.parametrize("name", TWINS)
def test_the_same_model_in_another_language_has_as_many_states(name: str) -> None:
    assert numbers(FOLDER / "python" / f"{name}.py") == numbers(FOLDER / TWINS[name])


def test_there_are_ten() -> None:
    assert len({path.stem.removesuffix("_actions") for path in EXAMPLES}) >= 10
