"""Modules that others have compiled, which generate the states of a model when they are asked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from ouroboros.errors import InputError, UsageError
from ouroboros.languages import Model, read_model
from ouroboros.languages.modules.cesmi.model import CesmiModel
from ouroboros.languages.modules.opening import HEADER, Library, compiled_library, refuse_definitions
from ouroboros.languages.modules.pins.interface import DIALECTS
from ouroboros.languages.modules.pins.model import PinsModel
from ouroboros.source import Source
from ouroboros.system.model import Overflow

_PROGRAMS = (".c", ".i", ".cc", ".cpp", ".cxx", ".ii")


def load(
    source: Source,
    overflow: Overflow,
    definitions: Mapping[str, str],
    *,
    beside: Sequence[str] = (),
    includes: Sequence[str] = (),
    flags: Sequence[str] = (),
) -> Model:
    """The model of a module; raises InputError where it cannot be loaded, or has none of the interfaces."""
    path = Path(source.name)
    if path.suffix.lower() in _PROGRAMS:
        others = [Path(each) for each in beside]
        given = [f"{name}={value}" if value else name for name, value in definitions.items()]
        words = [word for text in flags for word in _words(text)]
        library = compiled_library([path, *others], given, includes, words)
        if not library.exports("get_successor"):
            raise InputError(f"{path}: it does not define get_successor, which a module with this interface must have")
        return CesmiModel(source, library, tuple(map(read_model, others)))
    refuse_definitions(source.name, list(definitions))
    library = Library(source.name, path)
    if library.exports("get_initial"):
        return CesmiModel(source, library)
    for dialect in DIALECTS:
        if library.exports(dialect.successors) and library.exports(dialect.size):
            return PinsModel(source, library, dialect)
    raise InputError(
        f"{path}: it exports the functions of no interface that is known", hint="see `ouro cesmi --header` for CESMI"
    )


def header() -> str:
    """What a module of the interface CESMI includes."""
    return HEADER.read_text(encoding="utf-8")


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--cflags {text}: {str(error).lower()}") from None
