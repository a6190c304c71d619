"""Inlines: their body replaces their call, token by token, with arguments in the place of parameters."""

from __future__ import annotations

from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.cursor import Cursor
from ouroboros.languages.promela.read.names import Inline, Names
from ouroboros.languages.promela.read.terms import Place
from ouroboros.languages.promela.read.tokens import Token

MOST_TOKENS = 1_000_000
"""In one model after all inlines are expanded: inlines that use inlines grow exponentially."""


class InlineUse(NamedTuple):
    """A use of an inline whose body is being read."""

    inline: Inline
    tokens: list[Token]
    result: Place | None
    """What takes the value of `return`."""


def read_inline(cursor: Cursor, names: Names) -> None:
    """`inline name(parameters) { body }`."""
    cursor.advance()
    name = cursor.expect("name", "of the inline")
    names.confirm_new(name.text, name.span)
    cursor.expect("(", "before the parameters of the inline")
    parameters: list[str] = []
    while not cursor.accept(")"):
        parameter = cursor.expect("name", "of a parameter")
        if parameter.text in parameters:
            raise InputError(f"{parameter.text} is already a parameter", parameter.span)
        parameters.append(parameter.text)
        if not cursor.accept(",") and cursor.next.kind != ")":
            raise cursor.unexpected("`,` or `)` after the parameter")
    while cursor.accept(";"):
        pass
    opening = cursor.expect("{", "before the body of the inline")
    body = [opening]
    depth = 1
    while depth:
        token = cursor.advance()
        if token.kind == "end":
            raise InputError(f"the body of {name.text} is not closed", opening.span, "a } is missing")
        depth += {"{": 1, "}": -1}.get(token.kind, 0)
        body.append(token)
    names.inlines[name.text] = Inline(name.place, name.text, tuple(parameters), tuple(body))


def use_of(inline: Inline, cursor: Cursor, result: Place | None, within: list[InlineUse]) -> InlineUse:
    """Read a call, up to its closing parenthesis."""
    call = cursor.advance()
    if any(use.inline is inline for use in within):
        raise InputError(f"{inline.name} uses itself", call.span, "an inline cannot be recursive; a proctype can")
    cursor.expect("(", f"before the arguments of {inline.name}")
    arguments = _arguments(cursor)
    if len(arguments) != len(inline.parameters):
        listed = ", ".join(inline.parameters)
        raise InputError(
            f"{inline.name} takes {len(inline.parameters)} arguments, and {len(arguments)} are given",
            cursor.since(call),
            f"it is declared as {inline.name}({listed})",
        )
    actual = dict(zip(inline.parameters, arguments, strict=True))
    tokens: list[Token] = []
    for token in inline.body:
        if token.kind == "name" and token.text in actual:
            tokens.extend(part._replace(place=token.place) for part in actual[token.text])
        else:
            tokens.append(token)
    cursor.count_expanded(len(tokens), MOST_TOKENS, call)
    last = inline.body[-1]
    tokens.append(Token("end", "", last.span, last.place, last.end, last.end))
    return InlineUse(inline, tokens, result)


def _arguments(cursor: Cursor) -> list[list[Token]]:
    """What stands between commas, up to the closing parenthesis, which is read as well."""
    arguments: list[list[Token]] = [[]]
    depth = 0
    while True:
        token = cursor.next
        if token.kind == "end":
            raise cursor.unexpected("`)` after the arguments")
        cursor.advance()
        if depth == 0 and token.kind == ")":
            break
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.kind, 0)
        if depth == 0 and token.kind == ",":
            arguments.append([])
        else:
            arguments[-1].append(token)
    if arguments == [[]]:
        return []
    for argument in arguments:
        if not argument:
            raise InputError("an argument is empty", cursor.previous.span)
    return arguments
