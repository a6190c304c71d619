"""The BEEM models with the counts and verdicts of DiVinE 3, where the collection is at hand.

Run as a script under an MPI launcher, this checks them on all ranks: `mpiexec -n 2 python tests/oracles/beem.py`.
"""

from __future__ import annotations

import csv
import sys
from typing import NamedTuple

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.languages import load
from tests.oracles.where import ORACLES, PRESENT

MOST_STATES = 30_000
MOST_ON_RANKS = 10_000
"""Larger models are left to bench/beem.py and bench/ltl.py."""


class Counted(NamedTuple):
    model: str
    states: int
    transitions: int
    deadlocks: int


class Judged(NamedTuple):
    model: str
    verdict: str
    product_states: int | None


def counted(most: int = MOST_STATES) -> list[Counted]:
    """Models with exact numbers."""
    return [
        Counted(row["model"], int(row["states"]), int(row["transitions"]), int(row["deadlocks"]))
        for row in _rows("beem.csv")
        if int(row["states"]) <= most
    ]


def judged(most: int = MOST_STATES) -> list[Judged]:
    """Models with a property automaton, and what DiVinE says of it."""
    small = {row.model.removesuffix(".dve") for row in counted(most)}
    return [
        Judged(row["model"], row["verdict"], int(row["product_states"]) if row["product_states"] else None)
        for row in _rows("beem_ltl.csv")
        if row["model"].rsplit(".", 2)[0] in small
    ]


def _rows(name: str) -> list[dict[str, str]]:
    if not PRESENT:
        return []
    with (ORACLES / name).open() as file:
        return list(csv.DictReader(file))


def count_difference(row: Counted, team: Team) -> str | None:
    """What is different from DiVinE's counts."""
    statistics = explore(load(ORACLES / "beem" / row.model), team=team).statistics
    found = (statistics.states, statistics.transitions, statistics.deadlocks)
    return None if found == row[1:] else f"{row.model}: {found}, not {row[1:]}"


def verdict_difference(row: Judged, algorithm: str, team: Team) -> str | None:
    """What is different from DiVinE's verdict, or from its product where the property holds."""
    model = load(ORACLES / "beem_ltl" / row.model)
    (name,) = (automaton.name for automaton in model.system.automata)
    report = check(model, properties=[name], algorithm=algorithm, team=team, reductions=())
    (answer,) = report.answers
    if answer.verdict.value != row.verdict:
        return f"{row.model}, {algorithm}: {answer.verdict.value}, not {row.verdict}"
    states = answer.search.statistics.states
    if row.product_states is not None and states != row.product_states:
        return f"{row.model}, {algorithm}: {states} product states, not {row.product_states}"
    return None


def main() -> int:
    team = Team()
    differences = [count_difference(row, team) for row in counted(MOST_ON_RANKS)]
    # By turns: bench/ltl.py has every row by every algorithm on ranks.
    for number, row in enumerate(judged(MOST_ON_RANKS)):
        differences.append(verdict_difference(row, ("owcty", "map")[number % 2], team))
    found = [difference for difference in differences if difference]
    if team.leads:
        print(f"{team.size} ranks: {len(differences)} checks, {len(found)} differ", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
