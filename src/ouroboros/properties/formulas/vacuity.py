"""Formulas that hold for a reason that their author did not have in mind.

`[](request -> <>answer)` holds in a model that never makes a request. So an atom that has the same value in every
state is suspicious if the formula holds because of that value alone, whatever else the model does, and yet does not
demand it: `[](level < 5)` holds because `level < 5` never changes, and that is all that it says.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.ltl import Formula, Not, translate
from ouroboros.ltl.formula import FALSE, TRUE, Atom, Globally, Implies
from ouroboros.properties.formulas.reading import substitute
from ouroboros.properties.formulas.watched import Watched


def vacuity_warnings(watched: Watched, seen_true: int, seen_false: int) -> Iterator[str]:
    """For a property that holds; bit i of the masks says whether atom i was seen true, and false, in any state.

    The states are those of the product: of the whole model, unless the automaton had no use for some of them.
    """
    formula = watched.formula
    if formula is None:
        return
    if not any(watched.automaton.accepting):
        yield "the formula is a tautology: it holds in every model"
        return
    for index, atom in enumerate(watched.automaton.atoms):
        was_true, was_false = bool(seen_true >> index & 1), bool(seen_false >> index & 1)
        if was_true != was_false and _is_reason(formula, atom, was_true):
            value = "true" if was_true else "false"
            yield f"the formula holds vacuously: `{atom}` is {value} in every state visited"


def _is_reason(formula: Formula, atom: str, value: bool) -> bool:
    """Whether the constant value of an atom is enough for the formula, and more than the formula demands."""
    constant = Globally(Atom(atom) if value else Not(Atom(atom)))
    enough = _is_valid(substitute(formula, {atom: TRUE if value else FALSE}))
    return enough and not _is_valid(Implies(formula, constant))


def _is_valid(formula: Formula) -> bool:
    return not any(translate(Not(formula)).accepting)
