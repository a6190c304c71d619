"""Where the time of a search goes: in each phase, by kernel, and between kernels.

    python bench/phases.py check MODEL [OPTIONS…]      the arguments of `ouro`

Runs the command in this process, and counts calls of the engine's kernels and their time. A kernel is made ready before
its first call is counted. The machine code of a model is called by the kernels that expand. With several workers the
numbers are those of the first.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ouroboros.cli import main as ouro
from ouroboros.jit import kernels
from ouroboros.search.graph_search import GraphSearch


@dataclass
class Phase:
    """A stretch of time between two ends of phases."""

    begun: float
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    ready: float = 0.0
    """Seconds in which kernels were made ready."""
    ended: float = 0.0


class Clock:
    """Counts the calls of kernels for the phase that is going on."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Phase]] = []
        self._phase: Phase | None = None

    def call(self, kernel: Any, arguments: tuple[Any, ...]) -> Any:
        started = time.perf_counter()
        phase = self._phase = self._phase or Phase(started)
        prepared = kernel.prepared(arguments[-1] if arguments else 0)
        ready = time.perf_counter()
        result = prepared(*arguments)
        phase.ended = time.perf_counter()
        name = f"{kernel.function.__module__}.{kernel.function.__qualname__}".removeprefix("ouroboros.")
        phase.ready += ready - started
        phase.seconds[name] += phase.ended - ready
        phase.calls[name] += 1
        return result

    def end_phase(self, name: str) -> None:
        if self._phase:
            self._phase.ended = time.perf_counter()
            self.done.append((name, self._phase))
        self._phase = Phase(time.perf_counter())

    def finish(self) -> None:
        if self._phase and self._phase.calls:
            self.done.append(("search" if not self.done else "afterwards", self._phase))


def watch(clock: Clock) -> None:
    """Have the engine's kernels and the ends of phases tell the clock."""
    for kind in (kernels._Kernel, kernels._ByWidth):
        setattr(kind, "__call__", lambda kernel, *arguments: clock.call(kernel, arguments))  # noqa: B010 - kernels have no such attribute to assign, says mypy
    end_phase: Callable[..., None] = GraphSearch.end_phase

    def end(search: GraphSearch, name: str, states: int) -> None:
        end_phase(search, name, states)
        clock.end_phase(name)

    setattr(GraphSearch, "end_phase", end)  # noqa: B010 - likewise


def show(name: str, phase: Phase) -> None:
    total = phase.ended - phase.begun
    print(f"\n{name}: {total:.3f} s", file=sys.stderr)
    rows = [(seconds, str(phase.calls[kernel]), kernel) for kernel, seconds in phase.seconds.items()]
    rows += [
        (phase.ready, "", "kernels are made ready"),
        (total - sum(row[0] for row in rows) - phase.ready, "", "else"),
    ]
    for seconds, calls, what in sorted(rows, reverse=True):
        if seconds >= total / 1000:
            print(f"  {seconds:8.3f} s {seconds / max(total, 1e-9):6.1%} {calls:>9}  {what}", file=sys.stderr)


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    clock = Clock()
    watch(clock)
    code: Any = 0
    try:
        code = ouro()
    except SystemExit as end:
        code = end.code
    clock.finish()
    for name, phase in clock.done:
        show(name, phase)
    sys.exit(code)


if __name__ == "__main__":
    main()
