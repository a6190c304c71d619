"""Programs whose verdicts others know: which we decide, which we refuse and why, and whether any verdict is wrong.

    python bench/c_oracle.py FOLDER [--seconds 20] [--only TEXT] [--every 3] [--from 0] [-- OPTIONS]

FOLDER has `expected.csv` with the columns path, flags, property, expected, finite, and the programs. Options are those
of `ouro check`. A line is printed for each row, and at the end how many rows of which kind came out how.
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

LONGER = 20
"""Seconds that a search may take to stop, beyond its limit, before it is ended."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("options", nargs="*")
    arguments = parser.parse_args()
    tally: dict[str, Counter[str]] = {}
    with (arguments.folder / "expected.csv").open() as table:
        rows = [row for row in csv.DictReader(table) if asked_of(row) and re.search(arguments.only, row["path"])]
    for row in rows[arguments.first :: arguments.every]:
        started = time.monotonic()
        found, why = decided(arguments.folder / row["path"], row, arguments.seconds, arguments.options)
        right = found == row["expected"]
        verdict = "right" if right else "WRONG" if found in ("holds", "violated") else found
        tally.setdefault(f"finite {row['finite']}", Counter())[verdict] += 1
        took = time.monotonic() - started
        told = (verdict, row["expected"], row["path"], row["flags"], row["property"], f"{took:.1f} s", why)
        print("\t".join(told), flush=True)
    for kind, counts in tally.items():
        print(kind, dict(counts))


def asked_of(row: dict[str, str]) -> bool:
    """Whether the question is about what is found in states, under sequential consistency."""
    return not re.search(r"LTL|TSO|RC11|liveness|termination|tso", row["property"])


def options_of(question: str) -> list[str]:
    """What to ask besides what is always asked."""
    asked = []
    if "race" in question:
        asked += ["--property", "races", "--property", "assertions"]
    if "leak" in question:
        asked += ["--property", "leaks", "--property", "assertions", "--property", "end-states"]
    return asked


def decided(path: Path, row: dict[str, str], seconds: float, options: list[str]) -> tuple[str, str]:
    command = [sys.executable, "-m", "ouroboros", "check", "--memory", "3G", "--time", f"{seconds}s", *options]
    flags = [flag if "=" in flag or not flag.startswith("-D") else f"{flag}=1" for flag in shlex.split(row["flags"])]
    for each in flags:
        command += ["-D", each[2:]] if each.startswith("-D") else ["--cflags", each]
    command += options_of(row["property"])
    limit = seconds + LONGER
    try:
        done = subprocess.run(
            [*command, str(path)], capture_output=True, text=True, timeout=limit, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return "hangs", ""
    output = (done.stdout + done.stderr).strip().splitlines()
    told = [line.strip() for line in output if re.match(r"\s*(holds|violated|unknown)", line)]
    kinds = {0: "holds", 1: "violated", 3: "unknown", 2: "refused", 4: "SELF-CHECK"}
    kind = kinds.get(done.returncode, f"code {done.returncode}")
    errors = [line for line in output if "error:" in line]
    told = told if kind in ("holds", "violated", "unknown") else errors or output
    return kind, " | ".join(told or output)[:300]


if __name__ == "__main__":
    main()
