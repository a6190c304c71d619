"""A counterexample for the page: its steps in words, and of each state what it has that the one before has not.

That is all that a page needs to show any state of the run, also one that no server stands behind. For the server there
are the values of the fields besides, by name: its own copy of the model may have other places for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.choices import Part
from ouroboros.system.interpret import evaluate
from ouroboros.system.layout import WORD_BITS, Field, Vector
from ouroboros.system.model import Proposition
from ouroboros.trace.text import head_of, inner_heads, told_moment
from ouroboros.verdict.trace import Trace, TraceStep
from ouroboros.web.drawn import automaton_graph
from ouroboros.web.told import CLOCKS, VALUES, Data, Teller, fields_of, spans_of, told_head

FOR_THE_SERVER = ("fields", "values", "written")
"""What the page has no use for."""


def told_trace(trace: Trace) -> Data:
    fields = fields_of(trace)
    heads: dict[tuple[Part, ...], int] = {}
    told_heads: list[Data] = []

    def head(step: TraceStep) -> int:
        parts = trace.parts(step)
        if not parts or parts not in heads:
            heads[parts] = len(told_heads)
            told_heads.append(
                {
                    **told_head(head_of(trace, step)),
                    "processes": list(dict.fromkeys(part.process for part in parts)),
                    "lines": [span.line for span in spans_of(trace.system, parts)],
                }
            )
        return heads[parts]

    return {
        "message": trace.violation.message,
        "kind": trace.violation.kind,
        "warnings": list(trace.warnings),
        "loop": trace.loop_start,
        "components": Teller(trace).names,
        "initial": Teller(trace).state(trace.initial),
        "steps": [{"head": head(step), **each} for step, each in zip(trace.steps, _steps(trace), strict=True)],
        "heads": told_heads,
        "dues": [{"action": due.action.name, "step": due.step, "told": str(due)} for due in trace.dues],
        "atoms": [{"text": one.name, "values": _truth(trace, one)} for one in _atoms(trace)],
        "automaton": _automaton(trace),
        "fields": [item.name for item in fields],
        "values": _values(trace, trace.initial, fields),
        "written": _written(trace, fields),
    }


def _steps(trace: Trace) -> Iterator[Data]:
    """Each step with what it changes, and the components that are not as they were."""
    teller = Teller(trace)
    touched = _Touched(trace)
    lit: set[str] = set()
    watcher = trace.watcher
    for number, step in enumerate(trace.steps, 1):
        before = trace.before(number)
        told: Data = {"changes": []}
        if step.within:
            told["inner"] = [told_head(head) for head in inner_heads(trace, step)]
        if trace.moments:
            told["time"] = told_moment(trace.moments[number - 1])
        if step.failure:
            told["fails"] = step.failure.message
        if step.state is not None:
            changes = trace.differences.between(before, step.state)
            names = {change.name for change in changes}
            told["changes"] = [[change.name, change.text] for change in changes]
            components = touched.between(before, step.state)
            told["touched"] = {
                name: teller.component(name, step.state, before, names)
                for name in teller.names
                if name in components or name in lit
            }
            # What was lit is told once more, so that it is lit no longer.
            lit = components
            if watcher:
                told["automaton"] = trace.system.layout.read(step.state, watcher.field)
        yield told


class _Touched:
    """Tells which components differ, from the bits that do."""

    def __init__(self, trace: Trace) -> None:
        layout = trace.system.layout
        self._places = {item.component for item in fields_of(trace) if item.told == "place"}
        self._zone = trace.system.zone
        self._words: list[dict[str, int]] = [{} for _ in range(layout.words)]
        self._foreign = trace.system.foreign is not None
        for item in fields_of(trace):
            name = CLOCKS if item is self._zone else item.component
            word, shift, width = layout.placements[item]
            for index in range(item.elements):
                at, low = divmod(shift + index * width, WORD_BITS)
                masks = self._words[word + at]
                masks[name] = masks.get(name, 0) | (1 << item.bits) - 1 << low
        self._names = {name for masks in self._words for name in masks}

    def between(self, before: Vector, after: Vector) -> set[str]:
        if self._foreign:
            return {VALUES} if before != after else set()
        found: set[str] = set()
        for masks, old, new in zip(self._words, before, after, strict=True):
            if old != new:
                found |= {name for name, mask in masks.items() if (old ^ new) & mask}
        # A process may be born or dead, and with it all that belongs to it.
        inside = {name for name in self._names for place in found & self._places if name.startswith(f"{place}.")}
        return found | inside


def _atoms(trace: Trace) -> Sequence[Proposition]:
    """What the property speaks of."""
    if trace.watcher:
        return trace.watcher.propositions
    return [trace.violation.proposition] if trace.violation.proposition else []


def _truth(trace: Trace, proposition: Proposition) -> str:
    """The truth in every state, one letter each."""
    states = [trace.initial, *(step.state for step in trace.steps if step.state is not None)]
    return "".join(_letter(trace, proposition, state) for state in states)


def _letter(trace: Trace, proposition: Proposition, state: Vector) -> str:
    try:
        return "1" if evaluate(trace.system, state, proposition.expression) else "0"
    except ExecutionError:
        return "?"


def _automaton(trace: Trace) -> Data | None:
    """What accepts the violating runs, and where it begins."""
    watcher = trace.watcher
    if watcher is None:
        return None
    return {
        **automaton_graph(watcher.automaton),
        "names": [watcher.field.show(state) for state in range(watcher.automaton.states)],
        "first": trace.system.layout.read(trace.initial, watcher.field),
    }


def _values(trace: Trace, state: Vector, fields: Sequence[Field]) -> list[list[int]]:
    read = trace.system.layout.read
    return [[read(state, item, index) for index in range(item.elements)] for item in fields]


def _written(trace: Trace, fields: Sequence[Field]) -> list[list[list[int]]]:
    """For each step the field, element and new value of all that it changes."""
    found: list[list[list[int]]] = []
    values = _values(trace, trace.initial, fields)
    before = trace.initial
    for step in trace.steps:
        if step.state is None or step.state == before:
            found.append([])
            continue
        after = _values(trace, step.state, fields)
        found.append(
            [
                [at, index, new]
                for at, (olds, news) in enumerate(zip(values, after, strict=True))
                if olds != news
                for index, (old, new) in enumerate(zip(olds, news, strict=True))
                if old != new
            ]
        )
        values, before = after, step.state
    return found
