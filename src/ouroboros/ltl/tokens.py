"""The words of a formula: operators of the logic, parentheses, and whole state expressions as atoms.

The logic does not know the model's language, so that an atom is found by its outline only: operands (names, numbers,
anything in parentheses) joined by operators that compare or calculate. What is an operator of the logic ends it:

* `! && || & | ^ -> <->` belong to the logic. `P->x` is an implication, and `{P->x == 2}` an atom.
* `U W V R M X G F` are operators wherever they stand alone, and names if `.`, `@` or an index `[…]` follows directly.
* A parenthesis belongs to an atom if a comparing or calculating operator follows it, as in `(x + 1) > 3`, or if it
  follows a name, as in `len(q)`; otherwise it groups formulas.
* Inside `{ }` and `" "`, in an index and in the parentheses of a call, any text is part of the atom.

That is the dialect `COMMON` to all. In the `ltl` blocks of Promela fewer words are operators, `& | ^ ~` calculate
inside of atoms, and `!` binds tighter than `==`: the dialect `SPIN`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ouroboros.errors import InputError
from ouroboros.source import Span

UNARY = {
    "!": "!",
    "~": "!",
    "not": "!",
    "[]": "[]",
    "G": "[]",
    "always": "[]",
    "<>": "<>",
    "F": "<>",
    "eventually": "<>",
    "X": "X",
    "next": "X",
}
BINARY = {
    "U": "U",
    "until": "U",
    "stronguntil": "U",
    "W": "W",
    "weakuntil": "W",
    "R": "R",
    "V": "R",
    "release": "R",
    "M": "M",
    "&&": "&&",
    "&": "&&",
    "/\\": "&&",
    "and": "&&",
    "||": "||",
    "|": "||",
    "\\/": "||",
    "or": "||",
    "^": "^",
    "->": "->",
    "implies": "->",
    "imply": "->",
    "<->": "<->",
    "equivalent": "<->",
}
# What cannot be the name of an atom, unless in braces or quotation marks.
RESERVED = frozenset(word for word in (*UNARY, *BINARY, "true", "false") if word.isalpha())

_SPACE = re.compile(r"\s*")
_WORD = re.compile(r"[^\W\d]\w*")
_NUMBER = re.compile(r"\d\w*(?:\.\d+)?")
_SIGN = re.compile(r"-(?!>)|\+|~|!(?!=)")
_PLACE = re.compile(r"@\s*(?:\d+|\w+(?:\.\w+)+:\d+|[^\W\d]\w*)")
"""A label, a function, a line, or a line of a file: `@critical`, `@42`, `@queue.c:42`."""
_MEMBER = re.compile(rf"{_PLACE.pattern}|[.:]\s*[^\W\d]\w*")
_BRACKET = re.compile(r"\(|\[(?!\])")
_POLL = re.compile(r"\?\??\s*(?=\[(?!\]))")
_CLOSING = {"(": ")", "[": "]", "{": "}"}

_BRACES = "a variable of that name goes in braces: { … }"
_ELSEWHERE = re.compile(r"<=>|=>")
"""Arrows of other logics."""
_ARROWS = {"=>": "->", "<=>": "<->"}
_CTL = re.compile(r"([AE])\s*(\[\]|<>)|([AE][GFX])\b")
_ON_ALL_RUNS = {"AG": "[] p", "AF": "<> p", "AX": "X p"}
_ON_SOME_RUN = {"EG": "<> !p", "EF": "[] !p", "EX": "X !p"}


@dataclass(frozen=True)
class Dialect:
    """Which words and signs belong to the logic, and which to the expressions of the model."""

    unary: Mapping[str, str]
    binary: Mapping[str, str]
    symbol: re.Pattern[str]
    joint: re.Pattern[str]
    """Operators inside an atom. `<` must not begin `<>` or `<->`, `-` not `->`, and `/` not `/\\`."""
    negation_in_atoms: bool
    """Whether `!p == q` is an atom, `(!p) == q`."""


COMMON = Dialect(
    UNARY,
    BINARY,
    symbol=re.compile(r"<->|->|\[\]|<>|&&|\|\||/\\|\\/|[!~&|^()]"),
    joint=re.compile(r"==|!=|<=(?!>)|>=|<<|>>|<(?!>|->|=>)|>|=(?!>)|\+|-(?!>)|\*|/(?!\\)|%"),
    negation_in_atoms=False,
)
_SPIN_WORDS = ("always", "eventually", "next", "until", "stronguntil", "weakuntil", "release", "implies", "equivalent")
_SPIN_OPERATORS = frozenset({"!", "[]", "<>", "X", "U", "V", "W", "&&", "||", "->", "<->", *_SPIN_WORDS})
SPIN = Dialect(
    {word: operator for word, operator in UNARY.items() if word in _SPIN_OPERATORS},
    {word: operator for word, operator in BINARY.items() if word in _SPIN_OPERATORS},
    symbol=re.compile(r"<->|->|\[\]|<>|&&|\|\||[!()]"),
    joint=re.compile(
        r"==|!=|<=(?!>)|>=|<<|>>|<(?!>|->|=>)|>|=(?!>)|\+|-(?!>)|\*|/|%|&(?!&)|\|(?!\|)|\^",
    ),
    negation_in_atoms=True,
)


@dataclass(frozen=True)
class Token:
    """Kind is the operator in its first spelling, `(`, `)`, `atom`, `true`, `false` or `end`."""

    kind: str
    span: Span
    text: str = ""


def tokenize(span: Span, dialect: Dialect = COMMON) -> list[Token]:
    """The tokens of a part of a source, the last one of kind `end`."""
    return _Scanner(span, dialect).run()


def ctl_hint(text: str) -> str | None:
    """What to write instead of a formula that begins with an operator of CTL, as it seems; None if it does not."""
    found = _CTL.match(text)
    if not found:
        return None
    operator = found[3] or found[1] + {"[]": "G", "<>": "F"}[found[2]]
    if operator in _ON_ALL_RUNS:
        return f"{operator} p is CTL: write {_ON_ALL_RUNS[operator]}"
    return f"{operator} p is CTL, of some run: check {_ON_SOME_RUN[operator]}, and what violates it is such a run"


class _Scanner:
    def __init__(self, span: Span, dialect: Dialect) -> None:
        self._dialect = dialect
        self._source = span.source
        self._text = span.source.text
        self._end = span.end
        self._offset = span.start
        self._operand_start = span.start
        self._pairs: dict[int, int] = {}  # where brackets open, and where they close

    def run(self) -> list[Token]:
        tokens: list[Token] = []
        operand_expected = True
        while True:
            self._offset = self._match(_SPACE, self._offset)
            if self._offset >= self._end:
                tokens.append(Token("end", Span(self._source, self._end, self._end)))
                return tokens
            if operand_expected:
                self._operand_start = self._offset
            token = self._operand() if operand_expected else self._operator()
            tokens.append(token)
            operand_expected = token.kind == "(" or token.kind in UNARY or token.kind in BINARY

    def _match(self, pattern: re.Pattern[str], offset: int) -> int:
        """Where a match of the pattern at the offset ends; the offset itself if there is none."""
        match = pattern.match(self._text, offset, self._end)
        return match.end() if match else offset

    def _taken(self, kind: str, end: int) -> Token:
        token = Token(kind, Span(self._source, self._offset, end), self._text[self._offset : end])
        self._offset = end
        return token

    def _operand(self) -> Token:
        """A token at a place where a formula begins."""
        start = self._offset
        character = self._text[start]
        if character == "{":
            return self._delimited(start, self._matching(start))
        if character == '"':
            return self._delimited(start, self._closing_quotation(start))
        if character == "(":
            after = self._match(_SPACE, self._after_postfixes(self._matching(start) + 1))
            return self._taken("(", start + 1) if self._match(self._dialect.joint, after) == after else self._atom()
        if character == "!" and self._dialect.negation_in_atoms and self._is_compared(start):
            return self._atom()
        end = self._match(self._dialect.symbol, start)
        if end == start and self._is_operator_word(start):
            end = self._match(_WORD, start)
        if end == start:
            return self._atom()
        word = self._text[start:end]
        if word in self._dialect.binary:
            hint = _BRACES if word.isalpha() else None
            raise InputError(f"{word} needs a formula before it", Span(self._source, start, end), hint)
        return self._taken(self._dialect.unary.get(word, word), end)

    def _is_compared(self, start: int) -> bool:
        """Whether an operand of an expression stands here, with its signs, and an operator of expressions follows."""
        operand = start
        while (after := self._match(_SIGN, operand)) > operand:
            operand = self._match(_SPACE, after)
        if self._match(self._dialect.symbol, operand) > operand and self._text[operand] != "(":
            return False
        if self._is_operator_word(operand):
            return False
        end = self._match(_SPACE, self._expression_operand(operand))
        return self._match(self._dialect.joint, end) > end

    def _operator(self) -> Token:
        """A token at a place where a formula has just ended."""
        end = max(self._match(self._dialect.symbol, self._offset), self._match(_WORD, self._offset))
        word = self._text[self._offset : end]
        if word == ")" or word in self._dialect.binary:
            return self._taken(self._dialect.binary.get(word, word), end)
        arrow = self._match(_ELSEWHERE, self._offset)
        if arrow > self._offset:
            wrong = self._text[self._offset : arrow]
            raise InputError(
                f"{wrong} is no operator here", Span(self._source, self._offset, arrow), f"write {_ARROWS[wrong]}"
            )
        end = max(end, self._offset + 1)
        branching = ctl_hint(self._text[self._operand_start : self._end])
        if branching:
            raise InputError(
                "this is no formula of LTL", Span(self._source, self._operand_start, self._offset), branching
            )
        raise InputError(
            "an operator is expected here",
            Span(self._source, self._offset, end),
            "an expression that the logic cannot tell apart goes in braces: { … }",
        )

    def _delimited(self, start: int, closing: int) -> Token:
        """An atom between delimiters; its span is that of the text without the space around."""
        text = self._text[start + 1 : closing].strip()
        if not text:
            raise InputError("an expression is expected here", Span(self._source, start, closing + 1))
        self._offset = closing + 1
        inner = self._text.index(text, start + 1)
        return Token("atom", Span(self._source, inner, inner + len(text)), text)

    def _is_operator_word(self, offset: int) -> bool:
        end = self._match(_WORD, offset)
        word = self._text[offset:end]
        if word not in self._dialect.unary and word not in self._dialect.binary:
            return False
        following = self._text[end : min(end + 2, self._end)]
        return not (len(word) == 1 and (following[:1] in (".", "@") or (following[:1] == "[" and following != "[]")))

    def _atom(self) -> Token:
        """A state expression: operands joined by operators that are not of the logic."""
        start = self._offset
        end = self._expression_operand(start)
        while True:
            joint = self._match(_SPACE, end)
            after_joint = self._match(self._dialect.joint, joint)
            if after_joint == joint:
                break
            end = self._expression_operand(self._match(_SPACE, after_joint))
        text = self._text[start:end]
        constant = {"true": "true", "1": "true", "false": "false", "0": "false"}.get(text)
        return self._taken(constant or "atom", end)

    def _expression_operand(self, offset: int) -> int:
        """Where an operand of a state expression ends."""
        sign = self._match(_SIGN, offset)
        while sign > offset:
            offset = self._match(_SPACE, sign)
            sign = self._match(_SIGN, offset)
        if offset < self._end and self._text[offset] == "(":
            return self._after_postfixes(self._matching(offset) + 1)
        end = self._match(_NUMBER, offset)
        if end > offset:
            return end
        end = self._match(_PLACE, offset)
        if end > offset:
            return end
        end = self._match(_WORD, offset)
        if end == offset or self._is_operator_word(offset):
            if end > offset:
                message = f"{self._text[offset:end]} is an operator, and an expression is expected here"
                raise InputError(message, Span(self._source, offset, end), _BRACES)
            wrong = Span(self._source, offset, min(offset + 1, self._end))
            raise InputError("a formula or an expression is expected here", wrong)
        return self._after_postfixes(end)

    def _after_postfixes(self, offset: int) -> int:
        """Skips calls, indices, members and polls: `(…)`, `[…]`, `.name`, `@label`, `:variable`, `?[…]`."""
        while True:
            start = self._match(_SPACE, offset)
            end = self._match(_MEMBER, start)
            start = self._match(_POLL, start)
            if self._match(_BRACKET, start) > start:
                end = self._matching(start) + 1
            if end == start:
                return offset
            offset = end

    def _matching(self, opening: int) -> int:
        """The offset of the bracket that closes the one at `opening`; brackets in between must match as well, but
        for those in quotation marks."""
        stack: list[int] = []
        offset = opening
        while opening not in self._pairs:
            if offset >= self._end:
                raise InputError(f"{self._text[stack[-1]]} is not closed", self._character(stack[-1]))
            character = self._text[offset]
            if character in _CLOSING:
                stack.append(offset)
            elif character in _CLOSING.values():
                if _CLOSING[self._text[stack[-1]]] != character:
                    message = f"{character} does not match {self._text[stack[-1]]}"
                    raise InputError(message, self._character(offset))
                self._pairs[stack.pop()] = offset
            elif character == '"':
                offset = self._closing_quotation(offset)
            offset += 1
        return self._pairs[opening]

    def _closing_quotation(self, opening: int) -> int:
        closing = self._text.find('"', opening + 1, self._end)
        if closing < 0:
            raise InputError("the quotation is not closed", Span(self._source, opening, self._end))
        return closing

    def _character(self, offset: int) -> Span:
        return Span(self._source, offset, offset + 1)
