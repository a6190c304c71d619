"""Whether an expression can go wrong: then it matters when it is evaluated, also if nobody asks for its value."""

from __future__ import annotations

from ouroboros.system.expressions import NO_SITE, Binary, Call, Check, Element, Evaluate, Read


def can_fail(part: object) -> bool:
    match part:
        case Check() | Evaluate() | Call():
            return True
        case Read(_, _, site) | Element(_, _, site) | Binary(_, _, _, site) if site != NO_SITE:
            return True
        case int() if not isinstance(part, bool):
            return False
    return isinstance(part, tuple) and any(map(can_fail, part))
