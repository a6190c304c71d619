"""A search that is interrupted and resumed, by any other number of workers, finds what one in a single run finds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ouroboros.checkpoint.choosing import choose
from ouroboros.checkpoint.directory import Directory
from ouroboros.checkpoint.keeper import Keeper
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Interrupt, Limits
from ouroboros.engine.stores.choice import read_store
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.search.accepting import Method
from ouroboros.search.attainability import attainability
from ouroboros.search.fair import FairMethod
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Outcome
from tests.fair_graphs import search_fair_cycle
from tests.graphs import (
    AUTOMATA,
    LAST_SEEN,
    MEMORY,
    Counts,
    Graph,
    Product,
    Question,
    as_system,
    counts,
    random_automaton,
    random_formula,
    random_table,
    run,
    search_cycle,
    search_states,
    search_system,
)
from tests.search.conftest import tiny_rounds
from tests.search.interrupting import ALWAYS, NEVER, in_pieces, quick_disk
from tests.search.test_accepting_cycles import assert_decided, relaxed
from tests.search.test_reachability import MOST_STATES, assert_counts, assert_is_path, explore
from tests.search.test_response import assert_decided as assert_fairly_decided
from tests.search.test_response import random_question
from tests.systems import systems

STORES = ("full", "tree", "collapse")
METHODS = [
    Method("owcty", edges="keep"),
    Method("owcty", edges="regenerate"),
    Method("map", edges="keep"),
    Method("map", "reverse", "regenerate"),
]


def random_graph(random: Random) -> Graph:
    return random_formula(random, random.choice((10, 30))) if random.random() < 0.3 else random_table(random)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("workers", [(1,), (1, 2, 3)])
def test_states_are_counted(store: str, workers: tuple[int, ...], tmp_path: Path) -> None:
    random = Random(f"{store} {workers}")
    interruptions = 0
    for number in range(14):
        graph = random_graph(random)

        def work(exchange: Exchange, limits: Limits, keeper: Keeper) -> Outcome:
            return search_states(
                graph,
                Question(),
                exchange,
                limits=limits,
                store=read_store(store),
                keeper=keeper,
            )

        with tiny_rounds(), quick_disk():
            pieces = in_pieces(work, tmp_path / str(number), random, workers, random.choice((NEVER, ALWAYS)))
        found = pieces.outcomes[0].statistics
        assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
        interruptions += pieces.interruptions
    assert interruptions > 3


@pytest.mark.parametrize("workers", [(1,), (1, 2, 3)])
def test_what_is_nearest_is_found(workers: tuple[int, ...], tmp_path: Path) -> None:
    random = Random(f"nearest {workers}")
    violated = interruptions = 0
    for number in range(24):
        graph = random_graph(random)
        question = random.choice((Question(deadlock=True, failure=True), Question(required=1), Question(failure=True)))

        def work(exchange: Exchange, limits: Limits, keeper: Keeper | None) -> Outcome:
            return search_states(graph, question, exchange, limits=limits, keeper=keeper)

        (expected,) = run(1, lambda exchange: work(exchange, Limits(), None))
        with tiny_rounds(), quick_disk():
            pieces = in_pieces(work, tmp_path / str(number), random, workers)
        for outcome in pieces.outcomes:
            assert (outcome.finding is None) == (expected.finding is None)
            if expected.finding and outcome.finding:
                assert len(outcome.finding.path) == len(expected.finding.path)
                assert_is_path(as_system(Product(graph, LAST_SEEN)), outcome.finding)
        violated += expected.finding is not None
        interruptions += pieces.interruptions
    assert 4 < violated < 20
    assert interruptions > 8


@given(data=st.data())
@settings(relaxed, max_examples=6)
def test_random_systems(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    system = data.draw(systems())
    plain = explore(system, [])
    if len(plain.depths) >= MOST_STATES or not plain.complete:
        return
    program = compile_system(system, [])
    store = read_store(data.draw(st.sampled_from(STORES)))

    def work(exchange: Exchange, limits: Limits, keeper: Keeper) -> Outcome:
        return search_system(system, program, Question(), Worker(exchange, Budget(MEMORY), limits, None, store, keeper))

    random = Random(data.draw(st.integers(0, 99)))
    with tiny_rounds(), quick_disk():
        pieces = in_pieces(work, tmp_path_factory.mktemp("run"), random, (1, 2))
    assert_counts(plain, pieces.outcomes[0])


@pytest.mark.parametrize(
    ("method", "store", "workers"),
    [
        *((method, store, workers) for method in METHODS for store in STORES for workers in ((1,), (1, 2, 3))),
        (Method("ndfs"), "full", (1,)),
    ],
    ids=str,
)
def test_cycles_are_found(store: str, method: Method, workers: tuple[int, ...], tmp_path: Path) -> None:
    random = Random(f"{store} {method} {workers}")
    interruptions = 0
    for number in range(8):
        automaton = random.choice((LAST_SEEN, random_automaton(random), random.choice(list(AUTOMATA.values()))))
        product = Product(random_graph(random), automaton, random.random() < 0.5)

        def work(exchange: Exchange, limits: Limits, keeper: Keeper) -> Outcome:
            return search_cycle(
                product,
                method,
                exchange,
                limits=limits,
                store=read_store(store),
                keeper=keeper,
            )

        with tiny_rounds(), quick_disk():
            pieces = in_pieces(work, tmp_path / str(number), random, workers, random.choice((NEVER, ALWAYS)))
        if method.algorithm == "ndfs" and pieces.impatient:
            # The way that the stack has is told then, which need not be short.
            violated = product.has_accepting_cycle or product.nearest_failure is not None
            assert (pieces.outcomes[0].finding is not None) == violated
        else:
            assert_decided(product, pieces.outcomes)
        interruptions += pieces.interruptions
    assert interruptions > 4


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("workers", [(1,), (1, 2, 3)])
def test_fair_cycles_are_found(store: str, workers: tuple[int, ...], tmp_path: Path) -> None:
    random = Random(f"fair {store} {workers}")
    interruptions = 0
    for number in range(12):
        question = random_question(random)
        method = FairMethod(edges=random.choice(("keep", "regenerate")))

        def work(exchange: Exchange, limits: Limits, keeper: Keeper) -> Outcome:
            return search_fair_cycle(
                question,
                method,
                exchange,
                limits=limits,
                store=read_store(store),
                keeper=keeper,
            )

        with tiny_rounds(), quick_disk():
            pieces = in_pieces(work, tmp_path / str(number), random, workers, random.choice((NEVER, ALWAYS)))
        assert_fairly_decided(question, pieces.outcomes)
        interruptions += pieces.interruptions
    assert interruptions > 3


@pytest.mark.parametrize("workers", [(1,), (1, 2, 3)])
def test_what_is_out_of_reach_is_found(workers: tuple[int, ...], tmp_path: Path) -> None:
    random = Random(f"trapped {workers}")
    interruptions = trapped = 0
    for number in range(14):
        graph = random_graph(random)
        system = as_system(Product(graph, LAST_SEEN))

        def work(exchange: Exchange, limits: Limits, keeper: Keeper | None) -> Outcome:
            whole = SystemGraph(system, graph.model.program)
            return attainability(whole, 1, Worker(exchange, Budget(MEMORY), limits, keeper=keeper))

        (expected,) = run(1, lambda exchange: work(exchange, Limits(), None))
        with tiny_rounds(), quick_disk():
            pieces = in_pieces(work, tmp_path / str(number), random, workers)
        for outcome in pieces.outcomes:
            assert (outcome.finding is None) == (expected.finding is None)
            if outcome.finding and expected.finding:
                assert len(outcome.finding.path) == len(expected.finding.path)
            assert outcome.statistics.transitions == expected.statistics.transitions
        trapped += expected.finding is not None
        interruptions += pieces.interruptions
    assert 2 < trapped < 13
    assert interruptions > 2


def test_states_that_were_handed_over_are_not_lost(tmp_path: Path) -> None:
    """Gifts so large that they are not expanded in the round in which they are made; then the search is interrupted."""
    random = Random("gifts")
    interrupted = 0
    for number in range(12):
        # Many initial states are a queue that is worth sharing.
        graph = replace(random_formula(random, 150), initial=tuple(random.sample(range(150), 60)))
        directory = Directory(tmp_path / str(number))
        directory.begin({})

        def search(exchange: Exchange, keeper: Keeper, limits: Limits) -> Outcome:
            return search_states(graph, Question(), exchange, limits=limits, keeper=keeper)

        keeper = Keeper(directory, NEVER)
        keeper.begin("search", None, "the only one")
        interrupt = Interrupt()
        whole_round = Explorer.round

        def watched(self: Explorer, *arguments: Any) -> Any:
            result = whole_round(self, *arguments)
            interrupt.asked |= self.borrowed > 0
            return result

        with tiny_rounds(), quick_disk(), pytest.MonkeyPatch.context() as patch:
            patch.setattr(Explorer, "most_given", 20)
            patch.setattr(Explorer, "round", watched)
            first = run(2, lambda exchange: search(exchange, keeper, Limits(interrupt=interrupt)))[0]
        if first.limit is None:
            continue
        interrupted += 1
        resumed = Keeper(directory, NEVER)
        resumed.resume(choose(directory, SoloExchange()).generation)
        resumed.begin("search", None, "the only one")
        found = run(3, lambda exchange: search(exchange, resumed, Limits()))[0].statistics
        assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
    assert interrupted > 2
