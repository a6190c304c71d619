"""A trace as a trail, which `spin -t` replays: a line for each statement, `step:pid:number`.

The numbers are those that Spin gives to the statements of a model as it reads them. A handshake is two statements; the
cycle of a lasso begins after a line of its own. A claim or formula is left out: the steps are those of the system.
"""

from __future__ import annotations

import re

from ouroboros.verdict.trace import Trace

_PID = re.compile(r"\[(\d+)\]$")
_CYCLE = "-1:-1:-1"


def trail(trace: Trace) -> str:
    """The text of a trail."""
    lines: list[str] = []
    for number, step in enumerate(trace.steps):
        if number == trace.loop_start:
            lines.append(_CYCLE)
        for part in trace.parts(step):
            pid = _PID.search(part.process)
            if part.number is not None and pid:
                lines.append(f"{len(lines) + 1 - lines.count(_CYCLE)}:{pid[1]}:{part.number}")
    return "".join(f"{line}\n" for line in lines)
