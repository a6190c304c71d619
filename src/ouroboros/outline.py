"""What a text declares, for editors: names, where they stand and where they are known."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ouroboros.source import Span

SymbolKind = Literal[
    "constant", "type", "variable", "channel", "process", "state", "label", "function", "rule", "macro", "property"
]


RECORD = "record"
"""The container of fields, where the record has no name."""


class Symbol(NamedTuple):
    name: str
    kind: SymbolKind
    span: Span
    """Of the name, where it is declared."""
    detail: str
    """What it is, as a declaration would say it; of a constant also its value."""
    container: str = ""
    """The name of the process or function that it belongs to."""
    scope: Span | None = None
    """Where it can be named without its container; None: everywhere."""


def one_line(span: Span) -> str:
    """The text of a span without line breaks."""
    return " ".join(span.text.split())


def word_in(span: Span, name: str) -> Span:
    """The first place in a span where a name stands, or the span itself."""
    found = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)").search(span.source.text, span.start, span.end)
    return Span(span.source, found.start(), found.end()) if found else span
