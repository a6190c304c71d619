"""Checked expressions to expressions over the fields of a state."""

from __future__ import annotations

from collections.abc import Sequence

from ouroboros.languages.dve import model as dve
from ouroboros.languages.dve.fields import Fields
from ouroboros.source import Span
from ouroboros.system.expressions import (
    NO_SITE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Read,
    Unary,
    conjunction,
    equal,
)
from ouroboros.system.layout import Field
from ouroboros.system.model import Failure, FailureKind


class ExpressionLowering:
    """Lowers expressions, and lists the places where they can fail."""

    def __init__(self, fields: Fields, failures: Sequence[Failure] = ()) -> None:
        self.fields = fields
        self.failures = list(failures)

    def lower(self, expression: dve.Expression) -> Expression:
        match expression:
            case dve.Number(_, value):
                return Constant(value)
            case dve.Read(_, variable, at):
                if variable.constant:
                    assert at is not None, "constant scalars are folded"
                    return self._table(variable, self.lower(at), at.span)
                field, index, site = self.place(expression)
                return Read(field, index, site)
            case dve.InState(_, process, state):
                return equal(self.fields.locations[process], state)
            case dve.Unary(_, operator, operand):
                return Unary(operator, self.lower(operand))
            case dve.Binary(span, operator, left, right):
                if operator == "imply":
                    return Binary("or", Unary("not", self.lower(left)), self.lower(right))
                divides = operator in ("/", "%") and not _is_nonzero(right)
                site = self.site("division", "division by zero", span) if divides else NO_SITE
                return Binary(operator, self.lower(left), self.lower(right), site)

    def place(self, read: dve.Read) -> tuple[Field, Expression | None, int]:
        """The field, the index and the site that it fails at."""
        field = self.fields.variables[read.variable]
        if read.at is None:
            return field, None, NO_SITE
        # The checker has seen to constant indices.
        site = NO_SITE if isinstance(read.at, dve.Number) else self._index_site(read.variable, read.at.span)
        return field, self.lower(read.at), site

    def _table(self, variable: dve.Variable, at: Expression, span: Span) -> Expression:
        """An element of a constant array, which is part of no state: a search tree over its indices."""

        def element(low: int, high: int) -> Expression:
            if high - low == 1:
                return Constant(variable.initial[low])
            middle = (low + high) // 2
            return Conditional(Binary("<", at, Constant(middle)), element(low, middle), element(middle, high))

        size = len(variable.initial)
        in_range = conjunction(Binary(">=", at, Constant(0)), Binary("<", at, Constant(size)))
        # Nothing else fails by itself; the site has it reported as what it is.
        out_of_range = Binary("/", Constant(0), Constant(0), self._index_site(variable, span))
        return Conditional(in_range, element(0, size), out_of_range)

    def _index_site(self, variable: dve.Variable, span: Span) -> int:
        return self.site("index", f"index out of range: `{variable.name}` has {variable.size} elements", span)

    def site(self, kind: FailureKind, message: str, span: Span) -> int:
        self.failures.append(Failure(kind, message, span))
        return len(self.failures) - 1


def _is_nonzero(expression: dve.Expression) -> bool:
    return isinstance(expression, dve.Number) and expression.value != 0
