"""Which formulas hold for a reason that nobody had in mind."""

from __future__ import annotations

import pytest

from ouroboros.ltl import Not, parse_formula, translate
from ouroboros.properties.formulas.vacuity import vacuity_warnings
from ouroboros.properties.formulas.watched import Watched


def warnings(text: str, always: str = "", never: str = "") -> list[str]:
    """The atoms of `always` were only seen true, those of `never` only false, all others both."""
    formula = parse_formula(text)
    automaton = translate(Not(formula))
    seen_true = sum(1 << index for index, atom in enumerate(automaton.atoms) if atom not in never.split())
    seen_false = sum(1 << index for index, atom in enumerate(automaton.atoms) if atom not in always.split())
    watched = Watched(text, automaton, (), (), formula)
    return list(vacuity_warnings(watched, seen_true, seen_false))


@pytest.mark.parametrize(
    ("formula", "always", "never", "named"),
    [
        ("[](request -> <>answer)", "", "request", "`request` is false"),
        ("[](request -> <>answer)", "answer", "", "`answer` is true"),
        ("[]!(left && right)", "", "left", "`left` is false"),
        ("[](p -> X !p)", "", "p", "`p` is false"),
        ("<>p", "p", "", "`p` is true"),
        ("[]<>p", "p", "", "`p` is true"),
        ("p U q", "q", "", "`q` is true"),
    ],
)
def test_an_atom_that_never_changes_is_named(formula: str, always: str, never: str, named: str) -> None:
    (warning,) = warnings(formula, always, never)
    assert warning == f"the formula holds vacuously: {named} in every state visited"
    assert warnings(formula) == []


@pytest.mark.parametrize(
    ("formula", "always", "never"),
    [
        ("[]small", "small", ""),
        ("[]!bad", "", "bad"),
        ("[](small && !bad)", "small", "bad"),
        ("[](request -> <>answer)", "request", ""),
        ("[]<>p || []<>q", "", "p"),
    ],
)
def test_what_the_formula_demands_or_what_is_not_enough_is_no_reason(formula: str, always: str, never: str) -> None:
    assert warnings(formula, always, never) == []


def test_a_tautology_is_called_so() -> None:
    assert warnings("p || !p", "p") == ["the formula is a tautology: it holds in every model"]


def test_an_automaton_of_the_model_has_no_formula_to_judge() -> None:
    automaton = translate(parse_formula("<>[]p"))
    assert list(vacuity_warnings(Watched("never", automaton, (), ()), 1, 0)) == []
