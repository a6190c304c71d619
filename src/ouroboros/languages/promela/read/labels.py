"""Which label a goto means."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import Goto, Label, Sequence, Statement
from ouroboros.languages.promela.read.walk import rewritten
from ouroboros.source import Span


def resolve_gotos(body: Sequence, labels: Mapping[Label, Span]) -> Sequence:
    """The body with the label that is meant in each goto, which has as yet that of its own block."""

    def change(statement: Statement) -> Statement:
        if isinstance(statement, Goto) and statement.label not in labels:
            return statement._replace(label=_meant(statement, labels))
        return statement

    return rewritten(body, change)


def _meant(goto: Goto, labels: Mapping[Label, Span]) -> Label:
    """A label of the same block is preferred, then that of the nearest block around; last, any one."""
    name, scope = goto.label
    candidates = [label for label in labels if label.name == name]
    if not candidates:
        close = get_close_matches(name, [label.name for label in labels], n=1)
        hint = f"did you mean {close[0]}?" if close else None
        raise InputError(f"there is no label {name} in this process", goto.span, hint)
    around = [label for label in candidates if scope.startswith(label.scope)]
    return max(around, key=lambda label: len(label.scope)) if around else candidates[-1]
