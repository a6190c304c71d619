"""Partial order reduction against LTSmin and Spin, by the states that are left and by the time that it takes.

    python bench/por.py states [--language dve] [--property deadlock] [NAME …]
    python bench/por.py cost [NAME …]

Reads what LTSmin and Spin reach from `reductions/por.csv`. `states` searches all that stubborn sets leave, also where
that would not pay. `cost` compares the CPU time of whole searches, tables and samples included, by default and without
reductions, for models with more than 100,000 states. No violation ends a search.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from common import ORACLES, SHARED, geometric_mean

from ouroboros import load
from ouroboros.checking import explore, searching
from ouroboros.checking.reducing import Reductions
from ouroboros.checking.searching import Resources, reach
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.languages import Model
from ouroboros.source import Source
from ouroboros.system.model import Proposition

Row = dict[str, str]
LARGE = 100_000


def rows(language: str | None, kind: str | None, names: list[str]) -> Iterator[Row]:
    with (SHARED / "reductions" / "por.csv").open() as table:
        for row in csv.DictReader(table):
            if row["property"].startswith("ltl") or (names and row["model"] not in names):
                continue
            if language in (None, row["language"]) and (kind is None or row["property"].startswith(kind)):
                yield row


def path_of(row: Row) -> Path | None:
    name = row["model"] + (".dve" if row["language"] == "dve" else "")
    found = [*ORACLES.glob(f"beem*/{name}"), *ORACLES.glob(f"spin/{name}")]
    return found[0] if found else None


def asked(model: Model, row: Row) -> list[Proposition]:
    """The states that a row is about: those where this is not so."""
    text = re.fullmatch(r"invariant (.*)", row["property"])
    if text is None:
        return []
    expression = re.sub(r'(\w+) == "(\w+)"', r"\1.\2", text[1])
    return [model.proposition(Source("asked", expression))]


class Measured:
    """A search of all states that are left, with some reductions."""

    def __init__(self, model: Model, row: Row, reductions: Reductions) -> None:
        begun = time.process_time()
        observed = asked(model, row)
        system = model.system
        fewer = reductions.for_states(system, [*observed, *system.assertions])
        system = fewer.system if fewer else system
        tables = reductions.choices_for_states(system, [*observed, *system.assertions], False, True)
        made = time.process_time()
        resources = Resources(Team(), Limits())
        found = reach(system, (), False, False, resources, stubborn=tables, useless=reductions.useless)
        self.table_seconds = made - begun
        self.seconds = time.process_time() - begun
        self.states = found.search.statistics.states
        self.off = "partial order" not in reductions.used


def best_peer(row: Row) -> int | None:
    """The fewest states of those that `row` has; LTSmin's `heur` for DVE, as it has no numbers of Spin there."""
    peers = [row["ltsmin_por_states"], row["spin_por_states"]]
    numbers = [int(each) for each in peers if each]
    return min(numbers, default=None)


def print_states(chosen: list[Row]) -> None:
    searching._pays = lambda *_: True
    ratios: dict[str, list[float]] = {}
    for row in chosen:
        path, peer = path_of(row), best_peer(row)
        if path is None or peer is None:
            print(f"{row['model']:22} no such model, or no numbers of a peer")
            continue
        model = load(path)
        if row["language"] == "promela":
            explore(model)
        measured = Measured(model, row, Reductions())
        ratio = measured.states / peer
        ratios.setdefault(f"{row['language']} {row['property'].split()[0]}", []).append(ratio)
        print(
            f"{row['model']:22} {row['property'][:36]:36} {measured.states:9,} peer {peer:9,} {ratio:6.3f}"
            f"  tables {measured.table_seconds:.2f} s, in all {measured.seconds:.2f} s",
            flush=True,
        )
    for kind, each in ratios.items():
        print(f"{kind}: {len(each)} models, geometric mean {geometric_mean(each):.3f}, most {max(each):.2f}")


def print_cost(chosen: list[Row], repeats: int) -> None:
    ratios: list[float] = []
    searches: list[float] = []
    for row in chosen:
        path = path_of(row)
        if path is None:
            continue
        model = load(path)
        if row["language"] == "promela":
            explore(model)
        plain, reduced = [], []
        for _ in range(repeats + 1):
            plain.append(Measured(model, row, Reductions(frozenset())))
            reduced.append(Measured(model, row, Reductions()))
        if plain[0].states <= LARGE:
            continue
        # The first run of each compiles.
        slow, fast = (min(each.seconds for each in runs[1:]) for runs in (plain, reduced))
        search = min(each.seconds - each.table_seconds for each in reduced[1:])
        ratios.append(fast / slow)
        searches.append(search / slow)
        print(
            f"{row['model']:22} {row['property'][:30]:30} {plain[0].states:9,} -> {reduced[0].states:9,}"
            f" {'off' if reduced[0].off else 'on ':3} {slow:6.3f} s -> {fast:6.3f} s, {fast / slow:5.2f};"
            f" without tables {search / slow:5.2f}",
            flush=True,
        )
    print(f"{len(ratios)} rows, geometric mean {geometric_mean(ratios):.3f}, most {max(ratios):.2f}")
    print(f"without tables: geometric mean {geometric_mean(searches):.3f}, most {max(searches):.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=["states", "cost"])
    parser.add_argument("--language", choices=["dve", "promela"])
    parser.add_argument("--property", choices=["deadlock", "invariant", "safety"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("names", nargs="*", help="only these models")
    options = parser.parse_args()
    chosen = list(rows(options.language, options.property, options.names))
    if options.measure == "states":
        print_states(chosen)
    else:
        print_cost(chosen, options.repeats)
    return 0


if __name__ == "__main__":
    sys.exit(main())
