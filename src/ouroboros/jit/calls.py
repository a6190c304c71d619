"""Calling a kernel: its arguments are written into slots, and its entry is given their address.

The interpreter lock is free during the call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from ctypes import CFUNCTYPE, addressof, c_char, c_int, c_void_p
from itertools import count
from struct import Struct
from typing import Any

import numpy as np

from ouroboros.jit.portable import DONE, HEADER_SLOTS, REFUSED, Kernel, Shape, is_array, leaves

_SLOT_BYTES = 8
_ENTRY = CFUNCTYPE(c_int, c_void_p)
_HEADER = (object.__basicsize__, id(np.ndarray))

Slots = tuple[Any, int]
"""Room for the slots of a call, and its address."""


def caller(name: str, kernel: Kernel, address: int) -> Callable[..., Any]:
    """A function of Python that calls the entry of a kernel at an address."""
    given = [leaf for argument in kernel.arguments for leaf in leaves(argument)]
    returned = leaves(kernel.result)
    first = (HEADER_SLOTS + len(given)) * _SLOT_BYTES
    known = {
        "entry": _ENTRY(address),
        "pack": Struct("=" + "".join(map(_format, given))).pack_into,
        "unpack": Struct("=" + "".join(map(_format, returned))).unpack_from,
        "more": lambda: _new_slots(HEADER_SLOTS + len(given) + len(returned)),
        "spare": [],
        "complain": lambda status, arguments: _complain(name, kernel.arguments, status, arguments),
    }
    names = [f"argument_{k}" for k in range(len(kernel.arguments))]
    written = [text for n, shape in zip(names, kernel.arguments, strict=True) for text in _written(n, shape)]
    # Some kernels are called thousands of times in a second with thirty arguments: what depends on their types is
    # decided here, once. Slots belong to one call, for threads call the same kernel at the same time.
    lines = [
        f"def call({', '.join(names)}):",
        "    slots, address = call_slots = spare.pop() if spare else more()",
        f"    pack(slots, {HEADER_SLOTS * _SLOT_BYTES}, {', '.join(written)})",
        "    status = entry(address)",
        f"    if status != {DONE}:",
        f"        complain(status, ({', '.join([*names, ''])}))" if names else "        complain(status, ())",
        *([f"    result = unpack(slots, {first})"] if returned else []),
        "    spare.append(call_slots)",
        f"    return {_read(kernel.result, count())}",
    ]
    exec("\n".join(lines), known)
    return known["call"]  # type: ignore[return-value]  # it was defined by the lines above


def _format(leaf: str) -> str:
    return "Q" if is_array(leaf) or leaf.startswith("uint") else "q"


def _written(name: str, shape: Shape) -> Iterator[str]:
    """How an argument is written to its slots."""
    if isinstance(shape, str):
        yield f"id({name})" if is_array(shape) else name
    else:
        for k, part in enumerate(shape):
            yield from _written(f"{name}[{k}]", part)


def _read(shape: Shape, place: Iterator[int]) -> str:
    """How a result is read from its slots."""
    if shape == "void":
        return "None"
    if isinstance(shape, list):
        return "(" + "".join(f"{_read(part, place)}, " for part in shape) + ")"
    value = f"result[{next(place)}]"
    return f"{value} != 0" if shape == "bool" else value


def _new_slots(count: int) -> Slots:
    slots = (c_char * (count * _SLOT_BYTES))()
    Struct("=2Q").pack_into(slots, 0, *_HEADER)
    return slots, addressof(slots)


def _complain(name: str, shapes: Sequence[Shape], status: int, arguments: Sequence[Any]) -> None:
    if status < REFUSED:
        raise ArithmeticError(f"the kernel {name} divided by zero, or an integer was too large for it")
    expected, found = [pair for pair in _leaves_of(shapes, arguments) if is_array(pair[0])][status - REFUSED]
    if isinstance(found, np.ndarray):
        kind = f"{found.dtype}[{found.ndim}], contiguous: {found.flags.c_contiguous}, writable: {found.flags.writeable}"
    else:
        kind = type(found).__name__
    raise TypeError(f"the kernel {name} expects an array {expected} that it can write, and got {kind}")


def _leaves_of(shapes: Sequence[Shape], values: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for shape, value in zip(shapes, values, strict=True):
        if isinstance(shape, str):
            yield shape, value
        else:
            yield from _leaves_of(shape, value)
