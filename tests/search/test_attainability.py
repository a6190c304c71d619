"""Attainability and stuttering deadlocks against plain searches of small graphs, on one to three workers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.limits import Limits
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget
from ouroboros.native import Program, compile_system
from ouroboros.search.attainability import attainability
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.blocks import Assign
from ouroboros.system.choices import Action, Do
from ouroboros.system.expressions import Binary, Constant, Read, equal
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Proposition, System
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
    random_formula,
    run,
    search_system,
    tables,
)
from tests.search.conftest import ROUNDS, tiny_rounds
from tests.search.test_accepting_cycles import Patience

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


def chain(last: int) -> tuple[System, Program]:
    """From zero to the last number, one by one."""
    number = Field("number", "number", 32)
    layout = Layout((number,))
    system = System(
        name="chain",
        language="none",
        source=Source("chain", ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=(
            Action(
                (),
                (Assign(number, None, Binary("+", Read(number), Constant(1))),),
                Binary("<", Read(number), Constant(last)),
            ),
        ),
        choices=Do(0),
    )
    wanted = Proposition("last", equal(number, last))
    return system, compile_system(system, [wanted])


def attain_within(system: System, program: Program, limits: Limits, exchange: Exchange) -> Outcome:
    return attainability(SystemGraph(system, program), 1, Worker(exchange, Budget(MEMORY), limits))


def test_a_long_chain_takes_time_in_proportion() -> None:
    outcome = attain_within(*chain(20_000), Limits(), SoloExchange())
    assert (outcome.limit, outcome.findings) == (None, (None,))
    assert outcome.statistics.states == 20_001
    assert outcome.statistics.cpu_seconds < 10


@pytest.mark.parametrize("workers", [1, 2])
def test_too_little_time_is_a_limit_in_the_backward_pass_as_well(workers: int) -> None:
    limits = []
    with tiny_rounds():
        for questions in (10, 300, 310, 400, 10**6):
            patience = Patience(questions=questions)
            outcomes = run(workers, partial(attain_within, *chain(300), patience))
            limits.append({outcome.limit for outcome in outcomes})
            assert all(outcome.findings == (() if outcome.limit else (None,)) for outcome in outcomes)
    assert limits[0] == {"time"}
    assert limits[-1] == {None}


def test_memory_for_edges_runs_out() -> None:
    """There is enough for the states, and not for all of the edges between them."""
    graph = random_formula(Random(1), 2000)
    system = as_system(Product(graph, LAST_SEEN))
    whole = SystemGraph(system, graph.model.program)
    states = search_system(system, graph.model.program, Question(), Worker(SoloExchange(), Budget(MEMORY))).statistics
    outcome = attainability(whole, 1, Worker(SoloExchange(), Budget(states.bytes + 4 * states.transitions)))
    assert (outcome.limit, outcome.findings) == ("memory", ())
    outcome = attainability(whole, 1, Worker(SoloExchange(), Budget(2 * states.bytes + 64 * states.transitions)))
    assert outcome.limit is None
