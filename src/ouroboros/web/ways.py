"""The way along a run in the explorer: which of the possible steps each step of the run is."""

from __future__ import annotations

from ouroboros.system.choices import Part
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System
from ouroboros.verdict.trace import Trace, TraceStep
from ouroboros.web.walks import LONGEST_PATH, LayoutChanged, Path, Walks

_LONGEST = 2_000
"""Steps of a run that are looked up among the possible ones."""
_DEEPEST = 200
"""Single steps that one step of the run may be made of, where the model has sequences that nobody interrupts."""
_MOST_TRIED = 2_000


def way_along(trace: Trace, walks: Walks, start: Path | None) -> list[int] | None:
    """The path that leads along a run; None where it is too long, or goes another way."""
    if len(trace.steps) > _LONGEST or len(start or ()) + len(trace.steps) > LONGEST_PATH:
        return None
    try:
        return _Way(trace, walks).along(start)
    except LayoutChanged:
        return None


class _Way:
    def __init__(self, trace: Trace, walks: Walks) -> None:
        self._trace = trace
        self._walks = walks
        self._system: System = walks.model.system
        by_name = {item.name: item for item in self._system.layout.fields}
        self._fields: list[tuple[Field, Field]] | None = None
        if self._system.foreign:
            self._fields = []
        elif all(item.name in by_name for item in trace.fields):
            self._fields = [(by_name[item.name], item) for item in trace.fields]

    def along(self, start: Path | None) -> list[int] | None:
        if self._fields is None:
            return None
        if start:
            path, state = list(start), self._walks.state(start)
        else:
            begins = [at for at, state in enumerate(self._system.initial) if self._same(state, self._trace.initial)]
            if not begins:
                return None
            path, state = [begins[0]], self._system.initial[begins[0]]
        for step in self._trace.steps:
            if step.stutters or step.repeats:
                break  # nothing happens any more
            found = self._step(state, step)
            if found is None:
                return None
            numbers, reached = found
            path += numbers
            if reached is None:
                break
            state = reached
        return path

    def _step(self, state: Vector, step: TraceStep) -> tuple[list[int], Vector | None] | None:
        """The single steps that a step of the run is made of, the fewest, and where they lead."""
        told = [(part.process, part.text) for part in self._trace.parts(step)]
        waiting: list[tuple[list[int], Vector]] = [([], state)]
        tried = 0
        while waiting:
            numbers, at = waiting.pop(0)
            possible = self._walks.steps(at)
            fitting = [
                (told != [(part.process, part.text) for part in self._parts(each)], number)
                for number, each in enumerate(possible)
                if self._same(each.state, step.state)
            ]
            if fitting:
                number = min(fitting)[1]
                return [*numbers, number], possible[number].state
            tried += 1
            if tried < _MOST_TRIED and len(numbers) < _DEEPEST:
                waiting += [
                    ([*numbers, number], each.state)
                    for number, each in enumerate(possible)
                    if each.state is not None and self._is_on_the_way(each.state)
                ]
        return None

    def _is_on_the_way(self, state: Vector) -> bool:
        """Whether somebody has control, so that this is no state of the graph."""
        control = self._system.exclusive
        return control is not None and self._system.layout.read(state, control.field) != 0

    def _parts(self, step: Step) -> tuple[Part, ...]:
        return step.parts or self._system.parts(step.action)

    def _same(self, state: Vector | None, other: Vector | None) -> bool:
        if state is None or other is None:
            return state is other
        shown = self._system.shown(state)
        if shown is not None:
            return shown == self._trace.system.shown(other)
        read, read_other = self._system.layout.read, self._trace.system.layout.read
        return all(
            read(state, mine, index) == read_other(other, theirs, index)
            for mine, theirs in self._fields or ()
            for index in range(theirs.elements)
        )
