"""From a function of Python to portable bitcode, by Numba. Only who compiles kernels loads this."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from types import CodeType, FunctionType
from typing import Any

import numba
from llvmlite import binding
from numba import types
from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock

from ouroboros.jit import intrinsics
from ouroboros.jit.entry import add_entry, shape_of
from ouroboros.jit.portable import ENTRY, Kernel
from ouroboros.jit.primitives import Called, Primitive
from ouroboros.jit.records import parts, records

_OPTIONS: dict[str, Any] = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Kernels make no arrays, so Numba need not count who uses one: with counts that all threads see, it would do that at
each call of a function, and in a loop over states this takes longer than to generate their successors."""

_OPTIMISATION = {"CPU_NAME": "generic", "CPU_FEATURES": ""}
"""What Numba optimises for: no processor in particular. What it makes is the same on all that are built alike."""


def compiled(signature: str, function: Callable[..., Any]) -> Kernel:
    """The bitcode of a function for a signature of Numba."""
    for name, value in _OPTIMISATION.items():
        setattr(numba.config, name, value)
    arguments, result = sigutils.normalize_signature(_signature(signature))
    dispatcher = numba.njit(**_OPTIONS)(_for_numba(function))
    with global_compiler_lock:
        compilation = dispatcher._compiler.compile(arguments, result)
        library = add_entry(compilation)
    module = binding.parse_bitcode(library._final_module.as_bitcode())
    _keep_entry_alone(module)
    shapes = [shape_of(argument) for argument in compilation.signature.args]
    return Kernel(shapes, shape_of(compilation.signature.return_type), module.as_bitcode())


def _signature(text: str) -> Any:
    """The signature that a text stands for, in which there may be names of records."""
    known = {name: _record(name) for name in records if name in text}
    return eval(text, {}, {**vars(types), **known})


@cache
def _record(name: str) -> Any:
    kind, content = records[name]
    fields = [_record(field) if field in records else eval(field, {}, vars(types)) for field in parts(content)]
    alike = all(field == fields[0] for field in fields)
    return types.NamedUniTuple(fields[0], len(fields), kind) if alike else types.NamedTuple(fields, kind)


def _keep_entry_alone(module: Any) -> None:
    """Remove what the entry does not need. Of what is left outside nothing may be needed but what C itself has."""
    for symbol in (*module.functions, *module.global_variables):
        if not symbol.is_declaration and symbol.name != ENTRY:
            symbol.linkage = "internal"
    passes = binding.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    passes.add_strip_symbols_pass()
    machine = binding.Target.from_default_triple().create_target_machine()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    foreign = [
        symbol.name
        for symbol in (*module.functions, *module.global_variables)
        if symbol.is_declaration and not symbol.name.startswith("llvm.") and symbol.name not in _OF_C
    ]
    if foreign:
        raise TypeError(f"a kernel needs {', '.join(foreign)}, which only Numba has")


_OF_C = {"memset", "memcpy", "memmove", "memcmp"}


def _for_numba(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, where what only kernels call is what Numba knows it as."""
    code: CodeType = function.__code__
    known = function.__globals__
    replaced = {name: _known_to_numba(known[name]) for name in _names(code) if name in known}
    same = FunctionType(code, {**known, **replaced}, function.__name__, function.__defaults__, function.__closure__)
    same.__module__, same.__qualname__ = function.__module__, function.__qualname__
    return same


def _known_to_numba(value: Any) -> Any:
    if isinstance(value, Called):
        return _dispatcher(value)
    return getattr(intrinsics, value.name) if isinstance(value, Primitive) else value


@cache
def _dispatcher(called: Called) -> Any:
    return numba.njit(**_OPTIONS, inline=called.inline)(_for_numba(called.function))


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
