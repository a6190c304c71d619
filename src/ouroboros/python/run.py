"""A model run by Python itself, step by step: for unit tests, and as the measure of the compiled model."""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from functools import cache
from itertools import product
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ouroboros.python.declare import MARK, ActionMark, Model, Process, Wait, chooser
from ouroboros.python.types import Blocked, annotations_of, confirm, values_of

END = "end"


class Undecided(Exception):
    """A step asks for one more choice than it was given."""

    def __init__(self, options: Sequence[Any]) -> None:
        super().__init__("a choice has to be made")
        self.options = options


class Candidate(NamedTuple):
    """What might be the next step: of a process, or an action with its arguments."""

    name: str
    """`P[0]`, or `send(1)`."""
    key: tuple[str, str, Any]
    """Which part of the model it belongs to; the method; and the member of a process, or the arguments."""
    is_process: bool


class Running:
    """A process that was made, and where it is."""

    def __init__(self, generator: Any, names: Mapping[str, Any]) -> None:
        self._generator = generator
        self._names = names
        """What annotations of its variables may use."""
        self._place = END
        self._condition: CodeType | None = None
        self._move()

    def _move(self) -> None:
        try:
            given = next(self._generator)
        except StopIteration:
            self._place, self._condition = END, None
            return
        parts = given if isinstance(given, tuple) else (given,)
        labels = [part for part in parts if isinstance(part, str)]
        self._confirm(self._generator.gi_frame)
        line, condition = _yield_at(self._generator.gi_frame)
        self._place = labels[0] if labels else f"line {line}"
        self._condition = condition if any(isinstance(part, Wait) for part in parts) else None

    def _confirm(self, frame: FrameType) -> None:
        names = {**frame.f_globals, **self._names}
        for name, annotation in _declared(frame.f_code.co_filename).get(frame.f_code.co_firstlineno, {}).items():
            if name in frame.f_locals:
                confirm(eval(annotation, names), frame.f_locals[name], name)

    @property
    def _frame(self) -> FrameType | None:
        frame: FrameType | None = self._generator.gi_frame
        return frame

    def _can_move(self) -> bool:
        frame = self._frame
        if frame is None:
            return False
        # Looked up as in a function: what is nested in the condition sees the variables as well.
        return self._condition is None or bool(eval(self._condition, {**frame.f_globals, **frame.f_locals}))

    def at(self, place: str) -> bool:
        """Whether the process is at the `yield` of this name."""
        return self._place == place

    def __getattr__(self, name: str) -> Any:
        frame = self._frame
        if name.startswith("_") or frame is None or name not in frame.f_locals:
            raise AttributeError(f"the process has no variable {name} now")
        return frame.f_locals[name]


class Run:
    """One run of a model, from its initial state on; `choices` decide what is open when it is made."""

    def __init__(self, model: type[Model] | Model, choices: Sequence[Any] = ()) -> None:
        with _Deciding(choices):
            self.model: Any = model() if isinstance(model, type) else model
            self.parts = dict(model_parts(self.model))
            """The model, and the models that are attributes of it, by the prefix of their names."""
            self.running: dict[tuple[str, str, Any], Running] = {}
            for prefix, part in self.parts.items():
                own = part.__dict__["_running"] = {}
                for process in processes_of(type(part)):
                    for member in (None,) if process.members is None else process.members:
                        arguments = () if process.members is None else (member,)
                        made = Running(process.function(part, *arguments), vars(type(part)))
                        own[process.name, member] = self.running[prefix, process.name, member] = made
        self._confirm()

    def candidates(self) -> list[Candidate]:
        """Every process that does not wait and has not ended, and every action: what it requires, it tells itself."""
        found = [
            Candidate(prefix + process_name(name, member), (prefix, name, member), True)
            for (prefix, name, member), running in self.running.items()
            if running._can_move()
        ]
        for prefix, part in self.parts.items():
            for name, function in functions_of(type(part)):
                if isinstance(getattr(function, MARK, None), ActionMark):
                    found += [
                        Candidate(prefix + call_name(name, given), (prefix, name, given), False)
                        for given in arguments_of(function, type(part))
                    ]
        return found

    def take(self, candidate: Candidate, choices: Sequence[Any] = ()) -> None:
        """Make a step. Raises Blocked where it is not possible, and Undecided where it needs more choices; the run
        must not be used any more then."""
        prefix, name, given = candidate.key
        try:
            with _Deciding(choices):
                if candidate.is_process:
                    self.running[candidate.key]._move()
                else:
                    getattr(self.parts[prefix], name)(*given)
        except Blocked:
            # What went wrong before it was blocked went wrong, as with an assertion.
            self._confirm()
            raise
        self._confirm()

    def _confirm(self) -> None:
        for name, kind in annotations_of(type(self.model)).items():
            confirm(kind, getattr(self.model, name), name)


class _Deciding:
    def __init__(self, choices: Sequence[Any]) -> None:
        self._left = list(choices)

    def _choose(self, options: Sequence[Any]) -> Any:
        if not self._left:
            raise Undecided(options)
        return self._left.pop(0)

    def __enter__(self) -> None:
        self._token = chooser.set(self._choose)

    def __exit__(self, *_: object) -> None:
        chooser.reset(self._token)


def process_name(name: str, member: Any) -> str:
    return name if member is None else f"{name}[{shown(member)}]"


def call_name(name: str, arguments: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(shown, arguments))})"


def shown(value: Any) -> str:
    """A value as traces have it."""
    return value.name if isinstance(value, Enum) else str(value)


def functions_of(cls: type) -> Iterator[tuple[str, Any]]:
    """The methods of a class and of those that it inherits from; what is overridden is not among them."""
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found.update((name, value) for name, value in vars(base).items() if inspect.isfunction(value))
    yield from ((name, value) for name, value in found.items() if vars_of(cls, name) is value)


def processes_of(cls: type) -> list[Process]:
    names = dict.fromkeys(name for base in reversed(cls.__mro__) for name in vars(base))
    return [value for name in names if isinstance(value := vars_of(cls, name), Process)]


def vars_of(cls: type, name: str) -> Any:
    """The attribute as it stands in the class."""
    return inspect.getattr_static(cls, name)


def model_parts(model: Model, prefix: str = "") -> Iterator[tuple[str, Model]]:
    yield prefix, model
    for name, kind in annotations_of(type(model)).items():
        if isinstance(kind, type) and issubclass(kind, Model):
            yield from model_parts(getattr(model, name), f"{prefix}{name}.")


def arguments_of(function: Any, cls: type) -> list[tuple[Any, ...]]:
    """All the arguments that an action or invariant can have, beside the model."""
    names = list(inspect.signature(function).parameters)[1:]
    kinds = inspect.get_annotations(function, locals=vars(cls), eval_str=True) if names else {}
    return list(product(*(values_of(kinds[name]) for name in names)))


def _yield_at(frame: FrameType) -> tuple[int, CodeType | None]:
    """The line of the `yield` that a generator stands at, and its condition."""
    positions = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    line, _, column, _ = positions
    assert line is not None
    return line, _conditions(frame.f_code.co_filename).get((line, column or 0))


def _declared(file: str) -> dict[int, dict[str, CodeType]]:
    return _declared_in(file, "".join(linecache.getlines(file)))


@cache
def _declared_in(file: str, text: str) -> dict[int, dict[str, CodeType]]:
    """The types that functions give their variables, by the first line of the function."""
    found: dict[int, dict[str, CodeType]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[first] = {
                part.target.id: compile(ast.Expression(part.annotation), file, "eval")
                for part in ast.walk(node)
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
            }
    return found


def _conditions(file: str) -> dict[tuple[int, int], CodeType]:
    return _conditions_in(file, "".join(linecache.getlines(file)))


@cache
def _conditions_in(file: str, text: str) -> dict[tuple[int, int], CodeType]:
    """What each `yield` of a file waits for, by its line and column."""
    found: dict[tuple[int, int], CodeType] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Yield) and node.value is not None:
            for part in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
                match part:
                    case ast.Call(ast.Name("until") | ast.Attribute(attr="until"), [condition]):
                        found[node.lineno, node.col_offset] = compile(ast.Expression(condition), file, "eval")
    return found
