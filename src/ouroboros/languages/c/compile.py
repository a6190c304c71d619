"""Sources of C and C++ to one module of LLVM IR, together with the library that every program may use."""

from __future__ import annotations

import re
import subprocess
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from llvmlite import binding as llvm

from ouroboros import cache
from ouroboros.compiler import compiler
from ouroboros.errors import InputError
from ouroboros.languages.c.prepare.exceptions import HELPERS, THROWERS
from ouroboros.languages.c.untrusted import confirmed

C_SUFFIXES = frozenset({".c", ".i"})
CPP_SUFFIXES = frozenset({".cc", ".cpp", ".cxx", ".C", ".ii"})
IR_SUFFIXES = frozenset({".ll", ".bc"})

LIBRARY = Path(__file__).parent / "library"
_LIBRARY_BYTES = 32 << 20
"""Of the library as it was compiled, on disk."""

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
    "OURO_CANCEL": {"pthread_cancel", "pthread_setcancelstate", "pthread_setcanceltype"},
    "OURO_CLEANUP": {"__ouro_cleanup_push"},
    "OURO_ENDINGS": {"atexit", "at_quick_exit", "__cxa_atexit"},
    "OURO_ERROR_FUNCTION": {"reach_error", "__VERIFIER_error", "assume_abort_if_not"},
}
"""Parts of the library that are not for every program, mostly since they take memory in each state, by functions that
need them."""


_LEFT_TO_LIBRARY = re.compile(
    r"_ZNK?St(3__112basic_string|9exception|9bad_alloc|20bad_array|\d+(logic|domain|length|range|runtime)_error"
    r"|16invalid_argument|12out_of_range|14overflow_error|15underflow_error)"
)
"""How the names of members of std::string and of standard exceptions begin."""


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
    includes = [*options.includes, str(LIBRARY / "include"), *([str(LIBRARY / "include" / "c++")] if cpp else ())]
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


def _library(name: str, options: CompilerOptions, context: llvm.ContextRef) -> llvm.ModuleRef:
    """A part of the library, which is compiled once on this machine for the same options."""
    sources = [path.read_bytes() for path in sorted(LIBRARY.rglob("*")) if path.is_file()]
    command = " ".join(compiler(cpp=name.endswith(".cc")))
    # The places of its statements are told by where it lies, which may differ from one installation to another.
    about = repr((str(LIBRARY), name, options, _FLAGS, command, llvm.llvm_version_info))
    key = sha256(b"\0".join([*sources, about.encode()]))
    directory = cache.directory("library")
    path = directory / key.hexdigest() if directory else None
    text = cache.load(path) if path else None
    if text is None:
        text = compile_file(LIBRARY / name, options).encode("utf-8", "surrogateescape")
        if path:
            cache.save(path, text, _LIBRARY_BYTES)
    return llvm.parse_assembly(text.decode("utf-8", "surrogateescape"), context)


def compile_program(paths: list[Path], options: CompilerOptions, slots: int, switches: tuple[str, ...] = ()) -> str:
    """All sources and the library as one module; of what both define, the program's own is taken.
    Slots is how many threads may be at once, switches choose among what the library can do.
    """
    context = llvm.create_context()
    program = _module(paths[0], options, context)
    for path in paths[1:]:
        _link(program, _module(path, options, context))
    if any(_of_cpp_library(function) for function in program.functions):
        _link(program, _replaceable(_library("strings.cc", CompilerOptions(), context)))
    used = {function.name for function in program.functions}
    found = [switch for switch, names in _ON_DEMAND.items() if used & names]
    definitions = (f"OURO_THREADS={slots}", *switches, *found)
    library = CompilerOptions(definitions, flags=("-ffreestanding", "-fno-builtin", "-fwrapv"))
    runtime = _replaceable(_library("all.c", library, context))
    # What the pipeline will call is part of the program from now on.
    needed = ["exit", *(HELPERS if used & THROWERS else ())]
    names = ", ".join(f"ptr @{name}" for name in needed)
    declared = "\n".join(f"declare void @{name}()" for name in needed)
    held = f"@__ouro_held = global [{len(needed)} x ptr] [{names}]"
    _link(program, llvm.parse_assembly(f"{declared}\n{held}\n", context))
    _link(program, runtime)
    return str(program)


def _of_cpp_library(function: llvm.ValueRef) -> bool:
    """Whether this is a function that the headers of C++ leave to their library."""
    return function.is_declaration and _LEFT_TO_LIBRARY.match(function.name) is not None


def _replaceable(module: llvm.ModuleRef) -> llvm.ModuleRef:
    """What a program defines by the same names is taken instead, and what it does not need is left out."""
    for each in (*module.functions, *module.global_variables):
        if not each.is_declaration and each.linkage in (llvm.Linkage.external, llvm.Linkage.weak_odr):
            each.linkage = llvm.Linkage.linkonce_any
    return module


def _link(into: llvm.ModuleRef, module: llvm.ModuleRef) -> None:
    try:
        into.link_in(module)
    except RuntimeError as error:
        hint = "all files of a command are one program: check programs one by one"
        raise InputError(f"the files do not go together: {str(error).strip()}", hint=hint) from None
