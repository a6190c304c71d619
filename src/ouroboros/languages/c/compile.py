"""Sources of C and C++ to one module of LLVM IR, together with the library that every program may use."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from llvmlite import binding as llvm

from ouroboros.compiler import compiler
from ouroboros.errors import InputError
from ouroboros.languages.c.prepare.exceptions import HELPERS, THROWERS
from ouroboros.languages.c.untrusted import confirmed

C_SUFFIXES = frozenset({".c", ".i"})
CPP_SUFFIXES = frozenset({".cc", ".cpp", ".cxx", ".C", ".ii"})
IR_SUFFIXES = frozenset({".ll", ".bc"})

LIBRARY = Path(__file__).parent / "library"

_FLAGS = """
    -S -emit-llvm -O0 -g -w -UNDEBUG -U_FORTIFY_SOURCE -fno-stack-protector -fno-delete-null-pointer-checks
    -Xclang -disable-O0-optnone
"""
"""Assertions are on, and nothing is added that the program does not say."""
_OLD_C = """
    -Wno-implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-incompatible-pointer-types
    -Wno-incompatible-function-pointer-types -Wno-return-mismatch
"""
"""What compilers took for granted before they made errors of it: programs of that time are common."""


_AS_OF_OLD = [
    f"-Wno-error={each}"
    for each in ("implicit-function-declaration", "implicit-int", "int-conversion", "incompatible-pointer-types")
]
"""What C has forbidden since many programs were written."""

_ON_DEMAND = {
    "OURO_KEYS": {"pthread_key_create", "tss_create"},
    "OURO_CANCEL": {"pthread_cancel"},
    "OURO_CLEANUP": {"__ouro_cleanup_push"},
    "OURO_ENDINGS": {"atexit", "at_quick_exit", "__cxa_atexit"},
    "OURO_ERROR_FUNCTION": {"reach_error", "__VERIFIER_error", "assume_abort_if_not"},
}
"""Parts of the library that are not for every program, mostly since they take memory in each state, by functions that
need them."""


@dataclass(frozen=True)
class CompilerOptions:
    definitions: tuple[str, ...] = ()
    """NAME or NAME=VALUE."""
    includes: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """Whatever else the compiler shall be told."""


def compile_file(path: Path, options: CompilerOptions) -> str:
    """The LLVM IR of one source, in the words of the compiler that made it."""
    cpp = path.suffix in CPP_SUFFIXES
    language = [] if cpp else _OLD_C.split()
    if path.suffix == ".i":
        language += ["-x", "c"]
    includes = (*options.includes, str(LIBRARY / "include"))
    given = [f"-D{each}" for each in options.definitions] + [f"-I{each}" for each in includes]
    with tempfile.TemporaryDirectory(prefix="ouroboros") as folder:
        target = Path(folder) / "program.ll"
        flags = [*_FLAGS.split(), *([] if cpp else _AS_OF_OLD), *given, *options.flags, *language]
        command = [*compiler(cpp), *flags, str(path), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode or not target.exists():
            raise InputError(done.stderr.rstrip() or f"{path}: the compiler ended with code {done.returncode}")
        return target.read_text(encoding="utf-8", errors="surrogateescape")


def _module(path: Path, options: CompilerOptions, context: llvm.ContextRef) -> llvm.ModuleRef:
    try:
        if path.suffix in IR_SUFFIXES:
            return llvm.parse_assembly(confirmed(path), context)
        return llvm.parse_assembly(compile_file(path, options), context)
    except RuntimeError as error:
        raise InputError(f"{path}: {str(error).strip()}") from None


def compile_program(paths: list[Path], options: CompilerOptions, slots: int, switches: tuple[str, ...] = ()) -> str:
    """All sources and the library as one module; of what both define, the program's own is taken.
    Slots is how many threads may be at once, switches choose among what the library can do.
    """
    context = llvm.create_context()
    program = _module(paths[0], options, context)
    for path in paths[1:]:
        _link(program, _module(path, options, context))
    used = {function.name for function in program.functions}
    found = [switch for switch, names in _ON_DEMAND.items() if used & names]
    definitions = (f"OURO_THREADS={slots}", *switches, *found)
    library = CompilerOptions(definitions, flags=("-ffreestanding", "-fno-builtin", "-fwrapv"))
    runtime = _module(LIBRARY / "all.c", library, context)
    for each in (*runtime.functions, *runtime.global_variables):
        if not each.is_declaration and each.linkage == llvm.Linkage.external:
            each.linkage = llvm.Linkage.linkonce_any
    # What the pipeline will call is part of the program from now on.
    needed = ["exit", *(HELPERS if used & THROWERS else ())]
    names = ", ".join(f"ptr @{name}" for name in needed)
    declared = "\n".join(f"declare void @{name}()" for name in needed)
    held = f"@__ouro_held = global [{len(needed)} x ptr] [{names}]"
    _link(program, llvm.parse_assembly(f"{declared}\n{held}\n", context))
    _link(program, runtime)
    return str(program)


def _link(into: llvm.ModuleRef, module: llvm.ModuleRef) -> None:
    try:
        into.link_in(module)
    except RuntimeError as error:
        hint = "all files of a command are one program: check programs one by one"
        raise InputError(f"the files do not go together: {str(error).strip()}", hint=hint) from None
