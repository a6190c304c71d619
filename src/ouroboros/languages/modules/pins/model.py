"""A library that was compiled for LTSmin or Spot as a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from ouroboros.conditions import Names, condition
from ouroboros.errors import InputError
from ouroboros.languages import Abilities
from ouroboros.languages.modules.opening import Library
from ouroboros.languages.modules.pins.interface import FUNCTIONS, MOST_VARIABLES, WHOLE_BITS, Dialect, PinsLibrary
from ouroboros.languages.modules.pins.machine import Packing, Place
from ouroboros.languages.modules.pins.steps import Steps
from ouroboros.outside import name_functions
from ouroboros.source import Source
from ouroboros.system.choices import Action, All
from ouroboros.system.expressions import Binary, Constant, Expression, Observed, Read
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Failure, Proposition, Query, System

_ENDS, _ACCEPTS = "end_", "accept_"
"""Labels of states that mean something to those who explore."""
_MOST_PREDICATES = 60


class PinsModel:
    abilities = Abilities()

    def __init__(self, source: Source, library: Library, dialect: Dialect) -> None:
        name_functions(library.name, FUNCTIONS)
        pins = PinsLibrary(library, dialect)
        if not 0 < pins.size <= MOST_VARIABLES:
            raise InputError(f"{library.name}: it says that a state has {pins.size:,} variables")
        self._source, self._pins = source, pins
        self._names = list(pins.predicates)[:_MOST_PREDICATES]
        self._observed = {name: Observed(bit) for bit, name in enumerate(self._names)}
        self._make(pins.widths)

    def _make(self, widths: Sequence[tuple[int, bool]]) -> None:
        """The system, with so many bits for each variable."""
        pins = self._pins
        self._fields = tuple(
            Field(name, _component(name), bits, signed=signed, value_names=values)
            for name, values, (bits, signed) in zip(pins.names, pins.values, widths, strict=True)
        )
        layout = Layout(self._fields)
        places = (layout.placements[field] for field in self._fields)
        packing = Packing(
            layout.words,
            tuple(Place(place.word, place.shift, bits) for place, (bits, _) in zip(places, widths, strict=True)),
        )
        steps = Steps(pins, packing, [pins.predicates[name] for name in self._names])
        initial = steps.vector(pins.initial())
        if initial is None:
            self._make([(WHOLE_BITS, True)] * pins.size)
            return
        name = pins.library.name
        self.system = System(
            name=Path(self._source.name).stem,
            language=pins.dialect.title,
            source=self._source,
            layout=layout,
            initial=(initial,),
            actions=tuple(Action((steps.part(number),), ()) for number in range(pins.transitions)),
            choices=All(()),
            failures=(
                Failure("error", f"{name}: {pins.dialect.successors} changes the state that it was given", None),
                Failure("assertion", "an assertion of the model is false", None),
                Failure("room", f"{name}: a value has more bits than its type", None),
            ),
            evaluation_bits=64,
            queries=self._queries(),
            valid_end=self._observed.get(_ENDS),
            foreign=steps,
            extends_finite_runs=True,
        )

    def grow(self, sites: Iterable[int]) -> None:
        """All bits that the library has for each variable, whatever its type says."""
        self._make([(WHOLE_BITS, True)] * self._pins.size)

    def _queries(self) -> tuple[Query, ...]:
        accepting: Expression | None = self._observed.get(_ACCEPTS)
        if self._pins.accepting:
            accepting = Observed(len(self._names))
        if accepting is None:
            return ()
        sought = (Proposition("accepting", accepting),)
        told = "the library's automaton accepts no run"
        query = Query("property", told, "never for ever", lambda: self.system, lambda: sought, failing=True)
        return (query,)

    def proposition(self, source: Source) -> Proposition:
        """A condition over variables, names of their values, and what the library can tell of a state."""
        fields = {each.name: each for each in self._fields}

        def read(name: str) -> Expression | None:
            if name in fields:
                return Read(fields[name])
            owner, _, value = name.rpartition(".")
            for field in (fields.get(owner), fields.get(f"{owner}._pc")):
                if field and value in field.value_names:
                    return Binary("==", Read(field), Constant(field.value_names.index(value)))
            return self._observed.get(name)

        hint = "`ouro info` lists the variables"
        names = Names(read, (*fields, *self._observed), hint)
        return Proposition(source.text.strip(), condition(source, names, -1))


def _component(name: str) -> str:
    owner, dot, _ = name.partition(".")
    return owner if dot else "globals"
