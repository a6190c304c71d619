"""Properties that an automaton watches for: it accepts the runs that violate them."""

from __future__ import annotations

from dataclasses import dataclass

from ouroboros.errors import InputError
from ouroboros.ltl import Automaton, Edge, Formula
from ouroboros.source import Span
from ouroboros.system.expressions import Constant, Expression
from ouroboros.system.model import PropertyAutomaton, Proposition

MOST_ATOMS = 60
"""A valuation is one word of 64 bits, and the engine needs a few of them for itself."""


@dataclass(frozen=True, eq=False)
class Response:
    """Whenever p holds, q holds then or later."""

    name: str
    p: Proposition
    q: Proposition
    stutters: bool
    """Whether a run may stay in a state for ever, unless the user says otherwise."""
    formula: Formula | None = None


@dataclass(frozen=True, eq=False)
class Watched:
    """A property, and the automaton that finds its violations."""

    name: str
    automaton: Automaton
    propositions: tuple[Proposition, ...]
    """What each atom of the automaton stands for."""
    locations: tuple[str, ...]
    """The names of the automaton's states."""
    formula: Formula | None = None
    """None where the model brings the automaton along."""
    response: Response | None = None
    """What the formula says, if that is all that it says."""
    infinite: bool = False
    """Whether runs that end are none of its business."""
    fair: bool = False
    """Whether it is about fair runs alone."""
    stutters: bool = False
    """Whether an automaton that the model brings along does not mind how often a state is repeated."""


def from_model(brought: PropertyAutomaton) -> Watched:
    """The atoms of the automaton are the different guards of its steps."""
    atoms: dict[Expression, Proposition] = {}
    edges: list[list[Edge]] = [[] for _ in brought.states]
    for step in brought.steps:
        match step.guard:
            case Constant(0):
                continue
            case Constant():
                edges[step.origin].append(Edge(0, 0, step.target))
            case guard:
                atoms.setdefault(guard, Proposition(" ".join(step.text.split()), guard, step.span))
                bit = 1 << list(atoms).index(guard)
                edges[step.origin].append(Edge(bit, bit, step.target))
    confirm_room(len(atoms), f"the property automaton {brought.name} has", "different guards", None)
    automaton = Automaton(
        atoms=tuple(proposition.name for proposition in atoms.values()),
        initial=brought.initial,
        edges=tuple(map(tuple, edges)),
        accepting=tuple(state in brought.accepting for state in range(len(brought.states))),
    )
    return Watched(
        brought.name,
        automaton,
        tuple(atoms.values()),
        brought.states,
        infinite=brought.infinite,
        stutters=brought.stutters,
    )


def confirm_room(count: int, subject: str, things: str, span: Span | None) -> None:
    if count > MOST_ATOMS:
        raise InputError(f"{subject} {count} {things}, and at most {MOST_ATOMS} can be told apart in a state", span)
