"""Expressions whose value is known before any run."""

from __future__ import annotations

from ouroboros.languages.promela.read.terms import Binary, Expression, Number, Symbol, Unary


def constant(expression: Expression) -> int | None:
    """The value as a C int; None if it depends on a variable, or is undefined."""
    match expression:
        case Number(value=value) | Symbol(value=value):
            return value
        case Unary(operator=operator, operand=operand):
            inner = constant(operand)
            if inner is None:
                return None
            return _wrapped({"-": -inner, "~": ~inner, "!": int(not inner)}[operator])
        case Binary(operator=operator, left=left, right=right):
            first, second = constant(left), constant(right)
            return None if first is None or second is None else _calculated(operator, first, second)
    return None


def _calculated(operator: str, left: int, right: int) -> int | None:
    match operator:
        case "/" | "%":
            if right == 0:
                return None
            quotient = abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
            return _wrapped(quotient if operator == "/" else left - quotient * right)
        case "<<" | ">>":
            if not 0 <= right < 32:
                return None
            return _wrapped(left << right if operator == "<<" else left >> right)
    return _wrapped(
        int(
            {
                "||": bool(left or right),
                "&&": bool(left and right),
                "|": left | right,
                "^": left ^ right,
                "&": left & right,
                "==": left == right,
                "!=": left != right,
                "<": left < right,
                "<=": left <= right,
                ">": left > right,
                ">=": left >= right,
                "+": left + right,
                "-": left - right,
                "*": left * right,
            }[operator]
        )
    )


def _wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31
