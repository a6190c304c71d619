"""States and steps as a program reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ouroboros.source import Span
from ouroboros.system.interpret import Step as Made
from ouroboros.system.layout import Field, Vector
from ouroboros.system.model import System

Value: TypeAlias = "int | str | tuple[int | str, ...]"
"""A number, the name of a value that has one, or a tuple of these for an array."""


class State(Mapping[str, Value]):
    """What each variable holds; locations of processes have the process's name. States of one model with the same
    values are equal, and can be kept in sets."""

    def __init__(self, system: System, vector: Vector, hidden: frozenset[Field] = frozenset()) -> None:
        self._system = system
        self._vector = vector
        self._values = dict(_values(system, vector, hidden))

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(tuple(self._values.values()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self._values == other._values

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value!r}' for name, value in self._values.items())})"

    @property
    def vector(self) -> Vector:
        """The words that the engine stores."""
        return self._vector


@dataclass(frozen=True)
class Place:
    """Where something stands in a text."""

    file: str
    line: int
    text: str
    """The statement, in one line."""


@dataclass(frozen=True)
class Step:
    """An action, the state that it was made in, and the one that it leads to."""

    process: str
    """Whose step it is; of a handshake, both, with an arrow between them."""
    action: str
    """What is told of it: the statement, or the name of the rule."""
    source: Place | None
    before: State
    after: State | None
    """None where the step fails."""
    failure: str | None = None
    """What goes wrong in it."""

    @property
    def changes(self) -> dict[str, tuple[Value, Value]]:
        """The variables that change, with their values before and after."""
        if self.after is None:
            return {}
        names = dict.fromkeys([*self.before, *self.after])
        pairs = {name: (self.before.get(name, 0), self.after.get(name, 0)) for name in names}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}

    def __str__(self) -> str:
        changed = ", ".join(f"{name}: {before} → {after}" for name, (before, after) in self.changes.items())
        told = f"{self.process}  {self.action}".strip()
        return f"{told}  {self.failure or changed}".rstrip()


def step_of(system: System, before: State, made: Made) -> Step:
    """A step that the interpreter has made, as a program reads it."""
    failure = None if made.failure is None or made.failure < 0 else system.failures[made.failure]
    parts = made.parts or system.parts(made.action)
    text = " | ".join(" ".join(part.text.split()) for part in parts)
    return Step(
        " → ".join(dict.fromkeys(part.process for part in parts if part.process)),
        text,
        place_of([part.span for part in parts], text),
        before,
        None if made.state is None else State(system, made.state),
        failure.message if failure else None,
    )


def place_of(spans: Sequence[Span | None], text: str) -> Place | None:
    """The first place that is known."""
    span = next((span for span in spans if span), None)
    return Place(span.source.name, span.line, text) if span else None


def _values(system: System, vector: Vector, hidden: frozenset[Field]) -> Iterator[tuple[str, Value]]:
    told = system.shown(vector)
    if told is not None:
        yield from told.items()
        return
    layout = system.layout
    control = system.exclusive.field if system.exclusive else None
    for item in layout.fields:
        if item in hidden or item is control or item.told == "never":
            continue
        if item.length is None:
            yield item.name, item.shown(layout.read(vector, item))
        else:
            yield item.name, tuple(item.shown(layout.read(vector, item, index)) for index in range(item.length))
