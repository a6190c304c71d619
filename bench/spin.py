"""States per CPU second against Spin's `pan`, on models that exist both in DVE and in Promela.

`pan` is compiled with `-O2 -DSAFETY -DNOREDUCE`: no partial order reduction, so that both visit every state.

    python bench/spin.py [--repeat N]
"""

from __future__ import annotations

import argparse
import csv
import re
import resource
import subprocess
import tempfile
from pathlib import Path

from common import ORACLES, geometric_mean, ouro


def pan(model: Path, repeat: int) -> tuple[int, float]:
    """The states that `pan` stores, and its least CPU time."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["spin", "-a", str(model)], cwd=directory, check=True, capture_output=True)
        build = ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"]
        subprocess.run(build, cwd=directory, check=True)
        seconds = []
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = ["./pan", "-m10000000", "-c0"]
            printed = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False).stdout
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        stored = re.search(r"([\d.e+]+) states, stored", printed)
        assert stored, printed
        return int(float(stored.group(1))), min(seconds)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeat", type=int, default=3)
    repeat = arguments.parse_args().repeat
    with (ORACLES / "beem_promela.csv").open() as rows:
        names = [row["model"].removesuffix(".pm") for row in csv.DictReader(rows)]
    with (ORACLES / "beem.csv").open() as rows:
        counted = {row["model"] for row in csv.DictReader(rows)}
    ratios = []
    print(f"{'model':20} {'pan states':>12} {'k/s':>9} {'our states':>12} {'k/s':>9} {'ratio':>7}")
    for name in names:
        if f"{name}.dve" not in counted:
            continue
        states, seconds = pan(ORACLES / "beem_promela" / f"{name}.pm", repeat)
        reports = [ouro("states", str(ORACLES / "beem" / f"{name}.dve")) for _ in range(repeat)]
        ours = min(report["search_cpu_seconds"] for report in reports)
        speeds = states / max(seconds, 1e-3), reports[0]["states"] / max(ours, 1e-3)
        ratios.append(speeds[1] / speeds[0])
        print(
            f"{name:20} {states:12,} {speeds[0] / 1e3:9.0f} {reports[0]['states']:12,} {speeds[1] / 1e3:9.0f}"
            f" {ratios[-1]:7.2f}",
            flush=True,
        )
    print(f"geometric mean of {len(ratios)}: {geometric_mean(ratios):.2f} (at least 3)")


if __name__ == "__main__":
    main()
