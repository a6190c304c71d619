"""What front ends build the code of a step with: storage for values, and code under construction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

from ouroboros.source import Span
from ouroboros.system.blocks import Assign, Block, SetElement, SetLocal, Statement
from ouroboros.system.expressions import Binary, Constant, Element, Evaluate, Expression, Local, LocalArray, Read
from ouroboros.system.layout import Field
from ouroboros.system.model import Failure, FailureKind

Result = TypeVar("Result")

Storage: TypeAlias = Field | LocalArray | int
"""What can be assigned to; a number is that of a temporary."""

ZERO = Constant(0)


def stored(storage: Storage, at: Expression) -> Expression:
    """What is in it; in its element `at`, where it has elements."""
    match storage:
        case Field(length=None):
            return Read(storage)
        case Field():
            return Read(storage, at)
        case LocalArray():
            return Element(storage, at)
        case slot:
            return Local(slot)


def store(storage: Storage, at: Expression, value: Expression) -> Statement:
    match storage:
        case Field(length=None):
            return Assign(storage, None, value)
        case Field():
            return Assign(storage, at, value)
        case LocalArray():
            return SetElement(storage, at, value)
        case slot:
            return SetLocal(slot, value)


def row(at: Expression, rows: int, number: Expression) -> Expression:
    """The number of an element among those of all the structures around it, each of which has so many rows."""
    match at, number:
        case Constant(outer), Constant(inner):
            return Constant(outer * rows + inner)
        case Constant(0), _:
            return number
        case Constant(outer), _:
            return Binary("+", number, Constant(outer * rows))
    return Binary("+", Binary("*", at, Constant(rows)), number)


@dataclass(eq=False, slots=True)
class Draft:
    """Code under construction: the statements so far, temporaries, and the places where execution can go wrong."""

    failures: list[Failure]
    """Of the whole model."""
    statements: list[Statement] = field(default_factory=list)
    slots: int = 0
    labels: int = 0

    def emit(self, *statements: Statement) -> None:
        self.statements += statements

    def captured(self, emit: Callable[[], Result]) -> tuple[Result, Block]:
        """What `emit` returns, and the statements that it emits."""
        before, self.statements = self.statements, []
        try:
            result = emit()
            return result, tuple(self.statements)
        finally:
            self.statements = before

    def expression(self, emit: Callable[[], Expression]) -> Expression:
        """An expression that runs by itself what must be run before it."""
        result, block = self.captured(emit)
        return Evaluate(block, result) if block else result

    def slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def label(self) -> int:
        self.labels += 1
        return self.labels

    def saved(self, value: Expression) -> Expression:
        """The value as it is now, whatever is assigned later."""
        if isinstance(value, Constant):
            return value
        slot = self.slot()
        self.emit(SetLocal(slot, value))
        return Local(slot)

    def site(self, kind: FailureKind, message: str, span: Span | None) -> int:
        self.failures.append(Failure(kind, message, span))
        return len(self.failures) - 1
