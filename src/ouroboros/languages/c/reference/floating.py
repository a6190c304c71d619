"""Floating-point numbers, kept as their bits, in the precision of their types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ouroboros.languages.c.read.types import FLOAT_BITS
from ouroboros.languages.c.reference.failure import Failed

UNSUPPORTED = 24
_TYPES: dict[str, Any] = {"half": np.float16, "float": np.float32, "double": np.float64, "x86_fp80": np.longdouble}


def number(name: str, bits: int) -> Any:
    """The number with this pattern."""
    kind = _type(name)
    return np.frombuffer(bits.to_bytes(np.dtype(kind).itemsize, "little"), kind)[0]


def pattern(name: str, value: Any) -> int:
    """The pattern of a number, rounded to the type."""
    with np.errstate(all="ignore"):
        data = _type(name)(value).tobytes()
    return int.from_bytes(data[: FLOAT_BITS[name] // 8], "little")


def _type(name: str) -> Any:
    if name not in _TYPES:
        raise Failed(UNSUPPORTED, f"the type {name}")
    return _TYPES[name]


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
    "frem": np.fmod,
}


def operate(opcode: str, name: str, left: int, right: int) -> int:
    with np.errstate(all="ignore"):
        return pattern(name, _OPERATIONS[opcode](number(name, left), number(name, right)))


def negate(name: str, bits: int) -> int:
    return bits ^ 1 << FLOAT_BITS[name] - 1


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def compare(predicate: str, name: str, left: int, right: int) -> int:
    """Ordered predicates are false where one is not a number, unordered ones true."""
    if predicate in ("true", "false"):
        return int(predicate == "true")
    a, b = number(name, left), number(name, right)
    unordered = bool(np.isnan(a) or np.isnan(b))
    if predicate in ("ord", "uno"):
        return int(unordered == (predicate == "uno"))
    if unordered:
        return int(predicate[0] == "u")
    return int(bool(_COMPARISONS[predicate[1:]](a, b)))


def to_integer(name: str, bits: int, width: int, *, signed: bool) -> int:
    """Toward zero; what has no place in the type is what x86-64 makes of it."""
    value = number(name, bits)
    via = 32 if width <= 16 or (signed and width <= 32) else 64
    if not signed and width == 64 and value >= 2.0**63:
        return (_convert(value - _type(name)(2.0**63), 64) ^ 1 << 63) % (1 << 64)
    if width > 64:
        via = width
    return _convert(value, via) % (1 << width)


def _convert(value: Any, width: int) -> int:
    indefinite = 1 << width - 1
    if not np.isfinite(value):
        return indefinite
    whole = int(value)
    return whole % (1 << width) if -indefinite <= whole < indefinite else indefinite


def from_integer(name: str, whole: int) -> int:
    """Rounded to the nearest, once."""
    if name in ("float", "half", "double") and abs(whole) >> 53:
        return pattern(name, _nearest(whole, name))
    return pattern(name, np.longdouble(whole) if abs(whole) < 1 << 63 else np.longdouble(str(whole)))


def _nearest(whole: int, name: str) -> Any:
    """A large integer at the precision of the type, ties to even."""
    digits = {"half": 11, "float": 24, "double": 53}[name]
    sign, size = (-1 if whole < 0 else 1), abs(whole)
    extra = size.bit_length() - digits
    kept, rest = size >> extra, size & (1 << extra) - 1
    half = 1 << extra - 1
    if rest > half or (rest == half and kept & 1):
        kept += 1
    return np.longdouble(sign * kept) * np.longdouble(2) ** extra
