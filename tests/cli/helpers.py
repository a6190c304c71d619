"""Running the command inside the test, where starting a process would only cost time."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any, NamedTuple

from ouroboros.cli import main

MODELS = Path(__file__).parent / "models"


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


def said(err: str) -> str:
    """What a run says, but for the note that kernels are compiled: which run meets a length first depends on order."""
    return "".join(line for line in err.splitlines(keepends=True) if not line.startswith("compiling the "))


def ouro(*arguments: object) -> Ran:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as end:
            return Ran(int(end.code or 0), out.getvalue(), said(err.getvalue()))
    raise AssertionError("main did not exit")
