"""Machine code and interpreter agree on the steps of every model, in reachable states and in any others."""

from __future__ import annotations

from random import Random

import pytest

from ouroboros.languages import load
from tests.languages.murphi.models import ALL, Expected
from tests.native.machine import Machine


@pytest.mark.parametrize("model", ALL, ids=str)
def test_steps(model: Expected) -> None:
    system = load(model.path).system
    machine = Machine(system, system.assertions[:60])
    random = Random(0)
    for _ in range(5):
        machine.assert_agrees_on_walk(random.choice(system.initial), 20, random)
