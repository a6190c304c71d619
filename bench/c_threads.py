"""Random small programs with threads, really run again and again: what they print is among what is found possible.

    python bench/c_threads.py [PROGRAMS [RUNS [FIRST_SEED]]]

On random walks of each the interpreter and the machine code make the same steps.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.languages.c.test_reference import explored
from tests.languages.c.threaded import outcomes_of_runs
from tests.languages.c.threaded_programs import threaded_program
from tests.languages.c.walks import Both

MOST_STATES = 400_000


def main() -> int:
    programs, runs, first = (int(each) for each in [*sys.argv[1:], *["50", "1000", "0"][len(sys.argv) - 1 :]])
    start, wrong, possible_in_all, met_in_all = time.process_time(), 0, 0, 0
    for seed in range(first, first + programs):
        with tempfile.TemporaryDirectory() as folder:
            text = threaded_program(seed)
            found = explored(Path(folder), text, 4, most=MOST_STATES)
            met = outcomes_of_runs(Path(folder), text, runs)
            both = Both(Path(folder) / "program.c")
            for walk in range(3):
                both.walk(Random(walk), 60)
        beyond = met - found.outputs
        wrong += bool(beyond or found.failures or found.deadlocks)
        possible_in_all += len(found.outputs)
        met_in_all += len(met)
        told = f"{found.states} states, {len(found.outputs)} outcomes, {len(met)} of them met"
        print(f"program {seed}: {told}", flush=True)
        if beyond:
            print(f"  not found possible: {sorted(beyond)}", flush=True)
    seconds = time.process_time() - start
    told = f"{met_in_all} of {possible_in_all} outcomes met, {wrong} wrong"
    print(f"{programs} programs, {runs} runs of each: {told}; {seconds:.0f} s")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
