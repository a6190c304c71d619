"""Murphi models with the verdicts and counts of CMurphi and rumur, where the collection is at hand."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ouroboros.checking import check, explore
from ouroboros.errors import OuroborosError
from ouroboros.languages import load
from tests.oracles.where import ORACLES, PRESENT

Counts = tuple[int, int]
"""States and fired rules."""


class Judged(NamedTuple):
    """What each tool says of a model, without reductions or with symmetry; where they differ, one of them is enough."""

    model: str
    deadlock: str | None
    verdicts: frozenset[str]
    """Of holds, violated and reject."""
    counts: frozenset[Counts]
    symmetry: bool

    def __str__(self) -> str:
        return f"{self.model}{' symmetry' if self.symmetry else ''}"


class Counted(NamedTuple):
    """A model of the response paper, or one with canonical symmetry reduction."""

    model: str
    definitions: Mapping[str, str]
    symmetry: bool
    counts: Counts

    def __str__(self) -> str:
        return f"{self.model} {dict(self.definitions)}{' symmetry' if self.symmetry else ''}"


def judged() -> list[Judged]:
    """Every model with a verdict, in the order of the table."""
    models: dict[tuple[str, bool], list[dict[str, str]]] = {}
    for row in _rows("murphi_oracle.csv"):
        if row["tool"] in ("rumur", "cmurphi"):
            models.setdefault((row["file"], row["symmetry"] == "on"), []).append(row)
    return [found for (name, symmetry), rows in models.items() if (found := _judged(name, symmetry, rows)).verdicts]


def _judged(name: str, symmetry: bool, rows: list[dict[str, str]]) -> Judged:
    verdicts, counts = set(), set()
    for row in rows:
        verdict = _verdict(row["verdict"])
        if verdict:
            verdicts.add(verdict)
        if verdict == "holds":
            counts.add((int(row["states"]), int(row["rules_fired"])))
    if verdicts == {"reject"} and any(row["verdict"] == "timeout" for row in rows):
        # One tool does not know the language of the model, and the other does not come to an end.
        verdicts.clear()
    note = rows[0]["note"]
    if "checker_exit" in note:
        # What the model's author expects; the tools at hand are older than some of the models.
        rejected, failed = "rumur_exit=1" in note, "checker_exit=1" in note
        verdicts.add("reject" if rejected else "violated" if failed else "holds")
    deadlock = re.search(r"--deadlock-detection (\w+)", note)
    return Judged(name, deadlock[1] if deadlock else None, frozenset(verdicts), frozenset(counts), symmetry)


def _verdict(text: str) -> str | None:
    if text == "ok":
        return "holds"
    if "reject" in text:
        return "reject"
    return "violated" if re.match(r"invariant|deadlock|error|assert", text) else None


def counted() -> Iterator[Counted]:
    for row in _rows("murphi/paper/paper.csv"):
        yield Counted(row["model"], _definitions(row), False, (int(row["states"]), int(row["rules_fired"])))
    for row in _rows("murphi/paper/symmetry.csv"):
        yield Counted(row["model"], _definitions(row), True, (int(row["canonical_states"]), int(row["rules_fired"])))


def _definitions(row: dict[str, str]) -> dict[str, str]:
    return dict(text.split("=", 1) for text in row["constants"].split())


def _rows(name: str) -> list[dict[str, str]]:
    if not PRESENT:
        return []
    with (ORACLES / name).open() as file:
        return list(csv.DictReader(file))


def difference(row: Judged) -> str | None:
    """What is different from what every tool says."""
    try:
        model = load(ORACLES / "murphi" / row.model)
        report = check(model, deadlock=row.deadlock, symmetry=row.symmetry, reductions=())
    except OuroborosError as error:
        return None if "reject" in row.verdicts else f"{row}: {error}"
    verdict = report.verdict.value
    if verdict not in row.verdicts:
        return f"{row}: {verdict}, not {' or '.join(row.verdicts)}"
    found = report.statistics.states, report.statistics.transitions
    # A tool may keep several states of an orbit, where finding the one takes too long; then the tools differ as well.
    fewer = row.symmetry and len(set(row.counts)) > 1 and found < min(row.counts)
    if verdict == "holds" and row.counts and found not in row.counts and not fewer:
        return f"{row}: {found}, not {set(row.counts)}"
    return None


def count_difference(row: Counted) -> str | None:
    model = load(ORACLES / "murphi" / "paper" / row.model, definitions=row.definitions)
    statistics = explore(model, symmetry=row.symmetry).statistics
    found = statistics.states, statistics.transitions
    return None if found == row.counts else f"{row}: {found}, not {row.counts}"
