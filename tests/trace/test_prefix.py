"""A violated safety formula is shown as the shortest run that decides it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.report.json import report_data
from ouroboros.verdict.trace import Trace

MODEL = """
byte x = 0;
active proctype P() { do :: x < 10 -> x++ :: x == 10 -> x = 0 od }
active proctype Q() { byte y; do :: y = 1 - y od }
"""


def trace_of(path: Path, formula: str, **options: object) -> Trace:
    file = path / "model.pml"
    file.write_text(MODEL)
    report = check(load(file), ltl=[formula], **options)  # type: ignore[arg-type]  # a table has them
    assert report.trace
    data = report_data(report)["trace"]
    assert ("loop" in data) == (report.trace.loop_start is not None)
    assert data["#meta"]["violation"]["kind"] == report.trace.violation.kind
    return report.trace


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize(("formula", "steps"), [("[] (x < 3)", 6), ("[] (x < 0)", 0), ("(x < 2) W (x == 5)", 4)])
def test_a_safety_formula_is_false_at_a_step(tmp_path: Path, algorithm: str, formula: str, steps: int) -> None:
    trace = trace_of(tmp_path, formula, algorithm=algorithm, reductions=())
    where = f"at step {len(trace.steps)}" if steps else "in the initial state"
    assert trace.violation.message == f"false {where}, whatever follows"
    assert (trace.violation.kind, trace.loop_start) == ("prefix", None)
    # Nested search goes deep first.
    assert len(trace.steps) == steps or (algorithm == "ndfs" and len(trace.steps) > steps)


def test_what_only_an_infinite_run_violates_stays_a_lasso(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, "<> (x == 3)")
    assert (trace.violation.kind, trace.loop_start is None) == ("cycle", False)
    assert f"a cycle of {len(trace.steps) - (trace.loop_start or 0)}" in trace.violation.message.replace("one", "1")
