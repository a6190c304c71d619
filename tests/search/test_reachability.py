"""Reachability counts what a plain search with the interpreter counts, and finds what is nearest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ouroboros.engine.exchange.base import Exchange
from ouroboros.engine.exchange.solo import SoloExchange
from ouroboros.engine.explorer import Explorer
from ouroboros.engine.limits import Limits, Progress
from ouroboros.graph.base import SystemGraph
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.search.exploration import Exploration
from ouroboros.search.worker import Worker
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.expressions import TRUE, Read
from ouroboros.system.interpret import evaluate, single_steps, successors, valuation
from ouroboros.system.layout import Vector
from ouroboros.system.model import Proposition, System
from ouroboros.verdict.outcome import Finding, Outcome
from tests.graphs import (
    LAST_SEEN,
    MEMORY,
    Coding,
    Counts,
    Formula,
    Graph,
    Product,
    Question,
    Table,
    as_system,
    counts,
    distances,
    random_formula,
    random_table,
    run,
    search_states,
    search_system,
    tables,
)
from tests.search.conftest import ROUNDS, tiny_rounds
from tests.systems import systems

MOST_STATES = 300
"""Random systems are cut off here."""

FAILING = ("failure", "overflow", "assertion")

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck))


@dataclass
class Plain:
    """What a plain breadth-first search with the interpreter finds."""

    depths: dict[Vector, int] = field(default_factory=dict)
    transitions: int = 0
    deadlocks: int = 0
    failures: int = 0
    overflows: int = 0
    violations: dict[str, int] = field(default_factory=dict)
    """For each kind, the states on the shortest path to one."""
    complete: bool = True

    @property
    def error_state(self) -> int:
        return int(self.failures + self.overflows > 0)


def has_too_many_ways(system: System, state: Vector) -> bool:
    """Whether more than a few hundred steps are made through transient states: ways that meet are not joined."""
    if system.exclusive is None:
        return False
    waiting = [(step.state, (state,)) for step in single_steps(system, state)]
    for count, (reached, path) in enumerate(waiting):
        if count > 400:
            return True
        if reached is not None and reached not in path and system.layout.read(reached, system.exclusive.field):
            waiting += [(step.state, (*path, reached)) for step in single_steps(system, reached)]
    return False


def explore(system: System, propositions: list[Proposition]) -> Plain:
    plain = Plain(dict.fromkeys(system.initial, 0))
    queue = list(plain.depths)
    for state in queue:
        if len(queue) > MOST_STATES:
            plain.complete = False
            return plain

        def meet(kind: str, length: int = plain.depths[state] + 1) -> None:
            plain.violations.setdefault(kind, length)

        try:
            if not all(valuation(system, state, propositions)):
                meet("proposition")
        except ExecutionError:
            meet("proposition")
        assume(not has_too_many_ways(system, state))
        steps = successors(system, state)
        if not steps:
            plain.deadlocks += 1
            if system.valid_end is None or not evaluate(system, state, system.valid_end):
                meet("deadlock")
        for step in steps:
            plain.transitions += 1
            if any(each.failure is not None and each.state is not None for each in (*step.before, step)):
                meet("assertion")
            if step.failure is not None and step.state is None:
                overflow = system.failures[step.failure].kind == "overflow"
                plain.overflows += overflow
                plain.failures += not overflow
                meet("overflow" if overflow else "failure")
            elif step.state is not None and step.state not in plain.depths:
                plain.depths[step.state] = plain.depths[state] + 1
                queue.append(step.state)
    return plain


def assert_counts(plain: Plain, outcome: Outcome) -> None:
    statistics = outcome.statistics
    assert outcome.finding is None
    assert outcome.limit is None
    assert statistics.states == len(plain.depths) + plain.error_state
    assert statistics.transitions == plain.transitions
    assert statistics.deadlocks == plain.deadlocks + plain.error_state
    assert (statistics.failures, statistics.overflows) == (plain.failures, plain.overflows)
    assert statistics.depth == max(plain.depths.values())


def assert_is_path(system: System, finding: Finding) -> None:
    assert finding.path[0] in system.initial
    for before, after in pairwise(finding.path):
        assert after in [step.state for step in successors(system, before)]


def nearest(plain: Plain, question: Question) -> tuple[int, bool] | None:
    """States on the path that must be found, and whether it ends with a step that fails: that comes after states of the
    same level that are bad themselves."""
    asked = {
        "proposition": question.required != 0,
        "deadlock": question.deadlock,
        "failure": question.failure,
        "assertion": question.assertion,
        "overflow": question.deadlock,
    }
    return min(
        ((length, kind in FAILING) for kind, length in plain.violations.items() if asked[kind]),
        default=None,
    )


@pytest.mark.parametrize("rounds", ROUNDS)
@given(data=st.data())
@settings(relaxed, max_examples=120)
def test_random_systems(rounds: str, data: st.DataObject) -> None:
    system = data.draw(systems())
    # A proposition that is not required would still hide the others where it cannot be evaluated.
    propositions = list(system.assertions[: data.draw(st.integers(0, 1))])
    if data.draw(st.booleans()):
        ending = Proposition(
            "ending", Read(system.layout.fields[0]) if system.layout.fields[0].length is None else TRUE
        )
        system = replace(system, valid_end=ending.expression)
    else:
        ending = None
    plain = explore(system, propositions)
    program = compile_system(system, [*propositions, *([ending] if ending else [])])
    workers = data.draw(st.integers(1, 3))
    question = Question(
        required=len(propositions),
        ending=1 << len(propositions) if ending else 0,
        deadlock=data.draw(st.booleans()),
        failure=data.draw(st.booleans()),
        assertion=data.draw(st.booleans()),
    )
    limits = Limits(states=MOST_STATES)

    def work(asked: Question) -> Callable[[Exchange], Outcome]:
        return lambda exchange: search_system(system, program, asked, Worker(exchange, Budget(MEMORY), limits))

    with ROUNDS[rounds]():
        everyone = run(workers, work(Question()))
        found = run(workers, work(question))
    if plain.complete:
        for outcome in everyone:
            assert_counts(plain, outcome)
    else:
        assert {outcome.limit for outcome in everyone} == {"states"}
    assert all(outcome.finding == found[0].finding for outcome in found)
    finding = found[0].finding
    expected = nearest(plain, question)
    if plain.complete:
        assert (finding and (len(finding.path), finding.kind in FAILING)) == expected
    if finding:
        assert_is_path(system, finding)


@given(graph=tables(), workers=st.integers(1, 3))
@settings(relaxed, max_examples=150)
def test_random_graphs(graph: Table, workers: int) -> None:
    assert_graph_is_explored(graph, workers)


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_many_graphs(workers: int) -> None:
    random = Random(workers)
    for _ in range(150):
        assert_graph_is_explored(random_table(random), workers)
    for vertices in (300, 700):
        assert_graph_is_explored(random_formula(random, vertices), workers)


def assert_graph_is_explored(graph: Graph, workers: int) -> None:
    """The vertices that are not accepting are bad, and so are those without successors."""
    with tiny_rounds():
        outcomes = run(workers, lambda exchange: search_states(graph, Question(), exchange))
        bad = run(workers, lambda exchange: search_states(graph, Question(required=1, deadlock=True), exchange))
    for outcome in outcomes:
        assert outcome.finding is None
        found = outcome.statistics
        assert Counts(found.states, found.transitions, found.deadlocks, found.depth) == counts(graph)

    def is_stuck(vertex: int) -> bool:
        return not graph.successors(vertex) and not graph.fails(vertex)

    reached = distances(
        [(vertex, 0) for vertex in graph.initial], lambda node: [(to, 0) for to in graph.successors(node[0])]
    )
    nearest = min(
        (depth for (vertex, _), depth in reached.items() if is_stuck(vertex) or not graph.accepts(vertex)), default=None
    )
    for outcome in bad:
        assert (None if outcome.finding is None else len(outcome.finding.path) - 1) == nearest
        if outcome.finding:
            assert_is_path(as_system(Product(graph, LAST_SEEN)), outcome.finding)
            vertex, _ = Coding(Product(graph, LAST_SEEN)).node(outcome.finding.path[-1])
            wrong = {"proposition": not graph.accepts(vertex), "deadlock": is_stuck(vertex)}
            assert wrong[outcome.finding.kind]


RING = Formula(3000, 1, 1, 1, 3000, 2999)
"""A chain; only its last vertex is accepting, and has no successor."""


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_limit_of_states_ends_the_search(workers: int) -> None:
    limits = Limits(states=100)
    for outcome in run(workers, lambda exchange: search_states(RING, Question(deadlock=True), exchange, limits=limits)):
        assert outcome.limit == "states"
        assert outcome.finding is None
        assert outcome.statistics.states == 101


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_limit_of_time_ends_the_search(workers: int) -> None:
    """Time is up before it begins; whoever looks first must stop all."""
    limits = Limits(seconds=-1.0)
    for outcome in run(workers, lambda exchange: search_states(RING, Question(deadlock=True), exchange, limits=limits)):
        assert outcome.limit == "time"
        assert outcome.finding is None


@pytest.mark.timeout(60)
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_too_little_memory_ends_the_search(workers: int) -> None:
    random = Random(workers)
    limited = decided = 0
    with tiny_rounds():
        for _ in range(20):
            graph = random_formula(random, 60)
            (whole, *_) = run(workers, lambda exchange: search_states(graph, Question(), exchange))
            for _ in range(5):
                memory = random.randint(0, 2 * whole.statistics.bytes // workers)
                outcomes = run(
                    workers,
                    lambda exchange: search_states(graph, Question(), exchange, memory),
                )
                assert {outcome.limit for outcome in outcomes} in ({"memory"}, {None})
                if outcomes[0].limit:
                    limited += 1
                else:
                    assert outcomes[0].statistics.states == whole.statistics.states
                    decided += 1
    assert limited
    assert decided


def test_the_budget_is_what_the_arrays_need() -> None:
    """Exactly: vectors and their parents, the table, and the buffers of a round."""
    graph = Formula(3000, 7, 5, 3, 2, 0)
    system = as_system(Product(graph, LAST_SEEN))
    words = system.layout.words
    budget = Budget(MEMORY)
    explorer = Explorer(SystemGraph(system, graph.model.program), SoloExchange(), budget)
    buffers = budget.used - explorer.store.bytes
    exploration = Exploration(explorer, system.initial, Limits(), None)
    exploration.run()
    states = exploration.statistics().states
    assert states > 1000
    assert explorer.store.bytes - states * words * 8 <= 4 * max(1 << 14, 4 * states)
    parents = budget.used - buffers - explorer.store.bytes
    assert states <= parents <= 2 * states
    assert exploration.statistics().bytes == budget.used


def test_an_observer_sees_the_search_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ouroboros.search.exploration._REPORT_EVERY", 0.0)
    seen: list[Progress] = []
    outcome = search_states(RING, Question(), SoloExchange(), observer=seen.append)
    assert [progress.depth for progress in seen] == list(range(outcome.statistics.depth + 1))
    assert all(before.states <= after.states for before, after in pairwise(seen))
    assert seen[-1].states == outcome.statistics.states


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_bad_state_is_nearer_than_a_step_that_fails_in_the_same_level(workers: int) -> None:
    """Vertex 4 fails in the first round of the level, vertex 12, in a later one, has no successors."""
    tree = tuple((3 * vertex + 1, 3 * vertex + 2, 3 * vertex + 3) for vertex in range(4))
    graph = Table((*tree, *((vertex,) * 3 for vertex in range(4, 12)), ()), frozenset(), failing=frozenset({4}))
    with tiny_rounds():
        for outcome in run(
            workers, lambda exchange: search_states(graph, Question(deadlock=True, failure=True), exchange)
        ):
            assert outcome.finding
            assert outcome.finding.kind == "deadlock"
            assert len(outcome.finding.path) == 3
