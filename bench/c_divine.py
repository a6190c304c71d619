"""The threaded programs of *State space compression for the DiVinE model checker*, Figure 5.4, beside DiVinE's numbers.

    python bench/c_divine.py FOLDER [--store full --store tree]

FOLDER is `examples/llvm` of DiVinE at its tag 2015_Q1. DiVinE's states and seconds are those that were published; it
was run on other machines, and its states are between other instructions.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple


class Published(NamedTuple):
    file: str
    states: float
    """Thousands."""
    seconds: float


PROGRAMS = {
    "lamport": Published("lamport.c", 131.1, 334),
    "at": Published("at.c", 42.0, 115),
    "fischer": Published("fischer.c", 24.2, 74),
    "cyclic_sched": Published("cyclic_scheduler.c", 48.1, 202),
    "pt_rwlock": Published("pthread_rwlock.c", 3_900, 19_604),
    "elevator2": Published("elevator2.cpp", 10_500, 91_575),
}
LIMIT = 300


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--store", action="append", default=[])
    arguments = parser.parse_args()
    print("program\tstore\tverdict\tstates\tsearch s\tCPU s\tMiB\tDiVinE states\tDiVinE s\ttimes as fast")
    for name, published in PROGRAMS.items():
        for store in arguments.store or ["full", "tree"]:
            found = report(arguments.folder / published.file, store)
            row = (
                name,
                store,
                found["verdict"],
                f"{found['states']:,}",
                f"{found['search_seconds']:.2f}",
                f"{found['search_cpu_seconds']:.2f}",
                f"{found['bytes'] / 2**20:.1f}",
                f"{1000 * published.states:,.0f}",
                f"{published.seconds:,.0f}",
                f"{published.seconds / max(found['search_cpu_seconds'], 0.001):,.0f}",
            )
            print("\t".join(row), flush=True)


def report(path: Path, store: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "report.json"
        command = [sys.executable, "-m", "ouroboros", "check", "--store", store, "--time", f"{LIMIT}s"]
        given = ["-D", "__divine__=1", "--json", str(target), str(path)]
        subprocess.run([*command, *given], capture_output=True, check=False)
        found: dict[str, Any] = json.loads(target.read_text())
        return found


if __name__ == "__main__":
    main()
