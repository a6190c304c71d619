"""What `printf` and `printm` say."""

from __future__ import annotations

import re
from typing import Literal, cast

from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.procedures import Temporaries
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.system.blocks import Block, Print, SetLocal, Shown

_CONVERSION = re.compile(r"%(.)", re.DOTALL)


def said(statement: ast.Printf | ast.Printm, meaning: Meaning, temporaries: Temporaries) -> Block:
    """A search does not listen, but evaluates what may go wrong."""
    arguments = statement.arguments if isinstance(statement, ast.Printf) else ()
    evaluated = [
        SetLocal(temporaries.new().slot, meaning.lower(argument))
        for argument in arguments
        if any(_may_go_wrong(node) for node in nodes(argument))
    ]
    return (*evaluated, _printed(statement, meaning))


def _may_go_wrong(node: object) -> bool:
    match node:
        case terms.Access(_, _, at, members):
            return not all(isinstance(each, terms.Number | None) for each in (at, *(member.at for member in members)))
        case terms.Binary(_, operator, _, right):
            return operator in ("/", "%") and not isinstance(right, terms.Number)
    return False


def _printed(statement: ast.Printf | ast.Printm, meaning: Meaning) -> Print:
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
