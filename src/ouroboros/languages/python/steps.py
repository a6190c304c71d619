"""Steps of a model: code in every way in which it can choose."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, cast

from ouroboros.errors import InputError
from ouroboros.languages.python.failing import can_fail
from ouroboros.languages.python.frames import Choices, Code, Frame, namespace_of
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.liveness import local_names
from ouroboros.languages.python.locations import ProcessParts
from ouroboros.languages.python.processes import ProcessLowering
from ouroboros.languages.python.storage import Node, Place, nodes_within
from ouroboros.languages.python.types import (
    Integer,
    Named,
    Truth,
    domain,
)
from ouroboros.languages.python.values import Known
from ouroboros.python import Model
from ouroboros.source import Span
from ouroboros.system.blocks import Assign, Block, If, Leave, Require, Scope, SetLocal, Statement
from ouroboros.system.choices import Action, Part
from ouroboros.system.expressions import (
    NO_SITE,
    Constant,
    Evaluate,
    Expression,
    conjunction,
    fields_in,
)
from ouroboros.system.expressions import Local as LocalSlot
from ouroboros.system.layout import Field
from ouroboros.system.model import Failure


@dataclass(eq=False)
class ModelPart:
    """A model, or one that is an attribute of another."""

    place: Place
    cls: type
    prefix: str


class Steps:
    """What the steps and conditions of one model share."""

    def __init__(self, file: PythonFile, cls: type[Model]) -> None:
        self.file = file
        self.cls = cls
        self.failures: list[Failure] = []
        self.processes: dict[tuple[int, str, Any], ProcessParts] = {}
        self.slots = 0
        """Temporaries that the greediest step uses."""
        self.in_use: list[tuple[Node, InputError]] = []
        self.moves: list[Node] = []
        """Where steps put something else in the place of an object."""

    def lowering(self, code: Code, frame: Frame) -> ProcessLowering:
        made = ProcessLowering(code, frame, self.file)
        made.known_processes = self.processes
        made.in_use = self.in_use
        made.namespace = lambda: dict(vars(self.cls))
        return made

    def span(self, function: Any) -> Span | None:
        definition = self.file.definition(function)
        return None if definition is None else self.file.places.span(definition)

    def arguments(self, function: Any) -> list[tuple[Any, ...]]:
        definition = self.file.definition(function)
        if definition is None:
            raise InputError(f"`{function.__name__}` is defined in another file: move it into this one")
        places = self.file.places
        lists: list[tuple[Any, ...]] = []
        for argument in definition.args.args[1:]:
            if argument.annotation is None:
                raise places.refusal(
                    argument, f"the parameter `{argument.arg}` has no type", "annotate it: Int, Enum, bool"
                )
            lowering = self.lowering(Code([]), Frame("", places, function.__globals__))
            kind = lowering.annotated(argument.annotation)
            if not isinstance(kind, Truth | Integer | Named):
                raise places.refusal(argument, "a parameter must be of a simple type", "bool, Int, Enum or Literal")
            lists.append(domain(kind))
        return list(product(*lists))

    def enter(self, lowering: ProcessLowering, part: ModelPart, function: Any, given: Sequence[Any]) -> None:
        names = list(inspect.signature(function).parameters)
        lowering.frame = Frame(function.__name__, self.file.places, namespace_of(function), function=function)
        definition = self.file.definition(function)
        assert definition is not None
        lowering.frame.local_names, lowering.frame.first = local_names(definition), part.place
        lowering.frame.variables[names[0]] = part.place
        for name, value in zip(names[1:], given, strict=True):
            lowering.frame.variables[name] = Known(value)

    def plans(self, run: Callable[[ProcessLowering], tuple[Expression, Part, str, Any]]) -> list[Action]:
        """An action for every way to choose."""
        found: list[Action] = []
        plan: tuple[int, ...] | None = ()
        while plan is not None:
            choices = Choices(plan)
            code = Code(self.failures, choices=choices)
            lowering = self.lowering(code, Frame("", self.file.places, {}))
            lowering.step = code.label()
            guard, part, name, fair = run(lowering)
            block = tuple(code.statements)
            effect = _scoped(lowering.step, block)
            if choices.met:
                site = code.site("disabled", "this is not chosen", None)
                reset: list[Statement] = [SetLocal(slot, Constant(0)) for slot in choices.met]
                effect = (*reset, *effect, *(Require(LocalSlot(slot), site) for slot in choices.met))
            guard, effect = _hoisted(guard, effect, self.failures)
            if choices.names:
                part = part._replace(text=f"{part.text} with {', '.join(choices.names)}")
            found.append(Action((part,), effect, guard, name, fair))
            self.slots = max(self.slots, code.slots)
            self.moves += code.moves
            plan = choices.next_plan()
        return found

    def confirm_lasting(self) -> None:
        """What several steps rely on stays where it is."""
        moved = {id(each) for node in self.moves for each in nodes_within(node)}
        for node, refusal in self.in_use:
            if id(node) in moved:
                raise refusal

    def condition(self, run: Callable[[ProcessLowering], Expression]) -> Expression:
        code = Code(self.failures, pure=True)
        lowering = self.lowering(code, Frame("", self.file.places, {}))
        found = code.expression(lambda: run(lowering))
        self.slots = max(self.slots, code.slots)
        return found


def _scoped(label: int, block: Block) -> Block:
    """A block in a scope, if it is left anywhere but at its end."""
    block = _without_last_leave(label, block)
    return (Scope(label, block),) if _leaves(label, block) else block


def _without_last_leave(label: int, block: Block) -> Block:
    if not block:
        return block
    *before, last = block
    match last:
        case Leave(other) if other == label:
            return tuple(before)
        case If(condition, then, otherwise):
            last = If(condition, _without_last_leave(label, then), _without_last_leave(label, otherwise))
    return (*before, last)


def _leaves(label: int, part: object) -> bool:
    if isinstance(part, Leave):
        return part.label == label
    return isinstance(part, tuple) and any(_leaves(label, each) for each in part)


def _hoisted(guard: Expression, effect: Block, failures: Sequence[Failure]) -> tuple[Expression, Block]:
    """What a step requires is its guard, if it can be told before the step has changed or risked anything."""
    kept: list[Statement] = []
    before: list[Statement] = []
    """What sets temporaries, which the guard sets for itself."""
    written: set[Field] = set()

    def reads(part: object) -> bool:
        """Whether something depends on what was written."""
        return bool(written & set(fields_in(cast(Expression, part))))

    for number, statement in enumerate(effect):
        match statement:
            case Require(condition, site) if failures[site].kind == "disabled" and not written & set(
                fields_in(condition)
            ):
                guard = conjunction(guard, Evaluate(tuple(before), condition) if before else condition)
                continue
            case Assign(field, at, value, site) if site == NO_SITE and not can_fail((at, value)):
                written.add(field)
            case SetLocal() | If() if _is_local(statement) and not written & set(
                fields_in(cast(Expression, statement))
            ):
                before.append(statement)
            case _:
                return guard, (*kept, *effect[number:])
        kept.append(statement)
    return guard, tuple(kept)


def _is_local(statement: Statement) -> bool:
    """Whether it only sets temporaries."""
    match statement:
        case SetLocal():
            return True
        case If(_, then, otherwise):
            return all(map(_is_local, (*then, *otherwise)))
    return False
