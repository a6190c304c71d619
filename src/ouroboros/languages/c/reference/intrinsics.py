"""The functions that LLVM knows by itself, as far as compilers of C and C++ use them without optimisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ouroboros.languages.c.read.types import Float, Integer, Type
from ouroboros.languages.c.reference import floating
from ouroboros.languages.c.reference.arithmetic import signed
from ouroboros.languages.c.reference.failure import Failed
from ouroboros.languages.c.reference.memory import Register

UNREACHABLE, UNSUPPORTED = 13, 24
IGNORED = ("llvm.dbg", "llvm.assume", "llvm.donothing", "llvm.prefetch", "llvm.experimental.noalias", "llvm.invariant")


def intrinsic(name: str, kind: Type, arguments: list[Register]) -> Register:
    """The result of a function on numbers."""
    words = name.split(".")
    if words[1] in ("trap", "ubsantrap", "debugtrap"):
        raise Failed(UNREACHABLE)
    if words[1] in ("expect", "launder", "strip", "ptr", "annotation"):
        return arguments[0]
    if words[1] == "is":
        return 0
    numbers = [each for each in arguments if isinstance(each, int)]
    if len(numbers) == len(arguments):
        if "with.overflow" in name:
            return _with_overflow(words[1], int(words[-1][1:]), numbers)
        if isinstance(kind, Integer) and words[1] in _INTEGER:
            return _INTEGER[words[1]](kind.bits, *numbers) % (1 << kind.bits)
        if isinstance(kind, Float) and words[1] in _FLOATING:
            given = [floating.number(kind.name, each) for each in numbers]
            with np.errstate(all="ignore"):
                return floating.pattern(kind.name, _FLOATING[words[1]](*given))
    raise Failed(UNSUPPORTED, f"a call of {name}")


def _with_overflow(operation: str, bits: int, numbers: list[int]) -> Register:
    if operation[0] == "s":
        left, right = (signed(each, bits) for each in numbers)
    else:
        left, right = numbers
    exact = {"add": left + right, "sub": left - right, "mul": left * right}[operation[1:]]
    low, high = (-(1 << bits - 1), 1 << bits - 1) if operation[0] == "s" else (0, 1 << bits)
    return exact % (1 << bits), int(not low <= exact < high)


def _saturated(bits: int, exact: int, *, is_signed: bool) -> int:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return min(max(exact, low), high)


def _byte_swapped(bits: int, value: int) -> int:
    return int.from_bytes(value.to_bytes(bits // 8, "little"), "big")


def _reversed_bits(bits: int, value: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def _funnel_left(bits: int, high: int, low: int, amount: int) -> int:
    return ((high << bits | low) << amount % bits) >> bits


def _funnel_right(bits: int, high: int, low: int, amount: int) -> int:
    return (high << bits | low) >> amount % bits


_INTEGER: dict[str, Callable[..., int]] = {
    "smax": lambda bits, a, b: max(signed(a, bits), signed(b, bits)),
    "smin": lambda bits, a, b: min(signed(a, bits), signed(b, bits)),
    "umax": lambda bits, a, b: max(a, b),
    "umin": lambda bits, a, b: min(a, b),
    "abs": lambda bits, a, poison: abs(signed(a, bits)),
    "ctpop": lambda bits, a: a.bit_count(),
    "ctlz": lambda bits, a, poison: bits - a.bit_length(),
    "cttz": lambda bits, a, poison: (a & -a).bit_length() - 1 if a else bits,
    "bswap": _byte_swapped,
    "bitreverse": _reversed_bits,
    "fshl": _funnel_left,
    "fshr": _funnel_right,
    "uadd": lambda bits, a, b: _saturated(bits, a + b, is_signed=False),
    "usub": lambda bits, a, b: _saturated(bits, a - b, is_signed=False),
    "sadd": lambda bits, a, b: _saturated(bits, signed(a, bits) + signed(b, bits), is_signed=True),
    "ssub": lambda bits, a, b: _saturated(bits, signed(a, bits) - signed(b, bits), is_signed=True),
    "scmp": lambda bits, a, b: (signed(a, bits) > signed(b, bits)) - (signed(a, bits) < signed(b, bits)),
    "ucmp": lambda bits, a, b: (a > b) - (a < b),
}
_FLOATING: dict[str, Callable[..., Any]] = {
    "fabs": abs,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": lambda x: np.copysign(np.floor(abs(x) + type(x)(0.5)), x) if abs(x) < 2**52 else x,
    "copysign": np.copysign,
    "minnum": np.fmin,
    "maxnum": np.fmax,
    "fmuladd": lambda a, b, c: a * b + c,
    "pow": np.power,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
}
