"""The control flow of a body: which statement leads from which place to which.

The places are Spin's, so that states can be counted alike. Every statement has a place before it; so has an `if`, a
`do`, and a block, though what can be done there is what can be done at its beginning. A `goto` or `break` and the end
of an `if` are no places of their own: they are folded into the step before, unless there is none, or that step would
leave an atomic sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.elements import Basic, Death, Element, Jump, Run, all_elements
from ouroboros.languages.promela.flow.structure import Structure
from ouroboros.languages.promela.read import ast

_MOST_JUMPS = 500


class Step(NamedTuple):
    """A transition of the automaton of a process."""

    element: Element
    target: Element | None
    """None after death."""
    keeps: bool
    """Whether the process goes on without interruption."""

    @property
    def statement(self) -> Basic | Jump | Death | ast.DStep:
        return self.element.statement


class Group(NamedTuple):
    """Steps that compete; `otherwise` is the `else` among them."""

    steps: tuple[Step, ...]
    otherwise: Step | None


class Flow:
    """The automaton of a body, from `start` on; `at` gives the steps at each place that can be reached."""

    def __init__(self, process: ast.Process) -> None:
        structure = Structure(process)
        self.start = _hunt(structure.body.first, structure.body.first)
        self.labels = structure.labels
        self.body = structure.body
        self.elements = structure.count
        """How many elements Spin makes of this body."""
        self.first_number = 0
        """The number of elements in all bodies before this one."""
        self.at: dict[Element, tuple[Group, ...]] = {}
        """The groups of steps at a place; the first that has an enabled one wins."""
        waiting = [self.start]
        for place in waiting:
            if place in self.at:
                continue
            self.at[place] = tuple(_group(steps) for steps in _competing(place))
            for group in self.at[place]:
                for step in (*group.steps, *([group.otherwise] if group.otherwise else [])):
                    if step.target:
                        waiting.append(step.target)
        self._special = {place: _labels_at(place) for place in self.at}

    def number_of(self, element: Element) -> int:
        """The number by which Spin knows a statement of the model."""
        return self.first_number + element.number

    def is_at(self, place: Element, prefix: str) -> bool:
        """Whether a place has a label that begins with a word: `end`, `accept` or `progress`."""
        return any(name.startswith(prefix) for name in self._special[place])

    def place_of(self, name: str) -> Element | None:
        """The place that has a label, if it can be reached."""
        for label, element in self.labels.items():
            if label.name == name and element in self.at:
                return element
        return None


def steps_at(flow: Flow, place: Element) -> Iterator[Step]:
    """All that can be done at a place, whatever competes with it."""
    for group in flow.at[place]:
        yield from group.steps
        if group.otherwise:
            yield group.otherwise


def number_statements(model: ast.Model, flows: dict[str, Flow]) -> None:
    """Number the statements of all bodies in one row, in the order of the text, as Spin does."""
    first = 0
    others = [*model.claims, *([model.events] if model.events else [])]
    for process in sorted((*model.processes, *others), key=lambda process: process.order):
        flow = Flow(process) if process in others else flows[process.name]
        flow.first_number = first
        first += flow.elements


class DStepFlow:
    """The automaton of a d_step's body; a step with no target leaves it."""

    def __init__(self, step: Element) -> None:
        self.start = _start_of(step.options[0])
        self.exit = step.next
        self.at: dict[Element, tuple[Step, ...]] = {}
        inside = set(all_elements(step.options[0]))
        waiting = [self.start]
        for place in waiting:
            if place in self.at:
                continue
            found = []
            for each in _steps(place):
                target = each.target if each.target in inside else None
                found.append(each._replace(target=target))
                if target:
                    waiting.append(target)
            # The first that is enabled is taken, and an `else` comes last.
            self.at[place] = tuple(sorted(found, key=lambda each: isinstance(each.statement, ast.Else)))


def _competing(place: Element) -> list[list[Step]]:
    """The steps of each escape, outer ones first, and then those of the place itself."""
    escapes = list(place.escapes)
    start = place
    while start.kind in ("block", "unless"):
        # What can be done at a block is what can be done at its beginning, and that may be left by more escapes.
        start = _start_of(start.options[0])
        escapes += [escape for escape in start.escapes if escape not in escapes]
    return [*(list(_steps(_start_of(escape))) for escape in escapes), list(_steps(place))]


def _group(steps: list[Step]) -> Group:
    otherwise = [step for step in steps if isinstance(step.statement, ast.Else)]
    if len(otherwise) > 1:
        raise InputError("a choice has two `else`", otherwise[1].element.span)
    others = tuple(step for step in steps if not isinstance(step.statement, ast.Else))
    return Group(others, otherwise[0] if otherwise else None)


def _labels_at(place: Element) -> set[str]:
    """The labels of a place and of what stands at its beginning."""
    labels = set(place.labels)
    if place.kind in ("choice", "block"):
        for option in place.options:
            labels |= _labels_at(_start_of(option))
    return labels


def _start_of(run: Run) -> Element:
    element = run.first
    while True:
        if element.kind == "join" and element.next:
            element = element.next
        elif element.kind == "unless":
            element = element.options[0].first
        else:
            return element


def _steps(place: Element) -> Iterator[Step]:
    """What can be done at a place, escapes aside."""
    match place.kind:
        case "choice" | "block":
            for option in place.options:
                yield from _steps(_start_of(option))
        case "unless":
            yield from _steps(_start_of(place.options[0]))
        case "end":
            yield Step(place, None, False)
        case "goto":
            assert place.target
            yield Step(place, _hunt(place.target, place), place.inside)
        case _:
            following = place.next
            assert following
            yield Step(place, _hunt(following, place), place.inside)


def _hunt(element: Element, origin: Element) -> Element:
    """Where a step that leads to an element comes to rest: jumps are followed, but not out of an atomic sequence."""
    for _ in range(_MOST_JUMPS):
        match element.kind:
            case "goto":
                following = element.target
            case "join":
                following = element.next
            case "unless":
                following = _hunt(element.options[0].first, origin)
            case _:
                return element
        if following is None or (origin.inside and not following.inside):
            return element
        element = following
    raise InputError("the jumps from here lead round in a circle", origin.span)
