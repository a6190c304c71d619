"""How the engine's kernels become machine code: by Numba, once per machine, cached on disk.

Numba's own cache notices a change of the file that a kernel stands in, but not of a file that it calls into; so the
cache directory is named after the content of the whole engine.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ouroboros import cache as user_cache

Function = TypeVar("Function", bound=Callable[..., Any])

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


@cache
def kernel_directory() -> Path | None:
    """Where the kernels of exactly this engine and its searches are kept; None where nothing can be written."""
    digest = sha256(f"numba {numba.__version__}".encode())
    rooms = Path(__file__).parents[1]
    for path in sorted([*(rooms / "engine").rglob("*.py"), *(rooms / "search").rglob("*.py")]):
        digest.update(path.read_bytes())
    return user_cache.directory(f"kernels/{digest.hexdigest()[:16]}")


def kernels_are_compiled(module: str) -> bool:
    """Whether the kernels of a module, named without its packages, need not be compiled any more."""
    directory = kernel_directory()
    return directory is not None and any(directory.rglob(f"{module}.*.nbi"))


_FIXED_WIDTHS = range(1, 7)
"""Vectors of so many words get kernels of their own, with loops that are unrolled: a third faster than the general."""

Width = int | tuple[int, ...]
"""The words of a vector, as kernels take it: for a fixed width a tuple of that length, whose length is in its type."""


def width_of(words: int) -> Width:
    return (0,) * words if words in _FIXED_WIDTHS else words


def kernel(signature: str) -> Callable[[Function], Function]:
    """Compile a function of plain numbers and contiguous arrays; it runs without the interpreter lock.

    A parameter of type `width` stands for a version for each fixed width and a general one.
    """
    widths = [f"UniTuple(int64, {words})" for words in _FIXED_WIDTHS] + ["int64"]
    signatures = [signature.replace("width", width) for width in widths] if "width" in signature else [signature]

    def decorate(function: Function) -> Function:
        directory = kernel_directory()
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(directory or before)
        try:
            compiled: Function = numba.njit(signatures, nogil=True, cache=directory is not None)(function)
        finally:
            numba.config.CACHE_DIR = before
        return compiled

    return decorate


def inlined(function: Function) -> Function:
    """A function that only kernels call."""
    compiled: Function = numba.njit(nogil=True, inline="never")(function)
    return compiled


def pasted(function: Function) -> Function:
    """A small function that only kernels call, and that LLVM would not inline by itself; this takes long to compile."""
    compiled: Function = numba.njit(nogil=True, inline="always")(function)
    return compiled


def _call(result: Any, result_type: Any, arity: int) -> tuple[Any, Callable[..., Any]]:
    """How to call machine code at an address with integers, which stand for pointers."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = ir.FunctionType(result_type, [_I64] * arity)
        return builder.call(builder.inttoptr(arguments[0], ir.PointerType(function)), arguments[1:])

    return result(*[types.int64] * (arity + 1)), codegen


def _call_successors(typing: Any, address: Any, state: Any, out: Any, labels: Any) -> Any:
    return _call(types.int32, _I32, 3)


def _call_valuation(typing: Any, address: Any, state: Any) -> Any:
    return _call(types.uint64, _I64, 1)


def _load_word(typing: Any, address: Any, index: Any) -> Any:
    """Word `index` of the vector at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.inttoptr(arguments[0], ir.PointerType(_I64))
        return builder.load(builder.gep(vector, [arguments[1]]))

    return types.uint64(types.int64, types.int64), codegen


def _prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index] before it is needed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(view.data, [arguments[1]])
        pointer = builder.bitcast(pointer, ir.PointerType(_I8))
        kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(_I8), _I32, _I32, _I32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, index), codegen


def _words_in(typing: Any, width: Any) -> Any:
    """The inverse of `width_of`: a constant if the width is fixed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _I64(len(width)) if isinstance(width, types.BaseTuple) else arguments[0]

    return types.uint64(width), codegen


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of array[index]."""
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(view.data, [arguments[1]])


def _atomic_add(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to array[index], visible to all threads at once; returns what it was before."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _element(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(array, index, types.int64), codegen


def _atomic_load(typing: Any, array: Any, index: Any) -> Any:
    """array[index] as other threads have left it."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(array, index), codegen


def _load(typing: Any, array: Any, at: Any) -> Any:
    """Eight bytes of an array of bytes, from any place on, as a little-endian number."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        return builder.load(builder.bitcast(pointer, ir.PointerType(_I64)), align=1)

    return types.uint64(array, at), codegen


def _save(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """The inverse of `load`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        builder.store(arguments[2], builder.bitcast(pointer, ir.PointerType(_I64)), align=1)
        return context.get_dummy_value()

    return types.void(array, at, types.uint64), codegen


load: Callable[..., Any] = intrinsic(_load)
save: Callable[..., None] = intrinsic(_save)
atomic_add: Callable[..., int] = intrinsic(_atomic_add)
atomic_load: Callable[..., int] = intrinsic(_atomic_load)
words_in: Callable[[Width], Any] = intrinsic(_words_in)
call_successors: Callable[..., int] = intrinsic(_call_successors)
call_valuation: Callable[..., int] = intrinsic(_call_valuation)
load_word: Callable[[int, int], Any] = intrinsic(_load_word)
prefetch: Callable[..., None] = intrinsic(_prefetch)
