"""Kernels between Numba and the processor: LLVM bitcode for any machine of 64 bits, and how it is called."""

from __future__ import annotations

import json
from typing import NamedTuple

Shape = str | list["Shape"]
"""The type of an argument or a result: the name of a kind of number (`int64`, `bool`, …); for an array `uint64[2]`, of
two dimensions; for a tuple, also a named one, or several arguments, the list of what it consists of; `void`."""

ENTRY = "entry"
"""The function in the bitcode: `i32 entry(i64* slots)`. The slots are HEADER_SLOTS, the arguments one after the other
(an array is its Python object), the numbers of the result. It returns DONE, FAILED, or REFUSED plus the place of an
array, counting arrays alone, that is not of its type."""

HEADER_SLOTS = 2
"""How many bytes stand before what an object consists of, and the address of the type of arrays."""

DONE, FAILED, REFUSED = range(3)


class Kernel(NamedTuple):
    """A kernel for some signature, as bitcode or as object code."""

    arguments: list[Shape]
    result: Shape
    code: bytes

    def packed(self) -> bytes:
        return json.dumps([self.arguments, self.result]).encode() + b"\n" + self.code

    @classmethod
    def unpacked(cls, content: bytes) -> Kernel:
        shapes, _, code = content.partition(b"\n")
        arguments, result = json.loads(shapes)
        return cls(arguments, result, code)


def leaves(shape: Shape) -> list[str]:
    """The numbers and arrays that a type consists of, in the order of their slots."""
    if isinstance(shape, str):
        return [] if shape == "void" else [shape]
    return [leaf for part in shape for leaf in leaves(part)]


def is_array(leaf: str) -> bool:
    return leaf.endswith("]")
