"""A simple value as one of a type, or as the number of a value among those of a type."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ouroboros.languages.python.arithmetic import Arithmetic
from ouroboros.languages.python.types import Integer, Named, Simple, Truth, domain
from ouroboros.languages.python.values import Scalar, Value
from ouroboros.system.expressions import (
    FALSE,
    NO_SITE,
    TRUE,
    Binary,
    Check,
    Conditional,
    Constant,
    Expression,
    conjunction,
)


class Conversions(Arithmetic):
    def converted(self, value: Value, kind: Simple, node: ast.AST, name: str) -> Expression:
        """The value as one of the type; where it is none, the step goes wrong."""
        value = self.load(value)
        found = self.scalar(value, node)
        outside = f"`{name}` is of the type {kind}"
        match kind:
            case Truth():
                if isinstance(found.type, Truth):
                    return found.number
                raise self.refusal(node, f"{outside}, and this is {found.type}", "write a comparison, or bool(…)")
            case Integer(low, high):
                bounds, number = self.number(found, node)
                if low <= bounds.low and bounds.high <= high:
                    return number
                return Check(number, low, high, self.site("range", f"{outside}, and the value is not", node))
            case Named():
                if found.type == kind:
                    return found.number
                if isinstance(found.type, Named | Truth):
                    known = [kind.index(each) for each in domain(found.type)]
                    return self._recoded(found, known, node, f"{outside}, and the value is not")
                return self._from_number(found, kind, node, f"{outside}, and the value is not")

    def _recoded(self, found: Scalar, indices: Sequence[int | None], node: ast.AST, message: str) -> Expression:
        if not any(index is not None for index in indices):
            raise self.refusal(node, message)
        site = self.site("range", message, node) if None in indices else NO_SITE
        if isinstance(found.number, Constant):
            index = indices[found.number.value]
            return Constant(index) if index is not None else Check(Constant(-1), 0, 0, site)
        wrong: Expression = Check(Constant(-1), 0, 0, site)
        return self.table(found.number, [wrong if index is None else Constant(index) for index in indices])

    def _from_number(self, found: Scalar, kind: Named, node: ast.AST, message: str) -> Expression:
        """A number among values that have numbers among them."""
        numbers = [(at, int(each)) for at, each in enumerate(kind.values) if isinstance(each, int)]
        if not numbers:
            raise self.refusal(node, message)
        site = self.site("range", message, node)
        number = self.code.saved(found.number)
        first, low = numbers[0]
        if [each for _, each in numbers] == list(range(low, low + len(numbers))) and numbers[-1][0] - first + 1 == len(
            numbers
        ):
            checked = Check(number, low, low + len(numbers) - 1, site)
            return Binary("+", checked, Constant(first - low)) if first != low else checked
        result: Expression = Check(Constant(-1), 0, 0, site)
        for at, each in numbers:
            result = Conditional(Binary("==", number, Constant(each)), Constant(at), result)
        return result

    def _number_among(
        self, values: Sequence[Any], low: int, high: int, index: Expression
    ) -> tuple[Expression, Expression]:
        """Whether the value with an index is a number within bounds, and how far it is from the lower one."""
        inside = [isinstance(each, int) and low <= each <= high for each in values]
        index = self.code.saved(index)
        there = self.table(index, [Constant(int(each)) for each in inside])
        numbers = [int(each) - low if fits else 0 for each, fits in zip(values, inside, strict=True)]
        return (there if any(inside) else FALSE), self.table(index, [Constant(each) for each in numbers])

    def position(self, kind: Simple, value: Value, node: ast.AST) -> tuple[Expression, Expression]:
        """Whether a value is one of a type, and its place among them if it is."""
        found = self.scalar(value, node)
        match kind:
            case Named():
                if found.type == kind:
                    return TRUE, found.number
                if isinstance(found.number, Constant):
                    code = found.number.value
                    index = kind.index(code if isinstance(found.type, Integer) else domain(found.type)[code])
                    return (FALSE, Constant(0)) if index is None else (TRUE, Constant(index))
                indices = [kind.index(each) for each in domain(found.type)]
                base = found.type.low if isinstance(found.type, Integer) else 0
                number = self.code.saved(Binary("-", found.number, Constant(base)) if base else found.number)
                there = self.table(number, [Constant(int(index is not None)) for index in indices])
                return there, self.table(number, [Constant(index or 0) for index in indices])
            case _:
                low, high = (0, 1) if isinstance(kind, Truth) else (kind.low, kind.high)
                if isinstance(found.type, Named):
                    return self._number_among(found.type.values, low, high, found.number)
                bounds, number = self.number(found, node)
                inside: Expression = TRUE
                if bounds.low < low or bounds.high > high:
                    number = self.code.saved(number)
                    inside = conjunction(
                        *([Binary(">=", number, Constant(low))] if bounds.low < low else []),
                        *([Binary("<=", number, Constant(high))] if bounds.high > high else []),
                    )
                    if isinstance(number, Constant):
                        inside = Constant(int(low <= number.value <= high))
                if isinstance(number, Constant):
                    return inside, Constant(number.value - low)
                return inside, Binary("-", number, Constant(low)) if low else number
