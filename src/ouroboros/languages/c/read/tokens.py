"""The words of LLVM IR."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from ouroboros.errors import InputError

_QUOTED = r'"[^"]*"'
_NAME = rf"(?:[-$._A-Za-z0-9]+|{_QUOTED})"
_PATTERN = re.compile(
    rf"""
      (?P<skip>      [ \t\r\n]+ | ;[^\n]* )
    | (?P<label>     {_NAME}:(?!:)(?=[ \t]*(?:;[^\n]*)?\n) )
    | (?P<local>     %{_NAME} )
    | (?P<global>    @{_NAME} )
    | (?P<node>      !\d+ )
    | (?P<metadata>  !(?:[A-Za-z_$.\-][\w$.\-]*)? )
    | (?P<record>    \#dbg_\w+ )
    | (?P<group>     \#\d+ )
    | (?P<comdat>    \${_NAME} )
    | (?P<bytes>     c{_QUOTED} )
    | (?P<string>    {_QUOTED} )
    | (?P<dots>      \.\.\. )
    | (?P<number>    0x[HKLMR]?[0-9A-Fa-f]+ | [-+]?\d+(?:\.\d*(?:[eE][-+]?\d+)?)? )
    | (?P<word>      [A-Za-z_][\w.]* )
    | (?P<mark>      [][(){{}}<>,=*:|^] )
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(\\|[0-9A-Fa-f]{2})")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def unescaped(quoted: str) -> bytes:
    """The bytes of a text in quotes."""

    def byte(match: re.Match[bytes]) -> bytes:
        return b"\\" if match[1] == b"\\" else bytes([int(match[1], 16)])

    return _ESCAPE.sub(byte, quoted[1:-1].encode("utf-8", "surrogateescape"))


def name_of(text: str) -> str:
    """A name without its sigil and quotes."""
    text = text[1:]
    return unescaped(text).decode("utf-8", "surrogateescape") if text[:1] == '"' else text


@dataclass(slots=True)
class Cursor:
    """A place between the words of a module; what is read next is checked against what must come."""

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    lines: list[int]
    """Where each line begins."""
    at: int = 0

    @property
    def kind(self) -> str:
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        return self.texts[self.at]

    @property
    def line(self) -> int:
        return bisect_right(self.lines, self.starts[self.at]) - 1

    def take(self) -> str:
        self.at += 1
        return self.texts[self.at - 1]

    def taken(self, text: str) -> bool:
        """Whether this word is next; if so it is taken."""
        if self.texts[self.at] != text:
            return False
        self.at += 1
        return True

    def expect(self, text: str) -> None:
        if not self.taken(text):
            raise self.wrong(f"'{text}'")

    def expect_kind(self, kind: str) -> str:
        if self.kinds[self.at] != kind:
            raise self.wrong(f"a {kind}")
        return self.take()

    def integer(self) -> int:
        return int(self.expect_kind("number"))

    def wrong(self, expected: str) -> InputError:
        return InputError(
            f"line {self.line + 1} of the LLVM IR: expected {expected}, found {self.text!r}",
            hint="this construct of LLVM IR is not understood",
        )

    def skip_parentheses(self) -> None:
        """Over a group in parentheses, if there is one."""
        if not self.taken("("):
            return
        depth = 1
        while depth:
            word = self.take()
            depth += (word == "(") - (word == ")")


def tokens(text: str) -> Cursor:
    kinds, texts, starts = [], [], []
    position = 0
    while match := _PATTERN.match(text, position):
        kind = match.lastgroup
        assert kind is not None
        if kind != "skip":
            kinds.append(kind)
            texts.append(match[0])
            starts.append(position)
        position = match.end()
    kinds.append("end")
    texts.append("")
    starts.append(position)
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    cursor = Cursor(kinds, texts, starts, lines)
    if position < len(text):
        cursor.at = len(kinds) - 1
        raise InputError(f"line {cursor.line + 1} of the LLVM IR: {text[position : position + 20]!r} is not understood")
    return cursor
