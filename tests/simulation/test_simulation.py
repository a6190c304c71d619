"""A run goes where the interpreter goes, back where it came from, and into states that need more room."""

from __future__ import annotations

from random import Random

import pytest

from ouroboros.simulation.simulation import Simulation, at_random, simulate
from ouroboros.system.interpret import single_steps
from tests.simulation.models import (
    COUNTER,
    HANDSHAKE,
    LATE,
    POST,
    dve_model,
    murphi_model,
    promela_model,
    simulated,
)


@pytest.mark.parametrize("model", [promela_model(POST), dve_model(HANDSHAKE)], ids=["Promela", "DVE"])
def test_each_step_is_one_of_the_interpreter(model: object) -> None:
    simulation = Simulation(model)
    state = simulation.initial
    for taken in at_random(simulation, Random(1), 1000):
        assert taken.before == state
        assert taken.step in single_steps(simulation.system, state)
        assert taken.step.state is not None
        state = taken.step.state
    assert simulation.state == state
    assert simulation.ending() is not None


def test_the_same_seed_makes_the_same_run() -> None:
    runs = []
    for seed in (5, 5, 6, 7, 8):
        simulation = simulated(POST)
        runs.append([taken.number for taken in at_random(simulation, Random(seed), 100)])
    assert runs[0] == runs[1]
    assert len(set(map(tuple, runs))) > 1


def test_undo_leads_back_to_each_state() -> None:
    simulation = simulated(POST)
    states = [simulation.state]
    for _ in at_random(simulation, Random(2), 100):
        states.append(simulation.state)
    while simulation.taken:
        assert simulation.state == states.pop()
        assert simulation.undo()
    assert simulation.state == states.pop() == simulation.initial
    assert not simulation.undo()


def test_room_is_made_for_processes_on_the_way() -> None:
    simulation = simulated(LATE)
    assert simulation.system.processes == ("Parent[0]",)
    for _ in at_random(simulation, Random(3), 2000):
        pass
    assert set(simulation.system.processes) == {"Parent[0]", "Child[1]", "Child[2]"}
    ending = simulation.ending()
    assert ending is not None
    assert ending.kind == "end"
    told = [
        simulation.system.actions[taken.step.action].parts[0].text
        for taken in simulation.taken
        if taken.step.action is not None
    ]
    assert told.count("i++") == 250
    assert sorted(told[-8:]).count("-end-") >= 1
    assert {"run Child(3)", "run Child(4)", "n = k"} <= set(told)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [
        ("init { assert(false) }", "failure", "assertion violated: false"),
        ("byte a[2]; init { byte i = 2; a[i] = 1 }", "failure", "index"),
        ("init { (false) }", "deadlock", "not every process is where it may end"),
        ("init { skip }", "end", "where it may end"),
        ("init { end: (false) }", "end", "where it may end"),
    ],
)
def test_endings(text: str, kind: str, message: str) -> None:
    simulation = simulated(text)
    for _ in at_random(simulation, Random(0), 100):
        pass
    ending = simulation.ending()
    assert ending is not None
    assert ending.kind == kind
    assert message in ending.message
    assert simulation.possible() == []


def test_a_run_begins_in_any_initial_state() -> None:
    model = murphi_model(COUNTER)
    begins = {simulate(model, seed=seed, steps=3).initial for seed in range(20)}
    assert begins == set(model.system.initial)
    assert len(begins) == 2


def test_a_dve_model_ends_where_no_step_is_possible() -> None:
    simulation = Simulation(dve_model(HANDSHAKE))
    assert len(list(at_random(simulation, Random(0), 100))) == 3
    ending = simulation.ending()
    assert ending is not None
    assert (ending.kind, ending.message) == ("end", "no step is possible")


def test_statements_of_an_inline_name_what_they_work_on() -> None:
    text = """
chan q = [2] of { byte, byte };
byte a[2], b;
inline work(to, from, where) { to = (from + 1) * 2; where!to,from; where?to,eval(from); assert(to > from || !from) }
active proctype P() { b = 3; work(a[1], b, q) }
"""
    simulation = simulate(promela_model(text), steps=10)
    told = [
        simulation.system.actions[taken.step.action].parts[0].text
        for taken in simulation.taken
        if taken.step.action is not None
    ]
    assert told == [
        "b = 3",
        "a[1] = (b + 1) * 2",
        "q!a[1],b",
        "q?a[1],eval(b)",
        "assert((a[1] > b) || !b)",
        "-end-",
    ]
