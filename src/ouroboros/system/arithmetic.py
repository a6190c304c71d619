"""Numbers of the reference interpreter: integers that wrap at the width of the language, and what fails."""

from __future__ import annotations


class ExecutionError(Exception):
    """Execution went wrong at a site of the model."""

    def __init__(self, site: int) -> None:
        super().__init__(site)
        self.site = site


class Arithmetic:
    """Numbers of a certain width, and what operators make of them."""

    def __init__(self, bits: int) -> None:
        self.bits = bits

    def unary(self, operator: str, value: int) -> int:
        match operator:
            case "-":
                return self.wrap(-value)
            case "~":
                return ~value
            case _:
                return int(value == 0)

    def binary(self, operator: str, left: int, right: int, site: int) -> int:
        match operator:
            case "+":
                return self.wrap(left + right)
            case "-":
                return self.wrap(left - right)
            case "*":
                return self.wrap(left * right)
            case "/" | "%":
                if right == 0:
                    raise ExecutionError(site)
                quotient = abs(left) // abs(right)
                if (left < 0) != (right < 0):
                    quotient = -quotient
                return self.wrap(quotient if operator == "/" else left - quotient * right)
            case "&":
                return left & right
            case "|":
                return left | right
            case "^":
                return left ^ right
            case "<<":
                return self.wrap(left << (right & (self.bits - 1)))
            case ">>":
                return left >> (right & (self.bits - 1))
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
            case _:
                return int(left >= right)

    def wrap(self, value: int) -> int:
        half = 1 << (self.bits - 1)
        return (value + half & (1 << self.bits) - 1) - half
