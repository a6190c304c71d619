"""Where the oracles are: collections of models with what other checkers say of them, which are no part of the project.

The environment variable `OUROBOROS_ORACLES` names their folder, and they must then be there; `none` means to do
without. If it is not set, they are looked for in `shared/oracles` beside the checkout. Where there are none either,
what needs them is skipped, except in continuous integration, which sets `CI`: there nothing is skipped unless someone
said so.

    python -m tests.oracles.where     prints the folder; fails where oracles are required, and are not there
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "OUROBOROS_ORACLES"
_BESIDE = Path(__file__).resolve().parents[3] / "shared" / "oracles"


def locate(named: str | None, required: bool, beside: Path = _BESIDE) -> Path | None:
    """The folder, or None to do without; an error if it is named or required, and not there."""
    if named == "none":
        return None
    folder = Path(named).resolve() if named else beside
    if folder.is_dir():
        return folder
    if named or required:
        raise FileNotFoundError(
            f"there are no oracles in {folder}: name their folder by {VARIABLE}, or set {VARIABLE}=none to do without"
        )
    return None


def _chosen() -> Path | None:
    return locate(os.environ.get(VARIABLE), bool(os.environ.get("CI")))


if __name__ == "__main__":
    try:
        print(_chosen() or "no oracles: what needs them is skipped")
    except FileNotFoundError as error:
        sys.exit(str(error))
else:
    _found = _chosen()
    PRESENT = _found is not None
    ORACLES = _found or _BESIDE
    MICRO = ORACLES.parent / "promela" / "micro"
    """Promela models of a point of the language each, and beside them their table; they need not be there."""
