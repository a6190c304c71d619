"""Attainability and stuttering deadlocks against plain searches of small graphs, on one to three workers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.engine.exchange.base import Exchange
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget
from ouroboros.search.attainability import attainability
from ouroboros.search.worker import Worker
from ouroboros.verdict.outcome import Outcome
from tests.graphs import (
    LAST_SEEN,
    MEMORY,
    Coding,
    Product,
    Question,
    Table,
    as_system,
    distances,
    run,
    search_system,
    tables,
)
from tests.search.conftest import ROUNDS

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=60)
workers_and_rounds = given(graph=tables(), workers=st.integers(1, 3), rounds=st.sampled_from(sorted(ROUNDS)))


def attain(graph: Table, exchange: Exchange) -> Outcome:
    system = as_system(Product(graph, LAST_SEEN))
    return attainability(SystemGraph(system, graph.model.program), 1, Worker(exchange, Budget(MEMORY)))


def stutter(graph: Table, exchange: Exchange) -> Outcome:
    system = replace(as_system(Product(graph, LAST_SEEN)), deadlock="stuttering")
    question = Question(deadlock=True)
    return search_system(system, graph.model.program, question, Worker(exchange, Budget(MEMORY)))


@workers_and_rounds
@relaxed
def test_states_from_which_no_accepting_one_is_reached(graph: Table, workers: int, rounds: str) -> None:
    depths = distances(graph.initial, graph.successors)
    trapped = {
        vertex
        for vertex in depths
        if not any(graph.accepts(reached) for reached in distances([vertex], graph.successors))
    }
    with ROUNDS[rounds]():
        outcomes = run(workers, partial(attain, graph))
    for outcome in outcomes:
        (finding,) = outcome.findings
        assert (finding is not None) == bool(trapped)
        if finding:
            vertex, _ = Coding(Product(graph, LAST_SEEN)).node(finding.path[-1])
            assert vertex in trapped
            assert len(finding.path) - 1 == min(depths[vertex] for vertex in trapped)


@workers_and_rounds
@relaxed
def test_states_that_every_step_leads_back_to(graph: Table, workers: int, rounds: str) -> None:
    depths = distances(graph.initial, graph.successors)
    dead = {
        vertex
        for vertex in depths
        if not graph.fails(vertex) and all(target == vertex for target in graph.successors(vertex))
    }
    with ROUNDS[rounds]():
        outcomes = run(workers, partial(stutter, graph))
    for outcome in outcomes:
        assert (outcome.finding is not None) == bool(dead)
        if outcome.finding:
            assert outcome.finding.kind == "deadlock"
            assert len(outcome.finding.path) - 1 == min(depths[vertex] for vertex in dead)


def test_memory_runs_out() -> None:
    graph = Table((*((vertex + 1,) for vertex in range(7)), (0,)), frozenset())
    system = as_system(Product(graph, LAST_SEEN))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ouroboros.search.attainability._BYTES_FOR_EDGE", MEMORY)
        (outcome,) = run(
            1,
            lambda exchange: attainability(
                SystemGraph(system, graph.model.program), 1, Worker(exchange, Budget(MEMORY))
            ),
        )
    assert (outcome.limit, outcome.findings) == ("memory", ())
