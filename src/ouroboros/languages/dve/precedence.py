"""Flat operands and operators to trees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ouroboros.languages.dve.ast import Binary, BinaryOperator, Expression
from ouroboros.source import Span

# From the loosest to the tightest, all to the left. Note that `and` and `or` are equals in DVE, unlike in C:
# `a or b and c` is `(a or b) and c`.
_LEVELS: Final[tuple[tuple[BinaryOperator, ...], ...]] = (
    ("imply",),
    ("or", "and"),
    ("|", "&", "^"),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL: Final = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_ASSOCIATIVE: Final = frozenset({"or", "and", "|", "&", "^", "+", "*"})


def fold(operands: Sequence[Expression], operators: Sequence[BinaryOperator]) -> Expression:
    """The tree of `operands[0] operators[0] operands[1] …`."""
    if not operators:
        return operands[0]
    loosest = min(_LEVEL[operator] for operator in operators)
    parts: list[Expression] = []
    between: list[BinaryOperator] = []
    start = 0
    for position, operator in enumerate(operators):
        if _LEVEL[operator] == loosest:
            parts.append(fold(operands[start : position + 1], operators[start:position]))
            between.append(operator)
            start = position + 1
    parts.append(fold(operands[start:], operators[start:]))
    if between[0] in _ASSOCIATIVE and len(set(between)) == 1:
        return balanced(parts, between[0])
    result = parts[0]
    for operator, part in zip(between, parts[1:], strict=True):
        result = _combine(operator, result, part)
    return result


def balanced(parts: Sequence[Expression], operator: BinaryOperator) -> Expression:
    """A shallow tree with the meaning of the chain: a generated model may have thousands of disjuncts in one guard."""
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return _combine(operator, balanced(parts[:middle], operator), balanced(parts[middle:], operator))


def _combine(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return Binary(Span(left.span.source, left.span.start, right.span.end), operator, left, right)
