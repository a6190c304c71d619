"""Embedded C: recognised, and refused with what to write instead."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.tokens import EMBEDDED_C, Token

_INSTEAD = {
    "c_code": "write the steps in Promela: an assignment, or d_step { … } for several in one step",
    "c_expr": "write the condition in Promela",
    "c_decl": "declare the variables in Promela",
    "c_state": "declare the variable in Promela, `hidden` if it is not part of the state",
    "c_track": "declare the variables that are tracked in Promela",
}


def refuse_embedded_c(token: Token) -> None:
    """Raises InputError if the token begins embedded C."""
    if token.kind in EMBEDDED_C:
        raise InputError(f"{token.kind} is C, which is not run here", token.span, f"instead, {_INSTEAD[token.kind]}")
