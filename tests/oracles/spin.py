"""Promela models with the counts and verdicts of Spin 6.5.2, where the collections are at hand."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

from tests.oracles.where import MICRO, ORACLES, PRESENT

MOST_STATES = 3_000
MOST_STATES_OF_BEEM = 100_000

# After these errors Spin stops, or goes on with another state than it should.
_NOT_COMPARABLE = ("count-incomplete", "block in d_step", "invalid array index", "poll rendezvous")
# Embedded C; 255 processes; a division by zero, which is the end of `pan`; an atomic sequence that never ends.
_LEFT_OUT = ("m38_c_code.pml", "m43_run_limit.pml", "m40b_div0.pml", "m58_atomic_loop.pml")


class Row(NamedTuple):
    path: Path
    property: str
    verdict: str
    states: int | None
    transitions: int | None
    """Edges: one less than `pan` counts."""

    @property
    def name(self) -> str:
        return f"{self.path.stem}-{self.property}"


def rows(setting: str) -> list[Row]:
    """All rows of a setting; those for `neutral` are about safety."""
    found: list[Row] = []
    for folder, table in (
        (ORACLES / "spin", ORACLES / "spin_oracle.csv"),
        *([(MICRO, MICRO.with_suffix(".csv"))] if MICRO.is_dir() else []),
    ):
        for row in _table(table):
            comparable = not any(text in row["note"] + row["error_kind"] for text in _NOT_COMPARABLE)
            if row["setting"] == setting and row["verdict"] in ("ok", "error") and row["file"] not in _LEFT_OUT:
                states = int(row["states"]) if row["states"] and comparable else None
                if states is None or states <= MOST_STATES:
                    transitions = int(row["transitions"]) - 1 if states is not None else None
                    found.append(Row(folder / row["file"], row["property"], row["verdict"], states, transitions))
    return found


def beem() -> list[Row]:
    return [
        Row(
            ORACLES / "beem_promela" / row["model"],
            "safety",
            row["verdict"],
            int(row["neutral_states"]),
            int(row["neutral_transitions"]) - 1,
        )
        for row in _table(ORACLES / "beem_promela.csv")
        if row["neutral_states"] and int(row["neutral_states"]) <= MOST_STATES_OF_BEEM
    ]


def _table(path: Path) -> list[dict[str, str]]:
    if not PRESENT:
        return []
    with path.open(errors="replace") as file:
        return list(csv.DictReader(file))
