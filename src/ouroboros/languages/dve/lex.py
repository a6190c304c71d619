"""DVE text to tokens: one regular expression, and the literals of the grammar.

Twice as fast as lark's own lexer, which matters for generated models of several megabytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from lark.common import LexerConf
from lark.lexer import Lexer, PatternStr

_TOKEN = re.compile(
    r"""
    (?: \s+ | //[^\n]* | /\*(?s:.)*?\*/ | \\[ \t]*\r?\n )*+     # a backslash may end a line, and means nothing
    (?:
        ([A-Za-z_][A-Za-z0-9_$#]*)
      | ([0-9]+)
      | (->|\|\||&&|[=!<>]=|<<|>>|/(?!\*)|[-!~\[\]{}();,:?.=<>+*%&|^])
      | (\Z)
      | ((?s:.))
    )
    """,
    re.VERBOSE,
)
_WORD, _NUMBER, _PUNCTUATION, _END, _ILLEGAL = range(1, 6)


class _TokenFields(NamedTuple):
    type: str
    text: str
    start_pos: int
    end_pos: int


class Token(_TokenFields):
    """A token with the attributes that lark looks at; lines and columns are computed only when an error needs them."""

    __slots__ = ()
    line: ClassVar[None] = None
    column: ClassVar[None] = None
    end_line: ClassVar[None] = None
    end_column: ClassVar[None] = None


class IllegalCharacterError(Exception):
    """The text at an offset begins no token."""

    def __init__(self, offset: int) -> None:
        super().__init__(offset)
        self.offset = offset


class DveLexer(Lexer):
    """A word is a keyword where the grammar has it as a literal, else a NAME; other punctuation is an OPERATOR."""

    def __init__(self, configuration: LexerConf) -> None:
        self._literals = {
            terminal.pattern.value: terminal.name
            for terminal in configuration.terminals
            if isinstance(terminal.pattern, PatternStr)
        }

    # Lark's interface has another kind of text, and tokens of its own; its parser takes these as well.
    def lex(self, text: str) -> Iterator[Token]:  # type: ignore[override]  # lark hands over a text
        terminal_of = self._literals.get
        make = tuple.__new__  # The constructor of a named tuple would take half of the time of this loop.
        for match in _TOKEN.finditer(text):
            group = match.lastindex
            assert group, "every alternative is a group"
            word = match[group]
            start, end = match.span(group)
            if group == _WORD:
                yield make(Token, (terminal_of(word, "NAME"), word, start, end))
            elif group == _PUNCTUATION:
                yield make(Token, (terminal_of(word, "OPERATOR"), word, start, end))
            elif group == _NUMBER:
                yield make(Token, ("NUMBER", word, start, end))
            elif group == _ILLEGAL:
                raise IllegalCharacterError(start)
