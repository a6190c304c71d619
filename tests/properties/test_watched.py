"""Automata that a model brings along."""

from __future__ import annotations

import pytest

from ouroboros.errors import InputError
from ouroboros.ltl import Edge
from ouroboros.properties.formulas.watched import from_model
from ouroboros.system.expressions import FALSE, TRUE, Constant, Expression, equal
from ouroboros.system.model import AutomatonStep, PropertyAutomaton

from ..trace.handmade import counter

TURN = counter(3).system.layout.fields[0]


def automaton(*steps: tuple[int, int, Expression]) -> PropertyAutomaton:
    return PropertyAutomaton(
        "never",
        ("watching", "there"),
        1,
        frozenset({1}),
        tuple(AutomatonStep(origin, target, guard, f"to  {target}", None) for origin, target, guard in steps),
    )


def test_every_guard_is_an_atom_once() -> None:
    watched = from_model(
        automaton(
            (0, 0, TRUE),
            (0, 1, equal(TURN, 2)),
            (1, 0, equal(TURN, 3)),
            (1, 1, equal(TURN, 2)),
            (1, 0, FALSE),
            (1, 0, Constant(7)),
        )
    )
    assert watched.automaton.edges == ((Edge(0, 0, 0), Edge(1, 1, 1)), (Edge(2, 2, 0), Edge(1, 1, 1), Edge(0, 0, 0)))
    assert (watched.automaton.initial, watched.automaton.accepting) == (1, (False, True))
    assert [proposition.expression for proposition in watched.propositions] == [equal(TURN, 2), equal(TURN, 3)]
    assert watched.automaton.atoms == ("to 1", "to 0")
    assert (watched.name, watched.locations, watched.formula) == ("never", ("watching", "there"), None)


def test_more_guards_than_a_valuation_has_bits() -> None:
    assert len(from_model(automaton(*((0, 1, equal(TURN, k)) for k in range(60)))).propositions) == 60
    with pytest.raises(InputError, match="never has 61 different guards, and at most 60"):
        from_model(automaton(*((0, 1, equal(TURN, k)) for k in range(61))))
