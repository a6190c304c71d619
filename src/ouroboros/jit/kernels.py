"""Kernels, as the engine sees them: functions that run as machine code, without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Lock
from typing import Any, cast

from ouroboros.errors import UsageError
from ouroboros.jit import plain, sources
from ouroboros.jit.clock import standing_still
from ouroboros.jit.portable import Kernel
from ouroboros.jit.primitives import Called, Function, Width

_FIXED_WIDTHS = range(1, 7)
"""Vectors of so many words get kernels of their own, with loops that are unrolled: a third faster than the general."""

_GENERAL = 0

_NO_COMPILER = (
    "this is a source checkout, where Numba compiles the engine's kernels, and it is not installed: run "
    "`pip install numba`, or install the package from a wheel, which brings its kernels along"
)

_getting_ready = Lock()


def width_of(words: int) -> Width:
    return (0,) * words if words in _FIXED_WIDTHS else words


def _fixed(width: Width) -> int:
    """The words of a fixed width; zero for the general one."""
    return len(width) if isinstance(width, tuple) else _GENERAL


class Version:
    """A function with the signature that it is compiled for."""

    def __init__(self, name: str, signature: str, function: Callable[..., Any]) -> None:
        self.name = name
        self._signature = signature
        self._function = function

    def portable(self) -> Kernel:
        """Its bitcode, compiled here."""
        try:
            # Who has all kernels needs no compiler.
            from ouroboros.jit.compiler import compiled
        except ModuleNotFoundError as error:
            if error.name != "numba":
                raise
            raise UsageError(_NO_COMPILER) from None
        return compiled(self._signature, self._function)

    def ready(self) -> Callable[..., Any]:
        from ouroboros.jit.finish import ready

        return ready(self.name, lambda: sources.portable(self.name, self.portable))


class _Kernel:
    """A function that becomes machine code when it is first called: a program uses few of the kernels that it knows."""

    def __init__(self, signature: str, function: Callable[..., Any]) -> None:
        self.function = function
        self._version = Version(_name(function), signature, function)
        self._ready: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._ready or self.prepared())(*arguments)

    def prepared(self, width: Width | None = None) -> Callable[..., Any]:
        with _getting_ready, standing_still():
            # Another thread may have been first.
            self._ready = self._ready or self._version.ready()
        return self._ready

    def versions(self) -> Iterator[Version]:
        yield self._version


class _ByWidth:
    """A kernel with a version for each fixed width and a general one."""

    def __init__(self, signature: str, function: Callable[..., Any]) -> None:
        self.function = function
        self._signature = signature
        self._ready: dict[int, Callable[..., Any]] = {}

    def __call__(self, *arguments: Any) -> Any:
        width = arguments[-1]
        return (self._ready.get(_fixed(width)) or self.prepared(width))(*arguments)

    def prepared(self, width: Width) -> Callable[..., Any]:
        words = _fixed(width)
        with _getting_ready, standing_still():
            version = self._ready.get(words) or self._version(words).ready()
            self._ready[words] = version
        return version

    def versions(self) -> Iterator[Version]:
        for words in (_GENERAL, *_FIXED_WIDTHS):
            yield self._version(words)

    def _version(self, words: int) -> Version:
        kind = f"UniTuple(int64, {words})" if words else "int64"
        return Version(f"{_name(self.function)}.{words}", self._signature.replace("width", kind), self.function)


known: list[_Kernel | _ByWidth] = []
"""The kernels of all modules that were imported."""


def kernel(signature: str) -> Callable[[Function], Function]:
    """Compile a function of plain numbers, contiguous arrays, and tuples of them; it runs without the interpreter lock.

    A last parameter of type `width` stands for a version for each fixed width and a general one.
    """

    def decorate(function: Function) -> Function:
        if plain.PLAIN:
            return cast(Function, plain.PlainKernel(signature, function))
        kind = _ByWidth if signature.endswith(" width)") else _Kernel
        known.append(kind(signature, function))
        return cast(Function, known[-1])

    return decorate


def prepare(compiled_later: Callable[..., Any], width: Width = 0) -> None:
    """Have a kernel, for this width if it has one, before the clock of a search starts."""
    if plain.PLAIN:
        return
    cast(_Kernel | _ByWidth, compiled_later).prepared(width)


def inside(kernel_by_width: Function) -> Function:
    """A kernel with a width, as other kernels can call it."""
    if plain.PLAIN:
        return cast(Function, cast(plain.PlainKernel, kernel_by_width).function)
    return cast(Function, Called(cast(_ByWidth, kernel_by_width).function, "never"))


def kernels_are_compiled(module: str, words: int) -> bool:
    """Whether the kernels of a module, named without its packages, need not be compiled any more for this width."""
    return plain.PLAIN or sources.are_known(module, words if words in _FIXED_WIDTHS else _GENERAL)


def _name(function: Callable[..., Any]) -> str:
    return f"{function.__module__}.{function.__qualname__}"
