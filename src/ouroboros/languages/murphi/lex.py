"""Murphi text to tokens. Keywords are known in any case, names are not changed."""

from __future__ import annotations

import re
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.source import Source, Span

_WORDS = re.compile(r"\w+")
CLOSERS = frozenset(
    _WORDS.findall("""
        end endalias endchoose endexists endfor endforall endfunction endif endprocedure endrecord endrule
        endruleset endstartstate endswitch endwhile
    """)
)
KEYWORDS = CLOSERS | frozenset(
    _WORDS.findall("""
        alias array assert assume begin by case choose clear const cover do else elsif enum error exists externfun
        externproc false for forall function if invariant ismember isundefined liveness multiset multisetadd
        multisetcount multisetremove multisetremovepred of procedure put real record return rule ruleset scalarset
        startstate switch then to true type undefine undefined union var while
    """)
)

_TOKEN = re.compile(
    r"""
    (?: \s+ | --(?!@)[^\n]* | /\*(?s:.)*?\*/ )*+
    (?:
        --@([^\n]*)
      | ([A-Za-z_][A-Za-z0-9_]*)
      | (0[xX][0-9a-fA-F]+ | [0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?)?)
      | "((?:[^"\\\n]|\\[^\n])*)"
      | [“”]([^“”"\n]*)[“”]
      | (==>|:=|\.\.|->|<=|>=|!=|==|<<|>>|&&|\|\||/(?!\*)|[-+*%=<>&|^~!?:;,.()\[\]{}\u2200-\u22ff≔¬→⇒\u00d7÷])
      | (\Z)
      | ((?s:.))
    )
    """,
    re.VERBOSE,
)
_PRAGMA, _WORD, _NUMBER, _STRING, _SMART_STRING, _SYMBOL, _END, _ILLEGAL = range(1, 9)

_SPELLINGS = {
    "==": "=", "≤": "<=", "≥": ">=", "≠": "!=", "∧": "&", "\u2228": "|", "¬": "!", "→": "->", "⇒": "->", "≔": ":=",
    "∀": "forall", "∃": "exists", "\u00d7": "*", "÷": "/", "\u2212": "-",
}  # fmt: skip

LARGEST_NUMBER = 2**62


class Token(NamedTuple):
    """The kind is the keyword or symbol itself, or `name`, `number`, `string`, `end of text`."""

    kind: str
    text: str
    start: int
    end: int
    pragma: str = ""
    """What a comment `--@ …` before the token says."""


def tokenize(source: Source) -> list[Token]:
    """All tokens, the last one of kind `end of text`; raises InputError."""
    tokens: list[Token] = []
    pragma = ""
    for match in _TOKEN.finditer(source.text):
        group = match.lastindex
        assert group is not None
        word = match[group]
        start, end = match.span(group)
        match group:
            case 1:
                pragma = word.strip()
                continue
            case 2:
                keyword = word.lower()
                kind = keyword if keyword in KEYWORDS else "name"
            case 3:
                kind = "number"
                _refuse_real(source, word, start)
            case 4 | 5:
                kind = "string"
                start, end = start - 1, end + 1
                word = re.sub(r"\\(.)", r"\1", word)
            case 6:
                kind = _SPELLINGS.get(word, word)
            case 7:
                kind = "end of text"
            case _:
                raise _illegal(source, start)
        tokens.append(Token(kind, word, start, end, pragma))
        pragma = ""
        if group == _END:
            break
    return tokens


def number(source: Source, token: Token) -> int:
    """The value of a number: a leading zero makes it octal, as in rumur and in C."""
    span = Span(source, token.start, token.end)
    text = token.text.lower()
    if len(text) > 22:
        raise InputError("this number is too large", span, f"the largest is {LARGEST_NUMBER}")
    try:
        value = int(text, 16 if text.startswith("0x") else 8 if len(text) > 1 and text[0] == "0" else 10)
    except ValueError:
        raise InputError("a number that begins with 0 is octal, and has no digits 8 and 9", span) from None
    if value > LARGEST_NUMBER:
        raise InputError("this number is too large", span, f"the largest is {LARGEST_NUMBER}")
    return value


def _refuse_real(source: Source, word: str, start: int) -> None:
    if "." in word:
        raise InputError("real numbers are not supported", Span(source, start, start + len(word)), "use integers")


def _illegal(source: Source, offset: int) -> InputError:
    if source.text.startswith("/*", offset):
        return InputError("this comment is never closed", Span(source, offset, offset + 2), "expected `*/`")
    if source.text[offset] in '"“”':
        return InputError("this string is never closed", Span(source, offset, offset + 1), "it must end on its line")
    return InputError(f"unexpected character {source.text[offset]!r}", Span(source, offset, offset + 1))
