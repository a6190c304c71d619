"""Kernels as plain Python: as slow as that is, but a debugger can stop in them and go through them line by line.

With the environment variable `OUROBOROS_PLAIN` set, no kernel is compiled. A kernel is then the function that was
written, on NumPy's numbers, which wrap as machine numbers do, and what only a compiler could do otherwise, the
intrinsics, is done here through addresses. The machine code of the model is the same as ever.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from ouroboros.jit.records import parts, records

PLAIN = bool(os.environ.get("OUROBOROS_PLAIN"))
"""Decided once, for a kernel that calls others must be of their kind."""

_SCALARS: dict[str, Callable[[Any], Any]] = {
    "uint64": np.uint64,
    "uint32": np.uint32,
    "uint16": np.uint16,
    "uint8": np.uint8,
    "int64": int,
    "boolean": bool,
}
"""What becomes of an argument, by the type that the signature of its kernel gives. An int never wraps, but no kernel
relies on that of numbers that have a sign; with unsigned ones it goes well together, and np.int64 does not."""


class PlainKernel:
    """A function, called with numbers of the types of its signature, as a compiled one would be."""

    def __init__(self, signature: str, function: Callable[..., Any]) -> None:
        self.function = function
        self._conversions = [_conversion(kind) for kind in _parameters(signature)]

    def __call__(self, *arguments: Any) -> Any:
        converted = (convert(argument) for convert, argument in zip(self._conversions, arguments, strict=True))
        with np.errstate(over="ignore"):
            return _python_numbers(self.function(*converted))


def _same(argument: Any) -> Any:
    return argument


def _conversion(kind: str) -> Callable[[Any], Any]:
    """What becomes of an argument of a type."""
    if kind not in records:
        return _SCALARS.get(kind, _same)
    made, types = records[kind]
    conversions = [_conversion(part) for part in parts(types)]
    return lambda given: made(*(convert(part) for convert, part in zip(conversions, given, strict=True)))


def _parameters(signature: str) -> Iterator[str]:
    """The types of the parameters: what is in the last brackets."""
    depth = 0
    for at in range(len(signature) - 1, -1, -1):
        depth += (signature[at] in ")]") - (signature[at] in "([")
        if depth == 0:
            return parts(signature[at + 1 : -1])
    raise AssertionError(signature)


def _python_numbers(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_python_numbers, result))
    return result.item() if isinstance(result, np.generic) else result


@cache
def _function_at(address: int, result: Any, arity: int) -> Callable[..., int]:
    return ctypes.CFUNCTYPE(result, *[ctypes.c_int64] * arity)(address)


def call_successors(address: int, state: int, out: int, labels: int) -> int:
    return _function_at(int(address), ctypes.c_int32, 3)(int(state), int(out), int(labels))


def call_valuation(address: int, state: int) -> np.uint64:
    return np.uint64(_function_at(int(address), ctypes.c_uint64, 1)(int(state)))


def load_word(address: int, index: int) -> np.uint64:
    return np.uint64(ctypes.c_uint64.from_address(int(address) + 8 * int(index)).value)


def array_at(address: int, count: int, kind: Any) -> Any:
    size = int(count) * kind.dtype.itemsize
    return np.frombuffer((ctypes.c_uint8 * size).from_address(int(address)), kind.dtype)


def prefetch(array: Any, index: int) -> None:
    """Nothing is gained here by asking early."""


def words_in(width: int | tuple[int, ...]) -> np.uint64:
    return np.uint64(len(width) if isinstance(width, tuple) else width)


def address_of(array: Any, index: int) -> int:
    first: int = array.__array_interface__["data"][0]
    return first + int(index) * int(array.itemsize)


def atomic_add(array: Any, index: int, value: int) -> int:
    """Correct for a single worker, and there is no other: see `Team`."""
    before = int(array[index])
    array[index] += value
    return before


def atomic_load(array: Any, index: int) -> int:
    return int(array[index])


def load(array: Any, at: int) -> np.uint64:
    return np.uint64(int.from_bytes(array[int(at) : int(at) + 8].tobytes(), "little"))


def save(array: Any, at: int, value: int) -> None:
    array[int(at) : int(at) + 8] = np.frombuffer(int(value).to_bytes(8, "little"), np.uint8)


def equal_bytes(array: Any, at: int, value: int) -> np.uint64:
    same = array[int(at) : int(at) + 16] == value
    return np.uint64(sum(1 << k for k in range(16) if same[k]))


def lowest_bit(number: int) -> np.uint64:
    return np.uint64((int(number) & -int(number)).bit_length() - 1)
