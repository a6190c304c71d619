"""Arithmetic on what is constant, in the 64 bits that all numbers have."""

from __future__ import annotations

from typing import Literal

from ouroboros.languages.murphi.code import add, compare
from ouroboros.system.expressions import Binary, Conditional, Constant, Expression, Unary
from ouroboros.system.intervals import interval

BITS: Literal[32, 64] = 64


def negated(expression: Expression) -> Expression:
    match expression:
        case Constant(value):
            return Constant(int(value == 0))
        case Unary("not", Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or") as inner):
            return inner
        case Binary("==", left, right):
            return Binary("!=", left, right)
        case Binary("!=", left, right):
            return Binary("==", left, right)
    return Unary("not", expression)


def chosen(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return Conditional(condition, then, otherwise)


def fits(operator: str, left: Expression, right: Expression) -> bool:
    """Whether a result cannot leave 64 bits."""
    first, second = interval(left, BITS), interval(right, BITS)
    most = max(abs(first.low), abs(first.high)), max(abs(second.low), abs(second.high))
    return (most[0] * most[1] if operator == "*" else sum(most)) < 1 << 62


def counted_from(raw: Expression, offset: int) -> Expression:
    """A stored number counted from another first value; zero stays undefined."""
    return Conditional(compare("=", raw, Constant(0)), Constant(0), add(raw, offset))


def shift_numbers(operator: str, value: int, distance: int) -> int:
    if distance < 0:
        operator, distance = (">>" if operator == "<<" else "<<"), -distance
    if operator == ">>":
        return value >> min(distance, BITS - 1)
    return 0 if distance >= BITS else _wrapped(value << distance)


def _wrapped(value: int) -> int:
    half = 1 << (BITS - 1)
    return (value + half & (1 << BITS) - 1) - half


def folded(expression: Binary | Unary) -> Expression:
    """The value of an operation on constants."""
    match expression:
        case Unary("~", Constant(value)):
            return Constant(~value)
        case Binary(operator, Constant(left), Constant(right)):
            match operator:
                case "+":
                    return Constant(left + right)
                case "-":
                    return Constant(left - right)
                case "*":
                    return Constant(left * right)
                case "&":
                    return Constant(left & right)
                case "|":
                    return Constant(left | right)
                case "^":
                    return Constant(left ^ right)
                case "/" | "%" if right != 0:
                    quotient = abs(left) // abs(right)
                    quotient = quotient if (left < 0) == (right < 0) else -quotient
                    return Constant(quotient if operator == "/" else left - quotient * right)
    return expression
