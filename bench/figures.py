"""Timed automata as in the thesis on tree compression (Štill 2013, Figures 5.1 to 5.3), beside DiVinE's numbers.

    python bench/figures.py [--most STATES] [--least STATES] [--workers N] [--store NAME] [--oracles DIR] [--ltl]

Figures 5.1 and 5.2 count states of the zone graph; their numbers must be the same. Those of Fischer's protocol with n
processes are n 4^(n-1) + 3^n - n 3^(n-1) + n 2^n - 1. Figure 5.3
(`--ltl`) looks for accepting cycles with MAP; the thesis does not say of which formulas, so that only time and memory
can be compared: here it is that not always again the first process is in its critical section. Times of DiVinE are
seconds on the machine of the thesis, ours are CPU seconds of all workers together.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from common import ORACLES, ouro


class Row(NamedTuple):
    family: str
    processes: int | None
    states: int
    normal: tuple[int | None, int | None]
    """Megabytes and seconds of DiVinE, without compression."""
    tree: tuple[int | None, int | None]


FIGURE_5_2 = (
    Row("bridge", None, 206, (156, 0), (172, 0)),
    Row("fischer", 6, 5_798, (156, 0), (172, 0)),
    Row("fischer", 8, 122_184, (296, 6), (188, 6)),
    Row("fischer", 9, 555_065, (954, 38), (228, 38)),
    Row("train-gate", 8, 726_857, (445, 24), (256, 27)),
    Row("fischer", 10, 2_493_898, (4_517, 201), (410, 212)),
    Row("train-gate", 9, 6_541_957, (3_420, 218), (1_249, 289)),
    Row("fischer", 11, 11_084_471, (None, None), (1_174, 1_262)),
    Row("fischer", 12, 48_786_476, (None, None), (4_163, 7_810)),
    Row("fischer", 13, 212_895_893, (None, None), (None, None)),
)
FIGURE_5_1 = {8: (268, 185), 9: (923, 211), 10: (4_478, 321), 11: (23_352, 826), 12: (119_842, 2_916)}
"""Megabytes on a larger machine, without and with compression, by the number of processes of Fischer's protocol."""
FIGURE_5_3 = {9: ((2_575, 1_001), (344, 1_693)), 10: ((3_599, 206), (345, 349)), 11: ((None, None), (1_044, 2_298))}
"""Megabytes and seconds with MAP, without and with compression."""
FORMULA = "!([]<> P(1).cs)"


def model(oracles: Path, row: Row, scratch: Path) -> Path:
    """The file of the oracles; for more processes than these have, the largest one with another number."""
    folder = oracles / "uppaal" / row.family
    known = folder / f"{row.family}{row.processes or ''}.xml"
    if known.exists():
        return known
    largest = max(folder.glob(f"{row.family}[0-9]*.xml"), key=lambda path: int(path.stem.removeprefix(row.family)))
    number = largest.stem.removeprefix(row.family)
    changed = scratch / known.name
    text, count = re.subn(
        rf"(const int N = |typedef int\[1,){number}\b", rf"\g<1>{row.processes}", largest.read_text(), count=1
    )
    if not count:
        raise SystemExit(f"{largest} does not say how many processes there are")
    changed.write_text(text)
    return changed


def told(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--most", type=int, default=3_000_000, help="leave out models with more states")
    arguments.add_argument("--least", type=int, default=0, help="leave out models with fewer states")
    arguments.add_argument("--workers", default="1")
    arguments.add_argument("--store", default="tree")
    arguments.add_argument("--oracles", type=Path, default=ORACLES)
    arguments.add_argument("--ltl", action="store_true", help="Figure 5.3")
    options = arguments.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as scratch:
        for row in FIGURE_5_2:
            asked = not options.ltl or (row.family == "fischer" and row.processes in FIGURE_5_3)
            if not options.least <= row.states <= options.most or not asked:
                continue
            path = str(model(options.oracles, row, Path(scratch)))
            shared = ["--store", options.store, "--workers", options.workers]
            name = f"{row.family}{row.processes or ''}"
            if options.ltl:
                report = ouro("check", path, "--ltl", FORMULA, "--algorithm", "map", *shared)
                normal, tree = FIGURE_5_3[row.processes or 0]
            else:
                report = ouro("states", path, *shared)
                normal, tree = row.normal, row.tree
                wrong += report["states"] != row.states
            megabytes, seconds = report["peak_bytes"] / 1e6, report["search_cpu_seconds"]
            print(
                f"{name:12} {report['states']:>12,} states, {report['bytes_per_state']:6.1f} B each, {seconds:6.1f} s,"
                f" {megabytes:7,.0f} MB | DiVinE {told(normal[1])} s, {told(normal[0])} MB;"
                f" with trees {told(tree[1])} s, {told(tree[0])} MB",
                end="",
            )
            if not options.ltl and row.processes in FIGURE_5_1 and row.family == "fischer":
                without, compressed = FIGURE_5_1[row.processes]
                print(f" | Figure 5.1: {without:,} and {compressed:,} MB", end="")
            print(flush=True)
    print("all numbers of states are those of the thesis" if not wrong else f"{wrong} numbers of states are others")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
