"""Hash compaction: with enough bits nothing is missed; with too few, what is found is real all the same."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import read_store
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.search.worker import Worker
from ouroboros.system.model import System
from tests.graphs import (
    LAST_SEEN,
    MEMORY,
    Coding,
    Counts,
    Product,
    Question,
    as_system,
    counts,
    random_formula,
    random_table,
    run,
    search_states,
    search_system,
)
from tests.search.conftest import tiny_rounds
from tests.search.test_accepting_cycles import relaxed
from tests.search.test_reachability import MOST_STATES, assert_counts, assert_is_path, explore, nearest
from tests.systems import systems


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_with_enough_bits_every_state_is_found(workers: int) -> None:
    random = Random(workers)
    for number in range(60):
        graph = random_formula(random, 300) if number % 10 == 0 else random_table(random)
        store = read_store(random.choice(("compact", "compact:48", "compact:64")), seed=number)
        with tiny_rounds():
            outcomes = run(workers, lambda exchange: search_states(graph, Question(), exchange, store=store))
        for outcome in outcomes:
            found = outcome.statistics
            assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
            assert 0 < found.omission < 1e-6


@given(system=systems(), workers=st.integers(1, 3), seed=st.integers(0, 5))
@settings(relaxed, max_examples=60)
def test_random_systems(system: System, workers: int, seed: int) -> None:
    propositions = list(system.assertions[:1])
    plain = explore(system, propositions)
    program = compile_system(system, propositions)
    for question in (Question(), Question(required=len(propositions), deadlock=True, failure=True)):
        with tiny_rounds():
            outcomes = run(
                workers,
                lambda exchange: search_system(
                    system,
                    program,
                    question,
                    Worker(
                        exchange, Budget(MEMORY), Limits(states=MOST_STATES), store=read_store("compact", seed=seed)
                    ),
                ),
            )
        finding = outcomes[0].finding
        assert all(outcome.finding == finding for outcome in outcomes)
        if question == Question() and plain.complete:
            assert_counts(plain, outcomes[0])
        elif plain.complete:
            assert (finding and len(finding.path)) == (nearest(plain, question) or (None,))[0]
        if finding:
            assert_is_path(system, finding)


@pytest.mark.parametrize("workers", [1, 2])
def test_with_too_few_bits_paths_are_real(workers: int) -> None:
    """The search misses most of the graph, but what it finds is there."""
    random = Random(workers)
    missed = found = 0
    for number in range(100):
        graph = random_formula(random, 400)
        store = replace(read_store("compact", seed=number), cut=random.randrange(3, 9))
        question = Question(required=1)
        with tiny_rounds():
            everything = run(workers, lambda exchange: search_states(graph, Question(), exchange, store=store))[0]
            outcome = run(workers, lambda exchange: search_states(graph, question, exchange, store=store))[0]
        missed += everything.statistics.states < counts(graph).states
        assert everything.statistics.omission == 1.0 or everything.statistics.states < 100
        if outcome.finding:
            found += 1
            assert_is_path(as_system(Product(graph, LAST_SEEN)), outcome.finding)
            vertex, _ = Coding(Product(graph, LAST_SEEN)).node(outcome.finding.path[-1])
            assert not graph.accepts(vertex)
    assert missed > 50
    assert found > 20
