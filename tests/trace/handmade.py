"""Small systems, built by hand in the intermediate language: these tests depend on no front end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ouroboros.errors import InputError
from ouroboros.languages import Abilities
from ouroboros.ltl import Automaton, Edge
from ouroboros.source import Source, Span
from ouroboros.system.blocks import Assign, Require
from ouroboros.system.choices import Action, All, Do, Part
from ouroboros.system.expressions import Binary, Constant, Expression, Read, equal
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import AutomatonStep, Failure, PropertyAutomaton, Proposition, System
from ouroboros.system.product import with_automaton_field
from ouroboros.verdict.trace import Watcher

LINES = ["process A", "  idle -> busy", "process B", "  turn = turn + 1", "  slot[turn] = 1", "  check slot[0]"]


@dataclass(frozen=True)
class HandmadeModel:
    system: System
    abilities: ClassVar = Abilities()

    def proposition(self, source: Source) -> Proposition:
        """Only `FIELD == NUMBER` can be said of a handmade model."""
        fields = {item.name: item for item in self.system.layout.fields}
        text = source.text.strip()
        start = source.text.index(text)
        name, _, number = text.partition(" == ")
        if name not in fields:
            raise InputError(f"unknown name {name}", Span(source, start, start + len(name)))
        if not number.isdigit():
            raise InputError("a number is expected here", Span(source, start, start + len(text)))
        return Proposition(text, equal(fields[name], int(number)), Span(source, start, start + len(text)))


def counter(
    last: int,
    *,
    slots: int = 8,
    bound: int | None = None,
    automaton: bool = False,
    loop: bool = False,
    extends: bool = False,
) -> HandmadeModel:
    """A counts to `last` and marks a slot at each step, together with B, whose location follows; then nothing goes on.

    With fewer slots than steps an index is out of range. With `bound`, turn is asserted to stay below it. With `loop`,
    A starts again at zero. With `extends`, a run that ends repeats its last state for ever.
    """
    source = Source("counter.handmade", "\n".join(LINES))
    turn = Field("turn", "globals", 8)
    slot = Field("slot", "globals", 8, length=slots, initial=(0,) * slots)
    place = Field("B", "B", 1, value_names=("idle", "busy"))

    def part(process: str, line: int) -> Part:
        start = sum(len(text) + 1 for text in LINES[: line - 1])
        return Part(process, LINES[line - 1], Span(source, start, start + len(LINES[line - 1])))

    count = Action(
        (part("A", 4), part("B", 5)),
        (
            Assign(slot, Read(turn), Constant(1), 0),
            Assign(turn, None, Binary("+", Read(turn), Constant(1))),
            Assign(place, None, Binary("%", Read(turn), Constant(2), 1)),
        ),
        Binary("<", Read(turn), Constant(last)),
    )
    again = Action((part("A", 2),), (Assign(turn, None, Constant(0)),), equal(turn, last))
    never = Action((part("A", 6),), (Require(Constant(0), 2),), equal(turn, 255))
    actions = (count, never, *([again] if loop else []))
    property_automaton = PropertyAutomaton(
        "progress", ("start",), 0, frozenset({0}), (AutomatonStep(0, 0, Constant(1), "start -> start", None),)
    )
    layout = Layout((turn, slot, place))
    system = System(
        name="counter",
        language="handmade",
        source=source,
        layout=layout,
        initial=(layout.initial(),),
        actions=actions,
        choices=All(tuple(Do(index) for index in range(len(actions)))),
        failures=(
            Failure("index", "index out of range: slot has too few elements", part("B", 5).span),
            Failure("division", "division by zero", None),
            Failure("assertion", "assertion fails", part("B", 6).span),
        ),
        assertions=(Proposition("turn stays small", Binary("<", Read(turn), Constant(bound))),) if bound else (),
        automata=(property_automaton,) if automaton else (),
        processes=("A", "B"),
        extends_finite_runs=extends,
    )
    return HandmadeModel(system)


def below(model: HandmadeModel, bound: int) -> Expression:
    return Binary("<", Read(model.system.layout.fields[0]), Constant(bound))


AWAY = 1
"""The accepting state of the automaton below."""


def watched(model: HandmadeModel) -> tuple[System, Watcher]:
    """Beside the model, an automaton that accepts a run on which turn is not 0 from some time on: `<>[] turn != 0`."""
    turn = model.system.layout.fields[0]
    zero = Proposition("turn == 0", equal(turn, 0))
    automaton = Automaton(("turn == 0",), 0, ((Edge(0, 0, 0), Edge(1, 0, AWAY)), (Edge(1, 0, AWAY),)), (False, True))
    system, field = with_automaton_field(model.system, ("home", "away"), 0)
    return system, Watcher(automaton, (zero,), field)


def placed(system: System, watcher: Watcher, state: Vector, location: int) -> Vector:
    """The state with the automaton in another place."""
    words = list(state)
    system.layout.write(words, watcher.field, 0, location)
    return tuple(words)
