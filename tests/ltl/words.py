"""Random formulas and words, and formulas of Spot as ours."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from ouroboros.ltl.formula import (
    FALSE,
    TRUE,
    And,
    Atom,
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
)

UNARY = (Not, Next, Finally, Globally)
BINARY = (And, Or, Implies, Equivalent, Xor, Until, WeakUntil, Release, StrongRelease)

Word = tuple[list[set[str]], list[set[str]]]


def random_formula(generator: random.Random, size: int, atoms: str = "pqr") -> Formula:
    if size <= 1:
        return generator.choice([TRUE, FALSE, *map(Atom, atoms * 4)])
    if size == 2 or generator.random() < 0.4:
        return generator.choice(UNARY)(random_formula(generator, size - 1, atoms))
    left = generator.randrange(1, size - 1)
    return generator.choice(BINARY)(
        random_formula(generator, left, atoms), random_formula(generator, size - 1 - left, atoms)
    )


def random_word(generator: random.Random, atoms: str = "pqr") -> Word:
    def letters(count: int) -> list[set[str]]:
        return [{atom for atom in atoms if generator.random() < 0.5} for _ in range(count)]

    return letters(generator.randrange(4)), letters(generator.randrange(1, 5))


def spot_formulas(spot: ModuleType, count: int, seed: int, size: tuple[int, int] = (5, 20)) -> Iterator[Any]:
    formulas = spot.randltl(3, seed=seed, tree_size=size, simplify=0)
    for _ in range(count):
        yield next(formulas)


def from_spot(spot: ModuleType, formula: Any) -> Formula:
    """Our formula for one of Spot's, node by node, so that the parser is not part of the comparison."""
    operators: dict[int, Any] = {
        spot.op_Not: Not,
        spot.op_X: Next,
        spot.op_F: Finally,
        spot.op_G: Globally,
        spot.op_U: Until,
        spot.op_W: WeakUntil,
        spot.op_R: Release,
        spot.op_M: StrongRelease,
        spot.op_And: And,
        spot.op_Or: Or,
        spot.op_Implies: Implies,
        spot.op_Equiv: Equivalent,
        spot.op_Xor: Xor,
    }
    if formula.is_tt():
        return TRUE
    if formula.is_ff():
        return FALSE
    if formula.kind() == spot.op_ap:
        return Atom(formula.ap_name())
    return operators[formula.kind()](*(from_spot(spot, operand) for operand in formula))
