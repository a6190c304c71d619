"""What only kernels call: functions that become part of them, and primitives that stand for a few instructions.

To Python these are names. Numba is given what they stand for when it compiles a kernel, and is not loaded before. With
`plain.PLAIN` nothing is compiled, and they are functions of Python.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeVar, cast

from ouroboros.jit import plain

Function = TypeVar("Function", bound=Callable[..., Any])

Width = int | tuple[int, ...]
"""The words of a vector, as kernels take it: for a fixed width a tuple of that length, whose length is in its type."""


class Called(NamedTuple):
    """A function that only kernels call."""

    function: Callable[..., Any]
    inline: Literal["never", "always"]
    """Whether Numba pastes it where it is called. LLVM may inline it in any case."""


class Primitive(NamedTuple):
    """A few instructions, which `intrinsics` defines under this name."""

    name: str


def inlined(function: Function) -> Function:
    """A function that only kernels call."""
    return function if plain.PLAIN else cast(Function, Called(function, "never"))


def pasted(function: Function) -> Function:
    """A small function that only kernels call, and that LLVM would not inline by itself; this takes long to compile."""
    return function if plain.PLAIN else cast(Function, Called(function, "always"))


def _primitive(name: str) -> Callable[..., Any]:
    return cast(Callable[..., Any], getattr(plain, name) if plain.PLAIN else Primitive(name))


equal_bytes: Callable[..., Any] = _primitive("equal_bytes")
lowest_bit: Callable[..., Any] = _primitive("lowest_bit")
load: Callable[..., Any] = _primitive("load")
save: Callable[..., None] = _primitive("save")
atomic_add: Callable[..., int] = _primitive("atomic_add")
atomic_load: Callable[..., int] = _primitive("atomic_load")
words_in: Callable[[Width], Any] = _primitive("words_in")
call_successors: Callable[..., int] = _primitive("call_successors")
address_of: Callable[..., int] = _primitive("address_of")
array_at: Callable[..., Any] = _primitive("array_at")
call_valuation: Callable[..., int] = _primitive("call_valuation")
load_word: Callable[[int, int], Any] = _primitive("load_word")
prefetch: Callable[..., None] = _primitive("prefetch")
