"""The few LLVM types that a model needs, and constants of them."""

from __future__ import annotations

from typing import Any, TypeAlias

from llvmlite import ir

I1, I32, I64 = ir.IntType(1), ir.IntType(32), ir.IntType(64)
POINTER = ir.PointerType()

# llvmlite carries no type information: these names document what a value is, mypy cannot check them.
Value: TypeAlias = Any
Block: TypeAlias = Any
Builder: TypeAlias = Any
IntType: TypeAlias = Any


_constants: dict[tuple[int, int], Value] = {}


def constant(kind: IntType, value: int) -> Value:
    """The integer, wrapped to its type; LLVM's text wants the signed reading."""
    key = (kind.width, value)
    known = _constants.get(key)
    if known is None:
        half = 1 << (kind.width - 1)
        wrapped = (value + half & (1 << kind.width) - 1) - half if kind.width > 1 else value & 1
        known = _constants[key] = ir.Constant(kind, wrapped)
    return known


def plain_pointer(address: Value) -> Value:
    """An address of stack memory, to be read and written as any type; llvmlite would remember the first one."""
    address.type = POINTER
    return address
