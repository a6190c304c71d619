"""From a file to a library that is loaded; a program is compiled first."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ouroboros.compiler import compiler
from ouroboros.errors import InputError, UsageError
from ouroboros.outside import calling, name_functions

HEADER = Path(__file__).parent / "cesmi" / "cesmi.h"
_CPP = frozenset({".cc", ".cpp", ".cxx"})
_LOADING = 1


class Library:
    """A shared library, and the functions that it exports."""

    def __init__(self, name: str, path: Path) -> None:
        """`name` is what the user calls it."""
        self.name = name
        name_functions(name, ("loading it",))
        try:
            with calling(_LOADING):
                self._loaded = ctypes.CDLL(str(path.resolve()), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            told = str(error).replace(str(path.resolve()), "").strip(": ")
            raise InputError(
                f"{name}: it cannot be loaded: {told}", hint="it must be a shared library for this machine"
            ) from None

    def exports(self, function: str) -> bool:
        return self.address(function) != 0

    def address(self, function: str) -> int:
        """0: there is none."""
        found = self._found(function)
        return ctypes.cast(found, ctypes.c_void_p).value or 0 if found else 0

    def function(self, name: str, result: Any, arguments: Sequence[Any]) -> Callable[..., Any] | None:
        found = self._found(name)
        if found is not None:
            found.restype, found.argtypes = result, list(arguments)
        typed: Callable[..., Any] | None = found
        return typed

    def needed(self, name: str, result: Any, arguments: Sequence[Any]) -> Callable[..., Any]:
        found = self.function(name, result, arguments)
        if found is None:
            raise InputError(f"{self.name}: it does not export {name}, which a module must have")
        return found

    def _found(self, name: str) -> Any:
        try:
            # Another object than the attribute: the types of its arguments are its own.
            return self._loaded[name]
        except AttributeError:
            return None


def compiled_library(
    paths: Sequence[Path], definitions: Sequence[str], includes: Sequence[str], flags: Sequence[str]
) -> Library:
    """The module that C and C++ sources are together."""
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: a module is compiled from its file, and there is none")
    cpp = any(path.suffix.lower() in _CPP for path in paths)
    given = [*(f"-D{each}" for each in definitions), *(f"-I{each}" for each in includes), f"-I{HEADER.parent}"]
    with tempfile.TemporaryDirectory(prefix="ouroboros") as folder:
        target = Path(folder) / "module.so"
        command = [*compiler(cpp), "-shared", "-fPIC", "-O2", "-w", *given, *flags, *map(str, paths), "-o", str(target)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
        if done.returncode or not target.exists():
            raise InputError(done.stderr.rstrip() or f"{paths[0]}: the compiler ended with code {done.returncode}")
        return Library(str(paths[0]), target)


def refuse_definitions(name: str, given: Sequence[str]) -> None:
    if given:
        raise UsageError(f"-D {given[0]}: {name} is compiled already, and has no constants to be given other values")
