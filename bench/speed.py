"""The ratios that the engine promises, on anderson.6 (18,206,917 states), all measured in one run.

* CPU time of the search against the spike's kernel, which is written for this one model by hand;
* wall time of two workers and of two MPI ranks against one worker; and what a second core is worth on a machine that
  others use as well: to two searches that share nothing, and to the spike's threads;
* memory: peak RSS less the RSS of a run on a model with a handful of states, per state.

    python bench/speed.py [--repeat N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median

from common import ORACLES, SHARED, ouro, warm_memory

MODEL = ORACLES / "beem" / "anderson.6.dve"
STATES = 18_206_917
TINY = "process P { state a, b; init a; trans a -> b { }, b -> a { }; }\nsystem async;\n"


def spike_seconds(program: str, *arguments: str) -> float:
    """Of the search alone, as the spike prints them: of CPU time on one core, of wall time on threads."""
    command = [sys.executable, "-B", str(SHARED / "spike" / program), *arguments]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    return float(printed.partition(" s,")[0].rpartition(" ")[2])


def seconds_of_two() -> float:
    """Two searches at the same time: how long the slower takes."""
    with ThreadPoolExecutor() as pool:
        return max(report["search_seconds"] for report in pool.map(ouro, ["states"] * 2, [str(MODEL)] * 2))


def paired(above: list[float], below: list[float]) -> float:
    """The median of ratios of what was measured side by side: a shared machine is not always as fast."""
    return median(one / other for one, other in zip(above, below, strict=True))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--repeat", type=int, default=5)
    repeat = arguments.parse_args().repeat
    cpu, wall, two, ranks, both, spike, thread, threads = [], [], [], [], [], [], [], []
    for _ in range(repeat):
        # In turn, so that a busy neighbour disturbs all of them alike.
        warm_memory()
        spike.append(spike_seconds("fast_bfs.py"))
        warm_memory()
        thread.append(spike_seconds("parallel_bfs.py", "1"))
        warm_memory()
        threads.append(spike_seconds("parallel_bfs.py", "2"))
        warm_memory()
        alone = ouro("states", str(MODEL))
        assert alone["states"] == STATES
        cpu.append(alone["search_cpu_seconds"])
        wall.append(alone["search_seconds"])
        warm_memory()
        two.append(ouro("states", str(MODEL), "--workers", "2")["search_seconds"])
        warm_memory()
        ranks.append(ouro("states", str(MODEL), ranks=2)["search_seconds"])
        warm_memory()
        both.append(seconds_of_two() / 2)
    with tempfile.TemporaryDirectory() as directory:
        tiny = Path(directory) / "tiny.dve"
        tiny.write_text(TINY)
        empty = ouro("states", str(tiny))["peak_bytes"]
    memory = (alone["peak_bytes"] - empty) / STATES
    rows = [
        ("search / spike's kernel, CPU time", paired(cpu, spike), "at most 1.5"),
        ("the same, best of each", min(cpu) / min(spike), "at most 1.5"),
        ("one worker / two workers, wall time", paired(wall, two), "at least 1.6"),
        ("the same, best of each", min(wall) / min(two), "at least 1.6"),
        ("the same by two searches of their own", paired(wall, both), ""),
        ("the spike's one thread / two, wall time", paired(thread, threads), "1.7 where it was written"),
        ("one worker / two MPI ranks, wall time", paired(wall, ranks), "at least 1.4"),
        ("the same, best of each", min(wall) / min(ranks), "at least 1.4"),
        ("bytes a state, full store, all counted", memory, "at most 56"),
        ("million states a second, one worker", STATES / min(wall) / 1e6, ""),
        ("million states a second, two workers", STATES / min(two) / 1e6, ""),
    ]
    for name, value, promise in rows:
        print(f"{name:42} {value:8.2f}   {promise}")


if __name__ == "__main__":
    main()
