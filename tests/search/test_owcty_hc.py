"""OWCTY with hash compaction: right with enough bits, and never a false counterexample with too few."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.stores.choice import StoreChoice, read_store
from ouroboros.engine.stores.hashed import HashedStore
from ouroboros.ltl.automaton import Automaton
from ouroboros.memory import Budget
from ouroboros.search.accepting import Method
from ouroboros.verdict.outcome import Finding, Outcome
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    Coding,
    Formula,
    Product,
    Table,
    automata,
    random_automaton,
    random_formula,
    random_table,
    run,
    search_cycle,
    tables,
)
from tests.search.conftest import tiny_rounds
from tests.search.test_accepting_cycles import (
    EDGE_CASES,
    Patience,
    assert_is_way_to_failure,
    is_terminal,
    relaxed,
)

OWCTY = Method("owcty")


def search(product: Product, store: StoreChoice, workers: int = 1) -> Outcome:
    outcomes = run(workers, lambda exchange: search_cycle(product, OWCTY, exchange, store=store))
    first = outcomes[0]
    assert all(outcome.finding == first.finding and outcome.limit is None for outcome in outcomes)
    if first.finding:
        assert_is_real(product, first.finding)
    return first


def assert_is_real(product: Product, finding: Finding) -> None:
    if finding.kind == "failure":
        assert_is_way_to_failure(product, finding)
    else:
        assert_is_some_lasso(product, finding)


def assert_is_some_lasso(product: Product, finding: Finding) -> None:
    """Not a shortest one, as other searches give."""
    assert finding.kind == "cycle"
    assert finding.cycle
    coding = Coding(product)
    stem = [coding.node(vector) for vector in finding.path]
    cycle = [coding.node(vector) for vector in finding.cycle]
    assert stem[0] in product.initial
    assert all(after in product.successors(before) for before, after in pairwise([*stem, *cycle]))
    assert cycle[-1] == stem[-1]
    assert any(map(product.accepting, cycle))


def expected(product: Product) -> bool:
    return product.has_accepting_cycle or product.nearest_failure is not None


@given(graph=tables(), automaton=automata(), extends=st.booleans(), workers=st.integers(1, 3))
@settings(relaxed, max_examples=60)
def test_agrees_with_tarjan(graph: Table, automaton: Automaton, extends: bool, workers: int) -> None:
    product = Product(graph, automaton, extends)
    with tiny_rounds():
        outcome = search(product, read_store("compact", seed=workers), workers)
    assert (outcome.finding is not None) == expected(product)
    if not outcome.finding:
        assert outcome.statistics.states == len(product.edges)
        assert 0 < outcome.statistics.omission < 1e-9


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_agrees_with_tarjan_on_many_graphs(workers: int) -> None:
    random = Random(workers)
    verdicts = []
    with tiny_rounds():
        for number in range(240 // workers):
            automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
            product = Product(random_table(random), automaton, random.random() < 0.5)
            outcome = search(product, read_store("compact:48", seed=number), workers)
            assert (outcome.finding is not None) == expected(product)
            verdicts.append(outcome.finding is not None)
    assert 0.15 < sum(verdicts) / len(verdicts) < 0.85


@pytest.mark.parametrize("graph", EDGE_CASES.values(), ids=EDGE_CASES)
def test_edge_cases(graph: Table) -> None:
    for automaton in AUTOMATA.values():
        for extends in (False, True):
            with tiny_rounds():
                product = Product(graph, automaton, extends)
                assert (search(product, read_store("compact")).finding is not None) == expected(product)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("cut", [3, 6, 12, 16, 20])
def test_no_false_counterexample_where_states_collide(cut: int, workers: int) -> None:
    """Thousands of graphs, with hashes so short that many states share one. Misses are possible, lies are not."""
    random = Random(f"{cut} {workers}")
    missed = 0
    with tiny_rounds():
        for number in range(300 if workers == 1 else 40):
            graph = random_formula(random, random.choice((30, 300))) if number % 3 == 0 else random_table(random)
            automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
            product = Product(graph, automaton, random.random() < 0.5)
            outcome = search(product, replace(read_store("compact", seed=number), cut=cut), workers)
            assert outcome.finding is None or expected(product)
            missed += expected(product) and outcome.finding is None
    assert missed > 0 or cut > 3


def _colliding(graph: Table, classes: list[set[int]], cut: int) -> tuple[Product, StoreChoice]:
    """A seed for which exactly these vertices share their hashes."""
    product = Product(graph, LAST_SEEN)
    coding = Coding(product)
    nodes = list(product.edges)
    vectors = np.array([coding.vector(node) for node in nodes], np.uint64)
    wanted = [{node for node in nodes if node[0] in group} for group in classes]
    for seed in range(200_000):
        store = HashedStore(vectors.shape[1], Budget(1 << 22), len(nodes), cut, seed)
        store.exploring = False
        ids = store.number(vectors.reshape(-1), len(nodes)).tolist()
        groups: dict[int, set[tuple[int, int]]] = {}
        for node, number in zip(nodes, ids, strict=True):
            groups.setdefault(number, set()).add(node)
        if sorted(map(sorted, (group for group in groups.values() if len(group) > 1))) == sorted(map(sorted, wanted)):
            return product, replace(read_store("compact", seed=seed), cut=cut)
    raise AssertionError("no such seed")


def test_a_false_cycle_is_eliminated_when_iterations_change() -> None:
    """Figure 1 of the paper: s2 is reached from the accepting s1, and has the same hash. So s1 seems to have a
    predecessor, and is not eliminated; but no edge leads to it, and the next iteration does not start from it."""
    # A node of the product is accepting if the vertex before it is: s1 is behind vertex 1, s2 is vertex 4.
    product, store = _colliding(Table(((1,), (2,), (3,), (4,), (5,), ()), frozenset({1})), [{2, 4}], 3)
    outcome = search(product, store)
    assert outcome.finding is None
    phases = [(phase.name, phase.states) for phase in outcome.statistics.phases]
    assert phases == [
        ("exploration", 4),
        *(("reachability", 2), ("elimination", 2)),
        *(("reachability", 0), ("elimination", 0)),
    ]


def test_verification_rejects_what_is_left_without_a_fixpoint() -> None:
    """Figure 2: of three states with the same hash the second, and then the third, takes the place of the one before;
    S changes, but not its size."""
    chain = Table((*((vertex + 1,) for vertex in range(7)), ()), frozenset({1, 3, 5}))
    product, store = _colliding(chain, [{2, 4, 6}], 3)
    outcome = search(product, store)
    assert outcome.finding is None
    phases = [(phase.name, phase.states) for phase in outcome.statistics.phases]
    assert phases == [
        ("exploration", 4),
        *(("reachability", 2), ("elimination", 2)),
        *(("reachability", 2), ("elimination", 2)),
        ("verification", 0),
    ]


def test_limits_end_the_search() -> None:
    product = Product(Formula(300, 1, 0, 1, 3, 0), LAST_SEEN)
    store = read_store("compact")
    limits = set()
    with tiny_rounds():
        for questions in range(0, 400, 23):
            limited = search_cycle(product, OWCTY, SoloExchange(), limits=Patience(questions=questions), store=store)
            limits.add(limited.limit)
        memories = {
            search_cycle(product, OWCTY, SoloExchange(), 1 << power, store=store).limit for power in range(8, 26)
        }
    assert limits <= {"time", None}
    assert "time" in limits
    assert memories == {"memory", None}


def test_terminal_automata_need_no_cycle() -> None:
    random = Random(5)
    terminal = 0
    for number in range(60):
        product = Product(random_table(random), random.choice(list(AUTOMATA.values())), True)
        terminal += is_terminal(product)
        outcome = search(product, read_store("compact", seed=number))
        assert (outcome.finding is not None) == expected(product)
    assert terminal > 5
