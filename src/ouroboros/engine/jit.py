"""How the engine's kernels become machine code: by Numba, once per machine, cached on disk.

Numba's own cache notices a change of the file that a kernel stands in, but not of a file that it calls into; so the
cache directory is named after the content of the whole engine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from fcntl import LOCK_EX, flock
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

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


def kernels_are_compiled(module: str, words: int) -> bool:
    """Whether the kernels of a module, named without its packages, need not be compiled any more for this width."""
    directory = kernel_directory()
    return directory is not None and _mark(directory, module, words if words in _FIXED_WIDTHS else 0).exists()


_OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False}
"""Kernels make no arrays, so Numba need not count who uses one: with counts that all threads see, it would do that at
each call of a function, and in a loop over states this takes longer than to generate their successors."""

_FIXED_WIDTHS = range(1, 7)
"""Vectors of so many words get kernels of their own, with loops that are unrolled: a third faster than the general."""

Width = int | tuple[int, ...]
"""The words of a vector, as kernels take it: for a fixed width a tuple of that length, whose length is in its type."""


def width_of(words: int) -> Width:
    return (0,) * words if words in _FIXED_WIDTHS else words


def _fixed(width: Width) -> int:
    """The words of a fixed width; zero for the general one."""
    return len(width) if isinstance(width, tuple) else 0


class _Kernel:
    """A function that becomes machine code when it is first called: a program uses few of the kernels that it knows."""

    def __init__(self, signature: str, function: Callable[..., Any]) -> None:
        self.function = function
        self._signature = signature
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.prepared())(*arguments)

    def prepared(self, width: Width | None = None) -> Callable[..., Any]:
        with _compiling:
            # Another thread may have been first.
            self._compiled = self._compiled or _compiled(self._signature, self.function)
        return self._compiled


class _ByWidth:
    """A kernel with a version for each fixed width and a general one."""

    def __init__(self, signature: str, function: Callable[..., Any]) -> None:
        self.function = function
        self._signature = signature
        self._versions: dict[int, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        width = arguments[-1]
        return (self._versions.get(_fixed(width)) or self.prepared(width))(*arguments)

    def prepared(self, width: Width) -> Callable[..., Any]:
        words = _fixed(width)
        with _compiling:
            version = self._versions.get(words) or self._version(words)
            self._versions[words] = version
        return version

    def _version(self, words: int) -> Callable[..., Any]:
        kind = f"UniTuple(int64, {words})" if words else "int64"
        version = _compiled(self._signature.replace("width", kind), self.function)
        directory = kernel_directory()
        if directory is not None:
            _mark(directory, self.function.__module__.rpartition(".")[2], words).touch()
        return version


_compiling = Lock()


def _mark(directory: Path, module: str, words: int) -> Path:
    return directory / f"{module}.{words}.width"


def _compiled(signature: str, function: Function) -> Function:
    directory = kernel_directory()
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(directory or before)
    try:
        compiled = numba.njit(**_OPTIONS, cache=directory is not None)(function)
        if not _is_read_from_disk(compiled, signature):
            with _compiling_alone(directory, function):
                if not _is_read_from_disk(compiled, signature):
                    compiled.compile(signature)
        compiled.disable_compile()
    finally:
        numba.config.CACHE_DIR = before
    return cast(Function, compiled)


@contextmanager
def _compiling_alone(directory: Path | None, function: Callable[..., Any]) -> Iterator[None]:
    """Of several processes that need a kernel for the first time, one compiles it, and the others find it on disk."""
    with ExitStack() as stack:
        # Not every file system has locks. Without them all of the processes compile it.
        with suppress(OSError):
            if directory is not None:
                lock = directory / f"{function.__module__}.{function.__qualname__}.lock"
                flock(stack.enter_context(lock.open("w")), LOCK_EX)
        yield


def _is_read_from_disk(dispatcher: Any, signature: str) -> bool:
    """Take machine code from Numba's cache, if it is there.

    Before Numba itself looks into its cache, it learns all that it can compile: a quarter of a second, for nothing.
    """
    read = getattr(dispatcher._cache, "_load_overload", None)
    if read is None:
        return False
    result = read(signature, dispatcher.targetctx)
    if result is None:
        return False
    dispatcher.add_overload(result)
    return True


def kernel(signature: str) -> Callable[[Function], Function]:
    """Compile a function of plain numbers and contiguous arrays; it runs without the interpreter lock.

    A last parameter of type `width` stands for a version for each fixed width and a general one.
    """

    def decorate(function: Function) -> Function:
        kind = _ByWidth if signature.endswith(" width)") else _Kernel
        return cast(Function, kind(signature, function))

    return decorate


def prepare(compiled_later: Callable[..., Any], width: Width = 0) -> None:
    """Have a kernel, for this width if it has one, before the clock of a search starts."""
    cast(_Kernel | _ByWidth, compiled_later).prepared(width)


def inside(kernel_by_width: Function) -> Function:
    """A kernel with a width, as other kernels can call it."""
    return cast(Function, inlined(cast(_ByWidth, kernel_by_width).function))


def inlined(function: Function) -> Function:
    """A function that only kernels call."""
    compiled: Function = numba.njit(**_OPTIONS, inline="never")(function)
    return compiled


def pasted(function: Function) -> Function:
    """A small function that only kernels call, and that LLVM would not inline by itself; this takes long to compile."""
    compiled: Function = numba.njit(**_OPTIONS, inline="always")(function)
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


def _array_at(typing: Any, address: Any, count: Any, kind: Any) -> Any:
    """An array of so many numbers at an address, of the type of the array `kind`.

    Numba's own function for this would be loaded with each kernel that uses it, and half of Numba with it.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        # Only who compiles needs it.
        from numba.np.arrayobj import populate_array

        view = context.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        data = builder.inttoptr(arguments[0], view.data.type)
        populate_array(view, data, shape=[arguments[1]], strides=[size], itemsize=size, meminfo=None)
        return view._getvalue()

    return kind(types.int64, types.int64, kind), codegen


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


def _address_of(typing: Any, array: Any, index: Any) -> Any:
    """The address of array[index] as a number.

    It has a sign, as nearly all numbers in kernels have: to Numba the sum of one with and one without is a
    floating-point number.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(_element(context, builder, signature, arguments), _I64)

    return types.int64(array, index), codegen


def _atomic_add(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to array[index], visible to all workers at once; returns what it was before."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _element(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(array, index, types.int64), codegen


def _atomic_load(typing: Any, array: Any, index: Any) -> Any:
    """array[index] as other workers have left it."""

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


def _equal_bytes(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Which of 16 bytes of an array, from any place on, are the value: a bit for each. All are compared at once."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_I8, 16)
        pointer = builder.bitcast(_element(context, builder, signature, arguments), ir.PointerType(kind))
        wanted = ir.Constant(kind, [0] * 16)
        for k in range(16):
            wanted = builder.insert_element(wanted, arguments[2], _I32(k))
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=1), wanted)
        return builder.zext(builder.bitcast(equal, ir.IntType(16)), _I64)

    return types.uint64(array, at, types.uint8), codegen


def _lowest_bit(typing: Any, number: Any) -> Any:
    """The place of the lowest bit that is set in a number other than zero."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


equal_bytes: Callable[..., Any] = intrinsic(_equal_bytes)
lowest_bit: Callable[..., Any] = intrinsic(_lowest_bit)
load: Callable[..., Any] = intrinsic(_load)
save: Callable[..., None] = intrinsic(_save)
atomic_add: Callable[..., int] = intrinsic(_atomic_add)
atomic_load: Callable[..., int] = intrinsic(_atomic_load)
words_in: Callable[[Width], Any] = intrinsic(_words_in)
call_successors: Callable[..., int] = intrinsic(_call_successors)
address_of: Callable[..., int] = intrinsic(_address_of)
array_at: Callable[..., Any] = intrinsic(_array_at)
call_valuation: Callable[..., int] = intrinsic(_call_valuation)
load_word: Callable[[int, int], Any] = intrinsic(_load_word)
prefetch: Callable[..., None] = intrinsic(_prefetch)
