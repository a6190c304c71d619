"""What nobody will read again is reset, and there are never more states for it."""

from __future__ import annotations

import pytest
from hypothesis import given

from ouroboros.system.model import System
from tests.peers.counting import TooLarge
from tests.reduce import random_dve, random_enabledness
from tests.reduce.judging import load
from tests.reduce.random_enabledness import RandomModel
from tests.reduce.smaller_systems import assert_sound, assert_system_is_sound, states_left
from tests.reduce.test_random_models import examples
from tests.systems import systems

VALUES = "byte x; active proctype P() { byte i; if :: i = 1 :: i = 2 :: i = 3 fi; x = 1 + i * 0; x = 2 }"
MADE = """byte x; proctype P(byte k) { byte i; if :: i = k :: i = 2 :: i = 3 fi; x = i * 0; x = 2; x = 3 }
init { run P(1); run P(4) }"""
ARRAY = "byte x; active proctype P() { byte a[2]; if :: a[0] = 1 :: a[0] = 2 fi; x = a[0] * 0; a[1] = 1; x = a[1] }"
DVE = """byte x; process P { byte i; state a, b, c; init a; trans
  a -> b { effect i = 1; }, a -> b { effect i = 2; }, b -> c { guard i > 0; effect x = 1; }; } system async;"""


@pytest.mark.parametrize(
    ("text", "language", "states"),
    [
        # After x = 1 it does not matter any more which value i had.
        (VALUES, "promela", (11, 7)),
        # Processes that are made, with parameters.
        (MADE, "promela", (272, 77)),
        (ARRAY, "promela", (10, 7)),
        (DVE, "dve", (5, 4)),
    ],
)
def test_states_that_are_left(text: str, language: str, states: tuple[int, int]) -> None:
    assert states_left(text, language, "dead variables") == states


def test_what_is_observed_is_not_reset() -> None:
    assert states_left(VALUES, "promela", "dead variables", ["P[0].i"]) == (11, 11)


def test_what_others_may_look_at_is_not_reset() -> None:
    text = f"{VALUES} active proctype Q() {{ (P:i == 2) }}"
    whole, left = states_left(text, "promela", "dead variables")
    assert left == whole


def test_what_fails_where_it_is_dead_is_not_reset() -> None:
    """The guard is evaluated wherever p is, and what is behind `and` only matters where it is 2."""
    text = """int x; process P { byte p; state a; init a; trans
  a -> a { guard p == 0; effect p = 1, x = 5; }, a -> a { guard p == 1; effect p = 2; },
  a -> a { guard 10 / x > 1 and p == 2; effect p = 3; }; } system async;"""
    assert_system_is_sound(load(text, "dve").system, (), "dead variables")


@given(model=random_enabledness.models)
@examples(25)
def test_promela(model: RandomModel) -> None:
    assert_sound(model, "promela", "dead variables")


@given(model=random_dve.models)
@examples(25)
def test_dve(model: RandomModel) -> None:
    assert_sound(model, "dve", "dead variables")


@given(system=systems())
@examples(60)
def test_systems(system: System) -> None:
    try:
        assert_system_is_sound(system, system.assertions, "dead variables")
    except TooLarge:
        return
