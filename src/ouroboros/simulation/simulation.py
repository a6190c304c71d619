"""A run in the making: where it is, where it came from, and where it can go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Literal, NamedTuple

from ouroboros.errors import SelfCheckError
from ouroboros.languages import GrowingModel, Model
from ouroboros.system.interpret import Step, evaluate, single_steps
from ouroboros.system.layout import Vector
from ouroboros.system.model import ASSUMPTIONS, Failure, System
from ouroboros.verdict.trace import Trace, TraceStep, Violation


class Taken(NamedTuple):
    """A step of the run, the state that it was made from, and which of the possible steps it was."""

    before: Vector
    step: Step
    number: int


class Ending(NamedTuple):
    """Why a run goes no further."""

    kind: Literal["failure", "deadlock", "end", "limit"]
    message: str
    failure: Failure | None = None


class Simulation:
    """A run of a model, one action at a time; also the steps inside of an atomic sequence are single ones."""

    def __init__(self, model: Model, start: int = 0) -> None:
        """`start`: which of the initial states to begin in."""
        self._model = model
        self._start = start
        self.system: System = model.system
        self.taken: list[Taken] = []

    @property
    def initial(self) -> Vector:
        return self.system.initial[self._start]

    @property
    def state(self) -> Vector:
        """Where the run is; a step that failed has led nowhere."""
        if not self.taken:
            return self.initial
        last = self.taken[-1]
        return last.before if last.step.state is None else last.step.state

    @property
    def failure(self) -> Failure | None:
        """What went wrong in the last step."""
        site = self.taken[-1].step.failure if self.taken else None
        return None if site is None else self.system.failures[site]

    def possible(self) -> list[Step]:
        """Every step that can be made now; none after a failure."""
        if self.failure is not None:
            return []
        steps = self._steps()
        while missing := {step.failure for step in steps if self._lacks_room(step)}:
            assert isinstance(self._model, GrowingModel)
            self._model.grow(site for site in missing if site is not None)
            self._make_again()
            steps = self._steps()
        return steps

    def _steps(self) -> list[Step]:
        """The steps that the model allows itself."""
        steps = single_steps(self.system, self.state)
        return [step for step in steps if step.failure is None or not self._is_assumption(step.failure)]

    def _is_assumption(self, site: int) -> bool:
        return self.system.failures[site].kind in ASSUMPTIONS

    def take(self, number: int) -> Taken:
        """Make one of the possible steps."""
        self.taken.append(Taken(self.state, self.possible()[number], number))
        return self.taken[-1]

    def undo(self) -> bool:
        """Take back the last step, if there is one."""
        return bool(self.taken) and self.taken.pop() is not None

    def ending(self) -> Ending | None:
        """Why nothing more can happen; None if something can."""
        failure = self.failure
        if failure is not None:
            return Ending("failure", failure.message, failure)
        if self.possible():
            return None
        if self.system.valid_end is None:
            return Ending("end", "no step is possible")
        if evaluate(self.system, self.state, self.system.valid_end):
            return Ending("end", "no step is possible, and every process is where it may end")
        return Ending("deadlock", "no step is possible, and not every process is where it may end")

    def _lacks_room(self, step: Step) -> bool:
        return step.failure is not None and self.system.failures[step.failure].kind == "room"

    def _make_again(self) -> None:
        """Make all steps again in a system that has more room, and is otherwise the same: so are the possible steps, in
        the same order."""
        made, self.taken = self.taken, []
        old, self.system = self.system, self._model.system
        for taken in made:
            step = self._steps()[taken.number]
            if _told(self.system, step) != _told(old, taken.step):
                raise SelfCheckError("a model with room for more processes takes other steps")
            self.taken.append(Taken(self.state, step, taken.number))


def run_of(system: System, initial: Vector, steps: Sequence[Step] = ()) -> Trace:
    """A part of a run as a trace, which is what values and steps are shown by. Nothing is wrong with it."""
    shown = tuple(
        TraceStep(
            step.action,
            step.state,
            None if step.failure is None else system.failures[step.failure],
            within=step.within,
            parts=step.parts,
        )
        for step in steps
    )
    return Trace(system, initial, shown, Violation("deadlock", ""))


def at_random(simulation: Simulation, random: Random, steps: int) -> Iterator[Taken]:
    """Go on by so many steps, each chosen among all that are possible; fewer if the run ends."""
    for _ in range(steps):
        possible = len(simulation.possible())
        if not possible:
            return
        yield simulation.take(random.randrange(possible))


def simulate(model: Model, *, seed: int = 0, steps: int = 1000) -> Simulation:
    """A run of at most so many steps, chosen at random: the same one for the same seed."""
    random = Random(seed)
    simulation = Simulation(model, random.randrange(len(model.system.initial)))
    for _ in at_random(simulation, random, steps):
        pass
    return simulation


def _told(system: System, step: Step) -> tuple[str, ...]:
    """What an action is, in words."""
    return tuple(part.text for part in step.parts or system.parts(step.action))
