"""A library that was compiled for LTSmin or Spot as a model."""

from __future__ import annotations

from pathlib import Path

from ouroboros.conditions import Names, condition
from ouroboros.errors import InputError
from ouroboros.languages import Abilities
from ouroboros.languages.modules.opening import Library
from ouroboros.languages.modules.pins.interface import FUNCTIONS, MOST_VARIABLES, Dialect, PinsLibrary
from ouroboros.languages.modules.pins.steps import Steps
from ouroboros.outside import name_functions
from ouroboros.source import Source
from ouroboros.system.choices import Action, All
from ouroboros.system.expressions import Binary, Constant, Expression, Observed, Read
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Failure, Proposition, Query, System

_BITS = 32
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
        self._fields = tuple(
            Field(name, _component(name), _BITS, signed=True, value_names=values)
            for name, values in zip(pins.names, pins.values, strict=True)
        )
        names = list(pins.predicates)[:_MOST_PREDICATES]
        self._observed = {name: Observed(bit) for bit, name in enumerate(names)}
        accepting: Expression | None = self._observed.get(_ACCEPTS)
        if pins.accepting:
            accepting = Observed(len(names))
        layout = Layout(self._fields)
        steps = Steps(pins, layout.words, [pins.predicates[name] for name in names])
        self.system = System(
            name=Path(source.name).stem,
            language=dialect.title,
            source=source,
            layout=layout,
            initial=(steps.vector(pins.initial()),),
            actions=tuple(Action((steps.part(number),), ()) for number in range(pins.transitions)),
            choices=All(()),
            failures=(
                Failure("error", f"{library.name}: get_successors changes the state that it was given", None),
                Failure("assertion", "an assertion of the model is false", None),
            ),
            evaluation_bits=64,
            queries=self._queries(accepting),
            valid_end=self._observed.get(_ENDS),
            foreign=steps,
            extends_finite_runs=True,
        )

    def _queries(self, accepting: Expression | None) -> tuple[Query, ...]:
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
