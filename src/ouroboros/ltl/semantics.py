"""What a formula means, straight from the definitions: its truth on a word `prefix · cycle · cycle · …`.

This is the oracle that the translation is tested against; it shares no idea with it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ouroboros.ltl.formula import (
    And,
    Atom,
    Constant,
    Equivalent,
    Finally,
    Formula,
    Globally,
    Implies,
    Next,
    Not,
    Or,
    Release,
    StrongRelease,
    Until,
    WeakUntil,
    Xor,
    subformulas,
)

Letter = Collection[str]


def holds_on(formula: Formula, prefix: Sequence[Letter], cycle: Sequence[Letter]) -> bool:
    """Whether the word satisfies the formula; a letter is the set of atoms that are true."""
    if not cycle:
        raise ValueError("the cycle of a lasso has at least one letter")
    letters = [*prefix, *cycle]
    positions = range(len(letters))
    successor = [*range(1, len(letters)), len(prefix)]
    truth: dict[Formula, list[bool]] = {}

    def fixpoint(holds_now: list[bool], carries_on: list[bool], start: bool) -> list[bool]:
        """Solves z = holds_now or (carries_on and next z): the least solution from False, the greatest from True."""
        value = [start] * len(letters)
        # Two passes backwards carry a value around the cycle and then through the prefix.
        for _ in range(2):
            for position in reversed(positions):
                value[position] = holds_now[position] or (carries_on[position] and value[successor[position]])
        return value

    always = [True] * len(letters)
    for node in subformulas(formula):
        inner = [truth[operand] for operand in node.operands]
        match node:
            case Constant(value):
                truth[node] = [value] * len(letters)
            case Atom(name):
                truth[node] = [name in letter for letter in letters]
            case Not():
                truth[node] = [not value for value in inner[0]]
            case And():
                truth[node] = [all(values[position] for values in inner) for position in positions]
            case Or():
                truth[node] = [any(values[position] for values in inner) for position in positions]
            case Implies():
                truth[node] = [not left or right for left, right in zip(*inner, strict=True)]
            case Equivalent():
                truth[node] = [left == right for left, right in zip(*inner, strict=True)]
            case Xor():
                truth[node] = [left != right for left, right in zip(*inner, strict=True)]
            case Next():
                truth[node] = [inner[0][successor[position]] for position in positions]
            case Finally():
                truth[node] = fixpoint(inner[0], always, start=False)
            case Globally():
                truth[node] = fixpoint([False] * len(letters), inner[0], start=True)
            case Until():
                truth[node] = fixpoint(inner[1], inner[0], start=False)
            case WeakUntil():
                truth[node] = fixpoint(inner[1], inner[0], start=True)
            case Release() | StrongRelease():
                both = [left and right for left, right in zip(*inner, strict=True)]
                truth[node] = fixpoint(both, inner[1], start=isinstance(node, Release))
    return truth[formula][0]
