"""Timed automata beside what other tools say of them: counts of the zone graph, and verdicts of queries.

    python bench/uppaal.py DIRECTORY [--states 600000] [--match fischer] [--workers 2]
    mpiexec -n 2 python bench/uppaal.py DIRECTORY

The directory has `counts.csv` (model, extrapolation, states, transitions, tools, remark) and `queries.csv` (model,
query, verdict, tools, remark), and the models that they name. Rows on which the tools differ are left out; with
inclusion, transitions depend on the order of the search and are not compared. Ends with 1 if something differs.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from pathlib import Path

from ouroboros.checking import check, explore
from ouroboros.engine.team import Team
from ouroboros.errors import InputError, SelfCheckError
from ouroboros.languages import load
from ouroboros.languages.uppaal import UppaalModel

_ARGUMENT = re.compile(r"\b(\w+?)((?:_(?:pid|i|T|id)_\d+)+)\.")


class Tally:
    def __init__(self, team: Team) -> None:
        self.team = team
        self.equal = self.refused = self.differs = 0

    def say(self, text: str) -> None:
        if self.team.leads:
            print(text, flush=True)

    def row(self, same: bool, text: str) -> None:
        self.equal += same
        self.differs += not same
        if not same:
            self.say(f"differs  {text}")

    def refuse(self, text: str) -> None:
        self.refused += 1
        self.say(f"refused  {text}")


def counts(directory: Path, most: int, match: str, tally: Tally) -> None:
    with (directory / "counts.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if match in row["model"]]
    for row in rows:
        if not row["states"] or " with " in row["model"]:
            continue
        if int(row["states"]) > most:
            continue
        name = f"{row['model']} {row['extrapolation']}"
        try:
            model = load(directory / row["model"])
        except InputError as error:
            tally.refuse(f"{name}: {error.message}")
            continue
        assert isinstance(model, UppaalModel)
        if row["extrapolation"] == "M+":
            model = model.with_equal_bounds()
        inclusion = "inclusion" in row["extrapolation"] and model.system.zone is not None
        numbers = explore(model, inclusion=inclusion, team=tally.team).statistics
        found, expected = (numbers.states, numbers.transitions), (int(row["states"]), int(row["transitions"]))
        if inclusion:
            found, expected = found[:1], expected[:1]
        speed = f"{numbers.states / max(numbers.cpu_seconds, 1e-9):,.0f} states/s"
        tally.say(f"{name}: {numbers.states:,} states, {numbers.transitions:,} transitions, {speed}")
        tally.row(found == expected, f"{name}: {expected} by {row['tools']}, {found} here")


def queries(directory: Path, match: str, skipped: set[str], tally: Tally) -> None:
    with (directory / "queries.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if match in row["model"] and row["verdict"]]
    for row in rows:
        if row["model"] in skipped:
            continue
        text = _ARGUMENT.sub(_process, row["query"])
        name = f"{row['model']}: {text}"
        try:
            model = load(directory / row["model"])
            assert isinstance(model, UppaalModel)
            if text.startswith("LTL "):
                report = check(model, ltl=[text.removeprefix("LTL ")], team=tally.team)
            else:
                report = check(model.with_query(text), properties=[text], team=tally.team)
        except InputError as error:
            tally.refuse(f"{name}: {error.message}")
            continue
        except SelfCheckError as error:
            tally.row(False, f"{name}: {error}")
            continue
        asked = text.removeprefix("LTL ")
        verdict = next(answer for answer in report.answers if answer.property == asked).verdict
        tally.row(verdict.value == row["verdict"], f"{name}: {row['verdict']} by {row['tools']}, {verdict} here")


def _process(found: re.Match[str]) -> str:
    """TChecker's names of processes have the parameters' names in them."""
    values = re.findall(r"_\w+?_(\d+)", found.group(2))
    return f"{found.group(1)}({','.join(values)})."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--states", type=int, default=600_000, help="leave out larger models")
    parser.add_argument("--match", default="", help="only models with this in their names")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    tally = Tally(Team(options.workers))
    counts(options.directory, options.states, options.match, tally)
    with (options.directory / "counts.csv").open() as file:
        large = {row["model"] for row in csv.DictReader(file) if int(row["states"] or 0) > options.states}
    queries(options.directory, options.match, large, tally)
    tally.say(f"{tally.equal} rows are equal, {tally.refused} refused, {tally.differs} differ")
    return int(tally.differs > 0)


if __name__ == "__main__":
    sys.exit(main())
