"""The models do what their comments say: by machine code, by the interpreter, with symmetry and without."""

from __future__ import annotations

import jsonschema
import pytest

from ouroboros.languages import load
from ouroboros.system.interpret import successors
from tests.cli.helpers import ouro
from tests.cli.test_verdicts import EXIT_CODES, SCHEMA
from tests.languages.murphi.models import ALL, Expected

SMALL = 700


@pytest.mark.parametrize("model", ALL, ids=str)
def test_as_expected(model: Expected) -> None:
    ran = ouro("check", model.path, *model.options, "--no-reduction", "--json", "-")
    assert ran.err == ""
    jsonschema.validate(ran.data, SCHEMA)
    verdict = "holds" if model.counts else "violated"
    assert (ran.data["verdict"], ran.code) == (verdict, EXIT_CODES[verdict])
    if model.counts:
        assert (ran.data["states"], ran.data["transitions"]) == model.counts
    else:
        assert ran.data["property"] == model.property
        assert model.reason in ran.data["reason"]


@pytest.mark.parametrize("model", [model for model in ALL if model.counts and model.counts[0] < SMALL], ids=str)
def test_the_interpreter_counts_the_same(model: Expected) -> None:
    system = load(model.path).system
    seen = set(system.initial)
    fired = 0
    for state in (queue := list(seen)):
        for step in successors(system, state):
            fired += 1
            if step.state is not None and step.state not in seen:
                seen.add(step.state)
                queue.append(step.state)
    assert (len(seen), fired) == model.counts


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("model", [model for model in ALL if model.symmetric], ids=str)
def test_orbits(model: Expected, workers: int) -> None:
    ran = ouro("states", model.path, "--symmetry", "--workers", workers, "--json", "-")
    assert (ran.code, ran.data["symmetry"]) == (0, True)
    assert (ran.data["states"], ran.data["transitions"]) == model.symmetric


@pytest.mark.parametrize("name", ["not_attainable", "attainable", "cover_missed", "covers", "invariants"])
def test_two_workers_say_the_same(name: str) -> None:
    (model,) = (model for model in ALL if str(model) == name)
    ran = ouro("check", model.path, "--workers", "2", "--json", "-")
    assert ran.data["verdict"] == ("holds" if model.counts else "violated")
    assert ran.data["property"] == (model.property or ran.data["property"])
