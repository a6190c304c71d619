"""Changes of the text of a module, line by line, at the places that its reading tells."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ouroboros.languages.c.read import read_code
from ouroboros.languages.c.read.instructions import Instruction, Phi
from ouroboros.languages.c.read.module import Block, Function, Module
from ouroboros.languages.c.read.types import quoted


class Edits:
    """Lines instead of lines."""

    def __init__(self, text: str) -> None:
        self.module: Module = read_code(text)
        self.lines: list[str] = text.splitlines()
        self._replaced: dict[int, list[str]] = {}
        self._before: dict[int, list[str]] = {}
        self.added: list[str] = []

    def replace(self, line: int, *texts: str) -> None:
        self._replaced[line] = list(texts)

    def before(self, line: int, *texts: str) -> None:
        self._before.setdefault(line, []).extend(texts)

    def now(self, line: int) -> str:
        """A line as it is after all changes so far; it must not have become several."""
        replaced = self._replaced.get(line)
        if replaced is None:
            return self.lines[line]
        return replaced[0] if replaced else ""

    def entry(self, function: Function, *texts: str) -> None:
        """At the very beginning of a function."""
        self.before(function.blocks[0].instructions[0].line, *texts)

    def text(self) -> str:
        out: list[str] = []
        for number, line in enumerate(self.lines):
            out += self._before.get(number, ())
            out += self._replaced.get(number, (line,))
        # Metadata stays at the end.
        end = next((number for number, line in enumerate(out) if line.startswith("!")), len(out))
        return "\n".join([*out[:end], *self.added, *out[end:], ""])

    def bodies(self) -> Iterator[Function]:
        """The functions that are defined here."""
        return (function for function in self.module.functions.values() if function.blocks)

    def instructions(self) -> Iterator[tuple[Function, Block, Instruction]]:
        for function in self.bodies():
            for block in function.blocks:
                for instruction in block.instructions:
                    yield function, block, instruction


_DEBUG = re.compile(r", !dbg !\d+")


def attached(line: str) -> str:
    """The place in the source, as it is attached to a line."""
    found = _DEBUG.search(line)
    return found[0] if found else ""


def declare(edits: Edits, name: str, result: str, *parameters: str) -> None:
    """A function that is there without a body, unless it was before."""
    line = f"declare {result} @{name}({', '.join(parameters)})"
    if name not in edits.module.functions and line not in edits.added:
        edits.added.append(line)


def rename_origins(edits: Edits, function: Function, last_piece: dict[str, str]) -> None:
    """Where blocks were divided, what comes out of them comes out of their last pieces: phis have to know."""
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, Phi):
                line = edits.now(instruction.line)
                for label in {label for _, label in instruction.incoming if label in last_piece}:
                    line = line.replace(f", %{quoted(label)} ]", f", %{last_piece[label]} ]")
                edits.replace(instruction.line, line)
