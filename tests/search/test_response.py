"""Response checking, and accepting cycles under fairness, agree with a plain sequential algorithm."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.search.fair import FairMethod
from ouroboros.search.outcome import Finding, Outcome
from ouroboros.search.response import Optimisations
from tests.fair_graphs import (
    FairQuestion,
    fair_tables,
    fairnesses,
    random_fair_table,
    random_fairness,
    search_fair_cycle,
)
from tests.graphs import AUTOMATA, MEMORY, automata, random_automaton, run
from tests.search.conftest import ROUNDS, tiny_rounds

OPTIMISATIONS = [Optimisations(*switches) for switches in product((True, False), repeat=3)]
METHODS = [
    FairMethod(edges=edges, optimisations=optimisations)
    for edges in ("keep", "regenerate")
    for optimisations in OPTIMISATIONS
]

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def check(question: FairQuestion, method: FairMethod, workers: int, memory: int = MEMORY) -> Outcome:
    outcomes = run(workers, lambda exchange: search_fair_cycle(question, method, exchange, memory))
    assert_decided(question, outcomes)
    return outcomes[0]


def assert_decided(question: FairQuestion, outcomes: list[Outcome]) -> None:
    first = outcomes[0]
    assert all(outcome.finding == first.finding and outcome.limit is None for outcome in outcomes)
    assert (first.finding is not None) == question.is_violated
    table, numbers = question.table, first.statistics.fair
    assert numbers
    assert numbers.start_states == len(question.starts)
    assert numbers.pending_states == len(question.pending)
    if not question.automaton:
        assert numbers.end_states == len([node for node in question.steps if node[0] in table.q])
    if first.finding:
        assert_is_fair_lasso(question, first.finding)


def assert_is_fair_lasso(question: FairQuestion, finding: Finding) -> None:
    assert finding.kind == "cycle"
    assert finding.cycle
    assert finding.taken
    table = question.table
    stem = [table.node(vector) for vector in finding.path]
    cycle = [table.node(vector) for vector in finding.cycle]
    assert stem[0][0] in table.initial
    assert all(after in [node for _, node in question.steps[before]] for before, after in pairwise([*stem, *cycle]))
    assert cycle[-1] == stem[-1]
    assert set(cycle) <= question.pending
    # Some p on the way is never answered.
    last_answer = max((at for at, node in enumerate(stem) if node not in question.pending), default=-1)
    assert question.starts & set(stem[last_answer + 1 :])
    for (before, after), taken in zip(pairwise([cycle[-1], *cycle]), finding.taken, strict=True):
        actions = [action for action, node in question.steps[before] if node == after]
        assert taken in [
            frozenset(number for number, fair in enumerate(question.fairness) if action in fair.actions)
            for action in actions
        ]
    assert question.is_fair_walk(cycle, finding.taken)


def random_question(random: Random) -> FairQuestion:
    automaton = random.choice((None, None, random_automaton(random), random.choice(list(AUTOMATA.values()))))
    return FairQuestion(random_fair_table(random), random_fairness(random), random.random() < 0.5, automaton)


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("rounds", ROUNDS)
def test_every_method_agrees_with_components_on_many_systems(rounds: str, workers: int) -> None:
    random = Random(f"{rounds} {workers}")
    verdicts = []
    with ROUNDS[rounds]():
        for number in range(1200 if workers == 1 else 300):
            question = random_question(random)
            method = METHODS[number % len(METHODS)]
            verdicts.append(check(question, method, workers).finding is not None)
    assert 0.15 < sum(verdicts) / len(verdicts) < 0.85


@given(data=st.data())
@settings(relaxed, max_examples=300)
def test_every_method_agrees_with_components(data: st.DataObject) -> None:
    automaton = data.draw(st.none() | automata())
    question = FairQuestion(data.draw(fair_tables()), data.draw(fairnesses()), data.draw(st.booleans()), automaton)
    method, workers = data.draw(st.sampled_from(METHODS)), data.draw(st.sampled_from([1, 2]))
    with tiny_rounds():
        check(question, method, workers)
