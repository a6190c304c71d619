"""What was found out about a system by an earlier run: kept on disk, by all that it depends on.

Working out what may be left out of a system can take longer than searching it. The answer depends on the system, on
what is asked and on our own code; a digest of all three is the name that it is kept by, so that nothing old is ever
taken for an answer.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields, replace
from functools import cache as remember
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ouroboros import cache
from ouroboros.source import Source
from ouroboros.system.choices import Action
from ouroboros.system.expressions import LocalArray, Procedure
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import System
from ouroboros.system.symmetry import Symmetry

T = TypeVar("T")

_MOST_BYTES = 50 << 20
_NAMED = (Field, LocalArray, Procedure, Action, Layout, Source)
"""What is the same only if it is the same object: an answer speaks of those that its system has."""


def kept(system: System, question: object, find: Callable[[], T]) -> T:
    """The answer to a question about a system, found now or by an earlier run. Both consist of plain data and of parts
    of the system, and `question` of nothing whose order may vary.
    """
    place = _place(system, question)
    if place is None:
        return find()
    stored = cache.load(place.path)
    if stored is None:
        answer = find()
        try:
            stored = place.save(answer)
        except RecursionError:
            return answer
    # Also where it was just found: what is asked about an answer is then known by the same name whenever it is asked.
    read: T = _Reader(BytesIO(stored), place.parts).load()
    return read


def keep(system: System, question: object, answer: object) -> None:
    """Let later runs know a better answer."""
    place = _place(system, question)
    if place:
        with suppress(RecursionError):
            place.save(answer)


class _Place(NamedTuple):
    """Where an answer is kept."""

    path: Path
    parts: list[object]
    """The system, and what it consists of."""

    def save(self, answer: object) -> bytes:
        file = BytesIO()
        _Writer(file, self.parts).dump(answer)
        cache.save(self.path, file.getvalue(), _MOST_BYTES)
        return file.getvalue()


def _place(system: System, question: object) -> _Place | None:
    """None where nothing can be kept."""
    directory = cache.directory("reductions")
    if directory is None:
        return None
    description = BytesIO()
    describing = _Description(description)
    try:
        describing.dump(([getattr(system, name) for name in _CONTENT], question))
    except RecursionError:
        # Code that is nested so deeply is rare.
        return None
    return _Place(directory / sha256(_version() + description.getvalue()).hexdigest(), [system, *describing.parts])


_CONTENT = [each.name for each in fields(System) if each.name not in ("probes", "queries")]
"""All that a system consists of, but for functions that make others of it."""


class _Description(pickle.Pickler):
    """Writes down a system, and gathers its parts in the order in which it meets them."""

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.parts: list[object] = []

    def reducer_override(self, item: object) -> Any:
        if isinstance(item, _NAMED):
            self.parts.append(item)
        if isinstance(item, Symmetry):
            # Without functions that find out more about it.
            return Symmetry, (item.sets, item.fields)
        if isinstance(item, (Layout, Source)):
            # Without what they have computed of themselves, which is not always there.
            return type(item), tuple(getattr(item, each.name) for each in fields(item) if each.init)
        return NotImplemented


class _Writer(pickle.Pickler):
    """Writes down an answer, with numbers for the parts of a system, and other systems by how they differ from it."""

    def __init__(self, file: BytesIO, parts: list[object]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._base = parts[0]
        self._numbers = {id(part): number for number, part in enumerate(parts)}

    def persistent_id(self, item: object) -> int | None:
        return self._numbers.get(id(item))

    def reducer_override(self, item: object) -> Any:
        if not isinstance(item, System):
            return NotImplemented
        changed = {
            each.name: getattr(item, each.name)
            for each in fields(System)
            if getattr(item, each.name) is not getattr(self._base, each.name)
        }
        return _changed, (self._base, changed)


class _Reader(pickle.Unpickler):
    def __init__(self, file: BytesIO, parts: list[object]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, number: int) -> object:
        return self._parts[number]


def _changed(base: System, changed: dict[str, Any]) -> System:
    return replace(base, **changed)


@remember
def _version() -> bytes:
    """A digest of all code that an answer depends on."""
    digest = sha256(sys.version.encode())
    rooms = Path(__file__).parents[1]
    for path in sorted([*(rooms / "reduce").rglob("*.py"), *(rooms / "system").rglob("*.py"), rooms / "source.py"]):
        digest.update(path.read_bytes())
    return digest.digest()
