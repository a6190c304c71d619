"""Terms: how a value comes from the initial values of slots, in one form as far as that is easy."""

from __future__ import annotations

from typing import Any, TypeAlias

Term: TypeAlias = "int | tuple[Any, ...]"
"""A number, or: ("slot", number), ("sum", constant, {(term, factor)}), ("fit", width, term), (operator, terms…)."""


def slots_in(term: Term) -> list[int]:
    """The slots that a term depends on."""
    found: dict[int, None] = {}
    waiting: list[Any] = [term]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple) and part and part[0] == "slot":
            found[int(part[1])] = None
        elif isinstance(part, tuple | frozenset):
            waiting += part
    return list(found)


def negated(term: Term) -> Term:
    if isinstance(term, int):
        return int(term == 0)
    return term[1] if term[0] == "not" and is_truth(term[1]) else ("not", term)


def is_truth(term: Term) -> bool:
    return not isinstance(term, int) and term[0] in ("not", "==", "<", "and", "or")


def comparison(operator: str, left: Term, right: Term) -> Term:
    """With two operators instead of six, so that a condition and its negation are seen to be that."""
    if left == right:
        return int(operator in ("==", "<=", ">="))
    match operator:
        case "==" | "!=":
            ordered = (right, left) if isinstance(left, int) else (left, right)
            same = ("==", *ordered)
            return same if operator == "==" else ("not", same)
        case "<":
            return ("<", left, right)
        case ">":
            return ("<", right, left)
        case "<=":
            return ("not", ("<", right, left))
        case _:
            return ("not", ("<", left, right))


def joined(operator: str, first: Term, second: Term) -> Term:
    """`and` or `or`, where nothing is known of the first."""
    if isinstance(second, int):
        if (second != 0) == (operator == "or"):
            return int(second != 0)
        return first if is_truth(first) else negated(negated(first))
    return (operator, first, second)
