"""Whether `--memory` is kept: the peak of resident memory, less that of a run that ends at once, against the limit.

    python bench/memory.py [MODEL … --ltl FORMULA]

A table, one row for each model, way to search, number of workers and limit: without a formula all states are visited,
with one OWCTY, MAP and nested DFS look for a cycle. A limit is kept if the peak is at most 5 % above it, and the base:
what the interpreter, the libraries and the machine code of the model need. Exits with 1 if one was not. Without models,
these are one with long states, of the BEEM models of the oracles, and one with many short ones.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

LIMITS = ("64M", "128M", "256M", "512M")
TOLERANCE = 1.05
ROUNDING = 32 << 20
"""Pages have up to 2 MiB, and the last one of each array that grows may be used for its first byte only. And for what
other stores would need, the kernels of the tree store are loaded at the end."""

SAFETY = ("full", "tree", "collapse", "compact")
CYCLES = ("full owcty", "full map", "full ndfs", "tree owcty", "compact owcty")
"""A store, and with a formula an algorithm."""

LONG, LONG_FORMULA = "leader_election.5.dve", "<> nr_leaders == 1"
SHORT_FORMULA = "<> at[0] == 9"
MOST_SECONDS = "60"
"""No run is longer; a limit is kept also by one that does not come to it."""
NUMBERS = 9
SHORT = f"""
byte at[{NUMBERS}];
process Numbers {{
  state counting;
  init counting;
  trans
    {", ".join(f"counting -> counting {{ guard at[{k}] < 9; effect at[{k}] = at[{k}] + 1; }}" for k in range(NUMBERS))};
}}
system async;
"""


class Measured(NamedTuple):
    verdict: str
    reason: str | None
    states: int
    peak: int
    counted: int
    """Of that, what the limit is about."""


def measure(model: Path, *options: str) -> Measured:
    """Run `ouro states`, or `ouro check` where the options ask something, in a process of its own."""
    command = "check" if "--ltl" in options else "states"
    arguments = [sys.executable, "-m", "ouroboros", command, str(model), "--json", "-", *options]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(arguments)}\n{ran.stderr}")
    told: dict[str, Any] = json.loads(ran.stdout)
    return Measured(told["verdict"], told["reason"], told["states"], told["peak_bytes"], told["bytes"])


def base(model: Path, *options: str) -> int:
    """The peak of a run that ends at its first states."""
    return measure(model, *options, "--states", "1").peak


def kept(model: Path, formula: str | None, way: str, workers: str, limits: Sequence[str]) -> bool:
    """Measure one way to search; False if a limit was not kept."""
    from ouroboros.cli.options import size

    store, *algorithm = way.split()
    options = ["--store", store, "--workers", workers]
    if formula:
        options += ["--ltl", formula, "--algorithm", *algorithm]
    # What runs first compiles the model and the kernels, if they are not in the cache.
    measure(model, *options, "--memory", "32M", "--time", "5")
    alone = base(model, *options) + ROUNDING
    right = True
    for limit in limits:
        found = measure(model, *options, "--memory", limit, "--time", MOST_SECONDS)
        share = (found.peak - alone) / size(limit)
        right &= share <= TOLERANCE
        print(
            f"{model.stem:18} {way:14} {workers:>7} {limit:>6} {found.reason or found.verdict:>8}"
            f" {found.states:11,} {alone >> 20:4} M {found.peak >> 20:4} M {share:6.2f}",
            flush=True,
        )
    return right


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--ways", nargs="+", help=f"of {', '.join(SAFETY)}; with a formula, {', '.join(CYCLES)}")
    parser.add_argument("--workers", nargs="+", default=["1", "2"])
    parser.add_argument("--limits", nargs="+", default=LIMITS)
    parser.add_argument("--ltl", help="look for accepting cycles")
    asked = parser.parse_args(arguments)
    print("model              way            workers  limit  verdict      states   base   peak  share")
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        cases: list[tuple[Path, str | None]] = [(model, asked.ltl) for model in asked.models]
        if not cases:
            from common import ORACLES

            short = Path(folder) / "numbers.dve"
            short.write_text(SHORT)
            long = ORACLES / "beem" / LONG
            cases = [(long, None), (short, None), (long, LONG_FORMULA), (short, SHORT_FORMULA)]
        for model, formula in cases:
            for way, workers in product(asked.ways or (CYCLES if formula else SAFETY), asked.workers):
                # Nested depth-first search is the work of one.
                if "ndfs" not in way or workers == "1":
                    broken += not kept(model, formula, way, workers, asked.limits)
    print(f"{broken} ways broke a limit")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
