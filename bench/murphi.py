"""Murphi models against CMurphi and rumur: verdicts, states and fired rules; speed and memory.

Every model of the collection is checked, and what differs is listed. Then the models with more than half a million
states run beside rumur, compiled with `gcc -O3`: states per CPU second, and the ratio.

    python bench/murphi.py [--repeat N] [--large] [MODEL …]

With names of models, such as `mux__mcslock1.m` or `german.m`, only these run beside rumur, and nothing else does.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from common import ORACLES, geometric_mean, ouro

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.oracles.murphi import count_difference, counted, difference, judged

SLOW = 100_000
LARGE = 5_000_000
PAPER = ORACLES / "murphi" / "paper"


def rumur(model: Path, definitions: Mapping[str, str], repeat: int) -> float:
    """The least CPU time of rumur's checker, without symmetry reduction."""
    text = model.read_text()
    for name, value in definitions.items():
        lines = text.splitlines()
        at = next(number for number, line in enumerate(lines) if line.strip().startswith(f"{name}"))
        lines[at] = f"  {name}: {value};"
        text = "\n".join(lines)
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "model.m").write_text(text)
        command = ["rumur", "--threads", "1", "--symmetry-reduction", "off", "model.m", "-o", "model.c"]
        subprocess.run(command, cwd=directory, check=True)
        build = ["gcc", "-std=c11", "-O3", "-march=native", "-w", "-mcx16", "-o", "model", "model.c", "-lpthread"]
        subprocess.run(build, cwd=directory, check=True)
        seconds = []
        for _ in range(repeat):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(["./model"], cwd=directory, check=False, capture_output=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
        return min(seconds)


def agreement(large: bool) -> None:
    rows = judged()
    differences = [difference(row) for row in rows]
    instances = [row for row in counted() if large or row.counts[0] <= LARGE]
    differences += [count_difference(row) for row in instances]
    found = [text for text in differences if text]
    print(f"{len(rows)} models, {len(instances)} instances of the paper's: {len(found)} differ", *found, sep="\n")


def speed(repeat: int, large: bool, models: list[str]) -> None:
    instances = [
        (ORACLES / "murphi" / "mux__mcslock1.m", {}),
        (ORACLES / "murphi" / "mux__mcslock2.m", {}),
        *(
            (PAPER / row.model, row.definitions)
            for row in counted()
            if row.counts[0] > SLOW and not row.symmetry and (large or row.counts[0] <= LARGE)
        ),
    ]
    ratios = []
    print(f"{'model':34} {'states':>12} {'rumur k/s':>10} {'ouro k/s':>10} {'ratio':>7} {'bytes/state':>12}")
    for model, definitions in instances:
        if models and model.name not in models:
            continue
        options = [word for name, value in definitions.items() for word in ("-D", f"{name}={value}")]
        reports = [ouro("check", str(model), *options) for _ in range(repeat)]
        report = reports[0]
        ours = report["states"] / max(1e-3, min(item["search_cpu_seconds"] for item in reports))
        theirs = report["states"] / max(1e-3, rumur(model, definitions, repeat))
        ratios.append(ours / theirs)
        name = f"{model.name} {' '.join(f'{key}={value}' for key, value in definitions.items())}"
        print(
            f"{name:34} {report['states']:12,} {theirs / 1e3:10,.0f} {ours / 1e3:10,.0f} {ratios[-1]:7.1f}"
            f" {report['bytes_per_state']:12.1f}",
            flush=True,
        )
    print(f"geometric mean of {len(ratios)}: {geometric_mean(ratios):.1f} (at least 10)")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("models", nargs="*", metavar="MODEL")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--large", action="store_true", help="also models with more than five million states")
    options = arguments.parse_args()
    if not options.models:
        agreement(options.large)
    speed(options.repeat, options.large, options.models)


if __name__ == "__main__":
    main()
