"""Accepting cycles on the BEEM models with property automata: verdicts against DiVinE, and the promised ratios.

python bench/ltl.py verdicts [--ranks]    every row, by nested DFS, OWCTY and MAP, one and two workers
python bench/ltl.py ratios [--repeat N]   OWCTY against plain reachability of the product, two workers, edges kept
python bench/ltl.py early                 how much of the product is seen before a cycle is found
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections.abc import Callable
from pathlib import Path

from common import ORACLES, geometric_mean, ouro, warm_memory

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Limits
from ouroboros.engine.team import Team
from ouroboros.graph.product import ProductGraph
from ouroboros.languages import load
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.properties.formulas.watched import from_model
from ouroboros.search.accepting import Method, accepting_cycle
from ouroboros.search.exploration import Exploration
from ouroboros.search.worker import Worker
from ouroboros.source import Source, Span
from ouroboros.system.product import with_automaton_field
from ouroboros.verdict.outcome import Outcome, Statistics

MODELS = ORACLES / "beem_ltl"
LARGE = (
    (MODELS / "leader_filters.5.prop2.dve", ""),
    (MODELS / "peterson.4.prop4.dve", ""),
    (ORACLES / "beem" / "lamport.6.dve", "<>[] x != 255"),
    (ORACLES / "beem" / "anderson.6.dve", "[]<> !P_0.CS"),
)
"""Products of 1.5 to 20 million states, of properties that hold; without a formula it is the model's own."""


class Product:
    """A model's product with its own automaton, or with one for a formula, ready to be searched."""

    def __init__(self, path: Path, formula: str = "") -> None:
        model = load(path)
        system = model.system
        span = Span(Source("formula", formula), 0, len(formula))
        self.watched = from_formula(model, span) if formula else from_model(system.automata[0])
        self.automaton = self.watched.automaton
        self.system, self.field = with_automaton_field(system, self.watched.locations, self.automaton.initial)
        self.program = compile_system(self.system, self.watched.propositions)

    def reachability(self, exchange: Exchange, budget: Budget) -> Outcome:
        """Every state of the product, and nothing else."""
        exploration = Exploration(Explorer(self.graph, exchange, budget), self.graph.initial, Limits(), None)
        exploration.run()
        return Outcome(exploration.statistics())

    def cycle(self, method: Method) -> Callable[[Exchange, Budget], Outcome]:
        return lambda exchange, budget: accepting_cycle(self.graph, method, Worker(exchange, budget))

    @property
    def graph(self) -> ProductGraph:
        return ProductGraph(self.system, self.program, self.automaton, self.field, self.watched.propositions)


def rows() -> list[dict[str, str]]:
    with (ORACLES / "beem_ltl.csv").open() as file:
        return list(csv.DictReader(file))


def verdicts(ranks: bool) -> int:
    ways = [("ndfs", 1), ("owcty", 1), ("owcty", 2), ("map", 1), ("map", 2)]
    differences = runs = 0
    for row in rows():
        expected = int(row["product_states"]) if row["product_states"] else None
        cells = []
        for algorithm, workers in [("owcty", 0), ("map", 0)] if ranks else ways:
            extra = ["--workers", str(workers)] if workers else []
            options = ["--property", load(MODELS / row["model"]).system.automata[0].name, "--algorithm", algorithm]
            report = ouro("check", str(MODELS / row["model"]), *options, *extra, ranks=1 if workers else 2)
            same = report["verdict"] == row["verdict"] and expected in (None, report["states"])
            runs += 1
            differences += not same
            cells.append(f"{algorithm} {workers or 'ranks'}: {'equal' if same else report['verdict']}")
        print(f"{row['model']:30} {row['verdict']:9} " + ", ".join(cells), flush=True)
    print(f"{runs} runs, {differences} differ")
    return 1 if differences else 0


def ratios(repeat: int) -> int:
    header = ("owcty/reach", "regenerated/kept", "owcty 2 workers", "map 2 workers")
    print(f"{'product':30} {'states':>12} " + " ".join(f"{name:>17}" for name in header))
    costs = []
    for path, formula in LARGE:
        product = Product(path, formula)
        keep = product.cycle(Method("owcty", edges="keep"))
        mapping = product.cycle(Method("map", edges="keep"))
        ways: dict[str, tuple[int, Callable[[Exchange, Budget], Outcome]]] = {
            "reach": (1, product.reachability),
            "owcty": (1, keep),
            "owcty of two": (2, keep),
            "regenerated": (1, product.cycle(Method("owcty", edges="regenerate"))),
            "map": (1, mapping),
            "map of two": (2, mapping),
        }
        runs: dict[str, list[Statistics]] = {way: [] for way in ways}
        for _ in range(repeat):
            # In turn, so that a busy neighbour disturbs all of them alike.
            for way, (workers, work) in ways.items():
                warm_memory()
                runs[way].append(Team(workers).run(work, None).statistics)

        cells = (
            _ratio(runs, "owcty", "reach", lambda run: run.cpu_seconds),
            _ratio(runs, "regenerated", "owcty", lambda run: sum(phase.seconds for phase in run.phases[1:])),
            _ratio(runs, "owcty", "owcty of two", lambda run: run.seconds),
            _ratio(runs, "map", "map of two", lambda run: run.seconds),
        )
        costs.append(cells)
        print(
            f"{path.name:30} {runs['reach'][0].states:12,} " + " ".join(f"{cell:17.2f}" for cell in cells), flush=True
        )
    means = [geometric_mean([cost[k] for cost in costs]) for k in range(len(header))]
    print(f"{'geometric mean':43} " + " ".join(f"{mean:17.2f}" for mean in means))
    print(f"{'promised':43} {'at most 2.2':>17} {'about 10':>17} {'at least 1.5':>17} {'at least 1.5':>17}")
    return 0


def _ratio(runs: dict[str, list[Statistics]], dividend: str, divisor: str, of: Callable[[Statistics], float]) -> float:
    """Of the medians."""
    return statistics.median(map(of, runs[dividend])) / max(statistics.median(map(of, runs[divisor])), 1e-9)


def early() -> int:
    seen: dict[str, list[float]] = {"ndfs": [], "owcty": []}
    for row in rows():
        if row["verdict"] != "violated":
            continue
        product = Product(MODELS / row["model"])
        whole = Team().run(product.reachability, None).statistics.states
        for algorithm, shares in seen.items():
            method = Method("ndfs" if algorithm == "ndfs" else "owcty")
            shares.append(Team().run(product.cycle(method), None).statistics.states / whole)
        print(
            f"{row['model']:30} {whole:12,} " + " ".join(f"{shares[-1]:8.1%}" for shares in seen.values()), flush=True
        )
    for algorithm, shares in seen.items():
        below = sum(share < 0.1 for share in shares)
        print(f"{algorithm}: under 10 % in {below} of {len(shares)}, median {statistics.median(shares):.1%}")
    return 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["verdicts", "ratios", "early"])
    arguments.add_argument("--ranks", action="store_true", help="on two MPI ranks")
    arguments.add_argument("--repeat", type=int, default=3)
    options = arguments.parse_args()
    if options.what == "verdicts":
        return verdicts(options.ranks)
    return ratios(options.repeat) if options.what == "ratios" else early()


if __name__ == "__main__":
    sys.exit(main())
