"""A module as a model: one system for each of its properties, since a module may generate another graph for each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ouroboros.conditions import Names, condition
from ouroboros.errors import InputError
from ouroboros.languages import Abilities
from ouroboros.languages.modules.cesmi.instance import (
    ACCEPTING,
    BUCHI,
    DEADLOCKS,
    FUNCTIONS,
    GOAL,
    GOALS,
    DeclaredProperty,
    Instance,
)
from ouroboros.languages.modules.cesmi.machine import ROOM
from ouroboros.languages.modules.cesmi.steps import ROOMS, Steps, room_for, vector, words_for
from ouroboros.languages.modules.opening import Library
from ouroboros.outside import name_functions
from ouroboros.source import Source
from ouroboros.system.choices import Action, All, Part
from ouroboros.system.expressions import Expression, Observed, Unary
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Failure, Proposition, Query, QueryKind, System

_KINDS: dict[int, QueryKind] = {GOALS: "always", DEADLOCKS: "endless", BUCHI: "never for ever"}


class CesmiModel:
    """A module that is loaded; its states become longer where a node needs more room."""

    abilities = Abilities()

    def __init__(self, source: Source, library: Library, included: tuple[Source, ...] = ()) -> None:
        self._source, self._library, self._included = source, library, included
        name_functions(library.name, FUNCTIONS)
        first = Instance(library)
        self._properties = first.properties
        # States alone, and formulas of the user, are of the graph that no automaton has a part in.
        plain = next((each.number for each in first.properties if each.kind != BUCHI), 0)
        self._instances: dict[int, Instance] = {}
        self._plain = plain
        self._room = 0
        self._systems: dict[int, System] = {}
        self.system = self._system(plain)

    def _instance(self, number: int) -> Instance:
        if number not in self._instances:
            self._instances[number] = Instance(self._library, number)
        return self._instances[number]

    def _system(self, number: int) -> System:
        """That of a property."""
        if number in self._systems:
            return self._systems[number]
        instance = self._instance(number)
        initial = instance.initial()
        if not initial:
            raise InputError(f"{self._library.name}: get_initial gives no state: no run begins")
        needed = room_for(max(words_for(len(each)) for each in initial))
        if needed is None:
            raise InputError(_too_large(self._library.name))
        self._room = max(self._room, needed)
        words = ROOMS[self._room]
        self._systems[number] = System(
            name=Path(self._source.name).stem,
            language="CESMI",
            source=self._source,
            included=self._included,
            layout=Layout(
                (Field("size", "node", 64), *(Field(f"word {word}", "node", 64) for word in range(1, words)))
            ),
            initial=tuple(vector(each, words) for each in initial),
            actions=(Action((Part("", "step", None),), ()),),
            choices=All(()),
            failures=self._failures(),
            evaluation_bits=64,
            queries=tuple(map(self._query, self._properties)),
            foreign=Steps(instance, words),
            extends_finite_runs=True,
        )
        return self._systems[number]

    def _failures(self) -> tuple[Failure, ...]:
        name = self._library.name
        told = (
            "get_successor gives a node that make_node and clone_node have not made",
            "get_successor writes beyond the end of the node that it makes",
            "get_successor changes the node that it was given",
        )
        return (
            *(Failure("error", f"{name}: {text}", None) for text in told),
            Failure("error", _too_large(name), None),
            *(Failure("room", f"{name}: a node needs {8 * (room - 1):,} bytes", None) for room in ROOMS),
        )

    def _query(self, each: DeclaredProperty) -> Query:
        bit = {GOALS: GOAL, BUCHI: ACCEPTING}.get(each.kind)
        sought = () if bit is None else (_observed(bit, each.kind == GOALS),)
        return Query(
            each.name, each.description, _KINDS[each.kind], lambda: self._system(each.number), lambda: sought,
            failing=True,
        )  # fmt: skip

    def grow(self, sites: Iterable[int]) -> None:
        """Longer states; nothing else is of the kind room."""
        self._room = max(self._room, *(site - ROOM for site in sites))
        self._systems.clear()
        self.system = self._system(self._plain)

    def proposition(self, source: Source) -> Proposition:
        """A condition over the flags that the module has given names."""
        known = {"goal": GOAL, "accepting": ACCEPTING, **self._instances[self._plain].flags}

        def read(name: str) -> Expression | None:
            return Observed(known[name].bit_length() - 1) if name in known else None

        names = Names(read, tuple(known), f"the flags of this module are {', '.join(known)}")
        return Proposition(source.text.strip(), condition(source, names, -1))


def _observed(bit: int, negated: bool) -> Proposition:
    seen: Expression = Observed(bit.bit_length() - 1)
    return Proposition("!goal", Unary("not", seen)) if negated else Proposition("accepting", seen)


def _too_large(name: str) -> str:
    return f"{name}: a node has more than {8 * (ROOMS[-1] - 1):,} bytes"
