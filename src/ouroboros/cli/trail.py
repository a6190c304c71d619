"""`--trail`: a counterexample for Spin to replay."""

from __future__ import annotations

import sys
from pathlib import Path

from ouroboros.errors import UsageError
from ouroboros.languages import Model
from ouroboros.trace.trail import trail
from ouroboros.verdict.report import Report


def confirm_has_trails(model: Model) -> None:
    if not model.abilities.trails:
        raise UsageError("--trail: only a Promela model has a trail that Spin can replay")


def write_trail(report: Report, model: str) -> None:
    """Write the trace of the report, if it has one, where Spin looks for it."""
    if report.trace is None:
        return
    path = Path(f"{model}.trail")
    try:
        path.write_text(trail(report.trace), encoding="ascii")
    except OSError as error:
        raise UsageError(f"--trail: {path} cannot be written: {error.strerror}") from None
    print(f"trail written to {path}: spin -t -p {model} replays it", file=sys.stderr)
