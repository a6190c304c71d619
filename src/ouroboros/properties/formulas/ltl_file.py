"""Files of formulas in DiVinE's `.ltl` format.

    #define critical (P_0.CS)
    #property G(F(critical))

A definition may use other definitions, before or after it. Comments are those of C.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ouroboros.errors import InputError
from ouroboros.ltl.tokens import RESERVED
from ouroboros.source import Source, Span

_COMMENT = re.compile(r"//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(define|property)\b[ \t]*")
_NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True)
class FormulaFile:
    definitions: dict[str, Span]
    properties: tuple[Span, ...]


def read_source(path: str | Path) -> Source:
    """Raises InputError where the file cannot be read."""
    return Source(str(path), read_text(path))


def read_text(path: str | Path) -> str:
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a directory", hint="name one file of formulas inside it") from None
    except OSError as error:
        raise InputError(f"{path}: the file cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not a text in UTF-8") from None


def parse_formulas(original: Source) -> FormulaFile:
    """Raises InputError where the text is no list of formulas."""
    # With blanks in the place of comments, everything else keeps its place.
    source = Source(original.name, _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), original.text))
    definitions: dict[str, Span] = {}
    properties: list[Span] = []
    start = 0
    for line in source.text.splitlines(keepends=True):
        content = Span(source, start, start + len(line.rstrip()))
        start += len(line)
        if not content.text.strip():
            continue
        directive = _DIRECTIVE.match(content.text)
        if not directive:
            raise InputError(
                "a #define or a #property is expected here", content, "#define name expression, or #property formula"
            )
        rest = Span(source, content.start + directive.end(), content.end)
        if directive.group(1) == "property":
            properties.append(_some(rest, "a formula"))
        else:
            name, body = _definition(rest)
            if name.text in definitions:
                raise InputError(f"{name.text} is defined twice, first in line {definitions[name.text].line}", name)
            definitions[name.text] = body
    if not properties:
        raise InputError(f"{source.name}: there is no #property in it", hint="say #property formula")
    return FormulaFile(definitions, tuple(properties))


def _definition(rest: Span) -> tuple[Span, Span]:
    """The name and the body of a definition."""
    found = _NAME.match(rest.text)
    if not found:
        raise InputError("a name is expected here", _some(rest, "a name"))
    end = rest.start + found.end()
    name, body = Span(rest.source, rest.start, end), Span(rest.source, end, rest.end)
    if name.text in RESERVED:
        raise InputError(f"{name.text} is a word of the logic, and cannot be defined", name)
    if body.text.startswith("("):
        raise InputError("a definition has no parameters: a blank goes after its name", name)
    return name, _some(body, f"the expression that {name.text} stands for")


def _some(span: Span, expected: str) -> Span:
    """The part of a span that is not blank."""
    blank = len(span.text) - len(span.text.lstrip())
    if blank == len(span.text):
        raise InputError(f"{expected} is expected here", Span(span.source, span.end, span.end))
    return Span(span.source, span.start + blank, span.end)
