"""Constant expressions: 32-bit integers that wrap, truth is 1 and 0."""

from __future__ import annotations

from ouroboros.languages.dve.ast import BinaryOperator, UnaryOperator


def wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def unary_value(operator: UnaryOperator, value: int) -> int:
    match operator:
        case "-":
            return wrap(-value)
        case "~":
            return ~value
        case "not":
            return int(value == 0)


def binary_value(operator: BinaryOperator, left: int, right: int) -> int | None:
    """The value, or None for a division by zero."""
    match operator:
        case "imply":
            return int(left == 0 or right != 0)
        case "or":
            return int(left != 0 or right != 0)
        case "and":
            return int(left != 0 and right != 0)
        case "|":
            return left | right
        case "&":
            return left & right
        case "^":
            return left ^ right
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
        case "<<":
            return wrap(left << (right & 31))
        case ">>":
            return left >> (right & 31)
        case "+":
            return wrap(left + right)
        case "-":
            return wrap(left - right)
        case "*":
            return wrap(left * right)
        case "/" | "%":
            if right == 0:
                return None
            quotient = abs(left) // abs(right)
            if (left < 0) != (right < 0):
                quotient = -quotient
            return wrap(quotient if operator == "/" else left - quotient * right)
