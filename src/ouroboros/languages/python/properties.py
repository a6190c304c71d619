"""What a model asks of itself, and expressions over its names."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ouroboros.errors import InputError
from ouroboros.languages.python.frames import Frame
from ouroboros.languages.python.importing import PythonFile
from ouroboros.languages.python.locations import ProcessParts
from ouroboros.languages.python.places import Places
from ouroboros.languages.python.processes import ProcessLowering
from ouroboros.languages.python.steps import ModelPart, Steps
from ouroboros.languages.python.storage import (
    Place,
)
from ouroboros.languages.python.values import Known, Value
from ouroboros.python import ltl, response
from ouroboros.python.declare import MARK, InvariantMark
from ouroboros.python.run import END, call_name, functions_of
from ouroboros.source import Source, Span
from ouroboros.system.expressions import Expression, conjunction
from ouroboros.system.model import NamedFormula, Proposition, ResponseProperty, System


@dataclass(eq=False)
class Lowered:
    """A system, and what is needed to read more expressions over its names."""

    system: System
    root: Place
    processes: dict[tuple[int, str, Any], ProcessParts]


def invariants(steps: Steps, parts: Sequence[ModelPart]) -> list[Proposition]:
    found: list[Proposition] = []
    for part in parts:
        for name, function in functions_of(part.cls):
            if isinstance(getattr(function, MARK, None), InvariantMark):
                for given in steps.arguments(function):
                    arguments: list[Value] = [part.place, *map(Known, given)]
                    definition = steps.file.definition(function)
                    assert definition is not None

                    def holds(
                        lowering: ProcessLowering, arguments: list[Value] = arguments, of: Any = function
                    ) -> Expression:
                        node = steps.file.definition(of)
                        assert node is not None
                        return lowering.truth(lowering.run(of, arguments, node), node)

                    instance = part.prefix + (call_name(name, given) if given else name)
                    condition, head = steps.condition(holds), steps.file.head(function)
                    found.append(Proposition(instance, condition, head, title=part.prefix + name))
    return found


def declarations(file: PythonFile, cls: type, kind: type) -> list[tuple[str, Any, Span | None]]:
    found: list[tuple[str, Any, Span | None]] = []
    for base in reversed(cls.__mro__):
        for name, value in vars(base).items():
            if isinstance(value, kind):
                spans = [
                    file.places.span(node)
                    for node in ast.walk(file.tree)
                    if isinstance(node, ast.Assign) and any(getattr(t, "id", None) == name for t in node.targets)
                ]
                found.append((name, value, spans[0] if spans else None))
    return found


def formulas(file: PythonFile, cls: type) -> list[NamedFormula]:
    found: list[NamedFormula] = []
    for name, declared, span in declarations(file, cls, ltl):
        text = declared.formula
        at = span.source.text.find(text, span.start, span.end) if span else -1
        place = Span(span.source, at, at + len(text)) if span and at >= 0 else Span(Source(name, text), 0, len(text))
        found.append(NamedFormula(name, place))
    return found


def responses(steps: Steps, lowered: Lowered) -> list[ResponseProperty]:
    found: list[ResponseProperty] = []
    for name, declared, span in declarations(steps.file, steps.cls, response):
        sides: list[Expression] = []
        for text in (declared.p, declared.q):
            proposition, lowered.system = read_proposition(steps, lowered, Source(name, text))
            sides.append(proposition.expression)
        found.append(ResponseProperty(name, sides[0], sides[1], span))
    return found


def valid_end(processes: Sequence[ProcessParts]) -> Expression | None:
    """A run may end where every process has, but for daemons; if they ever do."""
    waited = [process for process in processes if not process.declared.daemon]
    if not processes or not all(process.ends for process in waited):
        return None
    return conjunction(*(process.at(END) for process in waited))


def read_proposition(model: Steps, lowered: Lowered, source: Source) -> tuple[Proposition, System]:
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
