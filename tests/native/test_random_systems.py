"""Machine code and interpreter agree on random systems: steps and their order, valuations, failures."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.native import choices
from ouroboros.system.model import System
from tests.native.machine import Machine
from tests.systems import random_state, systems

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=250)


@given(system=systems(), largest=st.sampled_from((3, choices.LARGEST_FUNCTION)), seed=st.integers(0, 1 << 32))
@relaxed
def test_the_machine_does_what_the_interpreter_does(system: System, largest: int, seed: int) -> None:
    random = Random(seed)
    with patch.object(choices, "LARGEST_FUNCTION", largest):
        machine = Machine(system, system.assertions)
    machine.assert_agrees_on_walk(system.initial[0], 20, random)
    for _ in range(40):
        machine.assert_agrees_on_walk(random_state(system.layout, random), 3, random)
