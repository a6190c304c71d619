"""A counterexample as a sequence of steps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import overload

from ouroboros.library.states import State, Step, place_of
from ouroboros.trace.text import head_of
from ouroboros.verdict import trace as confirmed


class Trace(Sequence[Step]):
    """A run that the interpreter has confirmed, from an initial state on."""

    def __init__(self, trace: confirmed.Trace) -> None:
        self._trace = trace

    @cached_property
    def _hidden(self) -> frozenset[object]:
        return frozenset(self._trace.system.layout.fields) - frozenset(self._trace.fields)

    def _state(self, vector: tuple[int, ...]) -> State:
        return State(self._trace.system, vector, frozenset(self._hidden))  # type: ignore[arg-type]  # what is hidden are fields of this system

    @cached_property
    def _steps(self) -> tuple[Step, ...]:
        trace = self._trace
        made = []
        before = self.initial
        for step in trace.steps:
            after = None if step.state is None else self._state(step.state)
            head = head_of(trace, step)
            place = place_of([part.span for part in trace.parts(step)], head.statement)
            failure = step.failure.message if step.failure else None
            made.append(Step(head.processes, head.statement, place, before, after, failure))
            before = after or before
        return tuple(made)

    @cached_property
    def initial(self) -> State:
        """The state that the run begins in."""
        return self._state(self._trace.initial)

    @property
    def states(self) -> Iterator[State]:
        """All states on the way, the initial one first."""
        yield self.initial
        yield from (step.after for step in self._steps if step.after is not None)

    @property
    def message(self) -> str:
        """What is wrong at its end."""
        return self._trace.violation.message

    @property
    def loop_start(self) -> int | None:
        """For a run that goes on for ever: how many steps lead to the state that the last step returns to."""
        return self._trace.loop_start

    @property
    def cycle(self) -> Sequence[Step]:
        """The steps that are repeated for ever; none where the run ends."""
        return () if self.loop_start is None else self._steps[self.loop_start :]

    @overload
    def __getitem__(self, index: int) -> Step: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Step]: ...
    def __getitem__(self, index: int | slice) -> Step | Sequence[Step]:
        return self._steps[index]

    def __len__(self) -> int:
        return len(self._trace.steps)

    def __repr__(self) -> str:
        cycle = "" if self.loop_start is None else f", the last {len(self.cycle)} for ever"
        return f"<Trace of {len(self)} steps{cycle}: {self.message}>"

    def _repr_html_(self) -> str:
        from ouroboros.library.html import trace_html

        return trace_html(self)

    def __str__(self) -> str:
        """As on the terminal."""
        from io import StringIO

        from ouroboros.report.page import Page
        from ouroboros.report.trace import WHAT_SUITS, write_trace

        stream = StringIO()
        write_trace(self._trace, Page(stream), WHAT_SUITS)
        return stream.getvalue()
