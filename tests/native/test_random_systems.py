"""Machine code and interpreter agree on random systems: steps and their order, valuations, failures."""

from __future__ import annotations

from random import Random
from unittest.mock import patch

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.native import choices, objects
from ouroboros.system.model import System
from tests.native.machine import Machine
from tests.systems import random_state, systems

relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=150)


@given(system=systems(), seed=st.integers(0, 1 << 32))
@relaxed
def test_the_machine_does_what_the_interpreter_does(system: System, seed: int) -> None:
    assert_agreement(Machine(system, system.assertions), Random(seed))


@given(system=systems(), seed=st.integers(0, 1 << 32), quick=st.sampled_from((0, 1 << 20)))
@relaxed
def test_a_large_system_is_compiled_differently_but_does_the_same(system: System, seed: int, quick: int) -> None:
    with (
        patch.object(choices, "LARGEST_FUNCTION", 3),
        patch.object(objects, "THOROUGH_LINES", 0),
        patch.object(objects, "QUICK_LINES", quick),
    ):
        machine = Machine(system, system.assertions)
    assert_agreement(machine, Random(seed))


def assert_agreement(machine: Machine, random: Random) -> None:
    machine.assert_agrees_on_walk(machine.system.initial[0], 20, random)
    for _ in range(40):
        machine.assert_agrees_on_walk(random_state(machine.system.layout, random), 3, random)
