"""From a file to a model: the file's suffix says which language it is written in."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ouroboros.errors import InputError, UsageError
from ouroboros.outline import Symbol
from ouroboros.settings import AS_MODULE, BESIDE, SETTINGS, Settings
from ouroboros.source import Source
from ouroboros.system.layout import Vector
from ouroboros.system.model import Overflow, Proposition, System


class Language(NamedTuple):
    title: str
    suffixes: tuple[str, ...]
    outlined: bool = False
    """Whether its package has a module `outline`, with a function of that name."""
    executed: bool = False
    """Whether reading a model runs it."""
    settings: frozenset[str] = frozenset()
    """What it can be told, by the names of `SETTINGS`; with `BESIDE`, several files are one model."""
    binary: tuple[str, ...] = ()
    """Those of its suffixes whose files are no texts."""


LANGUAGES = {
    "dve": Language("DVE", (".dve",), outlined=True),
    "murphi": Language("Murphi", (".m",), outlined=True),
    "promela": Language("Promela", (".pml", ".pm", ".prom", ".promela"), outlined=True),
    "coin": Language("CoIn", (".coin",)),
    "uppaal": Language("UPPAAL", (".xml", ".xta")),
    "python": Language("Python", (".py",), executed=True),
    "c": Language(
        "C",
        (".c", ".i", ".cc", ".cpp", ".cxx", ".ii", ".ll", ".bc"),
        settings=frozenset({BESIDE, *(setting.name for setting in SETTINGS)}),
        binary=(".bc",),
    ),
}
"""By the name of the package, which has `load(source, overflow, definitions)` and is imported when a file asks. The
settings of a language are further arguments."""

_MODULE = "modules"

LIBRARIES = {
    _MODULE: Language(
        "compiled modules",
        (".so", ".cesmi", ".dve2c", ".spins"),
        executed=True,
        binary=(".so", ".cesmi", ".dve2c", ".spins"),
    ),
}
"""Likewise; what they read was written by compilers, and runs in this process."""

_ALL = {**LANGUAGES, **LIBRARIES}

TEXTUAL = tuple(name for name in LANGUAGES if name != "python")
"""Those whose models are nothing but their texts: a Python file is imported, and must be one."""

_FRONT_ENDS = {suffix: f"{__name__}.{name}" for name, language in _ALL.items() for suffix in language.suffixes}


def language_of(path: Path) -> Language | None:
    """By the suffix of a file."""
    suffix = path.suffix.lower()
    return next((language for language in _ALL.values() if suffix in language.suffixes), None)


def outline(source: Source) -> list[Symbol]:
    """What a text declares, where its language tells; raises InputError where the text is no model."""
    path = Path(source.name)
    language = language_of(path)
    if language is None or not language.outlined:
        return []
    found: list[Symbol] = list(import_module(f"{_FRONT_ENDS[path.suffix.lower()]}.outline").outline(source))
    return found


def empty_model(language: str) -> str:
    """The text that a new model begins with."""
    return files(f"{__name__}.{language}").joinpath("empty.txt").read_text(encoding="utf-8")


def module_header() -> str:
    """What a module that generates states is compiled with."""
    text: str = import_module(f"{__name__}.{_MODULE}").header()
    return text


class Abilities(NamedTuple):
    """What a language offers to who asks questions, beyond its system."""

    alike: bool = False
    """Whether it can say that values are all alike, so that states may be taken together by symmetry."""
    trails: bool = False
    """Whether Spin reads it, and can replay a run by the numbers of its statements."""
    lasting: bool = True
    """Whether a state means the same to another process and to another run."""
    spin_formulas: bool = False
    """Whether its users write formulas as Spin reads them."""


class Model(Protocol):
    """What a front end makes of a text."""

    @property
    def system(self) -> System: ...

    @property
    def abilities(self) -> Abilities: ...

    def proposition(self, source: Source) -> Proposition:
        """Read an expression over the model's names; raises InputError with the place in `source`.

        It may bring new places to fail at: `system` is another one afterwards, and the one to use. If that has another
        layout, a state must tell more than before, and what was read until now has to be read again.
        """


@runtime_checkable
class GrowingModel(Model, Protocol):
    """A model whose states may need more room than anyone knows beforehand."""

    def grow(self, sites: Iterable[int]) -> None:
        """Make room for what was missing at these sites of failure; `system` is another one afterwards, and nothing
        that was made for the one before is of use any more.
        """


@runtime_checkable
class RequestedModel(Model, Protocol):
    """A model with properties that need a system that tells more."""

    def requested(self, name: str) -> Proposition:
        """What must hold of every state, by the name among the system's `on_request`; `system` may be another one
        afterwards, with another layout.
        """


@runtime_checkable
class FairModel(Model, Protocol):
    """A model whose processes can be taken to be scheduled fairly."""

    def fair(self) -> tuple[Proposition, ...]:
        """What holds infinitely often on every run in which no process that could always move never does.

        `system` is another one afterwards, which can tell who moves; raises InputError where nobody can tell.
        """


@runtime_checkable
class DrawnModel(Model, Protocol):
    """A model that may have a picture of its state."""

    def picture(self, state: Vector) -> str | None:
        """SVG; None where it has none. Raises InputError where it cannot be drawn."""


def load(
    path: str | Path,
    *,
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Model:
    """Read a model; raises InputError where the file cannot be read or is not a model.

    `overflow` is what an assignment does with a value that does not fit its variable; `definitions` are values that the
    model's constants and macros are to have instead of their own: UsageError where the model uses no such name. Of a
    Python file with several models, `FILE.py::NAME` is one; the file is executed. `settings` are for languages that
    have them: UsageError where this one does not know them.
    """
    text, _, name = str(path).partition("::")
    return load_text(read_model(Path(text)), name, overflow=overflow, definitions=definitions, settings=settings)


def grouped(paths: Sequence[str]) -> list[tuple[str, ...]]:
    """The files of each model: those of a language in which several files are one model belong together."""
    found: list[list[str]] = []
    together: dict[Language, list[str]] = {}
    for path in paths:
        language = language_of(Path(path))
        if language and language in together:
            together[language].append(path)
            continue
        found.append([path])
        if language and BESIDE in language.settings:
            together[language] = found[-1]
    return list(map(tuple, found))


def beside(others: Sequence[str], settings: Settings) -> Settings:
    """The settings of a model that has other files as well."""
    return {**settings, BESIDE: tuple(others)} if others else settings


def is_model(path: Path) -> bool:
    """Whether the suffix of a file is that of a language."""
    return path.suffix.lower() in _FRONT_ENDS


def is_program(path: Path) -> bool:
    """Whether a model of this suffix is run when it is read."""
    return path.suffix.lower() == ".py"


def runs_in_this_process(names: Iterable[str]) -> bool:
    """Whether any of these files is machine code of others, which may take the process with it."""
    return any(language_of(Path(name)) in LIBRARIES.values() for name in names)


def load_text(
    source: Source,
    name: str = "",
    *,
    overflow: Overflow = "error",
    definitions: Mapping[str, str] | None = None,
    settings: Settings | None = None,
) -> Model:
    """The same for a text that was read already; its name says which language it is written in."""
    path = Path(source.name)
    front_end = _FRONT_ENDS.get(path.suffix.lower())
    if front_end is None:
        known = ", ".join(_FRONT_ENDS)
        told = f"the suffix {path.suffix}" if path.suffix else "a file without a suffix"
        raise InputError(f"{path}: {told} says nothing about the language", hint=f"known suffixes: {known}")
    if name and path.suffix.lower() != ".py":
        raise InputError(f"{path}::{name}: only a Python file has models with names")
    chosen: dict[str, Any] = {name: tuple(values) for name, values in (settings or {}).items() if values}
    _confirm_settings(path, chosen)
    if chosen.pop(AS_MODULE, ()):
        front_end = f"{__name__}.{_MODULE}"
    chosen |= {"name": name} if name else {}
    model: Model = import_module(front_end).load(source, overflow, definitions or {}, **chosen)
    return model


def _confirm_settings(path: Path, given: Iterable[str]) -> None:
    language = language_of(path)
    flags = {setting.name: setting.flag for setting in SETTINGS}
    for name in given:
        if language is None or name not in language.settings:
            takers = ", ".join(each.title for each in LANGUAGES.values() if name in each.settings)
            raise UsageError(f"{flags.get(name, name)} means nothing for {path}: it is for {takers}")


def read_standard_input(language: str | None) -> Source:
    """A model from standard input; raises UsageError where nobody says what it is written in."""
    if language is None:
        raise UsageError(f"- is standard input: say with --language what it is: {', '.join(TEXTUAL)}")
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise InputError("standard input: it is empty")
    return Source(f"stdin{LANGUAGES[language].suffixes[0]}", text)


def suffixes() -> tuple[str, ...]:
    """Those by which a file is known to be a model."""
    return tuple(_FRONT_ENDS)


def read_model(path: Path) -> Source:
    """The text of a model; raises InputError where the file cannot be read or has no text."""
    return Source(str(path), _read(path))


def _read(path: Path) -> str:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file", hint=_near_miss(path)) from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory", hint="name one model file inside it") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error.strerror}") from None
    language = language_of(path)
    if language and path.suffix.lower() in language.binary:
        return content.decode("latin-1")
    if b"\0" in content:
        raise InputError(f"{path}: this is a binary file, not a model's text")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Old models have comments in the encodings of their time; every byte is a character of this one.
        text = content.decode("latin-1")
    if not text.strip():
        raise InputError(f"{path}: the file is empty")
    return text


def _near_miss(path: Path) -> str | None:
    try:
        neighbours = [neighbour.name for neighbour in path.parent.iterdir()]
    except OSError:
        return f"there is no directory {path.parent} either"
    meant = get_close_matches(path.name, neighbours, n=1)
    return f"did you mean {path.with_name(meant[0])}?" if meant else None
