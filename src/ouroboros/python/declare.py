"""How a model says what it is made of: its state, processes, actions and properties."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, overload

from ouroboros.python.types import Blocked, annotations_of, confirm, default

Fairness = Literal["none", "weak", "strong"]
Option = TypeVar("Option")
Function = TypeVar("Function", bound=Callable[..., Any])

MARK = "__ouroboros__"
"""The attribute of a function that says what it is in a model."""

chooser: ContextVar[Callable[[Sequence[Any]], Any]] = ContextVar("chooser", default=random.choice)
"""Who decides where a model leaves it open."""


def choose(options: Iterable[Option]) -> Option:
    """One of the options: a model checker tries all of them. Where there is none, the step is not possible."""
    found = tuple(options)
    if not found:
        raise Blocked
    chosen: Option = chooser.get()(found)
    return chosen


def require(condition: object) -> None:
    """The step is only possible where this holds."""
    if not condition:
        raise Blocked


@dataclass(frozen=True)
class Wait:
    holds: bool
    """Whether the condition held when it was come to."""


def until(condition: object) -> Wait:
    """`yield until(condition)`: the process goes on when the condition holds."""
    return Wait(bool(condition))


class Process:
    """A generator method of which several run side by side."""

    def __init__(
        self, function: Callable[..., Iterator[Any]], members: tuple[Any, ...] | None, fair: Fairness, daemon: bool
    ) -> None:
        self.function = function
        self.members = members
        """What each one gets as its argument. None: there is one, without any."""
        self.fair = fair
        self.daemon = daemon
        self.__doc__ = function.__doc__

    @property
    def name(self) -> str:
        return self.function.__name__

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else BoundProcess(self, instance)


class BoundProcess:
    """The processes of one model. Called, it makes a generator; indexed, it is a process that runs."""

    def __init__(self, process: Process, model: Any) -> None:
        self._process = process
        self._model = model

    def __call__(self, *arguments: Any) -> Iterator[Any]:
        return self._process.function(self._model, *arguments)

    def __getitem__(self, member: Any) -> Any:
        return self._model.__dict__["_running"][self._process.name, member]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model.__dict__["_running"][self._process.name, None], name)


def _members(count: Any) -> tuple[Any, ...]:
    return tuple(range(count)) if isinstance(count, int) else tuple(count)


@overload
def process(count: Callable[..., Iterator[Any]], /) -> Process: ...
@overload
def process(
    count: int | Iterable[Any] | None = None, /, *, fair: Fairness = "none", daemon: bool = False
) -> Callable[[Callable[..., Iterator[Any]]], Process]: ...
def process(count: Any = None, /, *, fair: Fairness = "none", daemon: bool = False) -> Any:
    """A generator method as a process: `@process`, or `@process(3)` for three with the arguments 0, 1 and 2.

    `fair` is what every run owes to each of them; a `daemon` need not have come to its end where the model does.
    """
    if callable(count) and not isinstance(count, type):
        return Process(count, None, "none", False)
    members = None if count is None else _members(count)
    return lambda function: Process(function, members, fair, daemon)


@dataclass(frozen=True)
class ActionMark:
    fair: Fairness


@overload
def action(function: Function, /) -> Function: ...
@overload
def action(*, fair: Fairness = "none") -> Callable[[Function], Function]: ...
def action(function: Any = None, /, *, fair: Fairness = "none") -> Any:
    """A method as a step that can be made wherever what it `require`s holds, for every value of its parameters."""

    def marked(function: Function) -> Function:
        setattr(function, MARK, ActionMark(fair))
        return function

    return marked if function is None else marked(function)


@dataclass(frozen=True)
class InvariantMark:
    pass


def invariant(function: Function) -> Function:
    """A method that returns a condition which holds in every state, for every value of its parameters."""
    setattr(function, MARK, InvariantMark())
    return function


@dataclass(frozen=True)
class ltl:  # noqa: N801 - it reads as the word of the language that it is
    """A formula of temporal logic over expressions of the model; its name is that of the attribute."""

    formula: str


@dataclass(frozen=True)
class response:  # noqa: N801 - likewise
    """Whenever p holds, q holds then or later, on every fair run; its name is that of the attribute."""

    p: str
    q: str


@dataclass(frozen=True, eq=False, slots=True)
class Step:
    """What `successors` may give instead of a state: the state, and the name of the step that leads to it."""

    name: str
    state: Any


class Model:
    """The base of all models. Annotated attributes are the state; what they have in the class, they begin with."""

    def __init__(self) -> None:
        for name, kind in annotations_of(type(self)).items():
            self.__dict__[name] = deepcopy(getattr(type(self), name)) if hasattr(type(self), name) else default(kind)

    def __setattr__(self, name: str, value: Any) -> None:
        kinds = annotations_of(type(self))
        if name in kinds:
            confirm(kinds[name], value, name)
        super().__setattr__(name, value)
