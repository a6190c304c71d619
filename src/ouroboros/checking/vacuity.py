"""Formulas that hold for a reason that their author did not have in mind.

`[](request -> <>answer)` holds in a model that never makes a request. So an atom that has the same value in every
state is suspicious if the formula holds because of that value alone, whatever else the model does, and yet does not
demand it: `[](level < 5)` holds because `level < 5` never changes, and that is all that it says.
"""

from __future__ import annotations

from collections.abc import Iterator

from ouroboros.checking.formulas import substitute
from ouroboros.checking.watched import Watched
from ouroboros.ltl import Formula, Not, translate
from ouroboros.ltl.formula import FALSE, TRUE, Atom, Globally, Implies
from ouroboros.search.outcome import Statistics


def vacuity_warnings(watched: Watched, statistics: Statistics) -> Iterator[str]:
    """For a property that holds, and the statistics of the complete search that says so."""
    formula = watched.formula
    if formula is None:
        return
    if not any(watched.automaton.accepting):
        yield "the formula is a tautology: it holds in every model"
        return
    for index, atom in enumerate(watched.automaton.atoms):
        seen_true, seen_false = statistics.seen_true >> index & 1, statistics.seen_false >> index & 1
        if seen_true != seen_false and _is_reason(formula, atom, bool(seen_true)):
            value = "true" if seen_true else "false"
            yield f"the formula holds vacuously: `{atom}` is {value} in every state"


def _is_reason(formula: Formula, atom: str, value: bool) -> bool:
    """Whether the constant value of an atom is enough for the formula, and more than the formula demands."""
    constant = Globally(Atom(atom) if value else Not(Atom(atom)))
    enough = _is_valid(substitute(formula, {atom: TRUE if value else FALSE}))
    return enough and not _is_valid(Implies(formula, constant))


def _is_valid(formula: Formula) -> bool:
    return not any(translate(Not(formula)).accepting)
