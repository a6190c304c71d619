"""Text to tokens."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read.units import Unit
from ouroboros.source import Span

_TOKEN = re.compile(
    r"(?P<blank>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>\d+(?:\.\d+|(?:\.\d+)?[eE][+-]?\d+)?)"
    r"|(?P<name>[^\W\d][\w$#]*)"
    r'|(?P<string>"[^"\n]*")'
    r"|(?P<symbol>-->|<<=|>>=|:=|\+=|-=|\*=|/=|%=|&=|\|=|\^=|<\?|>\?|->|-u->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\*\*"
    r"|[-+*/%<>=!&|^~?:;,.(){}\[\]'\\#@])",
    re.DOTALL,
)

KEYWORDS = frozenset(
    [
        "int",
        "bool",
        "clock",
        "chan",
        "void",
        "const",
        "meta",
        "urgent",
        "broadcast",
        "typedef",
        "struct",
        "scalar",
        "true",
        "false",
        "forall",
        "exists",
        "sum",
        "imply",
        "and",
        "or",
        "not",
        "if",
        "else",
        "while",
        "do",
        "for",
        "return",
        "process",
        "state",
        "commit",
        "init",
        "trans",
        "select",
        "guard",
        "sync",
        "assign",
        "system",
        "priority",
        "default",
        "branchpoint",
        "progress",
        "gantt",
        "deadlock",
        "double",
        "string",
        "hybrid",
        "import",
        "dynamic",
        "spawn",
        "exit",
        "assert",
        "probability",
        "rate",
    ]
)


class Token(NamedTuple):
    kind: Literal["number", "name", "keyword", "symbol", "string", "end"]
    text: str
    unit: Unit
    start: int
    end: int

    @property
    def span(self) -> Span:
        return self.unit.span(self.start, self.end)


def tokens(unit: Unit) -> list[Token]:
    """All tokens of a text, then one that says that it ends."""
    found: list[Token] = []
    at = 0
    text = unit.text
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            if text.startswith("/*", at):
                raise InputError("this comment is never closed", unit.span(at, at + 2), "close it by */")
            raise InputError(f"{text[at]!r} means nothing here", unit.span(at, at + 1))
        kind, word = match.lastgroup, match.group()
        if kind == "number":
            if not word.isdigit():
                raise InputError(
                    f"{word} is a floating point number, which is not supported", unit.span(at, match.end())
                )
            found.append(Token("number", word, unit, at, match.end()))
        elif kind == "name":
            found.append(Token("keyword" if word in KEYWORDS else "name", word, unit, at, match.end()))
        elif kind == "symbol":
            found.append(Token("symbol", word, unit, at, match.end()))
        elif kind == "string":
            found.append(Token("string", word, unit, at, match.end()))
        at = match.end()
    found.append(Token("end", "the end of the text", unit, len(text), len(text)))
    return found
