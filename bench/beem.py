"""Count every BEEM model of the oracles, on one core, on two and on MPI ranks, and compare with DiVinE's counts.

python bench/beem.py [--most STATES] [--oracles DIR] [NAME …]
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from common import ORACLES, ouro

WAYS = {"1 worker": ([], 1), "2 workers": (["--workers", "2"], 1), "2 ranks": ([], 2)}
COUNTS = ("states", "transitions", "deadlocks")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--most", type=int, default=60_000_000, help="leave out models with more states")
    arguments.add_argument("--oracles", type=Path, default=ORACLES)
    arguments.add_argument("names", nargs="*", help="only these models")
    options = arguments.parse_args()
    differences = runs = 0
    print(f"{'model':26} {'states':>12} " + " ".join(f"{way:>10}" for way in WAYS) + "   M states/s")
    with (options.oracles / "beem.csv").open() as rows:
        for row in csv.DictReader(rows):
            if int(row["states"]) > options.most or (options.names and row["model"] not in options.names):
                continue
            expected = tuple(int(row[name]) for name in COUNTS)
            cells, speeds = [], []
            for extra, ranks in WAYS.values():
                report = ouro("states", str(options.oracles / "beem" / row["model"]), *extra, ranks=ranks)
                found = tuple(report[name] for name in COUNTS)
                runs += 1
                differences += found != expected
                cells.append("equal" if found == expected else str(found))
                speeds.append(report["states"] / max(report["search_seconds"], 1e-9) / 1e6)
            print(
                f"{row['model']:26} {expected[0]:>12,} "
                + " ".join(f"{cell:>10}" for cell in cells)
                + "   "
                + " ".join(f"{speed:5.2f}" for speed in speeds),
                flush=True,
            )
    print(f"{runs} runs, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
