"""C and C++ programs: compiled to LLVM IR, read, and checked instruction by instruction."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.c.compile import CompilerOptions
from ouroboros.languages.c.model import CModel
from ouroboros.languages.c.permitted import Permitted, read_ranges, read_switches
from ouroboros.source import Source
from ouroboros.system.model import Overflow


def load(
    source: Source,
    overflow: Overflow,
    definitions: Mapping[str, str],
    *,
    beside: Sequence[str] = (),
    includes: Sequence[str] = (),
    flags: Sequence[str] = (),
    ranges: Sequence[str] = (),
    stubs: Sequence[str] = (),
    may: Sequence[str] = (),
) -> CModel:
    """The model of a program, of all its files; raises InputError where it cannot be compiled, or needs what is not
    there.
    """
    paths = [Path(source.name), *map(Path, beside)]
    for path in paths:
        if not path.exists():
            raise InputError(f"{path}: a program is compiled from its file, and there is none")
    given = tuple(f"{name}={value}" if value else name for name, value in definitions.items())
    words = tuple(word for text in flags for word in _words(text))
    permitted = Permitted(
        wraps=overflow == "wrap", ranges=read_ranges(ranges), stubs=frozenset(stubs), switches=read_switches(may)
    )
    return CModel(source, paths, CompilerOptions(given, tuple(includes), words), permitted)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--cflags {text}: {str(error).lower()}") from None
