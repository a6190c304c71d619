"""A class to a System: every action with its arguments, and every step of a process, is an action."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.beginning import initial_states, started
from ouroboros.languages.python.fields import Fields
from ouroboros.languages.python.frames import Code, Frame
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.locations import Location, ProcessParts, locations_of
from ouroboros.languages.python.processes import ProcessLowering
from ouroboros.languages.python.properties import Lowered, formulas, invariants, responses, valid_end
from ouroboros.languages.python.steps import ModelPart, Steps
from ouroboros.languages.python.storage import (
    Place,
    RecordNode,
    build,
)
from ouroboros.languages.python.types import (
    NoType,
    RecordType,
    Type,
    as_declared,
    resolve,
)
from ouroboros.python import Model
from ouroboros.python.declare import MARK, ActionMark
from ouroboros.python.run import END, call_name, functions_of, process_name, processes_of
from ouroboros.python.types import annotations_of
from ouroboros.source import Span
from ouroboros.system.choices import Action, All, Choice, Do, Part, Switch
from ouroboros.system.expressions import TRUE, Expression
from ouroboros.system.layout import Field, Layout, bits_for
from ouroboros.system.model import System
from ouroboros.system.ranges import known_ranges

MOST_ACTIONS = 100_000


class ModelLowering(Steps):
    def __init__(self, file: PythonFile, cls: type[Model]) -> None:
        super().__init__(file, cls)
        self.fields = Fields()
        self.actions: list[Action] = []
        self.starts: list[Action] = []
        self.root = self._state()

    # The state

    def _state(self) -> Place:
        kinds: dict[str, Type] = {}
        try:
            as_declared(self.cls)
        except NoType as error:
            raise InputError(error.message, self.file.span_of(self.cls), error.hint) from None
        for name, annotation in annotations_of(self.cls).items():
            try:
                kinds[name] = resolve(annotation)
            except NoType as error:
                raise InputError(error.message, self._annotation(name), error.hint) from None
        node = build(RecordType(self.cls, kinds, False), self.fields.maker("globals"), "")
        return Place(node)

    def _annotation(self, name: str) -> Span | None:
        for node in ast.walk(self.file.tree):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return self.file.places.span(node.annotation)
        return None

    def _parts(self, place: Place, cls: type, prefix: str) -> list[ModelPart]:
        """The model, and the models that are attributes of it."""
        found = [ModelPart(place, cls, prefix)]
        assert isinstance(place.node, RecordNode)
        for name, node in place.node.members.items():
            if isinstance(node, RecordNode) and issubclass(node.type.cls, Model):
                found += self._parts(place.member(name), node.type.cls, f"{prefix}{name}.")
        return found

    # Everything

    def lower(self) -> Lowered:
        parts = self._parts(self.root, self.cls, "")
        choices: list[Choice] = []
        for part in parts:
            for declared in processes_of(part.cls):
                for member in (None,) if declared.members is None else declared.members:
                    self._declare(part, declared, member)
        for process in self.processes.values():
            choices.append(self._process(process))
        for part in parts:
            for name, function in functions_of(part.cls):
                if isinstance(getattr(function, MARK, None), ActionMark):
                    choices += self._action_instances(part, name, function)
        if not self.actions:
            raise InputError(f"{self.file.source.name}: `{self.cls.__name__}` has neither processes nor actions")
        self.confirm_lasting()
        layout = Layout(tuple(self.fields.all))
        system = System(
            name=self.file.source.name,
            language="Python",
            source=self.file.source,
            layout=layout,
            initial=initial_states(self.cls, self.root, layout, self._annotation),
            actions=tuple(self.actions),
            choices=All(tuple(choices)),
            failures=(),
            evaluation_bits=64,
            processes=tuple(process.name for process in self.processes.values()),
            extends_finite_runs=True,
        )
        assertions = tuple(invariants(self, parts))
        system = replace(system, failures=tuple(self.failures), locals=self.slots, assertions=assertions)
        system = started(system, self.processes.values(), self.starts, self.file.span_of(self.cls))
        end = valid_end(list(self.processes.values()))
        system = replace(system, valid_end=end, formulas=tuple(formulas(self.file, self.cls)))
        system = replace(system, ranges=known_ranges(system))
        lowered = Lowered(system, self.root, self.processes)
        lowered.system = replace(lowered.system, responses=tuple(responses(self, lowered)))
        return lowered

    # Processes

    def _declare(self, part: ModelPart, declared: Any, member: Any) -> None:
        definition = self.file.definition(declared.function)
        if definition is None:
            raise InputError(f"the process `{declared.name}` is defined in another file: move it into this one")
        name = part.prefix + process_name(declared.name, member)
        locations = locations_of(definition, self.file.places, declared.function.__globals__)
        process = ProcessParts(name, declared, definition, member, part.place, locations)
        labels = (*(location.label for location in locations), END)
        process.place = Field(name, name, bits_for(len(labels)), value_names=labels)
        self.fields.all.append(process.place)
        lowering = self.lowering(Code(self.failures), Frame(name, self.file.places, {}))
        lowering.process = process

        def make(kind: Type, variable: str) -> Place:
            return Place(build(kind, self.fields.maker(name), f"{name}.{variable}"))

        lowering.prepare(process, make)
        self.processes[id(part.place.node), declared.name, member] = process

    def _process(self, process: ProcessParts) -> Choice:
        self.starts += self.plans(partial(self._begin, process))
        cases: list[tuple[int, Choice]] = []
        for number, location in enumerate(process.locations):
            first = len(self.actions)
            self.actions += self.plans(partial(self._step, process, location))
            cases.append((number, All(tuple(Do(index) for index in range(first, len(self.actions))))))
        assert process.place is not None
        return Switch(process.place, tuple(cases))

    def _begin(self, process: ProcessParts, lowering: ProcessLowering) -> tuple[Expression, Part, str, Any]:
        lowering.process, lowering.frame = process, lowering.frame_of(process)
        lowering.body(process.definition.body)
        lowering.finished()
        span = self.file.places.span(process.definition)
        return TRUE, Part(process.name, "begin", span), "", "none"

    def _step(
        self, process: ProcessParts, location: Location, lowering: ProcessLowering
    ) -> tuple[Expression, Part, str, Any]:
        lowering.process, lowering.frame = process, lowering.frame_of(process)
        guard: Expression = TRUE
        if location.condition is not None:
            guard = self._pure(lowering, location.condition)
        lowering.resume(process.definition.body, location.path)
        lowering.finished()
        statement = _following(process.definition, location)
        text = self.file.places.span(statement).text.partition("\n")[0].rstrip(":")
        part = Part(process.name, text, self.file.places.span(statement))
        return guard, part, location.label, process.declared.fair

    def _pure(self, lowering: ProcessLowering, node: ast.expr) -> Expression:
        code = lowering.code
        choices, code.choices, code.pure = code.choices, None, True
        guard = code.expression(lambda: lowering.condition(node))
        code.choices, code.pure = choices, False
        return guard

    # Actions

    def _action_instances(self, part: ModelPart, name: str, function: Any) -> list[Choice]:
        first = len(self.actions)
        for given in self.arguments(function):
            self.actions += self.plans(partial(self._action, part, name, function, given))
            if len(self.actions) > MOST_ACTIONS:
                raise InputError(f"there are more than {MOST_ACTIONS:,} actions", self.span(function))
        return [Do(index) for index in range(first, len(self.actions))]

    def _action(
        self, part: ModelPart, name: str, function: Any, given: Sequence[Any], lowering: ProcessLowering
    ) -> tuple[Expression, Part, str, Any]:
        definition = self.file.definition(function)
        assert definition is not None
        self.enter(lowering, part, function, given)
        lowering.body(definition.body)
        text = part.prefix + call_name(name, given)
        return TRUE, Part("", text, self.file.head(function)), part.prefix + name, getattr(function, MARK).fair


def _following(definition: ast.FunctionDef, location: Location) -> ast.stmt:
    """The statement that a step begins with, or else the `yield` before it."""
    found: ast.stmt = location.statement
    for node in ast.walk(definition):
        for inner in ("body", "orelse"):
            block = getattr(node, inner, None)
            if isinstance(block, list) and location.statement in block:
                at = block.index(location.statement)
                found = block[at + 1] if at + 1 < len(block) else location.statement
    return found
