"""Steps through transient states: long, wide and endless ones, in every kind of search."""

from __future__ import annotations

import pytest

from ouroboros.engine.exchange.base import Exchange
from ouroboros.graph.product import ProductGraph
from ouroboros.ltl.automaton import Automaton, Edge
from ouroboros.memory import Budget
from ouroboros.native import compile_system
from ouroboros.search.accepting import Algorithm, Method, accepting_cycle
from ouroboros.search.worker import Worker
from ouroboros.source import Source
from ouroboros.system.blocks import Assign
from ouroboros.system.choices import Action, All, Do, Part, Switch
from ouroboros.system.expressions import Binary, Constant, Read, equal
from ouroboros.system.layout import Field, Layout
from ouroboros.system.model import Exclusive, Failure, Proposition, System
from ouroboros.system.product import with_automaton_field
from ouroboros.trace.lasso import replay_beside
from ouroboros.trace.replay import replay
from ouroboros.verdict.outcome import Outcome
from ouroboros.verdict.trace import Watcher
from tests.graphs import Question, search_system
from tests.threads import run_threads

MEMORY = 64 << 20


def chain(length: int, width: int, endless: bool = False) -> System:
    """From 0 through `length` transient states, each of which has `width` successors in the next row, back to 0.

    The way is remembered in `way`, and whether its last choice was odd even at its end; or, if `endless`, the last row
    leads back to the first.
    """
    row = Field("row", "globals", 16)
    way = Field("way", "globals", 32)
    busy = Field("busy", "globals", 1)
    first, step, last = 0, 1, 2

    def action(text: str, *effect: Assign) -> Action:
        return Action((Part("P", text, None),), effect)

    actions = [
        action(
            "begin", Assign(busy, None, Constant(1)), Assign(row, None, Constant(1)), Assign(way, None, Constant(0))
        ),
        *(
            action(
                f"choose {choice}",
                Assign(row, None, Binary("+", Read(row), Constant(1))),
                Assign(way, None, Binary("+", Binary("*", Read(way), Constant(width)), Constant(choice))),
            )
            for choice in range(width)
        ),
        action("again", Assign(row, None, Constant(1)), Assign(way, None, Constant(0)))
        if endless
        else action(
            "end",
            Assign(busy, None, Constant(0)),
            Assign(row, None, Constant(0)),
            Assign(way, None, Binary("&", Read(way), Constant(1))),
        ),
    ]
    last += width - 1
    choices = Switch(
        row,
        (
            (0, Do(first)),
            *((number, All(tuple(Do(step + choice) for choice in range(width)))) for number in range(1, length)),
            (length, Do(last)),
        ),
    )
    layout = Layout((row, way, busy))
    return System(
        name="chain",
        language="none",
        source=Source("chain", ""),
        layout=layout,
        initial=(layout.initial(),),
        actions=tuple(actions),
        choices=choices,
        failures=(Failure("loop", "never ends", None),),
        exclusive=Exclusive(busy, 0),
        extends_finite_runs=True,
    )


def search(system: System, question: Question, workers: int) -> Outcome:
    program = compile_system(system)

    def work(exchange: Exchange) -> Outcome:
        return search_system(system, program, question, Worker(exchange, Budget(MEMORY)))

    return run_threads(workers, work)[0]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("length", "width"), [(1, 1), (500, 1), (13, 2), (9, 4)])
def test_long_and_wide_ways(length: int, width: int, workers: int) -> None:
    """Each of the ways is a transition of its own, however many there are."""
    statistics = search(chain(length, width), Question(), workers).statistics
    states = min(2, width)
    assert statistics.states == states
    assert statistics.transitions == states * width ** (length - 1)
    assert statistics.deadlocks == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_a_way_without_end_is_a_failure(workers: int) -> None:
    system = chain(5, 2, endless=True)
    outcome = search(system, Question(failure=True), workers)
    assert outcome.finding
    trace = replay(system, outcome.finding)
    assert trace.violation.message == "never ends"
    assert len(trace.steps) == 6


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize(("letter", "found"), [(1, False), (0, True)])
def test_cycles_lead_through_transient_states(algorithm: Algorithm, letter: int, found: bool) -> None:
    """The automaton sees only the states between the ways: it never sees the flag set."""
    system = chain(9, 4)
    _, _, busy = system.layout.fields
    automaton = Automaton(("busy",), 0, ((Edge(1, letter, 0),),), (True,))
    product, field = with_automaton_field(system, ("q",), 0)
    proposition = Proposition("busy", equal(busy, 1))
    program = compile_system(product, [proposition])

    def work(exchange: Exchange) -> Outcome:
        graph = ProductGraph(product, program, automaton, field, [proposition])
        return accepting_cycle(graph, Method(algorithm), Worker(exchange, Budget(MEMORY)))

    (outcome,) = run_threads(1, work)
    assert (outcome.finding is not None) == found
    if outcome.finding:
        trace = replay_beside(product, Watcher(automaton, (proposition,), field), outcome.finding)
        assert trace.loop_start is not None
        assert (len(trace.steps) - trace.loop_start) % 10 == 0
