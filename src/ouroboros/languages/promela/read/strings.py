"""String literals."""

from __future__ import annotations

import re

_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "b": "\b"}


def unescaped(literal: str) -> str:
    """What a literal says, without its quotation marks."""
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), literal[1:-1], flags=re.DOTALL)
