"""How the engine's kernels become machine code: Numba makes portable bitcode of them when the package is built, or in a
source checkout when they are first used; LLVM finishes it for the processor of the user.
"""

from ouroboros.jit.kernels import inside, kernel, kernels_are_compiled, prepare, width_of
from ouroboros.jit.primitives import (
    Width,
    address_of,
    array_at,
    atomic_add,
    atomic_load,
    call_successors,
    call_valuation,
    equal_bytes,
    inlined,
    load,
    load_word,
    lowest_bit,
    pasted,
    prefetch,
    save,
    words_in,
)
from ouroboros.jit.records import record

__all__ = [
    "Width",
    "address_of",
    "array_at",
    "atomic_add",
    "atomic_load",
    "call_successors",
    "call_valuation",
    "equal_bytes",
    "inlined",
    "inside",
    "kernel",
    "kernels_are_compiled",
    "load",
    "load_word",
    "lowest_bit",
    "pasted",
    "prefetch",
    "prepare",
    "record",
    "save",
    "width_of",
    "words_in",
]
