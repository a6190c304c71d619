"""What a search hands over for a certificate: all states, each once, and ranks that no accepting cycle could have."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from ouroboros.engine.limits import Limits
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.memory import Words
from ouroboros.search import evidence
from ouroboros.search.accepting import Method
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    Coding,
    Formula,
    Product,
    Question,
    Table,
    random_automaton,
    random_formula,
    random_table,
    run,
    search_cycle,
    search_states,
)
from tests.search.conftest import ROUNDS

METHODS = [Method("owcty"), Method("owcty", edges="regenerate"), Method("map"), Method("ndfs")]


class Taken:
    """Takes states, as the writer of a certificate does."""

    def __init__(self) -> None:
        self.rows: list[list[int]] = []

    def __call__(self, rows: Words) -> None:
        self.rows += rows.tolist()


def assert_is_evidence(product: Product, taken: Taken) -> int:
    """Returns the greatest rank."""
    coding = Coding(product)
    ranks = {coding.node(tuple(row[:-1])): row[-1] for row in taken.rows}
    assert len(ranks) == len(taken.rows)
    assert ranks.keys() == product.edges.keys()
    for node, targets in product.edges.items():
        assert all(ranks[node] >= ranks[target] + product.accepting(node) for target in targets)
    return max(ranks.values())


def greatest_rank(product: Product, method: Method, workers: int, store: StoreChoice) -> int | None:
    """None where there is an accepting cycle: then nothing is handed over."""
    taken = Taken()
    outcomes = run(workers, lambda exchange: search_cycle(product, method, exchange, store=store, evidence=taken))
    assert all(outcome.evidence_limit is None for outcome in outcomes)
    if outcomes[0].finding:
        assert taken.rows == []
        return None
    return assert_is_evidence(product, taken)


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.algorithm}-{method.edges}")
def test_the_ranks_of_random_products(
    method: Method, workers: int, rounds: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if method.algorithm == "ndfs" and workers > 1:
        pytest.skip("nested DFS is sequential")
    random = Random(f"{method} {workers} {rounds}")
    monkeypatch.setattr(evidence, "_MOST", 3)
    greatest = []
    with ROUNDS[rounds]():
        for number in range(60 if workers == 1 else 30):
            automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
            graph = random_formula(random, 40) if number % 10 == 0 else random_table(random)
            stores = ("full",) if method.algorithm == "ndfs" else ("full", "tree", "collapse")
            store = read_store(random.choice(stores))
            greatest.append(greatest_rank(Product(graph, automaton, random.random() < 0.5), method, workers, store))
    assert len([rank for rank in greatest if rank is not None]) > 5
    assert any(greatest)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: f"{method.algorithm}-{method.edges}")
def test_a_long_chain_of_accepting_states_has_as_many_ranks(method: Method) -> None:
    chain = Formula(300, 1, 0, 1, every=1, which=0)
    assert greatest_rank(Product(chain, LAST_SEEN, False), method, 1, read_store("full")) == 299


def test_cycles_between_accepting_states_do_not_matter() -> None:
    # Two cycles that do not accept, and an accepting state before each and behind them.
    graph = Table(((1,), (2,), (3,), (2, 4), (5,), (6,), (5, 7), ()), frozenset({1, 4, 7}))
    for workers in (1, 2):
        assert greatest_rank(Product(graph, LAST_SEEN, False), METHODS[0], workers, read_store("full")) in (2, 3)


@pytest.mark.parametrize("store", ["full", "tree", "collapse"])
@pytest.mark.parametrize("workers", [1, 3])
def test_all_states_are_handed_over_once(workers: int, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence, "_MOST", 7)
    graph = Formula(100, 3, 5, 2, every=2, which=0)
    taken = Taken()
    run(
        workers,
        lambda exchange: search_states(graph, Question(), exchange, store=read_store(store), evidence=taken),
    )
    coding = Coding(Product(graph, LAST_SEEN))
    assert sorted(coding.node(tuple(row))[0] for row in taken.rows) == list(range(100))


def test_a_search_that_is_cut_short_hands_nothing_over() -> None:
    taken = Taken()
    graph = Formula(100, 3, 5, 2, every=2, which=0)
    run(1, lambda exchange: search_states(graph, Question(), exchange, limits=Limits(states=10), evidence=taken))
    assert taken.rows == []


def test_memory_may_be_enough_for_the_verdict_and_not_for_the_ranks() -> None:
    graph = Formula(60_000, 7, 3, 1000, every=60_001, which=60_000)
    product = Product(graph, LAST_SEEN, False)
    limits = {}
    for memory in range(2 << 20, 9 << 20, 1 << 18):
        taken = Taken()
        (outcome,) = run(
            1,
            lambda exchange, memory=memory, taken=taken: search_cycle(
                product, Method("owcty", edges="regenerate"), exchange, memory, evidence=taken
            ),
        )
        limits[outcome.limit, outcome.evidence_limit] = bool(taken.rows)
    assert limits == {("memory", None): False, (None, "memory"): False, (None, None): True}


def test_rows_are_words() -> None:
    taken: list[Words] = []
    graph = Table(((1,), ()), frozenset())
    run(1, lambda exchange: search_states(graph, Question(), exchange, evidence=taken.append))
    assert [(rows.dtype, rows.ndim) for rows in taken] == [(np.dtype(np.uint64), 2)]
