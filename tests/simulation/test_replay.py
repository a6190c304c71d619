"""A trace that was written down is made again; one that is not of the model is refused."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ouroboros.errors import InputError
from ouroboros.simulation.replay import RecordedTrace
from ouroboros.simulation.simulation import Simulation, at_random, run_of
from ouroboros.trace.itf import trace_itf
from tests.simulation.models import COUNTER, HANDSHAKE, LATE, POST, dve_model, murphi_model, promela_model


def recorded(simulation: Simulation) -> dict[str, Any]:
    steps = [taken.step for taken in simulation.taken]
    return trace_itf(run_of(simulation.system, simulation.initial, steps), {})


@pytest.mark.parametrize(
    "text", [POST, LATE, "byte a[2]; init { byte i; do :: i < 3 -> a[i] = i; i++ od }", "init { (false) }"]
)
def test_the_same_steps_are_made(tmp_path: Path, text: str) -> None:
    first = Simulation(promela_model(text))
    for _ in at_random(first, Random(4), 2000):
        pass
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(recorded(first)))
    again = Simulation(promela_model(text))
    assert len(list(RecordedTrace(str(path)).follow(again))) == len(first.taken)
    assert [taken.number for taken in again.taken] == [taken.number for taken in first.taken]
    assert again.state == first.state


def test_a_trace_in_a_report(tmp_path: Path) -> None:
    first = Simulation(dve_model(HANDSHAKE))
    for _ in at_random(first, Random(4), 3):
        pass
    path = tmp_path / "report.json"
    path.write_text(json.dumps({"verdict": "violated", "trace": recorded(first)}))
    again = Simulation(dve_model(HANDSHAKE))
    assert len(list(RecordedTrace(str(path)).follow(again))) == 3


def test_a_trace_begins_in_its_own_initial_state(tmp_path: Path) -> None:
    model = murphi_model(COUNTER)
    first = Simulation(model, 1)
    for _ in at_random(first, Random(4), 3):
        pass
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(recorded(first)))
    trace = RecordedTrace(str(path))
    assert trace.start(model.system) == 1
    assert len(list(trace.follow(Simulation(model, 1)))) == 3


def test_another_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(recorded(Simulation(promela_model(POST)))))
    with pytest.raises(InputError, match="begins in another state"):
        RecordedTrace(str(path)).start(dve_model(HANDSHAKE).system)


def test_a_step_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    first = Simulation(promela_model(POST))
    for _ in at_random(first, Random(4), 4):
        pass
    data = recorded(first)
    data["states"][3]["delivered"] = 200
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match="cannot make step 3"):
        list(RecordedTrace(str(path)).follow(Simulation(promela_model(POST))))


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "3", "{}", '{"states": []}', '{"states": [3]}', '{"trace": 1}', "\xff"]
)
def test_what_is_no_trace(tmp_path: Path, content: str) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(InputError, match=r"trace\.json: this is no"):
        RecordedTrace(str(path))


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        RecordedTrace("/nowhere/trace.json")
