"""All searches for accepting cycles agree with Tarjan's algorithm on random products, and their lassos are real."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.engine.limits import Limits
from ouroboros.search.accepting import Method
from ouroboros.verdict.outcome import Finding, Outcome
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    MEMORY,
    Coding,
    Formula,
    Node,
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
from tests.search.conftest import ROUNDS, tiny_rounds

METHODS = [
    *(Method("owcty", edges=edges) for edges in ("auto", "keep", "regenerate")),
    *(Method("map", order, edges) for order in ("discovery", "reverse", "hash") for edges in ("keep", "regenerate")),
    Method("ndfs"),
]
TOGETHER = [(method, workers) for method in METHODS for workers in (1, 2, 3) if workers == 1 or method.edges != "auto"]

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


def assert_decided(product: Product, outcomes: list[Outcome]) -> None:
    """All workers say the same, and what they say is so."""
    first = outcomes[0]
    assert all(outcome.finding == first.finding and outcome.limit is None for outcome in outcomes)
    assert {outcome.statistics.states for outcome in outcomes} == {first.statistics.states}
    assert (first.finding is not None) == (product.has_accepting_cycle or product.nearest_failure is not None)
    if first.finding and first.finding.kind == "failure":
        assert_is_way_to_failure(product, first.finding)
    elif first.finding:
        assert_is_lasso(product, first.finding)
    else:
        assert first.statistics.states == len(product.edges)
        assert first.statistics.transitions == sum(map(len, product.edges.values()))


def assert_is_lasso(product: Product, finding: Finding) -> None:
    assert finding.kind == "cycle"
    assert finding.cycle
    coding = Coding(product)
    stem = [coding.node(vector) for vector in finding.path]
    cycle = [coding.node(vector) for vector in finding.cycle]
    assert stem[0] in product.initial
    walk = [*stem, *cycle]
    assert all(after in product.successors(before) for before, after in pairwise(walk))
    assert cycle[-1] == stem[-1]
    accepting = [node for node in cycle if product.accepting(node)]
    assert accepting
    assert len(set(cycle)) == len(cycle)
    if is_terminal(product):
        assert_is_bad_prefix(product, walk)
    else:
        assert len(cycle) in {product.shortest_cycle(node) for node in accepting}
        assert len(stem) - 1 == min(product.depths[node] for node in cycle)


def assert_is_way_to_failure(product: Product, finding: Finding) -> None:
    coding = Coding(product)
    path = [coding.node(vector) for vector in finding.path]
    assert path[0] in product.initial
    assert all(after in product.successors(before) for before, after in pairwise(path))
    assert product.graph.fails(path[-1][0])
    if any(map(product.accepting, path)) and is_terminal(product):
        # The run was bad before; it cannot go on but to a failure.
        assert_is_bad_prefix(product, path)
    else:
        assert len(path) - 1 == product.nearest_failure


def is_terminal(product: Product) -> bool:
    return product.extends and product.automaton.strength == "terminal"


def assert_is_bad_prefix(product: Product, walk: list[Node]) -> None:
    """As short as possible is the way to the first accepting state: the prefix that no continuation can repair."""
    bad = next(at for at, node in enumerate(walk) if product.accepting(node))
    assert bad == min(depth for node, depth in product.depths.items() if product.accepting(node))


def check(product: Product, method: Method, workers: int, memory: int = MEMORY) -> list[Outcome]:
    outcomes = run(workers, lambda exchange: search_cycle(product, method, exchange, memory))
    assert_decided(product, outcomes)
    return outcomes


@pytest.mark.parametrize("rounds", ROUNDS)
@given(data=st.data())
@settings(relaxed, max_examples=250)
def test_every_method_agrees_with_tarjan(rounds: str, data: st.DataObject) -> None:
    product = Product(data.draw(tables()), data.draw(automata()), data.draw(st.booleans()))
    method, workers = data.draw(st.sampled_from(TOGETHER))
    with ROUNDS[rounds]():
        check(product, method, workers)


@pytest.mark.parametrize(("method", "workers"), TOGETHER)
def test_every_method_agrees_with_tarjan_on_many_graphs(method: Method, workers: int) -> None:
    random = Random(f"{method} {workers}")
    verdicts = []
    with tiny_rounds():
        for _ in range(400 if workers == 1 else 120):
            automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
            product = Product(random_table(random), automaton, random.random() < 0.5)
            verdicts.append(check(product, method, workers)[0].finding is not None)
    assert 0.15 < sum(verdicts) / len(verdicts) < 0.85


@pytest.mark.parametrize("rounds", ROUNDS)
@pytest.mark.parametrize(("method", "workers"), [pair for pair in TOGETHER if pair[1] < 3])
def test_every_method_agrees_with_tarjan_on_large_graphs(method: Method, workers: int, rounds: str) -> None:
    random = Random(f"{method} {workers} {rounds}")
    # MAP may need an iteration for each accepting state, each as long as the longest way.
    sizes = (1000, 5000) if method.algorithm != "map" and rounds == "usual" else (200,)
    with ROUNDS[rounds]():
        for vertices in sizes:
            automaton = random.choice(list(AUTOMATA.values()))
            check(Product(random_formula(random, vertices), automaton, random.random() < 0.5), method, workers)


EDGE_CASES = {
    "one vertex and no edge": Table(((),), frozenset()),
    "one accepting vertex and no edge": Table(((),), frozenset({0})),
    "a loop": Table(((0,),), frozenset()),
    "an accepting loop": Table(((0,),), frozenset({0})),
    "an accepting loop, three times the same edge": Table(((0, 0, 0),), frozenset({0})),
    "several initial vertices, the last with a loop": Table(((), (), (2,)), frozenset({2}), (0, 1, 2)),
    "the same initial vertex twice": Table(((1,), (0,)), frozenset({1}), (0, 0)),
    "an accepting vertex before a cycle": Table(((1,), (2,), (1,)), frozenset({0})),
    "an accepting vertex behind a cycle": Table(((1,), (0, 2), ()), frozenset({2})),
    "a failure": Table(((),), frozenset(), failing=frozenset({0})),
    "an accepting vertex before a failure": Table(((1,), ()), frozenset({0}), failing=frozenset({1})),
    "a failure beside a cycle": Table(((0, 1), (1,)), frozenset({1}), failing=frozenset({0, 1})),
    "a near accepting vertex, and one that a search by depth meets first": Table(
        ((1, 5), (2,), (3,), (4,), (4,), (5,)), frozenset({4, 5})
    ),
    "a long cycle": Table(tuple(((v + 1) % 15,) for v in range(15)), frozenset({7})),
    "cycles in a chain, the last one accepting": Table(
        ((0, 1), (1, 2), (2, 3), (3, 4), (4,)), frozenset({4})
    ),
    "accepting vertices that hide behind greater ones": Table(
        ((1, 2), (3,), (4,), (5,), (6,), (7,), (7,), (2, 8), ()), frozenset({1, 2, 3, 8})
    ),
}  # fmt: skip


@pytest.mark.parametrize("graph", EDGE_CASES.values(), ids=EDGE_CASES)
def test_edge_cases(graph: Table) -> None:
    together = [(method, 2) for method in METHODS if method in (Method("owcty", edges="keep"), Method("map"))]
    for automaton in AUTOMATA.values():
        for extends in (False, True):
            for method, workers in [*((method, 1) for method in METHODS), *together]:
                with tiny_rounds():
                    check(Product(graph, automaton, extends), method, workers)


def test_a_chain_of_candidates_takes_many_iterations() -> None:
    """Elimination takes the chain apart step by step; there is no cycle."""
    chain = Product(Formula(300, 1, 0, 1, 3, 0), LAST_SEEN)
    check(chain, Method("owcty"), 1)
    # In discovery order, each iteration of MAP removes only the last candidate from each subgraph.
    (reverse,) = check(chain, Method("map", "reverse"), 1)
    (discovery,) = check(chain, Method("map", "discovery"), 1)
    assert reverse.statistics.iterations > 10 * discovery.statistics.iterations


@dataclass(frozen=True)
class Patience(Limits):
    """Time is up when somebody has asked for the time too often."""

    questions: int = 0
    asked: list[None] = field(default_factory=list)

    @property
    def out_of_time(self) -> bool:
        self.asked.append(None)
        return len(self.asked) > self.questions


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("method", "workers"), [pair for pair in TOGETHER if pair[1] < 3])
def test_too_little_time_is_a_limit_and_never_a_wrong_verdict(method: Method, workers: int) -> None:
    """Whenever it runs out, in whatever phase: in each one of the workers is the first to notice."""
    random = Random(f"{method} {workers}")
    graphs = [random_table(random) for _ in range(5)]
    with tiny_rounds():
        for graph in [*graphs, Table(((0, 1, 2), (1,), ()), frozenset({0, 1}), failing=frozenset({2}))]:
            product = Product(graph, random.choice(list(AUTOMATA.values())), random.random() < 0.5)
            for questions in [*range(10), *random.sample(range(10, 100), 10), 10**6]:
                limits = Patience(questions=questions)
                outcomes = run(workers, lambda exchange: search_cycle(product, method, exchange, limits=limits))
                if {outcome.limit for outcome in outcomes} == {"time"}:
                    assert not any(outcome.finding for outcome in outcomes)
                    assert questions < 10**6
                elif method.algorithm != "ndfs":
                    assert_decided(product, outcomes)
                else:
                    # Where there is no time to look for a short lasso, a long one is better than none.
                    wrong = product.has_accepting_cycle or product.nearest_failure is not None
                    assert (outcomes[0].finding is not None) == wrong


@pytest.mark.timeout(60)
@pytest.mark.parametrize(("method", "workers"), TOGETHER)
def test_too_little_memory_is_a_limit_and_never_a_wrong_verdict(method: Method, workers: int) -> None:
    """Also when only some of the workers meet the limit, in whatever phase."""
    random = Random(f"{method} {workers}")
    limited = decided = 0
    with tiny_rounds():
        for _ in range(4):
            product = Product(random_formula(random, 40), random.choice(list(AUTOMATA.values())), random.random() < 0.5)
            (unlimited, *_) = check(product, method, workers)
            enough = unlimited.statistics.bytes // workers
            for memory in random.sample(range(enough // 2, 2 * enough), 25 if workers == 1 else 10):
                outcomes = run(workers, lambda exchange: search_cycle(product, method, exchange, memory))
                if any(outcome.limit for outcome in outcomes):
                    assert {outcome.limit for outcome in outcomes} == {"memory"}
                    assert not any(outcome.finding for outcome in outcomes)
                    limited += 1
                else:
                    assert_decided(product, outcomes)
                    decided += 1
    assert limited
    assert decided
