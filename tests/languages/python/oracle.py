"""Python's own execution of a model, as the measure of what was made of it.

A generator cannot be copied, so that every state is reached by making its steps again from the first one on.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ouroboros.languages.python import PythonModel, load
from ouroboros.languages.python.storage import decode
from ouroboros.python import Blocked, Model, Run
from ouroboros.python.run import Candidate, Undecided
from ouroboros.source import Source
from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Vector
from tests.native.machine import Machine

Way = tuple[tuple[Candidate | None, tuple[Any, ...]], ...]
"""Steps with what was chosen in each; the first is that of making the model."""


class Expected(NamedTuple):
    """A step that Python makes, and what was chosen in it."""

    label: str
    way: Way
    reached: Run | None
    """None: it goes wrong."""


HEAD = """
from __future__ import annotations
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal
from ouroboros.python import *
"""


def model_of(text: str, path: Path, name: str | None = None, **definitions: str) -> PythonModel:
    """The model of a text, whose first lines are imports."""
    text = HEAD.lstrip() + textwrap.dedent(text)
    file = path / "model.py"
    file.write_text(text)
    return load(Source(str(file), text), definitions=definitions, name=name)


def frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(frozen, value))
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, dict):
        return frozenset((key, frozen(item)) for key, item in value.items())
    if is_dataclass(value) or isinstance(value, Model):
        parts = sorted((name, frozen(item)) for name, item in vars(value).items() if name != "_running")
        return type(value).__name__, tuple(parts)
    return value


def replayed(cls: type, way: Way) -> Run:
    run = Run(cls, way[0][1])
    for candidate, choices in way[1:]:
        assert candidate is not None
        run.take(candidate, choices)
    return run


def attempts(cls: type, way: Way, candidate: Candidate | None) -> Iterator[tuple[Way, Run | None]]:
    """A step with everything that can be chosen in it; None where it goes wrong."""
    waiting: list[tuple[Any, ...]] = [()]
    while waiting:
        choices = waiting.pop(0)
        attempt = (*way, (candidate, choices))
        try:
            yield attempt, replayed(cls, attempt)
        except Blocked:
            continue
        except Undecided as undecided:
            waiting += [(*choices, option) for option in undecided.options]
        except Exception:
            yield attempt, None


def values_of(run: Run) -> dict[str, Any]:
    """What Python knows of a state: also variables that no longer matter."""
    found = {name: frozen(value) for name, value in vars(run.model).items() if name != "_running"}
    for (prefix, name, member), running in run.running.items():
        frame = running._frame
        variables = dict(frame.f_locals) if frame is not None else {}
        shown = name if member is None else f"{name}[{getattr(member, 'name', member)}]"
        found[prefix + shown] = running._place, variables
    return found


def assert_same(model: PythonModel, state: Vector, run: Run) -> Any:
    """The two states are equal; what they have in common is what is returned."""
    expected = values_of(run)
    common: list[Any] = []
    found = model.values(state)
    assert found.keys() <= expected.keys()
    for name, value in found.items():
        if name in model.system.processes:
            (place, variables), (wanted, known) = value, expected[name]
            assert place == wanted
            there = {each: frozen(variables[each]) for each in variables if each in known}
            assert there == {each: frozen(known[each]) for each in there}
            common.append((name, place, tuple(sorted(there.items(), key=lambda item: item[0]))))
        else:
            assert frozen(value) == expected[name], name
            common.append((name, frozen(value)))
    return (*common, *rounds_of(model, state))


def rounds_of(model: PythonModel, state: Vector) -> list[int]:
    """How often each loop with a `yield` in it has been gone through: Python does not show what it knows of that."""
    layout = model.system.layout
    counters = [each for process in model._lowered.processes.values() for each in process.counters.values()]
    return [decode(each, lambda item, at: layout.read(state, item, at)) for each in counters]


def label(model: PythonModel, action: int | None) -> str:
    assert action is not None
    (part,) = model.system.actions[action].parts
    head, _, chosen = part.text.partition(" with ")
    return f"{part.process or head} {chosen}".strip()


def taken_label(way: Way) -> str:
    candidate, choices = way[-1]
    assert candidate is not None
    chosen = ", ".join(str(getattr(choice, "name", choice)) for choice in choices)
    return f"{candidate.name} {chosen}".strip()


def assert_agrees(model: PythonModel, most: int = 200) -> int:
    """Python, the interpreter and machine code agree on all states, or the first so many; how many there are."""
    system, cls = model.system, model.cls
    machine = Machine(system, system.assertions)
    seen: dict[Vector, Any] = {}
    waiting: list[tuple[Vector, Way]] = []
    first = list(attempts(cls, (), None))
    for state in system.initial:
        ways = [way for way, run in first if run is not None and _same(model, state, run)]
        assert ways, "an initial state that Python does not know"
        waiting.append((state, ways[0]))
        seen[state] = None
    assert all(any(_same(model, state, run) for state in system.initial) for _, run in first if run)
    for state, way in waiting:
        machine.assert_agrees(state)
        run = replayed(cls, way)
        seen[state] = assert_same(model, state, run)
        expected = [
            Expected(taken_label(attempt), attempt, reached)
            for candidate in run.candidates()
            for attempt, reached in attempts(cls, way, candidate)
        ]
        failing = [each for each in expected if each.reached is None]
        steps = [(label(model, step.action), step) for step in successors(system, state)]
        names = {each.label for each in expected}
        # Those first whose labels can only mean one.
        for name, step in sorted(steps, key=lambda pair: (pair[0] not in names, pair[0].count("#"))):
            told = next((each for each in expected if _told(model, name, step, each)), None)
            if told is None and any(_told(model, name, step, each) for each in failing):
                # It goes wrong before the choice that it is one of.
                continue
            assert told is not None, (name, [name for name, _ in steps], expected, way)
            expected.remove(told)
            if step.state is not None and told.reached is not None:
                assert_same(model, step.state, told.reached)
                if step.state not in seen and len(seen) < most:
                    seen[step.state] = None
                    waiting.append((step.state, told.way))
        assert not expected, (expected, way)
    assert len(set(seen.values())) == len(seen), "states that Python does not tell apart"
    return len(seen)


def _told(model: PythonModel, name: str, step: Step, expected: Expected) -> bool:
    """Whether a step is the one that Python makes. A choice that was not come to is named as well, and one of values
    that depend on the state by its number."""
    head, *given = _divided(name)
    start, *wanted = _divided(expected.label)
    left = iter(given)
    within = all(any(each == want or each.startswith("#") for each in left) for want in wanted)
    if start != head or not within:
        return False
    if step.state is None or expected.reached is None:
        return step.state is None and expected.reached is None
    return name == expected.label or _same(model, step.state, expected.reached)


def _divided(name: str) -> list[str]:
    head, _, rest = name.rpartition(")") if name.count(")") else name.partition("]")
    return [head, *(each for each in rest.strip().split(", ") if each)]


def _same(model: PythonModel, state: Vector, run: Run) -> bool:
    try:
        assert_same(model, state, run)
    except AssertionError:
        return False
    return True
