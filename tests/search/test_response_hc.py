"""Fair cycles with hash compaction: right with enough bits, and never a false counterexample with too few."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.search.fair import FairMethod
from ouroboros.search.response import Optimisations
from ouroboros.verdict.outcome import Outcome
from tests.fair_graphs import FairQuestion, FairTable, search_fair_cycle
from tests.graphs import run
from tests.search.conftest import ROUNDS, tiny_rounds
from tests.search.test_response import assert_is_fair_lasso, check, random_question, replayed

METHODS = [FairMethod(optimisations=Optimisations(*switches)) for switches in product((True, False), repeat=3)]


@pytest.mark.parametrize(
    ("rounds", "workers", "systems"), [("tiny", 1, 200), ("usual", 2, 20), ("tiny", 2, 60), ("tiny", 3, 30)]
)
def test_agrees_with_components_on_many_systems(rounds: str, workers: int, systems: int) -> None:
    random = Random(f"compact {rounds} {workers}")
    verdicts = []
    with ROUNDS[rounds]():
        for number in range(systems):
            question = random_question(random)
            store = read_store(random.choice(("compact", "compact:40")), seed=number)
            outcome = check(question, METHODS[number % len(METHODS)], workers, store)
            verdicts.append(outcome.finding is not None)
            assert 0 < outcome.statistics.omission < 1e-6
            assert not outcome.collided
            if outcome.finding:
                replayed(question, outcome.finding)
    assert 0.15 < sum(verdicts) / len(verdicts) < 0.85


def search(question: FairQuestion, store: StoreChoice, workers: int, method: FairMethod) -> Outcome:
    outcomes = run(workers, lambda exchange: search_fair_cycle(question, method, exchange, store=store))
    first = outcomes[0]
    assert all((outcome.finding, outcome.collided) == (first.finding, first.collided) for outcome in outcomes)
    assert first.limit is None
    assert not (first.finding and first.collided)
    return first


@pytest.mark.parametrize(("workers", "systems"), [(1, 160), (2, 30)])
@pytest.mark.parametrize("cut", [1, 2, 3, 5, 8])
def test_no_false_counterexample_where_states_collide(cut: int, workers: int, systems: int) -> None:
    """With hashes so short that many states share one: missed cycles and doubts are possible, lies are not."""
    random = Random(f"{cut} {workers}")
    missed = doubted = found = 0
    with tiny_rounds():
        for number in range(systems):
            question = random_question(random)
            store = replace(read_store("compact", seed=number), cut=cut)
            outcome = search(question, store, workers, METHODS[number % len(METHODS)])
            if outcome.finding:
                assert question.is_violated
                assert_is_fair_lasso(question, outcome.finding)
                replayed(question, outcome.finding)
                found += 1
            missed += question.is_violated and not outcome.finding and not outcome.collided
            doubted += outcome.collided
    assert found > 0
    assert cut > 3 or (missed > 0 and doubted > 0)


def test_a_cycle_among_hashes_alone_is_no_verdict() -> None:
    """A chain of states, all with p and none with q: with one bit for a hash it may bite its own tail."""
    chain = FairTable(
        ((1, None, None, None), (2, None, None, None), (-1, None, None, None)), frozenset({0, 1, 2}), frozenset(), (0,)
    )
    question = FairQuestion(replace(chain, extends=False), ())
    outcomes = [
        search(question, replace(read_store("compact", seed=seed), cut=1), 1, FairMethod()) for seed in range(40)
    ]
    assert not any(outcome.finding for outcome in outcomes)
    assert {outcome.collided for outcome in outcomes} == {True, False}
