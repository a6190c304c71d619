"""From portable bitcode to machine code for the processor that we run on. What LLVM makes is kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import llvmlite
from llvmlite import binding

from ouroboros import cache as user_cache
from ouroboros.jit.calls import caller
from ouroboros.jit.portable import ENTRY, Kernel
from ouroboros.jit.sources import content
from ouroboros.native import objects

_CACHE_BYTES = 50 << 20

_engines: list[Any] = []
"""What holds machine code in memory: for as long as the process lives."""


def ready(name: str, portable: Callable[[], Kernel]) -> Callable[..., Any]:
    """A kernel that can be called; its bitcode is asked for if it is used for the first time on this machine."""
    directory = user_cache.directory("kernels/objects")
    path = directory / _key(name) if directory else None
    stored = user_cache.load(path) if path else None
    kernel = Kernel.unpacked(stored) if stored else _finished(portable())
    if path and not stored:
        user_cache.save(path, kernel.packed(), _CACHE_BYTES)
    engine = objects.load(kernel.code)
    _engines.append(engine)
    return caller(name, kernel, engine.get_function_address(ENTRY))


def _finished(portable: Kernel) -> Kernel:
    machine = objects.target_machine(_LEVEL)
    module = binding.parse_bitcode(portable.code)
    # Bitcode made for one machine of 64 bits fits all: kernels have numbers and pointers, which lie alike on all.
    module.triple, module.data_layout = objects.target()
    module.verify()
    return portable._replace(code=machine.emit_object(module))


_LEVEL = 2


def _key(name: str) -> str:
    identity = (content(), name, llvmlite.__version__, *objects.processor())
    return f"{name}.{sha256(chr(0).join(identity).encode()).hexdigest()[:16]}"
