"""States move from long queues to short ones, and nothing else changes."""

from __future__ import annotations

from random import Random

import pytest

from ouroboros.engine import balance
from ouroboros.engine.balance import Gift, Plan, plan
from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.owners import Ownership
from ouroboros.engine.stores.choice import read_store
from ouroboros.search import exploration
from ouroboros.verdict.outcome import Outcome
from tests.graphs import LAST_SEEN, Coding, Counts, Formula, Product, Question, counts, random_table, search_states
from tests.search.conftest import tiny_rounds
from tests.threads import ThreadExchange, run_threads

LEAST = balance._LEAST
MANY = 100 * LEAST


@pytest.mark.parametrize(
    ("queues", "borrowed", "expected"),
    [
        ([MANY, MANY], [0, 0], Plan()),
        ([MANY, 0], [0, 0], Plan((Gift(0, 1, MANY // 2),))),
        ([MANY, 0], [0, 1], Plan(most=LEAST)),
        ([0, MANY, 0], [0, 0, 0], Plan((Gift(1, 0, MANY // 3), Gift(1, 2, MANY // 3)))),
        ([0, MANY, 0, 3 * MANY], [0, 0, 0, 0], Plan((Gift(3, 0, MANY), Gift(3, 2, MANY)))),
        ([0, MANY, 0, MANY], [0, 0, 0, 0], Plan((Gift(1, 0, MANY // 2), Gift(3, 2, MANY // 2)))),
        ([MANY, 3 * MANY], [0, 0], Plan(most=MANY)),
        ([MANY, MANY + MANY // 2], [0, 0], Plan()),
        ([2 * LEAST - 1, 0], [0, 0], Plan()),
        ([2 * LEAST, 0], [0, 0], Plan((Gift(0, 1, LEAST),))),
        ([0, 0], [MANY, 0], Plan()),
    ],
)
def test_plans(queues: list[int], borrowed: list[int], expected: Plan) -> None:
    assert plan(queues, borrowed, most_given=10 * MANY) == expected


def test_a_message_is_bounded() -> None:
    assert plan([MANY, 0], [0, 0], most_given=LEAST) == Plan((Gift(0, 1, LEAST),))


def _skewed(states: int) -> Formula:
    """A graph whose initial states all belong to the first of two workers."""
    graph = Formula(20 * states, 3, 1, 2, 7, 0)
    coding = Coding(Product(graph, LAST_SEEN))
    words = graph.model.system.layout.words
    ownership = Ownership(words, words, 2)

    def belongs(vertex: int) -> bool:
        return ownership.of_one(coding.vector((vertex, LAST_SEEN.initial))) == 0

    chosen = [vertex for vertex in range(0, graph.vertices, 5) if belongs(vertex)][:states]
    return Formula(20 * states, 3, 1, 2, 7, 0, tuple(chosen))


@pytest.mark.parametrize("store", ["full", "tree", "compact"])
def test_a_skewed_level_is_shared(store: str) -> None:
    graph = _skewed(4 * LEAST)
    outcomes = run_threads(2, lambda exchange: search_states(graph, Question(), exchange, store=read_store(store)))
    for outcome in outcomes:
        found = outcome.statistics
        assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
        assert found.moved >= 2 * LEAST
        assert found.balance_gain > 1.01


def test_levels_need_no_meeting_of_their_own() -> None:
    """Each has one for what was found in it; a few more are at the beginning and at the end of a search."""
    line = Formula(300, factor=1, offset=1, gap=1, every=7, which=0)

    def work(exchange: Exchange) -> tuple[Outcome, int]:
        outcome = search_states(line, Question(), exchange)
        assert isinstance(exchange, ThreadExchange)
        return outcome, exchange.meetings

    for outcome, meetings in run_threads(2, work):
        assert outcome.statistics.depth == counts(line).depth == 299
        assert 300 < meetings < 310


@pytest.mark.parametrize("store", ["full", "tree", "compact"])
def test_large_levels_are_expanded_while_others_are_waited_for(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of a level at a time: the other half is already known when the first is done."""
    graph = Formula(60_000, 3, 1, 2, 7, 0, tuple(range(0, 60_000, 600)))

    def work(exchange: Exchange) -> tuple[Outcome, int]:
        outcome = search_states(graph, Question(), exchange, store=read_store(store))
        assert isinstance(exchange, ThreadExchange)
        return outcome, exchange.busy

    monkeypatch.setattr(exploration, "_LARGE", 1 << 8)
    for outcome, busy in run_threads(2, work):
        found = outcome.statistics
        assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
        assert busy > 10


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_counts_and_violations_are_those_of_one_worker(workers: int) -> None:
    """Where two states are worth a message, they move all the time. A path is as short as before."""
    random = Random(workers)
    moved = 0
    with tiny_rounds():
        for _ in range(60):
            graph, store = random_table(random), read_store(random.choice(("full", "tree", "compact")))
            for question in (Question(), Question(required=1), Question(deadlock=True, failure=True)):
                first, *others = run_threads(
                    workers,
                    lambda exchange: search_states(graph, question, exchange, store=store),
                )
                (alone,) = run_threads(1, lambda exchange: search_states(graph, question, exchange))
                assert all(other.finding == first.finding for other in others)
                if alone.finding:
                    assert first.finding
                    assert (first.finding.kind, len(first.finding.path)) == (
                        alone.finding.kind,
                        len(alone.finding.path),
                    )
                else:
                    found = first.statistics
                    assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)
                moved += first.statistics.moved
    assert moved > 10
