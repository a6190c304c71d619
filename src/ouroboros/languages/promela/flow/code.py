"""What the processes of a model may execute: all statements, and which of them lead to where another one is tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from ouroboros.languages.promela.flow.elements import Element, Run
from ouroboros.languages.promela.flow.flow import Flow, steps_at
from ouroboros.languages.promela.flow.written import Texts
from ouroboros.languages.promela.read import ast
from ouroboros.system.choices import Part
from ouroboros.system.model import CodeLine


def code_lines(processes: Iterable[ast.Process], flows: dict[str, Flow], texts: dict[str, Texts]) -> Iterator[CodeLine]:
    """A `d_step` is one statement, and a `goto` is one only where it is a step of its own."""
    for process in processes:
        flow = flows[process.name]
        first: set[Element] = set()
        after: dict[Element, set[int]] = defaultdict(set)
        places: dict[Element, set[Element]] = defaultdict(set)
        for place in flow.at:
            for step in steps_at(flow, place):
                places[step.element].add(place)
                if place is flow.start:
                    first.add(step.element)
                if step.target:
                    after[step.target].add(flow.number_of(step.element))
        written = [element for element in _executable(flow.body) if element not in places]
        for element in sorted((*places, *written), key=lambda element: element.number):
            part = Part(process.name, texts[process.name].of(element.statement), element.span, flow.number_of(element))
            leading = frozenset(number for place in places[element] for number in after[place])
            yield CodeLine(part, element in first, leading)


def _executable(run: Run) -> Iterator[Element]:
    """What would be a statement if control came there."""
    for element in run.elements[: run.extent]:
        if element.kind in ("basic", "d_step", "end"):
            yield element
        if element.kind != "d_step":
            for option in element.options:
                yield from _executable(option)
