"""Ten counterexamples in 80 columns, as they were compared with what `spin -t -p -g -l` shows of the same models.

Each model has beside it the text of its traces. `docs/traces.md` says what was looked for.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from ouroboros.checking import check
from ouroboros.languages import load
from ouroboros.report.page import Page
from ouroboros.report.trace import TraceView, write_trace

TRACES = Path(__file__).parent / "traces"
MODELS = sorted(TRACES.glob("*.pml"))
_CODES = re.compile(r"\x1b\[\d*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def traces(model: Path) -> str:
    """What a terminal of 80 columns shows of the traces of a model."""
    stream = Terminal()
    page = Page(stream)
    for answer, trace in check(load(model), reductions=()).traces:
        page.line(f"{answer.property}: {answer.reason}")
        write_trace(trace, page, TraceView("full"))
    return _CODES.sub("", stream.getvalue())


def test_there_are_ten() -> None:
    assert len(MODELS) == 10


@pytest.mark.parametrize("model", MODELS, ids=lambda path: path.stem)
def test_the_traces_of(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    shown = traces(model)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown == model.with_suffix(".txt").read_text(encoding="utf-8")
