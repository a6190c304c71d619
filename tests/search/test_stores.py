"""Every store that misses nothing gives counts and verdicts of the full store, with every algorithm that takes it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import read_store, word_spans
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.search.accepting import Method
from ouroboros.search.worker import Worker
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import System
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    MEMORY,
    Counts,
    Product,
    Question,
    counts,
    random_automaton,
    random_formula,
    random_table,
    run,
    search_cycle,
    search_states,
    search_system,
)
from tests.search.conftest import ROUNDS, tiny_rounds
from tests.search.test_accepting_cycles import assert_decided, relaxed
from tests.search.test_reachability import MOST_STATES, assert_counts, assert_is_path, explore
from tests.systems import systems

STORES = ("tree", "collapse")
FOR_STATES = (*STORES, "automaton")
"""Those that are for properties of states, at least."""
METHODS = [
    Method("owcty", edges="keep"),
    Method("owcty", edges="regenerate"),
    Method("map", edges="keep"),
    Method("map", "reverse", "regenerate"),
]


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("store", STORES)
def test_cycles_in_many_graphs(store: str, workers: int) -> None:
    random = Random(f"{store} {workers}")
    for number in range(160 // workers):
        automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
        product = Product(random_table(random), automaton, random.random() < 0.5)
        with tiny_rounds():
            outcomes = run(
                workers,
                lambda exchange: search_cycle(
                    product,
                    METHODS[number % 4],
                    exchange,
                    store=read_store(store),
                ),
            )
        assert_decided(product, outcomes)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("store", STORES)
def test_cycles_in_large_graphs(store: str, rounds: str) -> None:
    random = Random(f"{store} {rounds}")
    for method in METHODS[:2]:
        product = Product(random_formula(random, 2000 if rounds == "usual" else 150), LAST_SEEN)
        with ROUNDS[rounds]():
            assert_decided(
                product,
                run(1, lambda exchange: search_cycle(product, method, exchange, store=read_store(store))),
            )


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("store", FOR_STATES)
def test_counts_of_many_graphs(store: str, workers: int) -> None:
    random = Random(f"{store} {workers}")
    for number in range(60):
        graph = random_formula(random, 300) if number % 10 == 0 else random_table(random)
        with tiny_rounds():
            outcomes = run(
                workers,
                lambda exchange: search_states(graph, Question(), exchange, store=read_store(store)),
            )
        for outcome in outcomes:
            found = outcome.statistics
            assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)


@given(system=systems(), store=st.sampled_from(FOR_STATES), workers=st.integers(1, 3))
@settings(relaxed, max_examples=60)
def test_random_systems(system: System, store: str, workers: int) -> None:
    plain = explore(system, [])
    program = compile_system(system, [])
    for question in (Question(), Question(deadlock=True, failure=True)):
        with tiny_rounds():
            outcomes = run(
                workers,
                lambda exchange: search_system(
                    system,
                    program,
                    question,
                    Worker(exchange, Budget(MEMORY), Limits(states=MOST_STATES), store=read_store(store)),
                ),
            )
        for outcome in outcomes:
            if question == Question() and plain.complete:
                assert_counts(plain, outcome)
            if outcome.finding:
                assert_is_path(system, outcome.finding)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("workers", [1, 2])
def test_too_little_memory_ends_the_search(store: str, workers: int) -> None:
    random = Random(workers)
    endings = []
    with tiny_rounds():
        for _ in range(8):
            graph = random_formula(random, 60)
            whole = run(
                workers,
                lambda exchange: search_states(graph, Question(), exchange, store=read_store(store)),
            )[0]
            for _ in range(5):
                memory = random.randint(0, 4 * whole.statistics.bytes // workers)
                outcomes = run(
                    workers,
                    lambda exchange: search_states(
                        graph,
                        Question(),
                        exchange,
                        memory,
                        store=read_store(store),
                    ),
                )
                assert {outcome.limit for outcome in outcomes} in ({"memory"}, {None})
                endings.append(outcomes[0].limit)
                if outcomes[0].limit is None:
                    assert outcomes[0].statistics.states == whole.statistics.states
    assert {"memory", None} == set(endings)


def test_components_are_spans_of_words() -> None:
    layout = Layout(
        (Field("a", "globals", 64), Field("b", "P", 40), Field("c", "Q", 20), Field("d", "Q", 16, length=9))
    )
    assert word_spans(layout) == ((0, 1), (1, 2), (1, 5))
