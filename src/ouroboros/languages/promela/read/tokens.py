"""Promela text to tokens.

A line's end can stand for a semicolon, and Spin decides that while it reads tokens: inside a body, outside of
parentheses, after what can end a statement. So do we; such a semicolon has an empty text.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.preprocess import Text
from ouroboros.source import Span

BASIC_TYPES = frozenset({"bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"})
VISIBILITIES = frozenset({"hidden", "local", "show"})
EMBEDDED_C = frozenset({"c_code", "c_decl", "c_expr", "c_state", "c_track"})
CONSTANTS = {"true": 1, "false": 0, "skip": 1}
KEYWORDS = (
    BASIC_TYPES
    | VISIBILITIES
    | EMBEDDED_C
    | CONSTANTS.keys()
    | {
        *("active", "assert", "atomic", "break", "d_step", "D_proctype", "do", "else", "empty", "enabled", "eval"),
        *("fi", "for", "full", "get_priority", "goto", "if", "init", "inline", "len", "ltl", "nempty", "never"),
        *("nfull", "notrace", "np_", "od", "of", "pc_value", "printf", "printm", "priority", "proctype", "provided"),
        *("return", "run", "select", "set_priority", "timeout", "trace", "typedef", "unless", "xr", "xs"),
    }
)

_TOKEN = re.compile(
    r"""
      (?P<blank> [ \t\r\f\v]+ | //[^\n]* | /\*.*?\*/ )
    | (?P<newline> \n )
    | (?P<word> [A-Za-z_][A-Za-z0-9_]* )
    | (?P<number> [0-9]+ )
    | (?P<arrow> --?> )                  # Spin takes the longer one as well
    | (?P<operator> :: | -- | \+\+ | << | <= | >> | >= | == | != | !! | \?\? | && | \|\| | \.\.
        | (?!/\*) [-+*/%&|^~!?<>=()\[\]{}.,;:@] )
    | (?P<string> "(?:\\.|[^"\\\n])*" )
    | (?P<character> '(?:\\.|[^'\\\n])' )
    | (?P<other> . )
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
_UNFINISHED = {
    "/*": ("this comment is not closed", "*/ closes it"),
    '"': ("this string is not closed in its line", '" closes it'),
    "'": ("this is no character", "a character constant looks like 'a' or '\\n'"),
}

_ENDS_A_STATEMENT = frozenset({"}", ")", "]", "od", "fi", "else", "break", "name", "number", "timeout", "++", "--"})
_HAS_A_BODY = frozenset({"proctype", "D_proctype", "init", "never", "trace", "notrace", "typedef", "inline"})
_BEGINS_A_UNIT = _HAS_A_BODY | BASIC_TYPES | {"ltl"}


class Token(NamedTuple):
    kind: str
    """The text itself for keywords and operators; otherwise `name`, `number`, `string`, `other` or `end`."""
    text: str
    span: Span
    """Where it was written."""
    place: Span
    """Where it stands for what is around it: the parameter of an inline that it was put in the place of."""
    start: int
    """Its offset in the preprocessed text."""
    end: int

    @property
    def number(self) -> int:
        """The value of a number as Spin reads it: a C int."""
        if self.text.startswith("'"):
            escaped = {"n": "\n", "r": "\r", "t": "\t", "f": "\f"}
            inner = self.text[1:-1]
            return ord(escaped.get(inner[1], inner[1]) if inner[0] == "\\" else inner)
        if self.text in CONSTANTS:
            return CONSTANTS[self.text]
        if len(self.text) > 19:
            raise InputError(f"{self.text} is too large a number", self.span)
        return (int(self.text) + 2**31) % 2**32 - 2**31


def tokenize(text: Text) -> list[Token]:
    """All tokens, the last one of kind `end`."""
    tokens: list[Token] = []
    braces = parentheses = 0
    unit = ""
    for match in _TOKEN.finditer(text.text):
        group = match.lastgroup
        if group == "blank":
            continue
        start, end = match.span()
        if group == "newline":
            if braces and parentheses == 0 and unit in _HAS_A_BODY and tokens[-1].kind in _ENDS_A_STATEMENT:
                before = tokens[-1]
                tokens.append(Token(";", "", before.span, before.place, before.end, before.end))
            continue
        word = match[0]
        kind = _kind(group or "", word)
        span = text.span(start, end)
        if kind == "other" and (known := _UNFINISHED.get(text.text[start : start + 2]) or _UNFINISHED.get(word)):
            raise InputError(known[0], span, known[1])
        if kind == "(":
            parentheses += 1
        elif kind == ")":
            parentheses = max(0, parentheses - 1)
        elif kind == "{":
            braces += 1
        elif kind == "}":
            braces = max(0, braces - 1)
        elif braces == 0 and parentheses == 0 and kind in _BEGINS_A_UNIT:
            unit = kind
        if kind in ("}", ";", "->") and tokens and tokens[-1].kind in (";", "->"):
            tokens.pop()  # Spin ignores a separator before another one, and before any closing brace
        tokens.append(Token(kind, word, span, span, start, end))
    last = len(text.text)
    ending = text.span(last, last)
    tokens.append(Token("end", "", ending, ending, last, last))
    return tokens


def _kind(group: str, word: str) -> str:
    match group:
        case "word":
            if word in CONSTANTS:
                return "number"
            return word if word in KEYWORDS else "name"
        case "character":
            return "number"
        case "arrow":
            return "->"
        case "operator":
            return word
    return group
