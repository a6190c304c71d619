"""Formulas that Spin reads otherwise than they look: its temporal operators bind tighter than any comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ouroboros.languages.promela.read.tokens import Token

_WORDS = frozenset({"X", "always", "eventually", "next"})
_SIGNS = frozenset({"!", "-", "~"})
_JOINTS = frozenset({"==", "!=", "<=", ">=", "<", ">", "<<", ">>", "+", "-", "*", "/", "%", "&", "|", "^"})
_CLOSING = {"(": ")", "[": "]"}


def misread(tokens: Sequence[Token], text: str) -> Iterator[str]:
    """A warning for each `[] x == 1` among the tokens of a formula, which end with one that is no part of it.

    Spin takes `[] x` together and compares that, which depends on no state; here it is `[] (x == 1)`.
    """
    for start in range(len(tokens)):
        operand = _after_temporal(tokens, start)
        if operand == start or _after_temporal(tokens, operand) > operand:
            continue
        end = _after_operand(tokens, operand)
        joint = tokens[end]
        if end == operand or joint.kind not in _JOINTS or (joint.kind == "<" and tokens[end + 1].kind == "->"):
            continue
        operator = text[tokens[start].start : tokens[operand - 1].end]
        what = text[tokens[operand].start : tokens[end - 1].end]
        yield (
            f"{tokens[start].span}: Spin reads `{operator} {what} {joint.text} …` as"
            f" `({operator} {what}) {joint.text} …`, and here it is `{operator} ({what} {joint.text} …)`: write the"
            " parentheses"
        )


def _after_temporal(tokens: Sequence[Token], at: int) -> int:
    """Behind the temporal operator with one operand that stands there; the same place if none does."""
    kinds = tuple(token.kind for token in tokens[at : at + 2])
    if kinds in (("[", "]"), ("<", ">")):
        return at + 2
    return at + 1 if kinds[:1] == ("name",) and tokens[at].text in _WORDS else at


def _after_operand(tokens: Sequence[Token], at: int) -> int:
    """Behind a name, a number or a parenthesis, with its signs before and with what belongs to it after."""
    while tokens[at].kind in _SIGNS:
        at += 1
    if tokens[at].kind == "(":
        at = _after_bracket(tokens, at)
    elif tokens[at].text[:1].isalnum() or tokens[at].text[:1] == "_":
        at += 1
    else:
        return at
    while True:
        kind = tokens[at].kind
        if kind in (".", "@", ":"):
            at = min(at + 2, len(tokens) - 1)
        elif kind in ("?", "??") and tokens[at + 1].kind == "[":
            at = _after_bracket(tokens, at + 1)
        elif kind in _CLOSING and tokens[at + 1].kind != "]":
            at = _after_bracket(tokens, at)
        else:
            return at


def _after_bracket(tokens: Sequence[Token], at: int) -> int:
    """Behind the bracket that closes the one there; at the last token if none does."""
    opening = tokens[at].kind
    depth = 0
    for position in range(at, len(tokens) - 1):
        depth += {opening: 1, _CLOSING[opening]: -1}.get(tokens[position].kind, 0)
        if not depth:
            return position + 1
    return len(tokens) - 1
