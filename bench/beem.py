"""Count every BEEM model of the oracles, on one core, on threads and on MPI ranks, and compare with DiVinE's counts.

    python bench/beem.py [--most STATES] [--oracles DIR] [NAME …]
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ORACLES = Path(__file__).resolve().parents[2] / "shared" / "oracles"
BINARIES = Path(sys.executable).parent
OURO, MPIEXEC = str(BINARIES / "ouro"), str(BINARIES / "mpiexec")
WAYS = {
    "1 worker": [OURO],
    "2 threads": [OURO],
    "2 ranks": [MPIEXEC, "-n", "2", OURO],
}
COUNTS = ("states", "transitions", "deadlocks")


def count(way: str, model: Path) -> dict[str, float]:
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        command = [*WAYS[way], "states", str(model), "--json", report.name]
        if way == "2 threads":
            command += ["--workers", "2"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        result: dict[str, float] = json.loads(Path(report.name).read_text())
        return result


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--most", type=int, default=60_000_000, help="leave out models with more states")
    arguments.add_argument("--oracles", type=Path, default=ORACLES)
    arguments.add_argument("names", nargs="*", help="only these models")
    options = arguments.parse_args()
    differences = checked = 0
    print(f"{'model':26} {'states':>12} " + " ".join(f"{way:>12}" for way in WAYS) + "   M states/s")
    with (options.oracles / "beem.csv").open() as rows:
        for row in csv.DictReader(rows):
            if int(row["states"]) > options.most or (options.names and row["model"] not in options.names):
                continue
            expected = tuple(int(row[name] or -1) for name in COUNTS)
            cells, speeds = [], []
            for way in WAYS:
                report = count(way, options.oracles / "beem" / row["model"])
                found = tuple(report[name] for name in COUNTS)
                same = all(e in (-1, f) for e, f in zip(expected, found, strict=True))
                checked += 1
                differences += not same
                cells.append("equal" if same else f"{found}")
                speeds.append(report["states"] / max(report["search_seconds"], 1e-9) / 1e6)
            print(
                f"{row['model']:26} {expected[0]:>12,} "
                + " ".join(f"{cell:>12}" for cell in cells)
                + "   "
                + " ".join(f"{speed:5.2f}" for speed in speeds),
                flush=True,
            )
    print(f"{checked} runs, {differences} differ")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
