"""Response checking, and accepting cycles under fairness, agree with a plain sequential algorithm."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.stores.choice import FULL, StoreChoice, read_store
from ouroboros.errors import SelfCheckError
from ouroboros.search.fair import FairMethod
from ouroboros.search.response import Optimisations
from ouroboros.system.fairness import FairAction
from ouroboros.trace.fair import FairRuns, replay_response
from ouroboros.trace.lasso import replay_beside
from ouroboros.verdict.outcome import Finding, Outcome
from ouroboros.verdict.trace import Trace, Watcher
from tests.fair_graphs import (
    FairQuestion,
    FairTable,
    fair_model,
    fair_tables,
    fairnesses,
    random_fair_table,
    random_fairness,
    search_fair_cycle,
)
from tests.graphs import AUTOMATA, automata, random_automaton, run
from tests.search.conftest import ROUNDS, tiny_rounds
from tests.search.test_accepting_cycles import Patience

OPTIMISATIONS = [Optimisations(*switches) for switches in product((True, False), repeat=3)]
METHODS = [
    FairMethod(edges=edges, optimisations=optimisations)
    for edges in ("keep", "regenerate")
    for optimisations in OPTIMISATIONS
]

STORES = [FULL, FULL, FULL, read_store("tree"), read_store("collapse")]

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def check(question: FairQuestion, method: FairMethod, workers: int, store: StoreChoice = FULL) -> Outcome:
    outcomes = run(workers, lambda exchange: search_fair_cycle(question, method, exchange, store=store))
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


@pytest.mark.parametrize(
    ("rounds", "workers", "systems"),
    [("tiny", 1, 1500), ("usual", 1, 500), ("tiny", 2, 300), ("tiny", 3, 200), ("usual", 2, 32)],
)
def test_every_method_agrees_with_components_on_many_systems(rounds: str, workers: int, systems: int) -> None:
    random = Random(f"{rounds} {workers}")
    verdicts = []
    with ROUNDS[rounds]():
        for number in range(systems):
            question = random_question(random)
            method = METHODS[number % len(METHODS)]
            verdicts.append(check(question, method, workers, random.choice(STORES)).finding is not None)
    assert 0.15 < sum(verdicts) / len(verdicts) < 0.85


def test_the_interpreter_confirms_every_counterexample() -> None:
    random = Random("replay")
    lassos = 0
    while lassos < 100:
        question = random_question(random)
        finding = search_fair_cycle(question, FairMethod(), SoloExchange()).finding
        if finding:
            lassos += 1
            trace = replayed(question, finding)
            assert trace.loop_start is not None
            assert len(trace.dues) == len(question.fairness)
            assert all((due.step or 0) > trace.loop_start for due in trace.dues if due.kind != "never enabled")


def replayed(question: FairQuestion, finding: Finding) -> Trace:
    model, runs = fair_model(), FairRuns(question.fairness, question.stutters)
    system = question.table.system
    if question.automaton:
        return replay_beside(system, Watcher(question.automaton, (model.p,), model.location), finding, runs)
    return replay_response(system, model.p, model.q, finding, runs)


def test_the_interpreter_refuses_what_is_no_counterexample() -> None:
    """From 0, action 0 leads to 1 and action 1 stays; from 1, action 0 stays. Only 1 answers."""
    table = FairTable(((1, 0, None, None), (1, None, None, None)), frozenset({0}), frozenset({1}))
    loop = FairAction("loop", "weak", frozenset({1}))
    leave = FairAction("leave", "weak", frozenset({0}))
    first, second = table.vector((0, 0)), table.vector((1, 0))
    good = Finding("cycle", [first], [first], [frozenset({0})])
    trace = replayed(FairQuestion(table, (loop,)), good)
    assert [str(due) for due in trace.dues] == ["taken in step 1"]
    refused = [
        (FairQuestion(table, (loop, leave)), good, "not fair to leave"),
        (FairQuestion(table, (loop,)), replace(good, taken=[frozenset()]), "cannot make step 1"),
        (FairQuestion(table, ()), Finding("cycle", [first, second], [second], [frozenset()]), "q holds on the cycle"),
        (FairQuestion(table, ()), Finding("cycle", [first], [second], [frozenset()]), "does not close"),
        (FairQuestion(replace(table, p=frozenset()), ()), good, "p never waits"),
    ]
    for question, finding, message in refused:
        moved = [question.table.vector(table.node(vector)) for vector in finding.path]
        around = [question.table.vector(table.node(vector)) for vector in finding.cycle or []]
        taken = [frozenset()] if not question.fairness else finding.taken
        with pytest.raises(SelfCheckError, match=message):
            replayed(question, replace(finding, path=moved, cycle=around, taken=taken))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("workers", [1, 2])
def test_too_little_time_is_a_limit_and_never_a_wrong_verdict(workers: int) -> None:
    """Whenever it runs out, in whatever phase."""
    random = Random(f"time {workers}")
    limited = 0
    with tiny_rounds():
        for _ in range(6):
            question, method = random_question(random), random.choice(METHODS)
            for questions in [*range(8), *random.sample(range(8, 80), 6)]:
                limits = Patience(questions=questions)
                outcomes = run(
                    workers,
                    lambda exchange: search_fair_cycle(question, method, exchange, limits=limits),
                )
                if {outcome.limit for outcome in outcomes} == {"time"}:
                    assert not any(outcome.finding for outcome in outcomes)
                    limited += 1
                else:
                    assert_decided(question, outcomes)
    assert limited


@pytest.mark.timeout(60)
@pytest.mark.parametrize("workers", [1, 2])
def test_too_little_memory_is_a_limit_and_never_a_wrong_verdict(workers: int) -> None:
    random = Random(f"memory {workers}")
    limited = decided = 0
    with tiny_rounds():
        for _ in range(8):
            question, method = random_question(random), random.choice([*METHODS, FairMethod()])
            enough = check(question, method, workers).statistics.bytes // workers
            for memory in random.sample(range(enough // 2, 2 * enough), 12):
                outcomes = run(workers, lambda exchange: search_fair_cycle(question, method, exchange, memory))
                if any(outcome.limit for outcome in outcomes):
                    assert {outcome.limit for outcome in outcomes} == {"memory"}
                    assert not any(outcome.finding for outcome in outcomes)
                    limited += 1
                else:
                    assert_decided(question, outcomes)
                    decided += 1
    assert limited
    assert decided


@given(data=st.data())
@settings(relaxed, max_examples=300)
def test_every_method_agrees_with_components(data: st.DataObject) -> None:
    automaton = data.draw(st.none() | automata())
    question = FairQuestion(data.draw(fair_tables()), data.draw(fairnesses()), data.draw(st.booleans()), automaton)
    method, workers = data.draw(st.sampled_from(METHODS)), data.draw(st.sampled_from([1, 2]))
    with tiny_rounds():
        check(question, method, workers)
