"""The models of the response paper: its counts of states, and the verdict for each choice of fair rules.

Skipped where the oracles are not there.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest

from ouroboros.checking import check
from ouroboros.engine.team import Team
from ouroboros.languages import load
from ouroboros.verdict.report import Report
from tests.oracles.where import ORACLES, PRESENT

FOLDER = ORACLES / "murphi" / "paper"

pytestmark = pytest.mark.skipif(not PRESENT, reason="the oracles are not there")


@dataclass(frozen=True)
class Instance:
    name: str
    model: str
    definitions: tuple[tuple[str, str], ...]
    response: str
    counts: tuple[int, ...]
    """States, rules fired, p-states, pending states, q-states."""


@dataclass(frozen=True)
class Choice:
    """Names of rules that are fair."""

    instance: Instance
    text: str
    weak: tuple[str, ...]
    strong: tuple[str, ...]
    verdict: str


def rows(file: str) -> list[dict[str, str]]:
    if not PRESENT:
        return []
    with (FOLDER / file).open() as table:
        return list(csv.DictReader(table))


def instances() -> dict[str, Instance]:
    columns = ("states", "rules_fired", "p_states", "pending_states", "q_states")
    return {
        row["instance"]: Instance(
            row["instance"],
            row["model"],
            tuple(tuple(item.split("=")) for item in row["constants"].split()),
            f"{row['p']} ~> {row['q']}",
            tuple(int(row[column]) for column in columns),
        )
        for row in rows("paper.csv")
    }


@cache
def rule_names(instance: Instance) -> tuple[str, ...]:
    model = load(FOLDER / instance.model, definitions=dict(instance.definitions))
    return tuple(dict.fromkeys(action.name for action in model.system.actions))


def choices() -> Iterator[Choice]:
    """`strong: A, B; weak: all others except C`, and so on."""
    known = instances()
    for row in rows("response.csv"):
        instance = known[row["instance"]]
        fair: dict[str, str] = {}
        for part in row["fair_rules"].split(";"):
            strength, _, which = part.strip().partition(": ")
            which, _, exceptions = which.partition(" except ")
            if which.startswith("all"):
                chosen = [name for name in rule_names(instance) if name not in fair]
            else:
                chosen = _names(which)
            fair |= {name: strength for name in chosen if name not in _names(exceptions)}
        weak, strong = (tuple(name for name in fair if fair[name] == strength) for strength in ("weak", "strong"))
        yield Choice(instance, row["fair_rules"], weak, strong, row["verdict"])


def _names(text: str) -> list[str]:
    return [name.strip().strip('"') for name in text.split(",") if name.strip()]


def answer(choice: Choice, workers: int) -> Report:
    instance = choice.instance
    model = load(FOLDER / instance.model, definitions=dict(instance.definitions))
    return check(model, responses=[instance.response], weak=choice.weak, strong=choice.strong, team=Team(workers))


@pytest.mark.parametrize("choice", list(choices()), ids=lambda choice: f"{choice.instance.name}, {choice.text}")
def test_verdicts_and_counts(choice: Choice) -> None:
    for workers in (1, 2) if choice.instance.counts[0] < 2000 else (1,):
        report = answer(choice, workers)
        assert report.verdict == choice.verdict
        numbers = report.statistics.fair
        assert numbers
        counts = (report.statistics.states, report.statistics.transitions)
        assert (*counts, numbers.start_states, numbers.pending_states, numbers.end_states) == choice.instance.counts
