"""A class to a System: every action with its arguments, and every step of a process, is an action."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.frames import Choices, Code, Frame
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.places import Places
from ouroboros.languages.python.processes import Location, ProcessLowering, ProcessParts, locations_of
from ouroboros.languages.python.storage import (
    Place,
    RecordNode,
    base_of,
    build,
    encode,
)
from ouroboros.languages.python.types import (
    Integer,
    Named,
    NoType,
    RecordType,
    Simple,
    Truth,
    Type,
    domain,
    resolve,
    value_name,
)
from ouroboros.languages.python.values import Known, Value
from ouroboros.python import Model, ltl, response
from ouroboros.python.declare import MARK, ActionMark, InvariantMark, chooser
from ouroboros.python.run import END, Undecided, call_name, functions_of, process_name, processes_of
from ouroboros.python.types import Blocked, allows, annotations_of
from ouroboros.source import Source, Span
from ouroboros.system.blocks import Block, If, Leave, Require, Scope, SetLocal, Statement
from ouroboros.system.choices import Action, All, Choice, Do, Part, Switch
from ouroboros.system.expressions import TRUE, Constant, Expression, conjunction
from ouroboros.system.expressions import Local as LocalSlot
from ouroboros.system.interpret import Step, successors
from ouroboros.system.layout import Field, Layout, Vector, bits_for
from ouroboros.system.model import Failure, NamedFormula, Proposition, ResponseProperty, System
from ouroboros.system.ranges import known_ranges

MOST_STATE_BITS = 1 << 20
MOST_ACTIONS = 100_000


@dataclass(eq=False)
class Lowered:
    """A system, and what is needed to read more expressions over its names."""

    system: System
    root: Place
    processes: dict[tuple[int, str, Any], ProcessParts]


@dataclass(eq=False)
class _Part:
    """A model, or one that is an attribute of another."""

    place: Place
    cls: type
    prefix: str


class ModelLowering:
    def __init__(self, file: PythonFile, cls: type[Model]) -> None:
        self.file = file
        self.cls = cls
        self.failures: list[Failure] = []
        self.fields: list[Field] = []
        self.processes: dict[tuple[int, str, Any], ProcessParts] = {}
        self.slots = 0
        self.actions: list[Action] = []
        self.starts: list[Action] = []
        self.root = self._state()

    # The state

    def _state(self) -> Place:
        kinds: dict[str, Type] = {}
        for name, annotation in annotations_of(self.cls).items():
            try:
                kinds[name] = resolve(annotation)
            except NoType as error:
                raise InputError(error.message, self._annotation(name), error.hint) from None
        node = build(RecordType(self.cls, kinds, False), self._maker("globals"), "")
        return Place(node)

    def _annotation(self, name: str) -> Span | None:
        for node in ast.walk(self.file.tree):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return self.file.places.span(node.annotation)
        return None

    def _maker(self, component: str) -> Callable[[Simple, tuple[str, ...], int | None], Field]:
        def make(kind: Simple, names: tuple[str, ...], length: int | None) -> Field:
            path, belongs = _field_name(names[0], component, [item.name for item in self.fields])
            base = base_of(kind)
            size = kind.high - base + 1 if isinstance(kind, Integer) else kind.size
            made = Field(
                name=path,
                component=belongs,
                bits=bits_for(size),
                length=length,
                initial=(0,) * (1 if length is None else length),
                value_names=_value_names(kind),
                offset=base,
                element_names=names if length is not None else (),
            )
            self.fields.append(made)
            if sum(item.bits * item.elements for item in self.fields) > MOST_STATE_BITS:
                raise InputError("the state is too large", None, f"it may have {MOST_STATE_BITS:,} bits")
            return made

        return make

    def lowering(self, code: Code, frame: Frame) -> ProcessLowering:
        made = ProcessLowering(code, frame, self.file)
        made.known_processes = self.processes
        made.namespace = lambda: dict(vars(self.cls))
        return made

    def _parts(self, place: Place, cls: type, prefix: str) -> list[_Part]:
        """The model, and the models that are attributes of it."""
        found = [_Part(place, cls, prefix)]
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
        layout = Layout(tuple(self.fields))
        system = System(
            name=self.file.source.name,
            language="Python",
            source=self.file.source,
            layout=layout,
            initial=self._initial(layout),
            actions=tuple(self.actions),
            choices=All(tuple(choices)),
            failures=(),
            evaluation_bits=64,
            processes=tuple(process.name for process in self.processes.values()),
            extends_finite_runs=True,
        )
        assertions = tuple(self._invariants(parts))
        system = replace(system, failures=tuple(self.failures), locals=self.slots, assertions=assertions)
        system = self._started(system)
        valid_end = self._valid_end()
        system = replace(system, valid_end=valid_end, formulas=tuple(self._formulas()))
        system = replace(system, ranges=known_ranges(system))
        lowered = Lowered(system, self.root, self.processes)
        lowered.system = replace(lowered.system, responses=tuple(self._responses(lowered)))
        return lowered

    # Processes

    def _declare(self, part: _Part, declared: Any, member: Any) -> None:
        definition = self.file.definition(declared.function)
        if definition is None:
            raise InputError(f"the process `{declared.name}` is defined in another file: move it into this one")
        name = part.prefix + process_name(declared.name, member)
        locations = locations_of(definition, self.file.places)
        process = ProcessParts(name, declared, definition, member, part.place, locations)
        labels = (*(location.label for location in locations), END)
        process.place = Field(name, name, bits_for(len(labels)), value_names=labels)
        self.fields.append(process.place)
        lowering = self.lowering(Code(self.failures), Frame(name, self.file.places, {}))
        lowering.process = process

        def make(kind: Type, variable: str) -> Place:
            return Place(build(kind, self._maker(name), f"{name}.{variable}"))

        lowering.prepare(process, make)
        self.processes[id(part.place.node), declared.name, member] = process

    def _process(self, process: ProcessParts) -> Choice:
        self.starts += self._plans(partial(self._begin, process))
        cases: list[tuple[int, Choice]] = []
        for number, location in enumerate(process.locations):
            first = len(self.actions)
            self.actions += self._plans(partial(self._step, process, location))
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

    def _action_instances(self, part: _Part, name: str, function: Any) -> list[Choice]:
        first = len(self.actions)
        for given in self._arguments(function):
            self.actions += self._plans(partial(self._action, part, name, function, given))
            if len(self.actions) > MOST_ACTIONS:
                raise InputError(f"there are more than {MOST_ACTIONS:,} actions", self._span(function))
        return [Do(index) for index in range(first, len(self.actions))]

    def _span(self, function: Any) -> Span | None:
        definition = self.file.definition(function)
        return None if definition is None else self.file.places.span(definition)

    def _arguments(self, function: Any) -> list[tuple[Any, ...]]:
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

    def _action(
        self, part: _Part, name: str, function: Any, given: Sequence[Any], lowering: ProcessLowering
    ) -> tuple[Expression, Part, str, Any]:
        definition = self.file.definition(function)
        assert definition is not None
        self._enter(lowering, part, function, given)
        lowering.body(definition.body)
        text = part.prefix + call_name(name, given)
        return TRUE, Part("", text, self._head(definition)), part.prefix + name, getattr(function, MARK).fair

    def _enter(self, lowering: ProcessLowering, part: _Part, function: Any, given: Sequence[Any]) -> None:
        names = list(inspect.signature(function).parameters)
        lowering.frame = Frame(function.__name__, self.file.places, function.__globals__)
        lowering.frame.variables[names[0]] = part.place
        for name, value in zip(names[1:], given, strict=True):
            lowering.frame.variables[name] = Known(value)

    def _head(self, definition: ast.FunctionDef) -> Span:
        span = self.file.places.span(definition)
        return Span(span.source, span.start, span.start + len(span.text.partition("\n")[0]))

    def _plans(self, run: Callable[[ProcessLowering], tuple[Expression, Part, str, Any]]) -> list[Action]:
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
            plan = choices.next_plan()
        return found

    # Properties

    def condition(self, run: Callable[[ProcessLowering], Expression]) -> Expression:
        code = Code(self.failures, pure=True)
        lowering = self.lowering(code, Frame("", self.file.places, {}))
        found = code.expression(lambda: run(lowering))
        self.slots = max(self.slots, code.slots)
        return found

    def _invariants(self, parts: Sequence[_Part]) -> list[Proposition]:
        found: list[Proposition] = []
        for part in parts:
            for name, function in functions_of(part.cls):
                if isinstance(getattr(function, MARK, None), InvariantMark):
                    for given in self._arguments(function):
                        arguments: list[Value] = [part.place, *map(Known, given)]
                        definition = self.file.definition(function)
                        assert definition is not None

                        def holds(
                            lowering: ProcessLowering, arguments: list[Value] = arguments, of: Any = function
                        ) -> Expression:
                            node = self.file.definition(of)
                            assert node is not None
                            return lowering.truth(lowering.run(of, arguments, node), node)

                        title = part.prefix + (call_name(name, given) if given else name)
                        holds_here = self.condition(holds)
                        found.append(
                            Proposition(title, holds_here, self._head(definition), title=f"{part.prefix}{name}")
                        )
        return found

    def _declared(self, kind: type) -> list[tuple[str, Any, Span | None]]:
        found: list[tuple[str, Any, Span | None]] = []
        for base in reversed(self.cls.__mro__):
            for name, value in vars(base).items():
                if isinstance(value, kind):
                    spans = [
                        self.file.places.span(node)
                        for node in ast.walk(self.file.tree)
                        if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == name for t in node.targets)
                    ]
                    found.append((name, value, spans[0] if spans else None))
        return found

    def _formulas(self) -> list[NamedFormula]:
        found: list[NamedFormula] = []
        for name, declared, span in self._declared(ltl):
            text = declared.formula
            at = span.source.text.find(text, span.start, span.end) if span else -1
            place = (
                Span(span.source, at, at + len(text)) if span and at >= 0 else Span(Source(name, text), 0, len(text))
            )
            found.append(NamedFormula(name, place))
        return found

    def _responses(self, lowered: Lowered) -> list[ResponseProperty]:
        found: list[ResponseProperty] = []
        for name, declared, span in self._declared(response):
            sides: list[Expression] = []
            for text in (declared.p, declared.q):
                proposition, lowered.system = read_proposition(self, lowered, Source(name, text))
                sides.append(proposition.expression)
            found.append(ResponseProperty(name, sides[0], sides[1], span))
        return found

    def _valid_end(self) -> Expression | None:
        """A run may end where every process has, but for daemons; if they ever do."""
        waited = [process for process in self.processes.values() if not process.declared.daemon]
        if not self.processes or not all(process.ends for process in waited):
            return None
        return conjunction(*(process.at(END) for process in waited))

    # The first states

    def _initial(self, layout: Layout) -> tuple[Vector, ...]:
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
                instance = self.cls()
            except Undecided as undecided:
                waiting += [(*choices, option) for option in undecided.options]
                continue
            except Blocked:
                continue
            finally:
                chooser.reset(token)
            words = [0] * layout.words
            self._confirm(instance)
            encode(self.root, instance, partial(layout.write, words))
            found[tuple(words)] = None
        return tuple(found)

    def _confirm(self, instance: Any) -> None:
        for name, kind in annotations_of(self.cls).items():
            value = getattr(instance, name)
            if not allows(kind, value):
                raise InputError(f"`{name}` begins with {value!r}, which is not of its type", self._annotation(name))

    def _started(self, system: System) -> System:
        """Every process is run up to its first `yield`, one after the other."""
        states = list(system.initial)
        for process in self.processes.values():
            starts = tuple(start for start in self.starts if start.parts[0].process == process.name)
            begin = replace(system, actions=starts, choices=All(tuple(Do(index) for index in range(len(starts)))))
            reached: dict[Vector, None] = {}
            for state in states:
                for step in successors(begin, state):
                    reached.update(dict.fromkeys(self._reached(system, step, process)))
            states = list(reached)
        if not states:
            raise InputError(f"{self.file.source.name}: there is no initial state")
        return replace(system, initial=tuple(states))

    def _reached(self, system: System, step: Step, process: ProcessParts) -> list[Vector]:
        if step.state is None:
            failure = system.failures[step.failure] if step.failure is not None and step.failure >= 0 else None
            told = failure.message if failure else "something goes wrong"
            raise InputError(f"before the first `yield` of `{process.name}`: {told}", failure.span if failure else None)
        return [step.state]


def read_proposition(model: ModelLowering, lowered: Lowered, source: Source) -> tuple[Proposition, System]:
    """An expression over the model's names, and the system with the places where it can fail."""
    places = Places(source, shift=1)
    try:
        tree = ast.parse(f"({source.text}\n)", mode="eval")
    except SyntaxError as error:
        start = min(max(0, (error.offset or 2) - 2), len(source.text)) if error.lineno == 1 else 0
        raise InputError(
            f"this is no expression of Python: {error.msg}", Span(source, start, len(source.text))
        ) from None

    def read(lowering: ProcessLowering) -> Expression:
        lowering.frame = Frame("", places, vars(model.file.module), model=lowered.root)
        lowering.frame.variables["self"] = lowered.root
        return lowering.condition(tree.body)

    expression = model.condition(read)
    system = replace(lowered.system, failures=tuple(model.failures), locals=max(lowered.system.locals, model.slots))
    name = " ".join(source.text.split())
    return Proposition(name, expression, Span(source, 0, len(source.text))), system


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
    """What a step requires at its very begin is its guard."""
    while effect and isinstance(effect[0], Require) and failures[effect[0].site].kind == "disabled":
        guard, effect = conjunction(guard, effect[0].condition), effect[1:]
    return guard, effect


def _field_name(name: str, component: str, taken: Sequence[str]) -> tuple[str, str]:
    """The name of a field for elements of which the first has a name, and the component that it belongs to."""
    path = _without_indices(name)
    if path.endswith(".length"):
        return path, path.removesuffix(".length")
    owner = next((each for each in reversed(taken) if each.endswith(".length") and _within(path, each)), None)
    if owner is not None:
        stem = owner.removesuffix(".length")
        number = sum(each.startswith(f"{stem}.") for each in taken) - 1
        return f"{stem}.{number}", stem
    if component == "globals" and "." in path:
        return path, path.partition(".")[0]
    return path, component


def _within(path: str, length: str) -> bool:
    stem = length.removesuffix(".length")
    return path == stem or path.startswith(f"{stem}.")


def _without_indices(name: str) -> str:
    """Without what is in brackets, but for those of a process."""
    depth, kept = 0, []
    process, dot, rest = name.partition("].")
    if dot:
        name = rest
    for character in name:
        depth += character == "["
        if depth == 0:
            kept.append(character)
        depth -= character == "]"
    return (f"{process}]." if dot else "") + "".join(kept)


def _value_names(kind: Simple) -> tuple[str, ...]:
    match kind:
        case Truth():
            return ("False", "True")
        case Named(values):
            return tuple(map(value_name, values))
    return ()
