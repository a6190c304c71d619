"""Where a page is in a model: a path of choices from an initial state on.

A path names a state for good: it stands in the address of the page. The first number says which initial state, each
other number which of the possible steps. Walks are kept for a while, so that going on from one costs one step.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from ouroboros import __version__
from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.report.chart import chart_svg
from ouroboros.simulation.messages import messages
from ouroboros.simulation.replay import RecordedTrace
from ouroboros.simulation.simulation import Simulation, run_of
from ouroboros.source import Source
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.trace.itf import trace_itf
from ouroboros.trace.text import head_of
from ouroboros.web.atoms import Atoms, evaluated
from ouroboros.web.told import Data, place_fields, spans_of, told_head, told_state, told_step

Path = tuple[int, ...]
Found = TypeVar("Found")

LONGEST_PATH = 5_000
_MOST_KEPT = 4_000


class LayoutChanged(Exception):
    """The model has more room than before, and states that were made before mean nothing any more: walk again."""


class _From(Simulation):
    """A run that begins in any state."""

    def __init__(self, model: Model, state: Vector) -> None:
        super().__init__(model)
        self._state = state

    @property
    def initial(self) -> Vector:
        return self._state

    def _make_again(self) -> None:
        raise LayoutChanged


class Walks:
    """The states of one model that pages have come to."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._layout = model.system.layout
        self._kept: OrderedDict[Path, Vector] = OrderedDict()
        self._atoms = Atoms(model)

    def look(self, path: Path, watches: list[str]) -> Data:
        """What a page shows of the state at the end of a path."""
        return self.again(lambda: self._look(path, watches))

    def trail(self, path: Path) -> list[Data]:
        """Each step of a path, in words."""
        return self.again(lambda: [self._told(path[: at + 1]) for at in range(1, len(path))])

    def again(self, work: Callable[[], Found]) -> Found:
        """Do something; once more, where the model came to need more room meanwhile."""
        while True:
            try:
                return work()
            except LayoutChanged:
                self._kept.clear()

    def wander(self, path: Path, most: int, until: str | None, seed: int) -> tuple[Path, bool]:
        """Where so many random steps lead, or fewer until an expression holds: the path, and whether it does."""
        return self.again(lambda: self._wander(path, most, until, Random(seed)))

    def recorded(self, path: Path) -> Data:
        """A path as a trace in the Informal Trace Format, with the choices that were made."""
        simulation = self._simulation(path)
        run = run_of(simulation.system, simulation.initial, [taken.step for taken in simulation.taken])
        source = self.model.system.source
        data = trace_itf(
            run,
            {
                "source": source.name,
                "source-sha256": source.sha256,
                "description": f"Created by Ouroboros {__version__}",
                "choices": list(path),
            },
        )
        if not run.steps or not run.steps[-1].failure:
            del data["#meta"]["violation"]
        return data

    def along(self, name: str, data: dict[str, Any]) -> Path:
        """The path of a trace that was written by `recorded`, or by a search; raises InputError where it leads
        nowhere."""
        recorded = RecordedTrace(name, data)
        simulation = Simulation(self.model, start := recorded.start(self.model.system))
        for _ in recorded.follow(simulation):
            if len(simulation.taken) >= LONGEST_PATH:
                raise InputError(f"{name}: a trace of more than {LONGEST_PATH:,} steps is too long to walk")
        return (start, *(taken.number for taken in simulation.taken))

    def chart(self, path: Path) -> str:
        """The messages of a path, as a sequence chart."""
        simulation = self._simulation(path)
        return chart_svg(messages(simulation), simulation.system.processes)

    def _simulation(self, path: Path) -> Simulation:
        self.state(path[:1])
        simulation = Simulation(self.model, path[0])
        for number in path[1:]:
            if not 0 <= number < len(simulation.possible()):
                raise InputError("the model has no such step: it may have changed")
            simulation.take(number)
        return simulation

    def state(self, path: Path) -> Vector:
        """The state at the end of a path, from the longest part of it that is known."""
        if self.model.system.layout is not self._layout:
            self._layout = self.model.system.layout
            self._kept.clear()
        if not path or not 0 <= path[0] < len(self.model.system.initial):
            raise InputError("the model has no such initial state: it may have changed")
        if len(path) > LONGEST_PATH:
            raise InputError(f"a path of more than {LONGEST_PATH:,} steps is too long to walk")
        known = len(path)
        while known > 1 and path[:known] not in self._kept:
            known -= 1
        state = self._kept[path[:known]] if known > 1 else self.model.system.initial[path[0]]
        for at in range(known, len(path)):
            reached = self._step(state, path[at]).state
            if reached is None:
                raise InputError(f"step {at} fails: nothing comes after it")
            state = reached
            self._keep(path[: at + 1], state)
        return state

    def steps(self, state: Vector) -> list[Step]:
        """What can be done in a state; raises LayoutChanged where that needs more room, which is made."""
        return _From(self.model, state).possible()

    def _step(self, state: Vector, number: int) -> Step:
        steps = self.steps(state)
        if not 0 <= number < len(steps):
            raise InputError("the model has no such step: it may have changed")
        return steps[number]

    def _keep(self, path: Path, state: Vector) -> None:
        self._kept[path] = state
        self._kept.move_to_end(path)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)

    def _look(self, path: Path, watches: list[str]) -> Data:
        self._atoms.prepare()
        watched = [Watch(self.model, text) for text in watches]
        before = self.state(path[:-1]) if len(path) > 1 else None
        last = None if before is None else self._step(before, path[-1])
        failed = last is not None and last.state is None
        state = before if failed and before is not None else self.state(path)
        steps = [] if failed else self.steps(state)
        system = self.model.system
        ending = None
        if last is not None and last.failure is not None and failed:
            ending = system.failures[last.failure].message
        elif not steps:
            found = _From(self.model, state).ending()
            ending = found.message if found else None
        return {
            "path": list(path),
            "state": told_state(run_of(system, state), state, before),
            "steps": [told_step(run_of(system, state, [step]), state, step, at) for at, step in enumerate(steps)],
            "ending": ending,
            "failed": failed,
            "watches": [watch.value(system, state) for watch in watched],
            "properties": self._atoms.values(state),
            "places": {name: system.layout.read(state, item) for name, item in place_fields(system).items()},
            "lines": self._lines(last),
        }

    def _lines(self, step: Step | None) -> list[int]:
        """Where in the text the last step stands."""
        system = self.model.system
        return [] if step is None else [span.line for span in spans_of(system, step.parts or system.parts(step.action))]

    def _wander(self, path: Path, most: int, until: str | None, random: Random) -> tuple[Path, bool]:
        watch = Watch(self.model, until) if until else None
        if watch:
            watch.confirm()
        state = self.state(path)
        for _ in range(min(most, LONGEST_PATH - len(path))):
            possible = self.steps(state)
            if not possible:
                break
            number = random.randrange(len(possible))
            path = (*path, number)
            reached = possible[number].state
            if reached is None:
                break
            state = reached
            self._keep(path, state)
            if watch and watch.value(self.model.system, state)["value"]:
                return path, True
        return path, False

    def _told(self, path: Path) -> Data:
        before = self.state(path[:-1])
        step = self._step(before, path[-1])
        run = run_of(self.model.system, before, [step])
        changes = [] if step.state is None else [one.text for one in run.differences.between(before, step.state)]
        return {**told_head(head_of(run, run.steps[0])), "changes": changes}


class Watch:
    """An expression that is shown beside states."""

    def __init__(self, model: Model, text: str) -> None:
        self._error: InputError | None = None
        try:
            self._expression = model.proposition(Source("expression", text)).expression
        except InputError as error:
            self._error = error

    def confirm(self) -> None:
        """Raises InputError where it is none."""
        if self._error is not None:
            raise self._error

    def value(self, system: System, state: Vector) -> Data:
        if self._error is not None:
            return {"value": None, "error": self._error.message}
        return evaluated(system, state, self._expression)
