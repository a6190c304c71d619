"""Partial order reduction against LTSmin and Spin, by the states that are left and by the time that it takes.

    python bench/por.py states [--language dve] [--property deadlock] [NAME …]
    python bench/por.py cost [NAME …]

Reads what LTSmin and Spin reach from `reductions/por.csv`. `states` searches all that stubborn sets leave, also where
that would not pay, unless it is to be by `--default`. `cost` compares CPU time by default with that without reductions,
for models with more than 100,000 states: of the search, with a sample that decides whether leaving out steps pays; and
of all that is done for it, both the first time and from the second run on, when it is in the cache. No violation ends a
search.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from common import ORACLES, SHARED, geometric_mean

from ouroboros import cache
from ouroboros.checking import explore
from ouroboros.driver import searching
from ouroboros.driver.reducing import Reductions
from ouroboros.driver.searching import Resources, Sought, reach
from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import FULL
from ouroboros.engine.team import Team
from ouroboros.languages import Model, load
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
    name = "leader.pml" if row["model"] == "leader5.pml" else row["model"]
    name += ".dve" if row["language"] == "dve" else ""
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
        resources = Resources(Team(), Limits(), FULL)
        found = reach(system, Sought(), resources, stubborn=tables, sampled=reductions.sampled)
        self.table_seconds = made - begun
        self.seconds = time.process_time() - begun
        self.search_seconds = found.search.statistics.cpu_seconds
        self.states = found.search.statistics.states
        self.off = "partial order" not in reductions.used


def best_peer(row: Row) -> int | None:
    """The fewest states of those that `row` has; LTSmin's `heur` for DVE, as it has no numbers of Spin there."""
    peers = [row["ltsmin_por_states"], row["spin_por_states"]]
    numbers = [int(each) for each in peers if each]
    return min(numbers, default=None)


@contextmanager
def nothing_kept() -> Iterator[None]:
    """As in a first run: what is found out about reductions is not known from before."""
    directory = cache.directory
    cache.directory = lambda kind: None if kind == "reductions" else directory(kind)
    yield
    cache.directory = directory


def first_run(model: Model, row: Row) -> Measured:
    with nothing_kept():
        return Measured(model, row, Reductions())


def print_states(chosen: list[Row], always: bool) -> None:
    if always:
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
        measured = first_run(model, row)
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
    ratios: dict[str, list[float]] = {"first search": [], "search": [], "with preparation": []}
    for row in chosen:
        path = path_of(row)
        if path is None:
            continue
        model = load(path)
        if row["language"] == "promela":
            explore(model)
        # What comes first compiles, and finds out what later ones know.
        runs = [
            (Measured(model, row, Reductions(frozenset())), first_run(model, row), Measured(model, row, Reductions()))
            for _ in range(repeats + 1)
        ]
        if runs[0][0].states <= LARGE:
            continue
        plain, firsts, reduced = zip(*runs[1:], strict=True)
        first = firsts[0]
        search = min(each.search_seconds for each in plain)
        ratios["first search"].append(min(each.search_seconds for each in firsts) / search)
        ratios["search"].append(min(each.search_seconds for each in reduced) / search)
        seconds = tuple(min(each.seconds for each in runs) for runs in (plain, reduced))
        ratios["with preparation"].append(seconds[1] / seconds[0])
        told = "  ".join(f"{name} {each[-1]:5.2f}" for name, each in ratios.items())
        print(
            f"{row['model']:18} {row['property'][:16]:16} {plain[0].states:9,} -> {first.states:9,}"
            f" {'off' if first.off else 'on ':3} {told}  ({seconds[0]:.3f} -> {seconds[1]:.3f} s;"
            f" the first time {first.table_seconds:.2f} s of preparation)",
            flush=True,
        )
    for name, each in ratios.items():
        print(f"{name}: {len(each)} rows, geometric mean {geometric_mean(each):.3f}, most {max(each):.2f}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=["states", "cost"])
    parser.add_argument("--language", choices=["dve", "promela"])
    parser.add_argument("--property", choices=["deadlock", "invariant", "safety"])
    parser.add_argument("--default", action="store_true", help="states where partial order may switch itself off")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("names", nargs="*", help="only these models")
    options = parser.parse_args()
    chosen = list(rows(options.language, options.property, options.names))
    if options.measure == "states":
        print_states(chosen, not options.default)
    else:
        print_cost(chosen, options.repeats)
    return 0


if __name__ == "__main__":
    sys.exit(main())
