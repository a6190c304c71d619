"""Conditions over named values, in the words of C: `flag[0] && turn == 1`, `state.count < 3`."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.source import Source, Span
from ouroboros.system.expressions import Binary, BinaryOperator, Conditional, Constant, Expression, Unary

PLACE = re.compile(r"(?:(?P<thread>[A-Za-z_]\w*)\s*(?:\[\s*(?P<slot>\d+)\s*\])?)?\s*@\s*(?P<where>[\w.+-]+:\d+|\w+)")
"""Where a thread is: `worker[2]@critical`, `@queue.c:42`."""
_TOKEN = re.compile(
    rf"\s*(?:(?P<place>{PLACE.pattern})|(?P<number>0[xX][0-9a-fA-F]+|\d+)[uUlL]*|(?P<character>'(?:\\.|[^'\\])')"
    r"|(?P<name>(?:[\w.+-]+::)?[A-Za-z_]\w*(?:\s*(?:\.\s*[A-Za-z_]\w*|\[\s*\d+\s*\]))*)"
    r"|(?P<operator>&&|\|\||==|!=|<=|>=|<<|>>|[-+*/%&|^~!<>()?:]))"
)
_LEVELS: list[dict[str, BinaryOperator]] = [
    {"||": "or"},
    {"&&": "and"},
    {"|": "|"},
    {"^": "^"},
    {"&": "&"},
    {"==": "==", "!=": "!="},
    {"<": "<", "<=": "<=", ">": ">", ">=": ">="},
    {"<<": "<<", ">>": ">>"},
    {"+": "+", "-": "-"},
    {"*": "*", "/": "/", "%": "%"},
]
_WORDS = {"NULL": 0, "nullptr": 0, "false": 0, "true": 1}
_ESCAPES = {"n": 10, "t": 9, "0": 0, "r": 13, "\\": 92, "'": 39}


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class Names(NamedTuple):
    """What names mean."""

    read: Callable[[str], Expression | None]
    known: tuple[str, ...]
    hint: str
    """For a name that is like none that is known."""
    address: Callable[[str], Expression | None] = lambda name: None
    """Of something that has a name."""
    place: Callable[[str, Span], Expression] | None = None
    """That a thread is somewhere, where there are threads."""


def condition(source: Source, names: Names, division: int) -> Expression:
    """The meaning of a condition; `division` is the site of a division by zero."""
    return _Parser(source, names, division).parse()


class _Parser:
    def __init__(self, source: Source, names: Names, division: int) -> None:
        self.source, self.names, self.division = source, names, division
        self.tokens = self._tokens()
        self.at = 0

    def _tokens(self) -> list[_Token]:
        text, tokens, at = self.source.text, [], 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                begin = at + len(text[at:]) - len(text[at:].lstrip())
                raise InputError(f"{text[begin]!r} is not understood here", Span(self.source, begin, begin + 1))
            kind = found.lastgroup or ""
            tokens.append(_Token(kind, found[kind], found.start(kind), found.end(kind)))
            at = found.end()
        end = len(text)
        return [*tokens, _Token("end", "", end, end)]

    def parse(self) -> Expression:
        found = self._choice()
        if self.tokens[self.at].kind != "end":
            self._wrong("an operator")
        return found

    def _wrong(self, wanted: str) -> None:
        token = self.tokens[self.at]
        said = f"{token.text!r}" if token.text else "the end"
        raise InputError(
            f"{said} where {wanted} was expected", Span(self.source, token.start, max(token.end, token.start + 1))
        )

    def _takes(self, text: str) -> bool:
        token = self.tokens[self.at]
        if token.kind == "operator" and token.text == text:
            self.at += 1
            return True
        return False

    def _choice(self) -> Expression:
        found = self._binary(0)
        if not self._takes("?"):
            return found
        then = self._choice()
        if not self._takes(":"):
            self._wrong("`:`")
        return Conditional(found, then, self._choice())

    def _binary(self, level: int) -> Expression:
        if level == len(_LEVELS):
            return self._unary()
        found = self._binary(level + 1)
        while self.tokens[self.at].kind == "operator" and (operator := _LEVELS[level].get(self.tokens[self.at].text)):
            self.at += 1
            site = self.division if operator in ("/", "%") else -1
            found = Binary(operator, found, self._binary(level + 1), site)
        return found

    def _unary(self) -> Expression:
        if self._takes("&"):
            token = self.tokens[self.at]
            if token.kind != "name":
                self._wrong("a variable")
            self.at += 1
            return self._name(token, self.names.address)
        if self._takes("!"):
            return Unary("not", self._unary())
        if self._takes("-"):
            return Unary("-", self._unary())
        if self._takes("~"):
            return Unary("~", self._unary())
        return self._atom()

    def _atom(self) -> Expression:
        if self._takes("("):
            found = self._choice()
            if not self._takes(")"):
                self._wrong("`)`")
            return found
        token = self.tokens[self.at]
        self.at += 1
        match token.kind:
            case "number":
                return Constant(int(token.text, 16 if token.text[:2].lower() == "0x" else 10))
            case "character":
                inside = token.text[1:-1]
                return Constant(_ESCAPES.get(inside[1], ord(inside[1])) if inside[0] == "\\" else ord(inside))
            case "name":
                return self._name(token, self.names.read)
            case "place" if self.names.place is not None:
                return self.names.place(token.text, Span(self.source, token.start, token.end))
        self.at -= 1
        self._wrong("a variable, a number or `(`")
        raise AssertionError

    def _name(self, token: _Token, read: Callable[[str], Expression | None]) -> Expression:
        text = re.sub(r"\s", "", token.text)
        if text in _WORDS:
            return Constant(_WORDS[text])
        found = read(text)
        if found is None:
            meant = get_close_matches(text, self.names.known, n=1)
            hint = f"did you mean {meant[0]}?" if meant else self.names.hint
            raise InputError(f"there is no variable {text}", Span(self.source, token.start, token.end), hint)
        return found
