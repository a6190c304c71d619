"""Bytes and time of each store against the full store, over the BEEM models of the oracles: one worker, reachability.

python bench/stores.py [--stores tree,collapse,…] [--least STATES] [--most STATES] [--oracles DIR] [NAME …]

Bytes are all that a run accounts for: tables, states, parents, queues, buffers. Times are CPU times of the search, of
runs one after the other, so that they compare also on a machine that is busy.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any

from common import ORACLES, geometric_mean, ouro, warm_memory


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--stores", default="tree,collapse", help="stores to compare with full")
    arguments.add_argument("--least", type=int, default=100_000, help="leave out models with fewer states")
    arguments.add_argument("--most", type=int, default=60_000_000, help="leave out models with more states")
    arguments.add_argument("--oracles", type=Path, default=ORACLES)
    arguments.add_argument("names", nargs="*", help="only these models")
    options = arguments.parse_args()
    stores = options.stores.split(",")
    ratios: dict[str, list[tuple[float, float]]] = {store: [] for store in stores}
    wrong = 0
    print(f"{'model':26} {'states':>12} {'full':>16} " + " ".join(f"{store:>28}" for store in stores))
    with (options.oracles / "beem.csv").open() as rows:
        for row in csv.DictReader(rows):
            expected = int(row["states"])
            if not options.least <= expected <= options.most or (options.names and row["model"] not in options.names):
                continue
            path = str(options.oracles / "beem" / row["model"])
            warm_memory()
            full = ouro("states", path)
            cells = [f"{full['bytes_per_state']:7.1f} B {full['search_cpu_seconds']:5.1f} s"]
            for store in stores:
                warm_memory()
                other = ouro("states", path, "--store", store)
                # A store that may miss states says so; the others may not.
                wrong += other["states"] != expected and other["complete"] and ":" not in other["store"]
                ratio = _ratio(other, full, "bytes_per_state"), _ratio(other, full, "search_cpu_seconds")
                ratios[store].append(ratio)
                cells.append(f"{other['bytes_per_state']:7.1f} B  bytes x{ratio[0]:.2f} time x{ratio[1]:.2f}")
            print(f"{row['model']:26} {expected:>12,} " + " ".join(cells), flush=True)
    for store, pairs in ratios.items():
        sizes, times = [size for size, _ in pairs], [time for _, time in pairs]
        print(
            f"{store}: bytes x{sum(sizes) / len(sizes):.3f} on average, x{max(sizes):.3f} at most;"
            f" time x{sum(times) / len(times):.3f} on average, x{geometric_mean(times):.3f} in the geometric mean"
        )
    print(f"{wrong} counts differ")
    return 1 if wrong else 0


def _ratio(one: dict[str, Any], other: dict[str, Any], name: str) -> float:
    return float(one[name]) / max(float(other[name]), 1e-6)


if __name__ == "__main__":
    sys.exit(main())
