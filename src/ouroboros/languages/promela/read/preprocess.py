"""Macros, includes and conditional text, by the library pcpp; and the way back from what it makes to what was written.

A text without a line that begins with `#` is taken as it is. Otherwise pcpp gives tokens, and each knows where it was
lexed. One that did not come out of a macro stands where it was written, and so does an argument of a macro. What the
body of a macro brought stands where the macro is used: that is the text between its neighbours.
"""

from __future__ import annotations

import io
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import pcpp
from pcpp.preprocessor import Action, OutputDirective

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.promela.read.markers import Markers
from ouroboros.source import Source, Span

_DIRECTIVE = re.compile(r"^[ \t]*#", re.MULTILINE)
_NO_TEXT = re.compile("[\0\ud800-\udfff]")  # Bytes that are not UTF-8 arrive as lone surrogates.
DEEPEST_INCLUDE = 100
MOST_TOKENS = 1_000_000
"""That macros may add to a text: macros that use macros grow exponentially."""

# To C, `??<` and the like are trigraphs; to Promela, `??` receives. Two characters of no other use keep its place.
_RECEIVE = "\ue000\ue000"


class Piece(NamedTuple):
    """What a part of the text stands for: the same characters in a source, or, if it is made, all of a place there."""

    start: int
    source: Source
    begin: int
    end: int
    made: bool


@dataclass(frozen=True, eq=False)
class Text:
    """What the language reads, and where each character of it was written."""

    text: str
    pieces: tuple[Piece, ...]
    included: tuple[Source, ...] = ()
    """Other files that were read."""
    _starts: list[int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [piece.start for piece in self.pieces])

    def span(self, start: int, end: int) -> Span:
        """The place in the user's text of a token."""
        piece = self._piece(start)
        if piece.made:
            return Span(piece.source, piece.begin, piece.end)
        begin = min(piece.begin + start - piece.start, piece.end)
        return Span(piece.source, begin, min(begin + end - start, piece.end))

    def passage(self, start: int, end: int) -> Span:
        """A longer part of the text: as it was written, or, if macros are used in it, as they expand."""
        if self._piece(start) is self._piece(max(start, end - 1)) and not self._piece(start).made:
            return self.span(start, end)
        first = self.span(start, start).source
        return Span(ExpandedSource(first.name, self.text[start:end], self, start, first), 0, end - start)

    def _piece(self, offset: int) -> Piece:
        return self.pieces[max(0, bisect_right(self._starts, offset) - 1)]


@dataclass(frozen=True, eq=False)
class ExpandedSource(Source):
    """A passage with macros expanded; lines and columns are still those of the user's text."""

    whole: Text
    begin: int
    written: Source

    def position(self, offset: int) -> tuple[int, int]:
        place = self.whole.span(self.begin + offset, self.begin + offset)
        if place.source is not self.written:
            place = self.whole.span(self.begin, self.begin)
        return place.source.position(place.start)

    def line_text(self, line: int) -> str:
        return self.written.line_text(line)


def preprocess(source: Source, definitions: Mapping[str, str]) -> Text:
    """Expand a text, with some macros defined from outside; raises InputError, or UsageError if one is of no use."""
    confirm_text(source)
    if not definitions and not _DIRECTIVE.search(source.text):
        return Text(source.text, (Piece(0, source, 0, len(source.text), made=False),))
    preprocessor = _Preprocessor(source, definitions)
    text = replace(_join(list(preprocessor.tokens()), source), included=preprocessor.included)
    preprocessor.macros.confirm_used(source)
    return text


def confirm_text(source: Source) -> None:
    binary = _NO_TEXT.search(source.text)
    if binary:
        raise InputError("this is not a text file", Span(source, *binary.span()), "expected Promela source text")


class _Macros(dict[str, Any]):
    """The macros of a text. Those that are given from outside stay as they are, whatever the text defines."""

    def __init__(self, built_in: Mapping[str, Any]) -> None:
        super().__init__(built_in)
        self._given: set[str] = set()
        self._used: set[str] = set()
        self._own: dict[str, None] = {}

    def give(self, name: str) -> None:
        """From now on the macro is one from outside."""
        self._given.add(name)

    def __contains__(self, name: object) -> bool:
        if name in self._given:
            self._used.add(str(name))
        return super().__contains__(name)

    def __setitem__(self, name: str, macro: Any) -> None:
        if name in self._given:
            self._used.add(name)
        else:
            super().__setitem__(name, macro)
            self._own[name] = None

    def __delitem__(self, name: str) -> None:
        if name in self._given:
            self._used.add(name)
        else:
            super().__delitem__(name)

    def confirm_used(self, source: Source) -> None:
        for name in sorted(self._given - self._used):
            own = [each for each in self._own if not each.startswith("__") and each not in self._given]
            known = f"it defines {', '.join(own)}" if own else "it defines none"
            raise UsageError(f"-D {name}: {source.name} uses no such macro; {known}")


class _Preprocessor(pcpp.Preprocessor):  # type: ignore[misc]  # pcpp carries no types
    """pcpp, with errors of ours, and tokens that know their place: `origin`, `lexpos` and `end`."""

    def __init__(self, source: Source, definitions: Mapping[str, str]) -> None:
        super().__init__()
        self.rewrite_paths: list[tuple[str, str]] = []
        del self.macros["__PCPP__"]
        self.macros: _Macros = _Macros(self.macros)
        for name, value in definitions.items():
            self.define(f"{name} {value}")
            self.macros.give(name.partition("(")[0].strip())
        self._main = source
        self._expanded = 0
        self._use: Any = None
        """The first macro of the text that macros are expanded in."""
        self._sources = {os.path.abspath(source.name): source}

    @property
    def included(self) -> tuple[Source, ...]:
        """The files that were read besides the first, each once."""
        return tuple(source for source in self._sources.values() if source is not self._main)

    def tokens(self) -> Iterator[Any]:
        self.parse(self._main.text.replace("??", _RECEIVE), self._main.name)
        try:
            while token := self.token():
                yield token
        except InputError:
            raise
        except Exception:
            # On directives that make no sense pcpp fails in as many ways as there are to write one.
            raise InputError("the preprocessor can make no sense of this", self._directive()) from None

    def group_lines(self, input: str, abssource: str) -> Iterator[list[Any]]:
        """As the original, which would strip blanks and so lose the places."""
        source = self._sources[abssource]
        lexer = self.lexer.clone()
        lexer.input(input.replace("\r\n", " \n"))
        lexer.lineno = 1
        line: list[Any] = []
        while token := lexer.token():
            token.source, token.origin, token.end = abssource, source, lexer.lexpos
            line.append(token)
            if token.type in self.t_WS and token.value == "\n":
                yield line
                line = []
        if line:
            newline = lexer.token() or type(line[-1])()
            newline.type, newline.value, newline.lineno = self.t_NEWLINE, "\n", line[-1].lineno
            newline.source, newline.origin = abssource, source
            newline.lexpos = newline.end = len(source.text)
            yield [*line, newline]

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        if tokens and not expanding_from:
            self._use = next((token for token in tokens if token.value in self.macros), tokens[0])
        before = len(tokens)
        expanded: list[Any] = super().expand_macros(tokens, list(expanding_from))
        self._expanded += max(0, len(expanded) - before)
        if self._expanded > MOST_TOKENS:
            raise InputError(
                "the macros expand to too long a text",
                self._line(self._use.source, self._use.lineno),
                f"at most {MOST_TOKENS:,} tokens are supported",
            )
        return expanded

    def on_error(self, file: str, line: int, msg: str) -> None:
        raise InputError(msg[:1].lower() + msg[1:].strip(), self._line(file, line))

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        if self.include_depth > DEEPEST_INCLUDE:
            raise InputError(f"includes are nested more than {DEEPEST_INCLUDE} deep", self._directive())
        content = Path(includepath).read_bytes()
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = content.decode("latin-1")
        name = includepath if os.path.isabs(self._main.name) else os.path.relpath(includepath)
        source = self._sources.setdefault(includepath, Source(name, text))
        confirm_text(source)
        return io.StringIO(text.replace("??", _RECEIVE))

    def on_include_not_found(self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str) -> None:
        if is_malformed:
            raise InputError("a file name is expected after #include", self._directive(), 'write #include "file"')
        raise InputError(
            f"there is no file {includepath}", self._directive(), "file names are relative to the file that includes"
        )

    def on_directive_handle(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> bool:
        self.lastdirective = directive
        if directive.value == "include" and not toks:
            self.on_include_not_found(True, False, "", "")
        return True

    def on_directive_unknown(self, directive: Any, toks: Any, ifpassthru: bool, precedingtoks: Any) -> bool:
        if directive.value.isdigit() or directive.value in ("line", "ident", "pragma", "warning"):
            # `# 12 "file"` comes from a preprocessor that ran before; where it is honoured, it is read in the source.
            raise OutputDirective(Action.IgnoreAndRemove)
        told = "".join(token.value for token in toks)
        if directive.value == "error":
            raise InputError(f"#error {told}", self._directive())
        raise InputError(f"unknown directive #{directive.value}", self._directive())

    def _directive(self) -> Span:
        """The line of the directive that is being obeyed."""
        directive = self.lastdirective
        return self._line(directive.source, directive.lineno) if directive else Span(self._main, 0, 0)

    def _line(self, file: str, line: int) -> Span:
        source = self._sources.get(file, self._main)
        lines = source.text.split("\n")
        line = max(1, min(line, len(lines)))
        start = sum(len(before) + 1 for before in lines[: line - 1])
        content = lines[line - 1]
        return Span(source, start + len(content) - len(content.lstrip()), start + len(content.rstrip()))


def _join(tokens: list[Any], source: Source) -> Text:
    """One text of all tokens."""
    parts: list[str] = []
    pieces: list[Piece] = []
    length = 0

    def add(value: str, place: Span, made: bool) -> None:
        nonlocal length
        last = pieces[-1] if pieces else None
        if not made and last and not last.made and last.source is place.source and last.end == place.start:
            pieces[-1] = last._replace(end=place.end)
        else:
            pieces.append(Piece(length, place.source, place.start, place.end, made))
        parts.append(value)
        length += len(value)

    end_before = Span(source, 0, 0)
    position = 0
    while position < len(tokens):
        token = tokens[position]
        if not _from_macro(token):
            place = Span(token.origin, token.lexpos, token.end)
            add(_value(token), place, made=not _is_verbatim(token))
            end_before = place
            position += 1
            continue
        run = position
        while run < len(tokens) and _from_macro(tokens[run]):
            run += 1
        use = _between(end_before, tokens[run] if run < len(tokens) else None)
        previous: Any = None
        for token in tokens[position:run]:
            argument = _is_verbatim(token) and token.origin is use.source and use.start <= token.lexpos < use.end
            if not (previous and _adjacent(previous, token)):
                add(" ", use, made=True)
            if argument:
                add(_value(token), Span(token.origin, token.lexpos, token.end), made=False)
            else:
                add(_value(token), use, made=True)
            previous = token
        add(" ", use, made=True)
        position = run
    markers = Markers()
    marked = [piece._replace(source=markers.source_at(piece.source, piece.begin)) for piece in pieces]
    return Text("".join(parts), tuple(marked) or (Piece(0, source, 0, 0, made=False),))


def _from_macro(token: Any) -> bool:
    return bool(getattr(token, "expanded_from", None)) or not hasattr(token, "origin")


def _value(token: Any) -> str:
    return str(token.value).replace(_RECEIVE[0], "?")


def _is_verbatim(token: Any) -> bool:
    if not hasattr(token, "origin"):
        return False
    return bool(token.origin.text[token.lexpos : token.end] == _value(token))


def _adjacent(first: Any, second: Any) -> bool:
    """Whether two tokens of an expansion were written without a gap; otherwise they must not grow together."""
    if not (hasattr(first, "origin") and hasattr(second, "origin")):
        return False
    return first.origin is second.origin and bool(first.end == second.lexpos)


def _between(before: Span, after: Any) -> Span:
    """Where a macro is used: between a token and the next one that comes from no macro."""
    source = before.source
    if after is not None and after.origin is not source:
        source, start = after.origin, 0
    else:
        start = before.end
    end = max(start, after.lexpos) if after is not None else len(source.text)
    gap = source.text[start:end]
    stripped = gap.strip()
    start += len(gap) - len(gap.lstrip()) if stripped else 0
    return Span(source, start, start + len(stripped))
