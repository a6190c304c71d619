"""The System: the one small language that every front end lowers to."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from ouroboros.source import Source, Span
from ouroboros.system.choices import Action, Choice
from ouroboros.system.expressions import Expression
from ouroboros.system.layout import Layout, Vector

FailureKind = Literal["assertion", "index", "division", "overflow", "loop"]


Overflow = Literal["error", "wrap"]
"""What an assignment does with a value that does not fit its variable: fail, or keep the low bits as C does."""


class Failure(NamedTuple):
    """A place in the model where execution can go wrong."""

    kind: FailureKind
    message: str
    span: Span | None


class Proposition(NamedTuple):
    """A named predicate over states."""

    name: str
    expression: Expression
    span: Span | None = None


class AutomatonStep(NamedTuple):
    """A transition of a property automaton; it goes with a step of the system from a state where `guard` holds."""

    origin: int
    target: int
    guard: Expression
    text: str
    span: Span | None


class ResponseProperty(NamedTuple):
    """Whenever p holds, q holds then or later."""

    name: str
    p: Expression
    q: Expression
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class PropertyAutomaton:
    """A Büchi automaton that the model brings along: it accepts the runs that violate the property."""

    name: str
    states: tuple[str, ...]
    initial: int
    accepting: frozenset[int]
    steps: tuple[AutomatonStep, ...]


@dataclass(frozen=True, eq=False)
class System:
    """A state layout plus a choice tree of actions."""

    name: str
    language: str
    source: Source
    layout: Layout
    initial: tuple[Vector, ...]
    actions: tuple[Action, ...]
    choices: Choice
    failures: tuple[Failure, ...] = ()
    evaluation_bits: Literal[32, 64] = 32
    assertions: tuple[Proposition, ...] = ()
    """Predicates that the model asserts of every reachable state."""
    automata: tuple[PropertyAutomaton, ...] = ()
    responses: tuple[ResponseProperty, ...] = ()
    processes: tuple[str, ...] = ()
    locals: int = 0
    """Temporaries that the greediest action uses."""
    extends_finite_runs: bool = field(default=False)
    """Whether a run that ends is taken to repeat its last state for ever, or is no infinite run."""
