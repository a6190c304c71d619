"""Whether `--memory` is kept: the peak of resident memory, less that of a run that ends at once, against the limit.

    python bench/memory.py MODEL …

A table, one row for each model, store, number of workers and limit. A limit is kept if the peak is at most 5 % above
it, and the base: what the interpreter, the libraries and the machine code of the model need. Exits with 1 if one was
not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

LIMITS = ("32M", "64M", "128M")
TOLERANCE = 1.05
ROUNDING = 32 << 20
"""Pages have up to 2 MiB, and the last one of each array that grows may be used for its first byte only. And for what
other stores would need, the kernels of the tree store are loaded at the end."""


class Measured(NamedTuple):
    verdict: str
    reason: str | None
    states: int
    peak: int


def measure(model: Path, *options: str) -> Measured:
    """Run `ouro states`, or `ouro check` where the options ask something, in a process of its own."""
    command = "check" if "--ltl" in options else "states"
    arguments = [sys.executable, "-m", "ouroboros", command, str(model), "--json", "-", *options]
    ran = subprocess.run(arguments, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1, 3):
        raise SystemExit(f"{' '.join(arguments)}\n{ran.stderr}")
    told: dict[str, Any] = json.loads(ran.stdout)
    return Measured(told["verdict"], told["reason"], told["states"], told["peak_bytes"])


def base(model: Path, *options: str) -> int:
    """The peak of a run that ends at its first states."""
    return measure(model, *options, "--states", "1").peak


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--stores", nargs="+", default=["full", "tree", "collapse", "compact"])
    parser.add_argument("--workers", nargs="+", default=["1", "2"])
    parser.add_argument("--limits", nargs="+", default=LIMITS)
    parser.add_argument("--ltl", help="look for accepting cycles")
    asked = parser.parse_args(arguments)
    from ouroboros.cli.options import size

    broken = 0
    print("model                    store     workers  limit  verdict      states   base   peak  share")
    for store in asked.stores:
        for workers in asked.workers:
            options = ["--store", store, "--workers", workers, *(["--ltl", asked.ltl] if asked.ltl else [])]
            for model in asked.models:
                # The first run compiles the model, if it is not in the cache.
                alone = [base(model, *options) for _ in range(2)][1] + ROUNDING
                for limit in asked.limits:
                    found = measure(model, *options, "--memory", limit)
                    share = (found.peak - alone) / size(limit)
                    broken += share > TOLERANCE
                    print(
                        f"{model.stem:24} {store:9} {workers:>7} {limit:>6} {found.reason or found.verdict:>8}"
                        f" {found.states:11,} {alone >> 20:4} M {found.peak >> 20:4} M {share:6.2f}",
                        flush=True,
                    )
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
