"""Whether all stores, algorithms and exchanges agree, over the BEEM models of the oracles.

    python bench/agreement.py [--most STATES] [NAME …]                one worker, and two
    mpiexec -n 2 python bench/agreement.py [--most STATES] [NAME …]   ranks

For each model of beem.csv: exact stores find the numbers of the table, and every store the same verdict on deadlocks
and assertions. For each of beem_ltl.csv: every algorithm with every store that it works on finds the verdict of the
table, and exact stores the number of states where all are visited. A filter, `bitstate`, must know nothing where there
is no violation. A run that comes to the cap on states says nothing, and is counted as such. Exits with 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from typing import Literal, NamedTuple

from common import ORACLES

from ouroboros.checking import check, explore
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.languages import Model, load
from ouroboros.verdict.report import Report

EXACT = ("full", "tree", "collapse")
LOSSY = ("compact", "compact:64", "bitstate")
Algorithm = Literal["ndfs", "owcty", "map"]
CYCLES: tuple[tuple[str, Algorithm], ...] = (
    *(("full", algorithm) for algorithm in ("ndfs", "owcty", "map")),
    *((store, algorithm) for store in ("tree", "collapse") for algorithm in ("owcty", "map")),
    ("compact", "owcty"),
    ("compact:64", "owcty"),
    ("bitstate", "ndfs"),
)
MOST_STATES = 300_000


class Run(NamedTuple):
    way: str
    expected: object
    found: object
    """None where the cap on states came first."""


def rows(name: str) -> list[dict[str, str]]:
    with (ORACLES / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def verdict(report: Report, expected: str, store: str) -> str | None:
    """What a run says, in the words of what is expected; nothing if it was ended by the cap."""
    if report.reason == "states":
        return None
    # A filter may miss a violation, and must say that it does not know; it may not invent one.
    if store == "bitstate" and report.verdict == "unknown":
        return expected
    return str(report.verdict)


def numbers(report: Report) -> tuple[int, ...] | None:
    statistics = report.statistics
    return None if report.reason else (statistics.states, statistics.transitions, statistics.deadlocks)


def states(model: Model, row: dict[str, str], teams: list[Team], limits: Limits) -> Iterator[Run]:
    """All numbers, and the verdict on deadlocks and assertions: that of the first run, and of the table."""
    table = tuple(int(row[name]) for name in ("states", "transitions", "deadlocks"))
    for team in teams:
        for store in EXACT:
            yield Run(f"{store}, {told(team)}", table, numbers(explore(model, store=store, team=team, limits=limits)))
    expected = "violated" if table[2] else None
    for team in teams:
        for store in (*EXACT, *LOSSY):
            report = check(model, safety=True, reductions=(), store=store, team=team, limits=limits)
            expected = expected or str(report.verdict)
            yield Run(f"safety, {store}, {told(team)}", expected, verdict(report, expected, store))


def cycles(model: Model, row: dict[str, str], teams: list[Team], limits: Limits) -> Iterator[Run]:
    """The verdict on the model's own automaton, and the states of the product where all are visited."""
    properties = [model.system.automata[0].name]
    for team in teams:
        for store, algorithm in CYCLES:
            if algorithm == "ndfs" and team.size > 1:
                continue
            report = check(model, properties=properties, algorithm=algorithm, store=store, team=team, limits=limits)
            counted = row["product_states"] and store in EXACT and not report.reason
            expected = row["verdict"], int(row["product_states"]) if counted else None
            said = verdict(report, row["verdict"], store)
            found = None if said is None else (said, report.statistics.states if counted else None)
            yield Run(f"{algorithm}, {store}, {told(team)}", expected, found)


def told(team: Team) -> str:
    return {"solo": "alone", "processes": f"{team.size} workers", "mpi": f"{team.size} ranks"}[team.exchange]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=MOST_STATES, help="leave out models with more states")
    parser.add_argument("--tables", nargs="+", default=["beem", "beem_ltl"], choices=["beem", "beem_ltl"])
    parser.add_argument("names", nargs="*", help="only these models")
    options = parser.parse_args()
    first = Team()
    teams = [first] if first.exchange == "mpi" else [first, Team(2)]
    limits = Limits(states=options.most)
    runs = capped = differences = models = left_out = 0
    for table in options.tables:
        for row in rows(table):
            if options.names and row["model"] not in options.names:
                continue
            if int(row.get("states") or row.get("product_states") or 0) > options.most:
                left_out += 1
                continue
            models += 1
            model = load(ORACLES / table / row["model"])
            different = []
            for run in (states if table == "beem" else cycles)(model, row, teams, limits):
                runs += 1
                capped += run.found is None
                if run.found not in (None, run.expected):
                    different.append(f"{run.way}: {run.found} instead of {run.expected}")
            differences += len(different)
            if first.leads:
                print(f"{row['model']:32} {'; '.join(different) or 'all agree'}", flush=True)
    if first.leads:
        print(
            f"{models} models of at most {options.most:,} states, {left_out} larger ones left out;"
            f" {runs} runs, {capped} of them ended by that cap, {differences} differ"
        )
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
