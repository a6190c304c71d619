"""Where in a model something is wrong: in which label of which transition."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast


def placed(error: InputError, tree: ast.Model) -> InputError:
    """With the part of the model that it is about."""
    span = error.span
    if span is None or span.source is not tree.source:
        return error
    where = next((told for start, end, told in tree.places if start <= span.start <= end), None)
    if where is None:
        return error
    return InputError(error.message, span, f"in {where}" + (f": {error.hint}" if error.hint else ""))
