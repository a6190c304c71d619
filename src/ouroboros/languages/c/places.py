"""Where instructions come from: function, file and line, through all that was inlined."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ouroboros.languages.c.compile import LIBRARY
from ouroboros.languages.c.read.instructions import AtomicUpdate, Call, CompareExchange, Instruction, Load, Store
from ouroboros.languages.c.read.module import Module, Node, Reference
from ouroboros.source import Source, Span

_OF_COMPILERS = re.compile(r"/(?:ziglang/lib|libcxx|usr/include|usr/lib)/")
_VISIBLE = (Load, Store, AtomicUpdate, CompareExchange, Call)


class Frame(NamedTuple):
    """A place in a function."""

    function: str
    file: Path
    line: int
    column: int

    @property
    def in_library(self) -> bool:
        """Whether it is in what every program may use, and not in the program itself."""
        return LIBRARY in self.file.parents

    @property
    def is_own(self) -> bool:
        """Whether it is in the program itself, and not in a header of the compiler either."""
        return bool(self.line) and not self.in_library and not _OF_COMPILERS.search(str(self.file))


class Places:
    """Of the instructions of a module."""

    def __init__(self, module: Module, sources: Iterable[Source] = ()) -> None:
        """`sources` are texts that are known already."""
        self._module = module
        self.frames = cache(self._frames)
        self._sources = {Path(each.name).resolve(): each for each in sources}
        self.source = cache(self._source)

    def _frames(self, location: int | None) -> tuple[Frame, ...]:
        """The place of an instruction, then where that was inlined, and so on."""
        found = []
        while location is not None:
            node = self._module.metadata[location]
            function, file = self._scope(node)
            found.append(Frame(function, file, _number(node, "line"), _number(node, "column")))
            location = reference(node, "inlinedAt")
        return tuple(found)

    def _scope(self, node: Node) -> tuple[str, Path]:
        """The function that a location is in, and the file."""
        file: Path | None = None
        current = node
        while (number := reference(current, "scope")) is not None:
            current = self._module.metadata[number]
            if file is None and (file_number := reference(current, "file")) is not None:
                file = self._file(file_number)
            if current.kind == "DISubprogram":
                return str(current.fields.get("name", "")), file or Path()
        return "", file or Path()

    def _file(self, number: int) -> Path:
        fields = self._module.metadata[number].fields
        return Path(str(fields.get("directory") or "")) / str(fields.get("filename") or "")

    def in_library(self, location: int | None) -> bool:
        """Whether an instruction was written in what every program may use."""
        frames = self.frames(location)
        return bool(frames) and frames[0].in_library

    def own(self, location: int | None) -> Frame | None:
        """The place in the program itself that an instruction belongs to."""
        found = self.calls(location)
        return found[0] if found else None

    def calls(self, location: int | None) -> tuple[Frame, ...]:
        """The places in the program itself that an instruction belongs to: that of each call that was inlined."""
        return tuple(frame for frame in self.frames(location) if frame.is_own)

    def stack(self, instructions: tuple[Instruction, ...]) -> tuple[Frame, ...]:
        """The same for the first instruction that others see, or the first that has a place."""
        visible = (each for each in instructions if isinstance(each, _VISIBLE))
        for each in (*visible, *instructions):
            if found := self.calls(each.location):
                return found
        return ()

    def own_of_block(self, instructions: tuple[Instruction, ...]) -> Frame | None:
        """The place of the first instruction that others see, or of the first that has one."""
        found = self.stack(instructions)
        return found[0] if found else None

    def _source(self, path: Path) -> Source | None:
        return self._sources.get(path.resolve()) or _source(path)

    def span(self, frame: Frame) -> Span | None:
        """The rest of the line from the place on, in the text of its file."""
        source = self.source(frame.file)
        if source is None or frame.line > source.text.count("\n") + 1:
            return None
        start = sum(len(line) + 1 for line in source.text.split("\n")[: frame.line - 1])
        text = source.line_text(frame.line)
        indent = len(text) - len(text.lstrip())
        return Span(source, start + indent, start + len(text.rstrip()))


def _source(path: Path) -> Source | None:
    try:
        shown = path.relative_to(Path.cwd()) if path.is_absolute() and Path.cwd() in path.parents else path
        return Source(str(shown), path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def _number(node: Node, field: str) -> int:
    value = node.fields.get(field)
    return value if isinstance(value, int) else 0


def reference(node: Node, field: str) -> int | None:
    """The number of the node that a field names."""
    value = node.fields.get(field)
    return value.number if isinstance(value, Reference) else None
