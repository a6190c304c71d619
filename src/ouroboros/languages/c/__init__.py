"""C and C++ programs: compiled to LLVM IR, read, and checked instruction by instruction."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ouroboros.errors import InputError
from ouroboros.languages.c.compile import CompilerOptions
from ouroboros.languages.c.model import CModel
from ouroboros.source import Source
from ouroboros.system.model import Overflow


def load(source: Source, overflow: Overflow, definitions: Mapping[str, str]) -> CModel:
    """The model of a program; raises InputError where it cannot be compiled, or needs what is not there."""
    path = Path(source.name)
    if not path.exists():
        raise InputError(f"{path}: a program is compiled from its file, and there is none")
    given = tuple(f"{name}={value}" if value else name for name, value in definitions.items())
    return CModel(source, [path], CompilerOptions(definitions=given))
