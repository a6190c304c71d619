"""One text in an editor: what is wrong with it, and what its names mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ouroboros.errors import InputError, OuroborosError
from ouroboros.languages import language_of, load_text, outline
from ouroboros.outline import RECORD, Symbol
from ouroboros.source import Source, Span

_WORD = re.compile(r"\w+")
_PLACED = re.compile(r".*?:(?P<line>\d+):(?P<column>\d+): (?P<message>.*)", re.DOTALL)
"""A warning that begins with its place."""
_QUALIFIERS = ".@:"
"""What stands between the name of a process and that of a state, a label or a variable of it."""


@dataclass(frozen=True)
class Problem:
    message: str
    span: Span | None
    """None where the whole text is meant, or another file."""
    hint: str | None = None
    warning: bool = False


@dataclass
class Document:
    """What is known of a text. Symbols are those of its last version that could be read."""

    source: Source
    symbols: list[Symbol] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    properties: list[Symbol] = field(default_factory=list)

    def read(self, text: str) -> None:
        """Take a new version of the text."""
        self.source = Source(self.source.name, text)
        self.problems = list(self._problems())
        try:
            self.symbols = outline(self.source)
        except (OuroborosError, RecursionError):
            return
        self.properties = [symbol for symbol in self.symbols if symbol.kind == "property"]

    def _problems(self) -> Iterator[Problem]:
        language = language_of(Path(self.source.name))
        if language is None or language.executed or not self.source.text.strip():
            return
        try:
            model = load_text(self.source)
        except InputError as error:
            yield Problem(error.message, error.span, error.hint)
        except OuroborosError as error:
            yield Problem(str(error), None)
        except RecursionError:
            yield Problem("this is nested too deeply", None)
        else:
            for warning in model.system.warnings:
                yield self._warning(warning)

    def _warning(self, text: str) -> Problem:
        found = _PLACED.fullmatch(text)
        if not found or not text.startswith(self.source.name):
            return Problem(text, None, warning=True)
        start = self.source.offset(int(found["line"]), int(found["column"]))
        word = _WORD.match(self.source.text, start)
        return Problem(found["message"], Span(self.source, start, word.end() if word else start + 1), warning=True)

    def word_at(self, offset: int) -> Span | None:
        """The name that an offset is in, or right behind."""
        line = self.source.text.rfind("\n", 0, offset) + 1
        for found in _WORD.finditer(self.source.text, line):
            if found.start() > offset:
                break
            if offset <= found.end():
                return Span(self.source, found.start(), found.end())
        return None

    def meaning(self, offset: int) -> list[Symbol]:
        """What the name at an offset may mean: the one, if that can be told."""
        word = self.word_at(offset)
        if word is None:
            return []
        named = [symbol for symbol in self.symbols if symbol.name == word.text]
        qualifier = self._qualifier(word.start)
        if qualifier is not None:
            inside = [symbol for symbol in named if symbol.container == qualifier]
            return inside or [symbol for symbol in named if symbol.container == RECORD]
        here = [symbol for symbol in named if symbol.span.start <= word.start <= symbol.span.end]
        near = [symbol for symbol in named if symbol.scope and symbol.scope.start <= offset <= symbol.scope.end]
        everywhere = [symbol for symbol in named if symbol.scope is None and not symbol.container]
        return here or near or everywhere or named

    def candidates(self, offset: int) -> list[Symbol]:
        """The names that can stand at an offset."""
        word = self.word_at(offset)
        start = word.start if word else offset
        qualifier = self._qualifier(start)
        if qualifier is not None:
            inside = [symbol for symbol in self.symbols if symbol.container == qualifier]
            return inside or [symbol for symbol in self.symbols if symbol.container == RECORD]
        return [
            symbol
            for symbol in self.symbols
            if (symbol.scope is None and not symbol.container)
            or (symbol.scope is not None and symbol.scope.start <= offset <= symbol.scope.end)
        ]

    def _qualifier(self, start: int) -> str | None:
        """The name before a dot or the like, where a word begins behind one: `P` of `P.x` and of `P[2]@x`."""
        text = self.source.text
        before = text[:start].rstrip()
        if not before or before[-1] not in _QUALIFIERS or before.endswith("::"):
            return None
        found = re.search(r"(\w+)\s*(?:\[[^\[\]]*\]\s*)?$", before[:-1])
        if found is None or (before[-1] == ":" and not self._is_process(found[1])):
            return None
        return found[1]

    def _is_process(self, name: str) -> bool:
        return any(symbol.name == name and symbol.kind == "process" for symbol in self.symbols)
