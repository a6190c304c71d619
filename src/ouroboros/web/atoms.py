"""What the properties of a model speak of, and whether it is so in a state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages import Model
from ouroboros.properties.formulas.reading import from_formula
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import Constant, Expression
from ouroboros.system.interpret import evaluate
from ouroboros.system.layout import Vector
from ouroboros.system.model import System
from ouroboros.web.told import Data


class Atom(NamedTuple):
    property: str
    text: str
    expression: Expression
    required: bool
    """Whether it has to hold in every state."""


class Atoms:
    """Those of one model. They are read when they are first asked for, and again when the model's states change."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._system: System | None = None
        self._found: list[Atom] = []

    def prepare(self) -> None:
        """Read them, if they are not: the model may have states of another layout afterwards."""
        while self._system is None or self._system.layout is not self._model.system.layout:
            self._system = self._model.system
            self._found = list(self._read())

    def values(self, state: Vector) -> list[Data]:
        """Of each atom in a state of the present layout."""
        return [
            {
                "property": atom.property,
                "text": atom.text,
                "required": atom.required,
                **evaluated(self._model.system, state, atom.expression),
            }
            for atom in self._found
        ]

    def _read(self) -> Iterator[Atom]:
        system = self._model.system
        for assertion in system.assertions:
            yield Atom(assertion.name, assertion.name, assertion.expression, True)
        for cover in system.covers:
            yield Atom(f"cover {cover.name}", cover.name, cover.expression, False)
        for response in system.responses:
            yield Atom(response.name, "p", response.p, False)
            yield Atom(response.name, "q", response.q, False)
        for automaton in system.automata:
            guards = {" ".join(step.text.split()): step.guard for step in automaton.steps}
            for text, guard in guards.items():
                if not isinstance(guard, Constant):
                    yield Atom(automaton.name, text, guard, False)
        for formula in system.formulas:
            try:
                watched = from_formula(self._model, formula.text, name=formula.name)
            except InputError:
                continue  # who checks it is told what is wrong
            for proposition in watched.propositions:
                yield Atom(formula.name, proposition.name, proposition.expression, False)


def evaluated(system: System, state: Vector, expression: Expression) -> Data:
    """The value of an expression, or why it has none."""
    try:
        return {"value": evaluate(system, state, expression), "error": None}
    except ExecutionError as error:
        return {"value": None, "error": system.failures[error.site].message}
