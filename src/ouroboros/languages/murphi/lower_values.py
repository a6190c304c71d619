"""Values, places and numbers: what all expressions and statements are made of.

A value is a number in the numbering of its type. Reading a place that is undefined fails.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, add, compare
from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.lower_types import constant, resolve
from ouroboros.languages.murphi.places import Place
from ouroboros.languages.murphi.scope import Scope, Value
from ouroboros.languages.murphi.types import (
    BOOLEAN,
    Enumeration,
    Range,
    Scalarset,
    Simple,
    Type,
    Union,
    compatible,
    is_simple,
)
from ouroboros.source import Span
from ouroboros.system.blocks import SetLocal
from ouroboros.system.expressions import TRUE, Binary, Check, Conditional, Constant, Expression, Local
from ouroboros.system.intervals import Interval, interval


def text_of(span: Span) -> str:
    return " ".join(span.text.split())


class ValueLowering(ABC):
    """The code that must run before a value can be used goes to `code`."""

    def __init__(self, code: Code) -> None:
        self.code = code

    @abstractmethod
    def value(self, expression: ast.Expression, scope: Scope) -> Value: ...

    def place(self, expression: ast.Expression, scope: Scope, what: str) -> Place:
        value = self.value(expression, scope)
        if value.place is None:
            raise InputError(f"{what} must be a variable, or a part of one", expression.span)
        return value.place

    def simple(self, expression: ast.Expression, scope: Scope) -> tuple[Simple, Expression]:
        """The type and number of a simple value; reading it fails where it is undefined."""
        value = self.value(expression, scope)
        return self.number(value, expression.span)

    def number(self, value: Value, span: Span) -> tuple[Simple, Expression]:
        kind = value.type
        if not isinstance(kind, Range | Enumeration | Scalarset | Union):
            raise InputError(f"expected a simple value, but this is of type {kind}", span)
        if value.number is not None:
            return kind, value.number
        assert value.place is not None
        site = self.code.site("undefined", f"`{text_of(span)}` is undefined", span)
        return kind, add(Check(value.place.raw(), 1, kind.size, site), kind.low - 1)

    def truth(self, expression: ast.Expression, scope: Scope, what: str) -> Expression:
        kind, number = self.simple(expression, scope)
        if kind is not BOOLEAN:
            raise InputError(f"{what} must be a boolean, not of type {kind}", expression.span)
        return compare("!=", number, Constant(0)) if isinstance(number, Binary) and number.operator == "+" else number

    def integer(self, expression: ast.Expression, scope: Scope) -> Expression:
        kind, number = self.simple(expression, scope)
        if not isinstance(kind, Range):
            raise InputError(f"expected a number, but this is of type {kind}", expression.span)
        return number

    def converted(self, kind: Simple, number: Expression, to: Simple, span: Span) -> Expression:
        """The number of the same value in another type; fails where that has none."""
        if kind is to:
            return number
        if not compatible(kind, to):
            raise InputError(f"a value of type {kind} is no value of type {to}", span)
        match kind, to:
            case Range(), Range(low, high):
                return self._within(number, low, high, f"`{text_of(span)}` is out of the range {to}", span)
            case Union(), Union():
                return self._between_unions(kind, number, to, span)
            case Union(), _:
                first = kind.first(to)
                assert first is not None
                message = f"`{text_of(span)}` is no value of type {to}"
                return add(self._within(number, first, first + to.size - 1, message, span), -first)
            case _, Union():
                first = to.first(kind)
                assert first is not None
                return add(number, first)
        raise AssertionError("compatible types that cannot be converted")

    def _between_unions(self, kind: Union, number: Expression, to: Union, span: Span) -> Expression:
        saved = self.code.saved(number)
        site = self.code.site("range", f"`{text_of(span)}` is no value of type {to}", span)
        result: Expression = Check(Constant(0), 1, 1, site)
        for member in kind.members:
            target = to.first(member)
            if target is not None:
                first = kind.first(member)
                assert first is not None
                inside = Binary(
                    "and",
                    compare(">=", saved, Constant(first)),
                    compare("<", saved, Constant(first + member.size)),
                )
                result = Conditional(inside, add(saved, target - first), result)
        return result

    def _within(self, number: Expression, low: int, high: int, message: str, span: Span) -> Expression:
        if interval(number, BITS).within(Interval(low, high)):
            return number
        return Check(number, low, high, self.code.site("range", message, span))

    def simple_or_place(self, expression: ast.Expression, scope: Scope) -> tuple[Type, Expression]:
        """As `simple`; a structured value is only given its type."""
        value = self.value(expression, scope)
        return (value.type, TRUE) if not is_simple(value.type) else self.number(value, expression.span)

    def _saved_before(self, position: int, value: Expression) -> Expression:
        """Evaluate a value before the statements from a position on, which were emitted after it."""
        if isinstance(value, Constant):
            return value
        slot = self.code.slot()
        self.code.statements.insert(position, SetLocal(slot, value))
        return Local(slot)

    def type(self, kind: ast.Type, scope: Scope, name: str = "") -> Type:
        return resolve(kind, scope, self, name)

    def constant(self, expression: ast.Expression, scope: Scope, what: str) -> int:
        return constant(expression, scope, self, what)
