"""The states that a model can begin in: what the class makes, and then every process up to its first `yield`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import is_dataclass, replace
from functools import partial
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.locations import ProcessParts
from ouroboros.languages.python.storage import (
    Place,
    encode,
)
from ouroboros.python import Model
from ouroboros.python.declare import chooser
from ouroboros.python.run import Undecided
from ouroboros.python.types import Blocked, allows, annotations_of
from ouroboros.source import Span
from ouroboros.system.choices import Action, All, Do
from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Layout, Vector
from ouroboros.system.model import System

Annotation = Callable[[str], Span | None]
"""Where the annotation of an attribute stands."""


def initial_states(cls: type[Model], root: Place, layout: Layout, annotation: Annotation) -> tuple[Vector, ...]:
    found: dict[Vector, None] = {}
    waiting: list[tuple[Any, ...]] = [()]
    while waiting:
        choices = waiting.pop()
        left = list(choices)

        def decide(options: Sequence[Any], left: list[Any] = left) -> Any:
            if not left:
                raise Undecided(options)
            return left.pop(0)

        token = chooser.set(decide)
        try:
            instance = cls()
        except Undecided as undecided:
            waiting += [(*choices, option) for option in undecided.options]
            continue
        except Blocked:
            continue
        finally:
            chooser.reset(token)
        words = [0] * layout.words
        _confirm(cls, instance, annotation)
        encode(root, instance, partial(layout.write, words))
        found[tuple(words)] = None
    return tuple(found)


def _confirm(cls: type[Model], instance: Any, annotation: Annotation) -> None:
    for name, kind in annotations_of(cls).items():
        value = getattr(instance, name)
        if not allows(kind, value):
            raise InputError(f"`{name}` begins with {value!r}, which is not of its type", annotation(name))
    for name, owner in _constants_of_its_own(instance):
        raise InputError(
            f"`{name}` is a constant of `{type(owner).__name__}`, and one object begins with another value",
            annotation(next(iter(annotations_of(cls)), "")),
            f"annotate it in the class: {name}: TYPE",
        )
    held: set[int] = set()
    for name in annotations_of(cls):
        for item in _objects(getattr(instance, name)):
            if id(item) in held:
                raise InputError(
                    f"`{name}` begins with an object that is somewhere else as well",
                    annotation(name),
                    "make one for each place: a change of one would be a change of the other",
                )
            held.add(id(item))


def _constants_of_its_own(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes that hide one of the class and are no part of the state."""
    if isinstance(value, Model) or (is_dataclass(value) and not isinstance(value, type)):
        known = annotations_of(type(value))
        for name, item in getattr(value, "__dict__", {}).items():
            if name in known:
                yield from _constants_of_its_own(item)
            elif hasattr(type(value), name):
                yield name, value
    elif isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _constants_of_its_own(item)


def _objects(value: Any) -> Iterator[Any]:
    """The objects within a value that can change."""
    if isinstance(value, Model) or (is_dataclass(value) and not isinstance(value, type)):
        if not value.__dataclass_params__.frozen if is_dataclass(value) else True:  # type: ignore[attr-defined]  # dataclasses tell nobody else
            yield value
        for name in annotations_of(type(value)):
            yield from _objects(getattr(value, name))
    elif isinstance(value, list | set | dict | tuple):
        if not isinstance(value, tuple):
            yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _objects(item)


def started(system: System, processes: Iterable[ProcessParts], starts: Sequence[Action], span: Span | None) -> System:
    """Every process is run up to its first `yield`, one after the other."""
    states = list(system.initial)
    for process in processes:
        own = tuple(start for start in starts if start.parts[0].process == process.name)
        begin = replace(system, actions=own, choices=All(tuple(Do(index) for index in range(len(own)))))
        reached: dict[Vector, None] = {}
        for state in states:
            for step in successors(begin, state):
                reached.update(dict.fromkeys(_reached(system, step, process)))
        states = list(reached)
    if not states:
        raise InputError("there is no initial state: what the beginning requires never holds", span)
    return replace(system, initial=tuple(states))


def _reached(system: System, step: Step, process: ProcessParts) -> list[Vector]:
    if step.state is None:
        failure = system.failures[step.failure] if step.failure is not None and step.failure >= 0 else None
        told = failure.message if failure else "something goes wrong"
        raise InputError(f"before the first `yield` of `{process.name}`: {told}", failure.span if failure else None)
    return [step.state]
