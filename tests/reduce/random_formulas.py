"""Random formulas without next over the atoms of a model."""

from __future__ import annotations

from collections.abc import Sequence

from tests.reduce.choices import Choices

PATTERNS = (
    *("[] p", "<> p", "[] <> p", "<> [] p", "[] (p -> <> q)", "p U q", "[] (p -> [] q)", "<> (p && <> q)"),
    *("(<> p) -> (<> q)", "([] <> p) -> ([] <> q)", "p W q", "[] (p || <> [] q)"),
)
"""Spin's words, which are read for every language."""


def random_formula(choices: Choices, atoms: Sequence[str]) -> str:
    """One of the usual shapes, or any."""
    p, q = (f"({choices.one_of(*atoms)})" for _ in range(2))
    if choices.chance(3):
        return _formula(choices, atoms, 3)
    pattern = choices.one_of(*PATTERNS)
    negated = choices.one_of("", "", "!")
    return "".join({"p": f"{negated}{p}", "q": q}.get(letter, letter) for letter in pattern)


def _formula(choices: Choices, atoms: Sequence[str], depth: int) -> str:
    if depth == 0 or choices.chance(5):
        return f"({choices.one_of(*atoms)})"
    if choices.chance(2):
        return f"{choices.one_of('[]', '<>', '!')} ({_formula(choices, atoms, depth - 1)})"
    operator = choices.one_of("U", "W", "V", "&&", "||", "->", "<->")
    return f"({_formula(choices, atoms, depth - 1)}) {operator} ({_formula(choices, atoms, depth - 1)})"
