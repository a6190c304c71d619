"""Syntax errors in the user's words."""

from __future__ import annotations

import re
from typing import Any

from lark.exceptions import UnexpectedToken
from lark.parsers.lalr_analysis import Shift

from ouroboros.errors import InputError
from ouroboros.source import Source, Span

_WORDS = {
    "$END": "the end of the text",
    "NAME": "a name",
    "NUMBER": "a number",
    "OPERATOR": "an operator",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LSQB": "`[`",
    "RSQB": "`]`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "SEMICOLON": "`;`",
    "COMMA": "`,`",
    "COLON": "`:`",
    "QMARK": "`?`",
    "BANG": "`!`",
    "DOT": "`.`",
    "EQUAL": "`=`",
    "ARROW": "`->`",
}
_OPERATORS = frozenset({"OPERATOR", "MINUS", "AND", "OR", "IMPLY"})
_EXPRESSION_STARTS = frozenset({"NUMBER", "TRUE", "FALSE", "NAME", "LPAR", "MINUS", "TILDE", "NOT", "BANG"})
_OTHER_ACCEPTANCE = re.compile(r"accept\s+(genbuchi|muller|rabin|streett)\s*\Z")


def illegal_character(source: Source, offset: int) -> InputError:
    span = Span(source, offset, offset + 1)
    if source.text.startswith("/*", offset):
        return InputError("this comment is never closed", Span(source, offset, offset + 2), "expected `*/`")
    return InputError(f"unexpected character {source.text[offset]!r}", span)


def unexpected_token(source: Source, error: UnexpectedToken) -> InputError:
    token: Any = error.token
    at_end = token.type == "$END"
    start = len(source.text.rstrip()) if at_end else token.start_pos
    span = Span(source, start, start if at_end else token.end_pos)
    acceptance = _OTHER_ACCEPTANCE.search(source.text, max(0, start - 100), start)
    if acceptance:
        return InputError(
            f"`accept {acceptance[1]}` is not supported", span, "only Büchi acceptance is: a plain list of states"
        )
    if source.text.startswith("=>", start):
        return InputError("probabilistic transitions (`=>`) are not supported", span, "an implication is written imply")
    accepted = {terminal for terminal in error.expected if _accepts(error.state, terminal)}
    if at_end and "SYSTEM" in accepted:
        return InputError("the model has no `system` line", span, "end it with `system async;`")
    text = span.text
    if accepted == {"NAME"} and text.isidentifier():
        return InputError(f"`{text}` is a keyword", span, "expected a name")
    expected = f"expected {_enumerate(accepted)}"
    if text == "=" and "OPERATOR" in accepted:
        expected += "; to compare, write `==`"
    elif text == "==" and "EQUAL" in accepted:
        expected += "; to assign, write `=`"
    return InputError("the text ends too early" if at_end else f"unexpected `{text}`", span, expected)


def _accepts(state: Any, terminal: str) -> bool:
    """Whether the parser could shift this terminal now: its reductions are played on a copy of the stack of states.

    An LALR parser may reduce before it notices an error, so its own list of expected terminals promises too much.
    """
    table = state.parse_conf.states
    stack = list(state.state_stack)
    while terminal in table[stack[-1]]:
        action, argument = table[stack[-1]][terminal]
        if action is Shift:
            return True
        if argument.expansion:
            del stack[-len(argument.expansion) :]
        _, following = table[stack[-1]][argument.origin.name]
        stack.append(following)
        if following == state.parse_conf.end_state:
            return terminal == "$END"
    return False


def _enumerate(terminals: set[str]) -> str:
    words = set()
    if terminals >= _EXPRESSION_STARTS:
        words.add("an expression")
        terminals = terminals - _EXPRESSION_STARTS
    if terminals >= _OPERATORS:
        words.add("an operator")
        terminals = terminals - _OPERATORS
    words |= {_WORDS.get(terminal, f"`{terminal.lower()}`") for terminal in terminals}
    ordered = sorted(words, key=lambda word: (word.startswith("`"), word))
    return ordered[0] if len(ordered) == 1 else f"{', '.join(ordered[:-1])} or {ordered[-1]}"
