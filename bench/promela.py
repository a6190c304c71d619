"""Ouroboros beside Spin on the Promela models of the oracles.

python bench/promela.py speed [NAME …]   states per CPU second and memory, where there are over a million states
python bench/promela.py start [NAME …]   wall time from the prompt to the verdict on small models: spin + gcc + pan
python bench/promela.py counts [NAME …]  our counts, without reductions, against those that Spin was seen to have

`pan` is made by `spin -a` and `gcc -O2 -DSAFETY -DNOREDUCE`. Everything runs on one core. The cache of compiled models
is warm: a first run that is not measured fills it.
"""

from __future__ import annotations

import argparse
import csv
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from common import ORACLES, geometric_mean, ouro

LARGE, SMALL = 1_000_000, 100_000
_BUILD = ["gcc", "-O2", "-DSAFETY", "-DNOREDUCE", "-w", "-o", "pan", "pan.c"]


class Run(NamedTuple):
    states: int
    cpu_seconds: float
    bytes: float
    wall_seconds: float
    """From the prompt to the verdict."""


def pan(model: Path) -> Run:
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["spin", "-a", str(model)], cwd=directory, check=True, capture_output=True)
        subprocess.run(_BUILD, cwd=directory, check=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = ["./pan", "-c0", *(["-m10000000", "-w26"] if _size(model) >= LARGE else [])]
        printed = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    stored = re.search(r"([\d.e+]+) states, stored", printed)
    memory = re.search(r"([\d.]+)\s+total actual memory usage", printed)
    assert stored, printed
    return Run(
        int(float(stored[1])),
        after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
        float(memory[1]) * 2**20 if memory else 0.0,
        time.monotonic() - started,
    )


def ours(command: str, model: Path) -> Run:
    started = time.monotonic()
    report = ouro(command, str(model))
    wall = time.monotonic() - started
    return Run(report["states"], report["search_cpu_seconds"], report["peak_bytes"], wall)


def _rows(names: list[str]) -> Iterator[dict[str, str]]:
    with (ORACLES / "beem_promela.csv").open() as rows:
        for row in csv.DictReader(rows):
            if not names or row["model"] in names:
                yield row


def _size(model: Path) -> int:
    (row,) = _rows([model.name])
    return int(row["neutral_states"] or row["default_noreduce_states"] or 0)


def _models(names: list[str], least: int, most: int) -> list[Path]:
    paths = [ORACLES / "beem_promela" / row["model"] for row in _rows(names)]
    return [path for path in paths if names or least <= _size(path) < most]


def speed(names: list[str]) -> int:
    ratios, memories = [], []
    print(
        f"{'model':24} {'pan states':>12} {'k/s':>7} {'MiB':>7} {'our states':>12} {'k/s':>7} {'MiB':>7}  speed memory"
    )
    for model in _models(names, LARGE, sys.maxsize):
        theirs = pan(model)
        ours("states", model)
        mine = ours("states", model)
        rates = [run.states / max(run.cpu_seconds, 1e-3) / 1e3 for run in (theirs, mine)]
        ratios.append(rates[1] / rates[0])
        memories.append(mine.bytes / max(theirs.bytes, 1))
        print(
            f"{model.name:24} {theirs.states:12,} {rates[0]:7.0f} {theirs.bytes / 2**20:7.0f} {mine.states:12,}"
            f" {rates[1]:7.0f} {mine.bytes / 2**20:7.0f} {ratios[-1]:6.2f} {memories[-1]:6.2f}",
            flush=True,
        )
    print(
        f"geometric means: {geometric_mean(ratios):.2f} times pan's speed,"
        f" in {geometric_mean(memories):.2f} times its memory"
    )
    return 0


def start(names: list[str]) -> int:
    ratios = []
    print(f"{'model':24} {'states':>9} {'spin+gcc+pan s':>14} {'ouro s':>8} {'ratio':>6}")
    for model in _models(names, 1, SMALL):
        theirs = pan(model)
        ours("check", model)
        mine = ours("check", model)
        ratios.append(theirs.wall_seconds / mine.wall_seconds)
        print(
            f"{model.name:24} {theirs.states:9,} {theirs.wall_seconds:14.2f} {mine.wall_seconds:8.2f}"
            f" {ratios[-1]:6.2f}",
            flush=True,
        )
    print(f"geometric mean: {geometric_mean(ratios):.2f} times as fast")
    return 0


def counts(names: list[str]) -> int:
    runs = differences = 0
    for row in _rows(names):
        if not row["neutral_states"]:
            continue
        report = ouro("states", str(ORACLES / "beem_promela" / row["model"]))
        found = (report["states"], report["transitions"])
        known = (int(row["neutral_states"]), int(row["neutral_transitions"]) - 1)
        runs += 1
        differences += found != known
        print(f"{row['model']:24} {found[0]:>12,} {'equal' if found == known else f'not {known}'}", flush=True)
    print(f"{runs} runs, {differences} differ")
    return 1 if differences else 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("what", choices=["speed", "start", "counts"])
    arguments.add_argument("names", nargs="*", help="only these models")
    options = arguments.parse_args()
    return {"speed": speed, "start": start, "counts": counts}[options.what](options.names)


if __name__ == "__main__":
    sys.exit(main())
