"""Programs whose verdicts others know: which we decide, which we refuse and why, and whether any verdict is wrong.

    python bench/c_oracle.py FOLDER [--seconds 20] [--only TEXT]

FOLDER has `expected.csv` with the columns path, flags, property, expected, and the programs.
"""

from __future__ import annotations

import argparse
import csv
import re
import shlex
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    tally: Counter[str] = Counter()
    with (arguments.folder / "expected.csv").open() as table:
        for row in csv.DictReader(table):
            if asked_of(row) and arguments.only in row["path"]:
                started = time.monotonic()
                found, why = decided(arguments.folder / row["path"], row["flags"], arguments.seconds)
                right = found == row["expected"]
                verdict = "right" if right else "WRONG" if found in ("holds", "violated") else found
                tally[verdict] += 1
                took = time.monotonic() - started
                told = (verdict, row["expected"], row["path"], row["flags"], f"{took:.1f} s", why)
                print("\t".join(told), flush=True)
    print(dict(tally))


def asked_of(row: dict[str, str]) -> bool:
    """Whether the question is about assertions, memory and deadlocks alone."""
    return not re.search(r"LTL|TSO|race|RC11|liveness|termination|leak check", row["property"].replace("+race+", "+"))


def decided(path: Path, flags: str, seconds: float) -> tuple[str, str]:
    definitions = [flag[2:] for flag in shlex.split(flags) if flag.startswith("-D")]
    command = [sys.executable, "-m", "ouroboros", "check", "--memory", "3G"]
    for each in definitions:
        command += ["-D", each if "=" in each else f"{each}=1"]
    try:
        done = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, timeout=seconds, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return "time", ""
    output = (done.stdout + done.stderr).strip().splitlines()
    told = [line for line in output if re.match(r"\s*(holds|violated|unknown)", line)]
    kinds = {0: "holds", 1: "violated", 3: "unknown", 2: "refused", 4: "SELF-CHECK"}
    kind = kinds.get(done.returncode, f"code {done.returncode}")
    errors = [line for line in output if "error:" in line]
    return kind, " | ".join((errors or told if done.returncode in (0, 1, 3) else errors or output)[:2])[:200]


if __name__ == "__main__":
    main()
