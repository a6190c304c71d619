"""Integers as the instructions of LLVM compute with them, and what C forbids."""

from __future__ import annotations

from collections.abc import Callable

from ouroboros.languages.c.reference.failure import Failed

OVERFLOW, DIVISION, SHIFT = 10, 11, 12


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


def operate(opcode: str, bits: int, left: int, right: int, *, checked: bool) -> int:
    """The result without sign; checked: signed arithmetic must not overflow."""
    if opcode in _SIMPLE:
        exact = _SIMPLE[opcode](signed(left, bits), signed(right, bits))
        if checked and not -(1 << bits - 1) <= exact < 1 << bits - 1:
            raise Failed(OVERFLOW)
        return exact % (1 << bits)
    if opcode in ("sdiv", "srem", "udiv", "urem"):
        return _divide(opcode, bits, left, right)
    if right >= bits:
        raise Failed(SHIFT)
    match opcode:
        case "shl":
            return (left << right) % (1 << bits)
        case "lshr":
            return left >> right
        case "ashr":
            return (signed(left, bits) >> right) % (1 << bits)
    raise ValueError(opcode)


_SIMPLE: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _divide(opcode: str, bits: int, left: int, right: int) -> int:
    if right == 0:
        raise Failed(DIVISION)
    if opcode[0] == "u":
        return left // right if opcode == "udiv" else left % right
    a, b = signed(left, bits), signed(right, bits)
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    if quotient == 1 << bits - 1:
        raise Failed(OVERFLOW)
    return (quotient if opcode == "sdiv" else a - quotient * b) % (1 << bits)


def compare(predicate: str, bits: int, left: int, right: int) -> int:
    if predicate[0] == "s":
        left, right = signed(left, bits), signed(right, bits)
    match predicate:
        case "eq":
            return int(left == right)
        case "ne":
            return int(left != right)
    match predicate[1:]:
        case "lt":
            return int(left < right)
        case "le":
            return int(left <= right)
        case "gt":
            return int(left > right)
        case "ge":
            return int(left >= right)
    raise ValueError(predicate)
