"""How long a new user waits: commands with an empty cache, and again.

    python bench/first_runs.py [COMMAND]      COMMAND: the `ouro` of an installed package; else that of this environment

Prints for each command the CPU seconds of its first run, with nothing in the cache, and of the fastest of three later
ones. Ends with what a first run costs more at most.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

EXAMPLES = Path(__file__).parents[1] / "examples"
DVE, PROMELA, MURPHI = EXAMPLES / "dve", EXAMPLES / "promela", EXAMPLES / "murphi"

FORMULA = ("--ltl", "[](Hypatia.waiting -> <> Hypatia.eating)")
COMMANDS: list[list[object]] = [
    ["check", DVE / "philosophers_fixed.dve", "--invariant", "not (Hypatia.eating and Hypatia.waiting)"],
    ["check", PROMELA / "token_ring.pml"],
    ["check", MURPHI / "tickets.m"],
    ["check", DVE / "philosophers_fixed.dve", *FORMULA, "--algorithm", "ndfs"],
    ["check", DVE / "philosophers_fixed.dve", *FORMULA, "--algorithm", "owcty"],
    ["check", DVE / "philosophers_fixed.dve", *FORMULA, "--algorithm", "map"],
    ["check", DVE / "philosophers_fixed.dve", *FORMULA, "--fairness", "weak"],
    ["check", DVE / "philosophers_fixed.dve", "--response", "Hypatia.waiting ~> Hypatia.eating", "--strong", "*"],
    ["check", DVE / "ticket_lock.dve", "--store", "compact"],
    ["check", DVE / "ticket_lock.dve", "--store", "tree"],
    ["check", DVE / "ticket_lock.dve", "--store", "bitstate"],
    ["check", DVE / "robots.dve", "--workers", "2"],
    ["simulate", DVE / "election.dve", "--steps", "10"],
    ["states", DVE / "readers_writers.dve"],
]


def cpu_seconds(command: list[str], cache: str) -> float:
    before = os.times()
    environment = {**os.environ, "OUROBOROS_CACHE": cache}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode not in (0, 1, 3):  # decided, or not because of a store that may forget
        sys.exit(f"{' '.join(command)}: {ran.stderr}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    ouro = sys.argv[1:2] or [sys.executable, "-m", "ouroboros"]
    most = 0.0
    print("first  later  more  command")
    for arguments in COMMANDS:
        command = [*ouro, *map(str, arguments)]
        with TemporaryDirectory() as cache:
            first = cpu_seconds(command, cache)
            later = min(cpu_seconds(command, cache) for _ in range(3))
        most = max(most, first - later)
        shown = " ".join(argument.name if isinstance(argument, Path) else str(argument) for argument in arguments)
        print(f"{first:5.2f}  {later:5.2f}  {first - later:4.2f}  {shown}", flush=True)
    print(f"a first run costs {most:.2f} s more at most")


if __name__ == "__main__":
    main()
