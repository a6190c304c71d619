"""Count the Promela models of the oracles without reductions, and compare with Spin's counts and speed.

python bench/promela.py [--most STATES] [--oracles DIR] [NAME …]
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

from common import ORACLES

from ouroboros import explore, load


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--most", type=int, default=5_000_000, help="leave out models with more states")
    arguments.add_argument("--oracles", type=Path, default=ORACLES)
    arguments.add_argument("names", nargs="*", help="only these models")
    options = arguments.parse_args()
    runs = differences = 0
    print(f"{'model':24} {'states':>12} {'':10} words  start s search s K states/s   Spin")
    with (options.oracles / "beem_promela.csv").open() as rows:
        for row in csv.DictReader(rows):
            if options.names and row["model"] not in options.names:
                continue
            counts = (int(row["neutral_states"] or 0), int(row["neutral_transitions"] or 1) - 1)
            if counts[0] > options.most:
                continue
            started = time.monotonic()
            model = load(options.oracles / "beem_promela" / row["model"])
            report = explore(model)
            statistics = report.statistics
            found = (statistics.states, statistics.transitions)
            runs += 1
            differences += counts[0] > 0 and found != counts
            cell = "equal" if found == counts else "no oracle" if not counts[0] else f"not {counts}"
            spin = int(row["pan_states_per_cpu_s"] or 0) // 1000
            start = time.monotonic() - started - statistics.seconds
            print(
                f"{row['model']:24} {found[0]:>12,} {cell:10} {model.system.layout.words:>5} {start:8.2f}"
                f" {statistics.cpu_seconds:8.2f} {found[0] / max(1e-9, statistics.cpu_seconds) / 1000:10.0f} {spin:>6}",
                flush=True,
            )
    print(f"{runs} runs, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
