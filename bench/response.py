"""The models of the response paper: its Table I next to ours.

python bench/response.py [--small] [--workers N] [--optimisations] [INSTANCE …]

A row has the rounds, the expansions of each pending state, the CPU time as a multiple of plain reachability, and with
--optimisations what the run costs without the dynamic kernel, without saved expansions, and without both: the columns
no-ko, no-se and no opt. of the paper, whose runs all count predecessors, as the default here does. Last, without
counting predecessors, which the paper did not measure.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable
from typing import NamedTuple

from common import ORACLES

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.team import Team
from ouroboros.graph.base import SystemGraph
from ouroboros.graph.fair import FairGraph
from ouroboros.languages import load
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.properties.fairness import FairnessOptions, fair_actions
from ouroboros.search.fair import FairMethod, fair_cycle
from ouroboros.search.reachability import Question, reachability
from ouroboros.search.response import ALL, Optimisations
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.fairness import Strength
from ouroboros.verdict.outcome import Outcome

FOLDER = ORACLES / "murphi" / "paper"
UNFAIR = {
    "peterson": ("execute inc j and while",),
    "german": ("SendReqS", "SendReqE", "Store"),
    "mcslock": (),
}
"""Rules that the property does not need to be fair."""

WITHOUT = (
    Optimisations(dynamic_kernel=False),
    Optimisations(saved_expansions=False),
    Optimisations(saved_expansions=False, dynamic_kernel=False),
    Optimisations(predecessor_counting=False),
)


class Row(NamedTuple):
    instance: str
    strength: Strength
    paper: str
    """Its seconds, rounds, expansions a state, and slowdowns; nothing where it has no such row."""


ROWS = (
    Row("peterson5", "weak", ""),
    Row("peterson5", "strong", ""),
    Row("german4", "strong", ""),
    Row("mcslock4", "weak", ""),
    Row("peterson6", "weak", "820 s, 14 rounds, 12.91, slowdowns 1.65 1.30 1.95"),
    Row("peterson6", "strong", "423 s, 5 rounds, 9.03, slowdowns 1.36 1.73 2.12"),
    Row("german5", "strong", "189 s, 1 round, 3.48, slowdowns 0.98 2.42 2.86"),
    Row("mcslock5", "weak", "1415 s, 3 rounds, 5.09, slowdowns 1.17 1.10 1.25"),
)
SMALL = 4
SHORT, SHORT_RUNS = 1_000_000, 3


def measure(row: Row, workers: int, optimisations: bool) -> bool:
    """Print a row; False if it is not as it should be."""
    with (FOLDER / "paper.csv").open() as file:
        expected = next(line for line in csv.DictReader(file) if line["instance"] == row.instance)
    definitions = dict(item.split("=") for item in expected["constants"].split())
    model = load(FOLDER / expected["model"], definitions=definitions)
    p, q = (model.proposition(Source("paper.csv", expected[side])) for side in "pq")
    system = model.system
    unfair = UNFAIR[row.instance.rstrip("0123456789")] if row.strength == "weak" or "german" in row.instance else ()
    names = tuple(dict.fromkeys(action.name for action in system.actions if action.name not in unfair))
    fairness = fair_actions(system, FairnessOptions(**{row.strength: names}))
    program = compile_system(system, [p, q])
    team = Team(workers)

    def run(work: Callable[[Exchange, Budget], Outcome]) -> Outcome:
        """The fastest of some runs."""
        times = SHORT_RUNS if int(expected["states"]) < SHORT else 1
        return min((team.run(work, None) for _ in range(times)), key=lambda outcome: outcome.statistics.cpu_seconds)

    def response(which: Optimisations) -> Outcome:
        method = FairMethod(optimisations=which)
        graph = FairGraph(system, program, fairness, stutters=True)
        return run(lambda exchange, budget: fair_cycle(graph, method, Worker(exchange, budget)))

    plain = run(
        lambda exchange, budget: reachability(SystemGraph(system, program), Question(), Worker(exchange, budget))
    )
    outcome = response(ALL)
    statistics, numbers = outcome.statistics, outcome.statistics.fair
    assert numbers
    counts = (statistics.states, numbers.start_states, numbers.pending_states, numbers.end_states)
    same = counts == tuple(int(expected[name]) for name in ("states", "p_states", "pending_states", "q_states"))
    cost = statistics.cpu_seconds
    slower = [response(which).statistics.cpu_seconds / cost for which in WITHOUT] if optimisations else []
    print(
        f"{row.instance:10} {row.strength:6} {'holds' if not outcome.finding else 'violated':8}"
        f" {'counts equal' if same else f'counts differ: {counts}'}, {statistics.states:,} states"
        f" {statistics.seconds:8.1f} s {statistics.iterations:3} rounds"
        f" {numbers.expansions / numbers.pending_states:6.2f} expansions a state"
        f" {cost / plain.statistics.cpu_seconds:5.2f} times reachability"
        f" {' '.join(f'{factor:5.2f}' for factor in slower)}",
        flush=True,
    )
    if row.paper:
        print(f"{'':10} paper, 40 processes on 20 machines: {row.paper}", flush=True)
    return same and not outcome.finding


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("instances", nargs="*", metavar="INSTANCE")
    arguments.add_argument("--small", action="store_true", help="only instances of half a million states")
    arguments.add_argument("--workers", type=int, default=1)
    arguments.add_argument("--optimisations", action="store_true", help="also what each optimisation is worth")
    options = arguments.parse_args()
    chosen = [row for row in ROWS[: SMALL if options.small else None] if row.instance in (options.instances or row)]
    results = [measure(row, options.workers, options.optimisations) for row in chosen]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
