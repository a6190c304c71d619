"""Bitstate: a large filter misses nothing in small graphs; a small one misses much, and reports nothing false."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from ouroboros.engine.stores.bitstate import coverage
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.search.accepting import Method
from ouroboros.verdict.outcome import Finding
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    Coding,
    Counts,
    Product,
    Question,
    Table,
    as_system,
    counts,
    random_automaton,
    random_formula,
    random_table,
    run,
    search_cycle,
    search_states,
)
from tests.search.conftest import tiny_rounds
from tests.search.test_accepting_cycles import EDGE_CASES
from tests.search.test_owcty_hc import assert_is_real, expected
from tests.search.test_reachability import assert_is_path

LARGE, SMALL = read_store("bitstate:1M,3"), read_store("bitstate:8,2")
NESTED = Method("ndfs")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_large_filter_counts_every_state(workers: int) -> None:
    random = Random(workers)
    with tiny_rounds():
        for _ in range(40):
            graph = random_table(random)
            for outcome in run(workers, lambda exchange: search_states(graph, Question(), exchange, store=LARGE)):
                found = outcome.statistics
                assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
                assert found.omission == 1
                assert found.coverage is not None
                assert 0.9999 < found.coverage <= 1


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_small_filter_finds_is_real(workers: int) -> None:
    random = Random(workers)
    missed = 0
    with tiny_rounds():
        for _ in range(40):
            graph = random_formula(random, 200)
            everything = run(workers, lambda exchange: search_states(graph, Question(), exchange, store=SMALL))[0]
            missed += everything.statistics.states < counts(graph).states
            assert (everything.statistics.coverage or 0) < 1
            question = Question(required=1)
            finding = run(workers, lambda exchange: search_states(graph, question, exchange, store=SMALL))[0].finding
            if finding:
                assert_is_path(as_system(Product(graph, LAST_SEEN)), finding)
    assert missed > 20


@pytest.mark.parametrize("store", [LARGE, SMALL], ids=str)
def test_nested_search(store: StoreChoice) -> None:
    random = Random(7)
    missed = found = 0
    with tiny_rounds():
        for _ in range(150):
            automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
            product = Product(random_table(random), automaton, random.random() < 0.5)
            outcome = run(1, lambda exchange: search_cycle(product, NESTED, exchange, store=store))[0]
            if outcome.finding:
                found += 1
                assert expected(product)
                if outcome.finding.kind == "cycle":
                    assert_is_real(product, outcome.finding)
                else:
                    assert_ends_in_failure(product, outcome.finding)
            missed += expected(product) and outcome.finding is None
    assert found > 50
    assert (missed > 0) == (store is SMALL)


def assert_ends_in_failure(product: Product, finding: Finding) -> None:
    """By any way, not by a shortest."""
    path = [Coding(product).node(vector) for vector in finding.path]
    assert path[0] in product.initial
    assert all(after in product.successors(before) for before, after in pairwise(path))
    assert product.graph.fails(path[-1][0])


@pytest.mark.parametrize("graph", EDGE_CASES.values(), ids=EDGE_CASES)
def test_edge_cases(graph: Table) -> None:
    for automaton in AUTOMATA.values():
        product = Product(graph, automaton)
        outcome = run(1, lambda exchange: search_cycle(product, NESTED, exchange, store=LARGE))[0]
        assert (outcome.finding is not None) == expected(product)


def test_coverage() -> None:
    """By hand: with one hash and m states in m bits, ∑ p / (1 - p) = ∫ exp(x) - 1 = e - 2 for each bit."""
    assert coverage(1_000_000, 1_000_000, 1) == pytest.approx(1 / (1 + 2.71828 - 2), rel=1e-3)
    assert coverage(0, 64, 3) == 1
    assert coverage(1000, 1 << 30, 3) > 0.999999


def test_too_little_memory() -> None:
    graph = random_formula(Random(1), 200)
    outcome = run(1, lambda exchange: search_cycle(Product(graph, LAST_SEEN), NESTED, exchange, 2000, store=LARGE))[0]
    assert outcome.limit == "memory"
