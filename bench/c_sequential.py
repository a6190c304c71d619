"""Random C programs without threads, run by the reference and really: output and exit code must be the same.

    python bench/c_sequential.py [PROGRAMS [RECKLESS [FIRST_SEED]]]

Reckless programs may overflow, divide by zero or shift too far; the compiled ones are then stopped by checks of the
compiler.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.languages.c.random_programs import random_programs, reckless_program
from tests.languages.c.sequential import STOPPED, interpreted, really_run

AT_ONCE = 8


def compare(text: str, name: str, *, reckless: bool) -> bool | None:
    """Whether it was stopped; None if the two do not agree, which is told."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.c"
        path.write_text(text)
        ours = interpreted(path)
        theirs = really_run(path, reckless=reckless)
    if ours == theirs:
        return ours[1] == STOPPED
    lines = zip(ours[0].splitlines(), theirs[0].splitlines(), strict=False)
    first = next((f"{mine!r} instead of {their!r}" for mine, their in lines if mine != their), "")
    print(f"{name}: exit {ours[1]} instead of {theirs[1]}; {first}", flush=True)
    return None


def main() -> int:
    programs, reckless, first = (int(each) for each in [*sys.argv[1:], *["2000", "200", "0"][len(sys.argv) - 1 :]])
    start, wrong, stopped = time.process_time(), 0, 0
    for seed in range(first, first + programs, AT_ONCE):
        seeds = range(seed, min(seed + AT_ONCE, first + programs))
        wrong += compare(random_programs(seeds), f"programs {seeds.start} to {seeds.stop - 1}", reckless=False) is None
    for seed in range(first, first + reckless):
        result = compare(reckless_program(seed), f"reckless program {seed}", reckless=True)
        wrong += result is None
        stopped += result is True
    seconds = time.process_time() - start
    print(
        f"{programs} programs and {reckless} reckless ones, {stopped} of them stopped: {wrong} wrong; {seconds:.0f} s"
    )
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
