"""Response under fairness says what LTL says where fairness is part of the formula, and nested DFS decides.

For the formula, states remember the last action. An action is weakly fair if `GF (!enabled || taken)` holds, and
strongly if `GF enabled -> GF taken` does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from random import Random
from typing import Literal, NamedTuple

import pytest

from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.graph.product import ProductGraph
from ouroboros.ltl import Automaton, Edge, parse_formula, translate
from ouroboros.memory import Budget
from ouroboros.native import Program, compile_system
from ouroboros.search.accepting import Method, accepting_cycle
from ouroboros.search.fair import FairMethod
from ouroboros.search.worker import Worker
from ouroboros.system.blocks import Assign
from ouroboros.system.choices import Action, All, Do
from ouroboros.system.expressions import Binary, Constant, Read
from ouroboros.system.fairness import FairAction
from ouroboros.system.layout import Field, Layout, Vector
from ouroboros.system.model import Proposition, System
from tests.fair_graphs import ACTIONS, FairQuestion, FairTable, fair_model, random_fair_table, search_fair_cycle
from tests.graphs import MEMORY

FAIR = 3
"""So many of the actions may be fair: more make large automata."""

Strength = Literal["weak", "strong"] | None


class Remembering(NamedTuple):
    system: System
    field: Field
    propositions: tuple[Proposition, ...]
    program: Program


@cache
def remembering(stutters: bool) -> Remembering:
    """The system of all graphs, with the last action in each state."""
    system = fair_model().system
    last = Field("last", "graph", 3)
    beside = Field("beside", "automaton", 12)
    actions = [
        replace(action, effect=(*action.effect, Assign(last, None, Constant(number + 1))))
        for number, action in enumerate(system.actions)
    ]
    if stutters:
        actions.append(Action((), (Assign(last, None, Constant(0)),)))
    layout = Layout((*system.layout.fields, last, beside))
    propositions = (
        fair_model().p,
        fair_model().q,
        *(Proposition(f"enabled{number}", system.actions[number].guard) for number in range(FAIR)),
        *(Proposition(f"taken{number}", _equal(last, number + 1)) for number in range(FAIR)),
    )
    whole = replace(
        system, layout=layout, actions=tuple(actions), choices=All(tuple(map(Do, range(len(actions))))), initial=()
    )
    return Remembering(whole, beside, propositions, compile_system(whole, propositions))


def _equal(field: Field, value: int) -> Binary:
    return Binary("==", Read(field), Constant(value))


@cache
def violations(strengths: tuple[Strength, ...]) -> Automaton:
    """Accepts the fair runs on which some p is not answered."""
    fair = {
        "weak": "(G F (!enabled{0} || taken{0}))",
        "strong": "((G F enabled{0}) -> (G F taken{0}))",
        None: "true",
    }
    assumptions = [fair[strength].format(number) for number, strength in enumerate(strengths)]
    automaton = translate(parse_formula(" && ".join([*assumptions, "(F (p && G !q))"])))
    names = [proposition.name for proposition in remembering(False).propositions]
    place = [names.index(atom) for atom in automaton.atoms]

    def moved(bits: int) -> int:
        return sum(1 << to for bit, to in enumerate(place) if bits >> bit & 1)

    edges = tuple(
        tuple(Edge(moved(edge.mask), moved(edge.value), edge.target) for edge in group) for group in automaton.edges
    )
    return Automaton(tuple(names), automaton.initial, edges, automaton.accepting)


def _vector(layout: Layout, table: FairTable, vertex: int, field: Field, location: int) -> Vector:
    short = fair_model().system.layout
    original = table.vector((vertex, 0))
    words = list(layout.initial())
    for item in short.fields:
        for index in range(item.elements):
            layout.write(words, item, index, short.read(original, item, index))
    layout.write(words, field, 0, location)
    return tuple(words)


def decided_by_formula(table: FairTable, strengths: tuple[Strength, ...], stutters: bool) -> bool:
    model = remembering(stutters)
    automaton = violations(strengths)
    initial = tuple(
        _vector(model.system.layout, table, vertex, model.field, automaton.initial) for vertex in table.initial
    )
    system = replace(model.system, initial=initial, extends_finite_runs=table.extends)
    graph = ProductGraph(system, model.program, automaton, model.field, model.propositions)
    outcome = accepting_cycle(graph, Method("ndfs"), Worker(SoloExchange(), Budget(MEMORY)))
    assert outcome.limit is None
    return outcome.finding is not None


@pytest.mark.parametrize("stutters", [False, True])
def test_fairness_in_the_formula(stutters: bool) -> None:
    random = Random(f"formula {stutters}")
    verdicts = []
    choices: list[tuple[Strength, ...]] = list(product((None, "weak", "strong"), repeat=FAIR))
    for strengths in choices:
        fairness = tuple(
            FairAction(f"action {number}", strength, frozenset({number}))
            for number, strength in enumerate(strengths)
            if strength
        )
        for _ in range(12):
            table = random_fair_table(random)
            found = search_fair_cycle(FairQuestion(table, fairness, stutters), FairMethod(), SoloExchange()).finding
            assert (found is not None) == decided_by_formula(table, strengths, stutters)
            verdicts.append(found is not None)
    assert 0.1 < sum(verdicts) / len(verdicts) < 0.95
    assert ACTIONS > FAIR
