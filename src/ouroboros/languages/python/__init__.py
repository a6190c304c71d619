"""Models that are classes of Python: the file is executed, and its methods are compiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Abilities
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.interned import Interned, parts_of
from ouroboros.languages.python.lower import ModelLowering
from ouroboros.languages.python.picture import drawn, drawn_by
from ouroboros.languages.python.properties import declarations, formulas, read_proposition
from ouroboros.languages.python.slow import ActionsRun, observed, system_of
from ouroboros.languages.python.storage import RecordNode, decode
from ouroboros.python import Model as Class
from ouroboros.python import response
from ouroboros.python.declare import MARK, InvariantMark
from ouroboros.python.run import functions_of
from ouroboros.source import Source, Span
from ouroboros.system.layout import Vector
from ouroboros.system.model import Overflow, Proposition, ResponseProperty, System


class PythonModel:
    """A model that was read from a class."""

    abilities = Abilities()

    def __init__(self, file: PythonFile, cls: type[Class]) -> None:
        try:
            self._model = ModelLowering(file, cls)
            self._lowered = self._model.lower()
        except RecursionError:
            raise InputError("this is nested too deeply", Span(file.source, 0, 0)) from None

    @property
    def system(self) -> System:
        return self._lowered.system

    @property
    def cls(self) -> type:
        return self._model.cls

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`."""
        proposition, self._lowered.system = read_proposition(self._model, self._lowered, source)
        return proposition

    def values(self, state: Vector) -> dict[str, Any]:
        """A state as Python knows it: the attributes by name, and where each process is, with its variables."""
        layout, root = self.system.layout, self._lowered.root

        def read(item: Any, at: int) -> int:
            return layout.read(state, item, at)

        assert isinstance(root.node, RecordNode)
        found: dict[str, Any] = {name: decode(root.member(name), read) for name in root.node.members}
        for process in self._lowered.processes.values():
            assert process.place is not None
            place = process.place.show(layout.read(state, process.place))
            found[process.name] = (place, {name: decode(item, read) for name, item in process.kept.items()})
        return found

    def picture(self, state: Vector) -> str | None:
        """What the method `as_svg` of the class draws, if there is one."""
        values = self.values(state)
        stopped = {
            (process.declared.name, process.member): values.pop(process.name)
            for process in self._lowered.processes.values()
        }
        return drawn(self.cls, values, stopped)


class RunModel:
    """A model whose steps Python makes: an object with `initial` and `successors`."""

    abilities = Abilities(lasting=False)

    def __init__(self, file: PythonFile, graph: Any, cls: type, told: str) -> None:
        self._file = file
        self._graph = graph
        invariants = {
            name: (getattr(graph, name), file.head(function))
            for name, function in functions_of(cls)
            if isinstance(vars(function).get(MARK), InvariantMark)
        }
        span = file.span_of(cls)
        place = f"{span}: " if span else ""
        self.system = system_of(graph, file.source, invariants, (f"{place}{told}",))
        self.system = replace(self.system, formulas=tuple(formulas(file, cls)), responses=tuple(self._responses(cls)))

    def picture(self, state: Vector) -> str | None:
        """What the method `as_svg` of the object draws of a state, if there is one."""
        draw = getattr(self._graph, "as_svg", None)
        interned = self.system.foreign
        assert isinstance(interned, Interned)
        return None if draw is None else drawn_by(partial(draw, interned.states[state[0]]), type(self._graph).__name__)

    def _responses(self, cls: type) -> Iterator[ResponseProperty]:
        for name, declared, span in declarations(self._file, cls, response):
            p, q = (self.proposition(Source(name, text)).expression for text in (declared.p, declared.q))
            yield ResponseProperty(name, p, q, span)

    def proposition(self, source: Source) -> Proposition:
        """An expression over the parts of a state, `state` itself, the object's methods, and the names of the file."""
        span = Span(source, 0, len(source.text))
        try:
            code = compile(f"({source.text}\n)", source.name, "eval")
        except SyntaxError as error:
            raise InputError(f"this is no expression of Python: {error.msg}", span) from None
        names = {**vars(self._file.module), **{name: getattr(self._graph, name) for name in _public(self._graph)}}
        first = self.system.initial[0]
        interned = self.system.foreign
        assert isinstance(interned, Interned)

        def holds(state: Any) -> bool:
            return bool(eval(code, {**names, "state": state, **parts_of(state)}))

        try:
            holds(interned.states[first[0]])
        except NameError as error:
            raise InputError(f"in an initial state Python says: {error}", span) from None
        except Exception:
            pass
        return Proposition(" ".join(source.text.split()), observed(interned, holds), span)


def _public(graph: Any) -> list[str]:
    return [name for name in dir(graph) if not name.startswith("_")]


def load(
    source: Source,
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
    name: str | None = None,
) -> PythonModel | RunModel:
    """Read a model; raises InputError with the place in `source`. `name` is that of the class."""
    if overflow == "wrap":
        raise UsageError("--overflow wrap: in Python a value that is out of the range of its variable is an error")
    file = PythonFile(source, definitions or {})
    graph = file.graph(name)
    if graph is not None:
        return RunModel(file, graph, type(graph), "this is run by Python as it stands, and not compiled")
    cls = file.model(name)
    if not getattr(cls, "compiled", True):
        return RunModel(file, ActionsRun(cls), cls, _why_not(file, cls))
    return PythonModel(file, cls)


def _why_not(file: PythonFile, cls: type[Class]) -> str:
    told = "this is run by Python, as `compiled = False` says"
    try:
        PythonModel(file, cls)
    except InputError as refusal:
        return f"{told}; what cannot be compiled: {refusal.span}: {refusal.message}" if refusal.span else told
    return f"{told}, and it could be compiled"
