"""The code of a step under construction: statements, temporaries, the variables of the functions that it is in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ouroboros.languages.python.places import Places
from ouroboros.languages.python.storage import Node, Place
from ouroboros.languages.python.types import Type
from ouroboros.languages.python.values import Value
from ouroboros.system.blocks import Statement
from ouroboros.system.building import Draft

Result = TypeVar("Result")
Environment = dict[str, Value]


@dataclass(eq=False)
class Target:
    """The end of a scope that can be left early, and what is known of the variables wherever that happens."""

    label: int
    environments: list[Environment] = field(default_factory=list)


@dataclass(eq=False)
class Frame:
    """A function that is being run."""

    name: str
    places: Places
    namespace: Mapping[str, Any]
    """The global names."""
    variables: Environment = field(default_factory=dict)
    declared: dict[str, Type] = field(default_factory=dict)
    """Types that the function gives its variables."""
    slots: dict[str, int] = field(default_factory=dict)
    kept: dict[str, Place] = field(default_factory=dict)
    """Variables of a process that are part of the state."""
    fixed: Environment = field(default_factory=dict)
    """Variables of a process that are the same wherever it is."""
    model: Place | None = None
    """Where an expression over the model's names is read: the model, whose attributes are names."""
    result: Target | None = None
    loops: list[tuple[Target, Target]] = field(default_factory=list)
    """The ends of the loops around, and of their rounds."""
    structures: dict[str, Place] = field(default_factory=dict)
    """Where variables are that have a declared type, or are no simple values."""
    local_names: frozenset[str] = frozenset()
    """The names that the function assigns to: none of them is a global one."""
    function: Any = None
    first: Value | None = None
    """The object of a method, whatever its name is."""
    outer: Frame | None = None
    """Who called it."""


@dataclass(eq=False)
class Choices:
    """Which of its options each `choose` of a step takes, in the order of the text."""

    plan: tuple[int, ...] = ()
    taken: list[tuple[int, int]] = field(default_factory=list)
    """What was chosen, and of how many."""
    names: list[str] = field(default_factory=list)
    met: list[int] = field(default_factory=list)
    """Temporaries that are one if a choice other than the first was made at all."""

    def next_plan(self) -> tuple[int, ...] | None:
        """The one after this in the order of an odometer; None after the last."""
        taken = list(self.taken)
        while taken and taken[-1][0] + 1 == taken[-1][1]:
            taken.pop()
        return (*(index for index, _ in taken[:-1]), taken[-1][0] + 1) if taken else None


@dataclass(eq=False)
class Code(Draft):
    reachable: bool = True
    calls: int = 0
    """How many functions were written out."""
    conditional: int = 0
    """How many branches and loops are around: what is assigned may not be assigned."""
    repeated: int = 0
    """How many loops are around that are run, and not written out."""
    pure: bool = False
    """Whether nothing may be assigned to the state here: in conditions."""
    choices: Choices | None = None
    trial: bool = False
    """Whether only the types matter of what is made here."""
    left: bool = False
    """Whether the step may have been left already: what follows may not be come to."""
    moves: list[Node] = field(default_factory=list)
    """Where something else was put in the place of an object, one after the other."""

    def emit(self, *statements: Statement) -> None:
        if self.reachable:
            self.statements += statements


def namespace_of(function: Any) -> Mapping[str, Any]:
    """The names that a function finds outside of itself."""
    free = function.__code__.co_freevars
    if not free:
        found: Mapping[str, Any] = function.__globals__
        return found
    cells = zip(free, function.__closure__, strict=True)
    return {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
