"""A counterexample: a run of the system, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Literal

from ouroboros.ltl.automaton import Automaton
from ouroboros.source import Span
from ouroboros.system.blocks import Inner
from ouroboros.system.choices import Part
from ouroboros.system.fairness import FairAction
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import Failure, Proposition, System
from ouroboros.verdict.differences import Differences


@cache
def named(name: str) -> Field:
    """Stands for something that is told of states, and is no field of theirs."""
    return Field(name, "", 64)


@dataclass(frozen=True, eq=False)
class Watcher:
    """The automaton that runs beside the system; it accepts the runs that violate the property."""

    automaton: Automaton
    propositions: tuple[Proposition, ...]
    """The predicate that each of the automaton's atoms stands for."""
    field: Field
    """Where a state of the system holds the state of the automaton."""
    named: bool = True
    """Whether its states have names that mean something: those of a translated formula have numbers."""


@dataclass(frozen=True)
class TraceStep:
    """An action and the state that it leads to; or, in the last step only, the failure that it meets instead."""

    action: int | None
    """None where choosing an action failed, before any was run; where the run has ended, and its last state repeats
    itself for ever; or where it stutters."""
    state: Vector | None
    failure: Failure | None = None
    stutters: bool = False
    """Whether no action is made, although one may be possible."""
    within: tuple[tuple[Inner, Vector], ...] = ()
    """The statements that the action is made of, where it tells them, and the state that each begins in."""
    parts: tuple[Part, ...] = ()
    """What is told of it, where that is more than its action tells."""
    printed: str = ""
    """What the model writes to its output."""

    @property
    def repeats(self) -> bool:
        """Whether no action is made, because none is possible any more."""
        return self.action is None and self.failure is None and not self.stutters


@dataclass(frozen=True)
class Violation:
    """What is wrong where the trace ends."""

    kind: Literal["proposition", "deadlock", "failure", "overflow", "trapped", "cycle", "prefix"]
    """A `prefix` decides by itself that a formula is false, whatever follows; a cycle that follows was seen."""
    message: str
    span: Span | None = None
    proposition: Proposition | None = None
    """The predicate that is false, or cannot be evaluated."""


@dataclass(frozen=True)
class Due:
    """Why a cycle is fair to an action."""

    action: FairAction
    kind: Literal["taken", "disabled", "never enabled"]
    step: int | None
    """The step that takes it, counted from one; or the one after which it is disabled."""

    def __str__(self) -> str:
        match self.kind:
            case "taken":
                return f"taken in step {self.step}"
            case "disabled":
                return f"disabled after step {self.step}" if self.step else "disabled in the initial state"
            case _:
                return "never enabled on the cycle"


@dataclass(frozen=True)
class Trace:
    """A run that the interpreter has confirmed, from an initial state on."""

    system: System
    initial: Vector
    steps: tuple[TraceStep, ...]
    violation: Violation
    loop_start: int | None = None
    """For a lasso: how many steps lead to the state that the last step returns to."""
    watcher: Watcher | None = None
    dues: tuple[Due, ...] = ()
    """What makes the cycle fair, for each fair action."""
    moments: tuple[Fraction, ...] = ()
    """Of a system with clocks: when each step is made; where the run ends, also when what is wrong there is so."""
    timelock: bool = False
    """Whether at its end nothing is possible any more, and time cannot go on either."""
    zeno: bool = False
    """Whether only so much time passes, however often the cycle is repeated."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader may not expect of it."""
        if not self.zeno:
            return ()
        return ("the run is Zeno: however often its cycle is repeated, time does not go on beyond some moment",)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the model, without that of the automaton and that of who has control."""
        told = [self.system.shown(state) for state in self.states]
        if None not in told:
            # States of one run may tell of different things.
            return tuple(dict.fromkeys(named(name) for each in told if each for name in each))
        watched = self.watcher.field if self.watcher else None
        control = self.system.exclusive.field if self.system.exclusive else None
        return tuple(item for item in self.system.layout.fields if item is not watched and item is not control)

    @property
    def states(self) -> Iterator[Vector]:
        yield self.initial
        yield from (step.state for step in self.steps if step.state is not None)

    @cached_property
    def differences(self) -> Differences:
        """Who tells what changes from state to state."""
        return Differences(self.system, frozenset(self.system.layout.fields) - frozenset(self.fields))

    def before(self, number: int) -> Vector:
        """The state that a step is made from; steps are counted from one."""
        state = self.steps[number - 2].state if number > 1 else self.initial
        assert state is not None  # only the last step leads nowhere
        return state

    def parts(self, step: TraceStep) -> tuple[Part, ...]:
        return step.parts or self.system.parts(step.action)

    @property
    def shows_automaton(self) -> bool:
        """Whether where the automaton is tells a reader something."""
        return self.watcher is not None and self.watcher.named

    def location(self, state: Vector) -> str | None:
        """The name of the automaton's state, if there is an automaton."""
        if not self.watcher:
            return None
        return self.watcher.field.show(self.system.layout.read(state, self.watcher.field))
