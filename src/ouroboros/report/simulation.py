"""A simulation for people: each step in a line, what it prints, and why the run ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.simulation.simulation import Ending, Simulation, Taken, run_of
from ouroboros.system.interpret import Step
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.trace.text import head_of, initial_state
from ouroboros.trace.values import contents

_SEND = re.compile(r"[\w\])]\s*!(?!=)")
_RECEIVE = re.compile(r"[\w\])]\s*\?(?!\??\s*\[)")


class Detail(NamedTuple):
    """What to tell of a step."""

    statements: bool = True
    globals: bool = True
    locals: bool = True
    sends: bool = False
    """Tell of steps that send, whatever else is told."""
    receives: bool = False


_BRIEF = Detail(globals=False, locals=False)


def step_lines(system: System, taken: Taken, number: int, detail: Detail) -> Iterator[str]:
    """What is told of a step: its line, if it is one to tell of, and what it says itself."""
    if _told(system, taken.step, detail):
        yield f"{number:>5}  {_described(system, taken.before, taken.step, detail)}"
    if taken.step.printed:
        yield from taken.step.printed.removesuffix("\n").split("\n")


def choice_lines(simulation: Simulation) -> Iterator[str]:
    """The possible steps, numbered for the user to choose from."""
    for number, step in enumerate(simulation.possible(), 1):
        yield f"{number:>5}  {_described(simulation.system, simulation.state, step, _BRIEF)}"


def state_lines(simulation: Simulation) -> Iterator[str]:
    """The state in full."""
    for component, content in initial_state(run_of(simulation.system, simulation.state)):
        yield f"  {component}  {content}"


def variable_lines(simulation: Simulation, name: str) -> Iterator[str]:
    """The variables of that name, and those that belong to what is named."""
    values = contents(run_of(simulation.system, simulation.state), simulation.state)
    for item, value in values.items():
        if name in (item.name, item.component) or item.name.endswith(f".{name}"):
            yield f"  {item.name}: {value}"


def ending_line(simulation: Simulation, ending: Ending) -> str:
    place = f" ({ending.failure.span})" if ending.failure and ending.failure.span else ""
    steps = len(simulation.taken)
    return f"after {steps} step{'' if steps == 1 else 's'}: {ending.message}{place}"


def _described(system: System, before: Vector, step: Step, detail: Detail) -> str:
    run = run_of(system, before, [step])
    head = head_of(run, run.steps[0])
    changed = "" if step.state is None else _changed(system, before, step.state, detail)
    if step.failure is not None:
        changed = f"fails: {system.failures[step.failure].message}"
    place = f"line {head.place}" if head.place else ""
    columns = [f"{head.processes:<12}", f"{place:<9}", head.statement, f"  {changed}" if changed else ""]
    return "  ".join(column for column in columns if column.strip()).rstrip()


def _changed(system: System, before: Vector, after: Vector, detail: Detail) -> str:
    """What differs: of the globals, of the processes, or of both."""
    told = []
    for change in run_of(system, before).differences.between(before, after):
        local = any(change.name == process or change.name.startswith(f"{process}.") for process in system.processes)
        if detail.locals if local else detail.globals:
            told.append(change.text)
    return ", ".join(told)


def _told(system: System, step: Step, detail: Detail) -> bool:
    if detail.statements or step.failure is not None:
        return True
    texts = [part.text for part in step.parts or system.parts(step.action)]
    return (detail.sends and any(_SEND.search(text) for text in texts)) or (
        detail.receives and any(_RECEIVE.search(text) for text in texts)
    )
