"""What `printf` and `printm` say."""

from __future__ import annotations

import re
from typing import Literal, cast

from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.read import ast, terms
from ouroboros.system.blocks import Print, Shown

_CONVERSION = re.compile(r"%(.)", re.DOTALL)


def printed(statement: ast.Printf | ast.Printm, meaning: Meaning) -> Print:
    if isinstance(statement, ast.Printm):
        return Print((_value(statement.value, "e", meaning),))
    parts: list[str | Shown] = []
    arguments = iter(statement.arguments)
    end = 0
    for match in _CONVERSION.finditer(statement.format):
        parts.append(statement.format[end : match.start()])
        end = match.end()
        argument = None if match[1] == "%" else next(arguments, None)
        if match[1] not in "cdeoux" or argument is None:
            parts.append("%" if match[1] == "%" else match[0])
        else:
            parts.append(_value(argument, match[1], meaning))
    parts.append(statement.format[end:])
    return Print(tuple(part for part in parts if part != ""))


def _value(expression: terms.Expression, conversion: str, meaning: Meaning) -> Shown:
    value = meaning.lower(expression)
    if conversion == "e":
        return Shown(value, names=meaning.fields.symbol_names(_subtype(expression)))
    return Shown(value, cast(Literal["d", "u", "x", "o", "c"], conversion))


def _subtype(expression: terms.Expression) -> str | None:
    """The kind of mtype that an expression is of."""
    match expression:
        case terms.Symbol(subtype=subtype):
            return subtype
        case terms.Access() if isinstance(expression.last.type, terms.Basic):
            return expression.last.type.subtype
    return None
