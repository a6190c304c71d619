"""Runs that are killed at a random moment, and resumed with another number of workers, find what others find.

python bench/kill.py [--kills N] [--small] [--seed N]

Of each kind N runs are killed with SIGKILL: one of the two processes of a run with two workers, or one of the two ranks
of an MPI run. Each is resumed by other workers, processes or ranks, and its verdict and its numbers are compared with
those of a run that nobody disturbed. Exit code 1 if any of them differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from common import MPIEXEC, OURO

MODEL = """
byte a; byte b; byte c; byte d;
process Counters {
  state counting;
  init counting;
  trans
    counting -> counting { guard a < MOST; effect a = a + 1; },
    counting -> counting { guard b < MOST; effect b = b + 1; },
    counting -> counting { guard c < MOST; effect c = c + 1; },
    counting -> counting { guard d < LAST; effect d = d + 1; },
    counting -> counting { guard a == MOST and b == MOST and c == MOST and d == LAST; };
}
system async;
"""
COMPARED = ("verdict", "states", "transitions", "deadlocks", "depth")


class Case(NamedTuple):
    most: int
    last: int
    arguments: tuple[str, ...]

    def model(self, folder: Path) -> Path:
        path = folder / f"counters-{self.most}-{self.last}.dve"
        path.write_text(MODEL.replace("MOST", str(self.most)).replace("LAST", str(self.last)))
        return path

    def command(self, folder: Path) -> list[str]:
        name, *rest = self.arguments
        return [name, str(self.model(folder)), *rest]


CASES = (
    Case(60, 30, ("states",)),
    Case(60, 30, ("states", "--store", "tree")),
    Case(40, 20, ("check", "--ltl", "<>[] a == 40", "--algorithm", "owcty")),
    Case(40, 20, ("check", "--ltl", "<>[] a == 40", "--algorithm", "map", "--store", "collapse")),
    Case(40, 20, ("check", "--response", "a == 5 ~> a == 6", "--fairness", "weak")),
)
SMALL = (Case(50, 15, ("states",)), Case(20, 20, ("check", "--ltl", "<>[] a == 20", "--algorithm", "owcty")))


# Ranks wait actively: more of them than cores take for ever.
_MORE_RANKS = [("ranks", 3)] if (os.cpu_count() or 1) > 2 else []
RESUMED = {
    0: [("processes", 1), ("processes", 3), ("ranks", 2), *_MORE_RANKS],
    2: [("processes", 1), ("processes", 2), ("processes", 3), *_MORE_RANKS],
}
"""By how many workers, for runs of two processes, and of two ranks."""


def launcher(ranks: int) -> list[str]:
    return [MPIEXEC, "-n", str(ranks)] if ranks else []


def report(command: list[str]) -> dict[str, Any]:
    """The numbers of a run that ends by itself."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        ran = subprocess.run([*command, "--json", file.name], capture_output=True, text=True, check=False)
        if ran.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr}")
        data = json.loads(Path(file.name).read_text())
    return {name: data[name] for name in COMPARED}


def children(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            child = int(path.parent.name)
            found += [child, *children(child)]
    return found


def victim(process: int, ranks: int) -> int:
    """The process itself or its copy; under MPI, one of the ranks: those that have no children of their own."""
    if not ranks:
        return random.choice([process, *children(process)])
    return random.choice([child for child in children(process) if not children(child)])


def killed(command: list[str], directory: Path, seconds: float, ranks: int) -> float | None:
    """Start a run, and kill it so many seconds after it has begun to search; if it has ended before, when that was."""
    with subprocess.Popen(
        [*command, "--checkpoint", str(directory), "--every", "200ms"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while not (directory / "run.json").exists() and process.poll() is None:
            time.sleep(0.01)
        begun = time.monotonic()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):  # it has ended at this very moment
                os.kill(victim(process.pid, ranks), signal.SIGKILL)
                return None
        return time.monotonic() - begun


def try_case(case: Case, ranks: int, folder: Path, expected: dict[str, Any], longest: float) -> str:
    """What came of one kill: nothing but a number of workers, if all is as expected."""
    directory = folder / "checkpoints"
    command = [*launcher(ranks), OURO, *case.command(folder), *([] if ranks else ["--workers", "2"])]
    while True:
        shutil.rmtree(directory, ignore_errors=True)
        moment = random.uniform(0, longest)
        ended = killed(command, directory, moment, ranks)
        if ended is None:
            break
        longest = min(longest, ended)
    saved = sorted(path.parent.name for path in directory.glob("*/manifest.json"))
    kind, workers = random.choice(RESUMED[ranks])
    if kind == "processes":
        resumed = report([OURO, "resume", str(directory), "--workers", str(workers)])
    else:
        resumed = report([*launcher(workers), OURO, "resume", str(directory)])
    verdict = "the same" if resumed == expected else f"DIFFERENT: {resumed} instead of {expected}"
    newest = saved[-1] if saved else "the beginning"
    return f"killed after {moment:.2f} s, resumed from {newest} by {workers} {kind}: {verdict}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="runs that are killed, of each kind")
    parser.add_argument("--small", action="store_true", help="models of a second")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    random.seed(options.seed)
    cases = SMALL if options.small else CASES
    different = 0
    with tempfile.TemporaryDirectory(prefix="ouro-kill-") as name:
        folder = Path(name)
        known: dict[Case, tuple[dict[str, Any], float]] = {}
        for ranks in (0, 2):
            for kill in range(options.kills):
                case = cases[kill % len(cases)]
                if case not in known:
                    started = time.monotonic()
                    known[case] = report([OURO, *case.command(folder)]), 0.0
                    known[case] = known[case][0], time.monotonic() - started
                said = try_case(case, ranks, folder, *known[case])
                different += "DIFFERENT" in said
                kind = "one of 2 ranks" if ranks else "one of 2 processes"
                print(f"{kind}, {' '.join(case.arguments)}: {said}", flush=True)
    print(f"{2 * options.kills} runs killed, {different} of them with another result")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
