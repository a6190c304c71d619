"""Models in use: all load, and the small ones have exactly the states and transitions that DiVinE counts."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from ouroboros.languages.dve import load
from ouroboros.source import Source
from tests.languages.dve.models import explore
from tests.oracles.where import ORACLES, PRESENT

MODELS = [*sorted((ORACLES / "beem").glob("*.dve")), *sorted((ORACLES / "beem_ltl").glob("*.dve"))]
SMALL = 3000

pytestmark = pytest.mark.skipif(not PRESENT, reason="the collection of BEEM models is not here")


def read(path: Path) -> Source:
    return Source(path.name, path.read_text(encoding="utf-8"))


def small() -> list[tuple[str, int, int, int]]:
    if not PRESENT:
        return []
    with (ORACLES / "beem.csv").open() as table:
        rows = [
            (row["model"], int(row["states"]), int(row["transitions"]), int(row["deadlocks"]))
            for row in csv.DictReader(table)
        ]
    return [row for row in rows if row[1] <= SMALL]


def test_all_load() -> None:
    assert MODELS
    for path in MODELS:
        assert load(read(path)).system.actions


@pytest.mark.parametrize(("name", "states", "transitions", "deadlocks"), small())
def test_small_models(name: str, states: int, transitions: int, deadlocks: int) -> None:
    counted = explore(load(read(ORACLES / "beem" / name)).system)
    assert counted == (states, transitions, deadlocks, 0)
