"""Whether partial order reduction keeps every state in which a run ends, over the models of the oracles.

    python bench/deadlock_sets.py [--most STATES] [--workers 1 2 3] [--ranks NAME …] [NAME …]

For each model of `beem`, `beem_promela`, `spin` and `murphi` with at most so many states, by the engine:
* the states without a step are the very same set with stubborn sets and without;
* the verdict is the same with all reductions and with none;
* as many states and transitions are left with any number of workers, and with two ranks for models named by `--ranks`.

Stubborn sets are used also where they would not pay. Exits with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from common import MPIEXEC, ORACLES

from ouroboros import cache
from ouroboros.checking import check, explore
from ouroboros.driver import searching
from ouroboros.driver.searching import Resources, Sought, reach
from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import FULL
from ouroboros.engine.team import Team
from ouroboros.errors import OuroborosError
from ouroboros.graph.base import SystemGraph
from ouroboros.graph.notes import FAILURES, OVERFLOWS, new_notes
from ouroboros.graph.protocol import Batch
from ouroboros.languages import Model, load
from ouroboros.memory import Words
from ouroboros.native import Program, compile_system
from ouroboros.reduce.stubborn import Stubborn, StubbornTables
from ouroboros.system.interpret import successors
from ouroboros.system.model import REDUCTIONS, System

FOLDERS = {"beem": "*.dve", "beem_promela": "*.pm", "spin": "*.pml", "murphi": "*.m"}
AT_ONCE = 4096


def states(system: System, tables: StubbornTables | None) -> Words:
    """All states of a search that leaves out steps, or none; a row each."""
    blocks: list[Words] = []
    resources = Resources(Team(), Limits(), FULL)
    reach(system, Sought(), resources, evidence=lambda block: blocks.append(block.copy()), stubborn=tables)
    return np.concatenate(blocks)


def stuck(system: System, program: Program, vectors: Words) -> set[bytes]:
    """Those of the states that have no step at all."""
    graph = SystemGraph(system, program)
    found: set[bytes] = set()
    notes = new_notes(graph.actions)
    at = 0
    while at < len(vectors):
        batch = np.ascontiguousarray(vectors[at : at + AT_ONCE])
        most = max(graph.most_successors, 1) * (len(batch) + 1)
        out, sources = np.zeros(most * graph.words, np.uint64), np.zeros(most, np.uint32)
        before = int(notes[FAILURES] + notes[OVERFLOWS])
        numbers = np.arange(len(batch), dtype=np.uint32)
        expanded, made = graph.expand(Batch(batch.reshape(-1), numbers, out, sources, notes))
        leads_on = np.zeros(len(batch), bool)
        leads_on[sources[:made]] = True
        for number in np.flatnonzero(~leads_on[:expanded]):
            # A step that fails leads nowhere, and is a step.
            fails = int(notes[FAILURES] + notes[OVERFLOWS]) > before
            if not fails or not successors(system, tuple(int(word) for word in batch[number])):
                found.add(batch[number].tobytes())
        at += expanded
    return found


def counts(system: System, tables: StubbornTables, team: Team) -> tuple[int, int]:
    statistics = reach(system, Sought(), Resources(team, Limits(), FULL), stubborn=tables).search.statistics
    return statistics.states, statistics.transitions


def tables_of(system: System) -> StubbornTables | None:
    """For states without a step alone."""
    stubborn = Stubborn(system)
    return stubborn.for_states(()) if stubborn.is_of_use else None


def compared(model: Model, limits: Limits, workers: list[int], told: list[str]) -> Iterator[str]:
    """What differs; `told` gets numbers."""
    verdicts = {
        name: str(check(model, safety=True, reductions=reductions, limits=limits).verdict)
        for name, reductions in (("default", REDUCTIONS), ("no reduction", frozenset()))
    }
    if len(set(verdicts.values())) > 1:
        yield f"verdicts {verdicts}"
    told.append(verdicts["default"])
    system = model.system
    tables = tables_of(system)
    if tables is None:
        told.append("no stubborn sets")
        return
    program = compile_system(system)
    whole, reduced = states(system, None), states(system, replace(tables, wanted=0))
    ends, kept = stuck(system, program, whole), stuck(system, program, reduced)
    told.append(f"{len(whole)} states, {len(reduced)} with stubborn sets, {len(ends)} without a step")
    if ends != kept:
        yield f"{len(ends)} states without a step, {len(kept)} with stubborn sets"
    by_workers = {number: counts(system, tables, Team(number)) for number in workers}
    if len(set(by_workers.values())) > 1:
        yield f"states and transitions by workers {by_workers}"


def examined(path: Path, most: int, workers: list[int], told: list[str]) -> list[str]:
    """What differs for a model, unless it has more states than that."""
    limits = Limits(states=most)
    try:
        model = load(path)
        if explore(model, limits=limits).reason:
            told.append("more states")
            return []
        return list(compared(model, limits, workers, told))
    except OuroborosError as error:
        told.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        return [] if told[-1].startswith(("InputError", "UsageError")) else [told[-1]]


def paths(names: list[str]) -> list[Path]:
    found = [path for folder, pattern in FOLDERS.items() for path in sorted((ORACLES / folder).glob(pattern))]
    return [path for path in found if path.name in names] if names else found


def by_ranks(path: Path) -> str:
    """The numbers of two ranks, as this script prints them."""
    command = [MPIEXEC, "-n", "2", sys.executable, __file__, "--counts", path.name]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


def print_counts(path: Path) -> None:
    """With whatever team this is."""
    model = load(path)
    explore(model)
    tables = tables_of(model.system)
    numbers = counts(model.system, tables, Team()) if tables else None
    if Team().leads:
        print(numbers or "not asked, for nothing is left out")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=1_000_000, help="leave out models with more states")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3], help="numbers of workers")
    parser.add_argument("--ranks", nargs="*", default=[], help="models that two ranks search, too")
    parser.add_argument("--counts", action="store_true", help="only tell how many states are left")
    parser.add_argument("--minutes", type=float, default=60, help="begin with no other model after so long")
    parser.add_argument("names", nargs="*", help="only these models")
    options = parser.parse_args()
    searching._pays = lambda *_: True
    directory = cache.directory
    cache.directory = lambda kind: None if kind == "reductions" else directory(kind)
    if options.counts:
        for path in paths(options.names):
            print_counts(path)
        return 0
    differing = models = left_out = 0
    begun = time.monotonic()
    for path in paths(options.names):
        if time.monotonic() - begun > 60 * options.minutes:
            print("there is no time for the others")
            break
        told: list[str] = []
        different = examined(path, options.most, options.workers, told)
        if path.name in options.ranks:
            one, two = (subprocess_counts(path) for subprocess_counts in (_alone, by_ranks))
            told.append(f"two ranks {two}")
            different += [] if one == two else [f"alone {one}, two ranks {two}"]
        models += 1
        left_out += told[-1:] == ["more states"]
        differing += bool(different)
        print(
            f"{path.parent.name}/{path.name}: {'; '.join(told)}{''.join(f'; DIFFERS: {each}' for each in different)}",
            flush=True,
        )
    print(f"{models} models, {left_out} of them larger, {differing} differ, {time.monotonic() - begun:.0f} seconds")
    return 1 if differing else 0


def _alone(path: Path) -> str:
    command = [sys.executable, __file__, "--counts", path.name]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
