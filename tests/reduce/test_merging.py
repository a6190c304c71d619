"""Steps that concern nobody else are made one with the step before them."""

from __future__ import annotations

import pytest
from hypothesis import given

from ouroboros.checking import check
from ouroboros.system.model import System
from tests.peers.counting import TooLarge
from tests.reduce import random_dve, random_enabledness
from tests.reduce.judging import load
from tests.reduce.random_enabledness import RandomModel
from tests.reduce.smaller_systems import assert_sound, assert_system_is_sound, states_left
from tests.reduce.test_random_models import examples
from tests.systems import systems

STEPS = "byte x; active [2] proctype P() { byte i; x = x * 2 + 1; i = 1; i = i + 1; i = 0; x = x * 3 }"
LOOP = "byte x; active proctype P() { byte i; do :: i = 1; i = 2; i = 0 od }"
DVE = """byte x;
process P { byte i; state a, b, c, d; init a; trans
  a -> b { effect x = x * 2 + 1; }, b -> c { effect i = i + 1; }, c -> d { effect i = 0; }; }
process Q { state a, b; init a; trans a -> b { guard x == 1; effect x = 0; }; }
system async;"""


@pytest.mark.parametrize(
    ("text", "language", "states"),
    [
        # Of each process the places before x = x * 2 + 1 and before x = x * 3 are left, the end and death.
        (STEPS, "promela", (58, 19)),
        # Somewhere a loop has a state.
        (LOOP, "promela", (3, 1)),
        (DVE, "dve", (7, 5)),
    ],
)
def test_states_that_are_left(text: str, language: str, states: tuple[int, int]) -> None:
    assert states_left(text, language, "merging") == states


CONCERNS_OTHERS = {
    "who meets it": (
        "chan c = [0] of { byte }; byte y; active proctype P() { byte i; y = 1; i = 1; c?i }"
        " active proctype Q() { (y == 1); do :: c!1; break :: else -> y = 2; break od }",
        "promela",
    ),
    "a choice": (
        "byte y; active proctype P() { byte i; y = 1; if :: i = 1 :: i = 2 fi } active proctype Q() { y = 3; y = 4 }",
        "promela",
    ),
    "who writes the same": (
        "byte x; process P { state a, b, c; init a; trans a -> b { effect x = 2; }, b -> c { effect x = x + 1; }; }"
        " process Q { state a, b; init a; trans a -> b { effect x = 5; }; } system async;",
        "dve",
    ),
}


@pytest.mark.parametrize(("text", "language"), CONCERNS_OTHERS.values(), ids=CONCERNS_OTHERS)
def test_what_concerns_others_is_not_merged(text: str, language: str) -> None:
    whole, left = states_left(text, language, "merging")
    assert left == whole


def test_what_is_observed_is_not_merged() -> None:
    assert states_left(STEPS, "promela", "merging", ["P[0].i", "P[1].i"]) == (58, 58)


def test_temporaries_of_merged_steps_are_their_own() -> None:
    text = """chan c = [1] of { byte }; byte y;
active proctype P() { byte i, k; c!3; c?i; k = i; d_step { i = 0; do :: i < 3 -> i++ :: else -> break od }; y = k }"""
    whole, left = states_left(text, "promela", "merging")
    assert left < whole
    for reductions in ((), ("merging",)):
        report = check(load(text, "promela"), ltl=["<> (y == 3)"], reductions=frozenset(reductions))
        assert report.verdict.value == "holds"


def test_a_step_that_is_made_of_two_is_no_deadlock() -> None:
    """Where a state that every step leads back to is a deadlock, nothing is merged."""
    rules = """var p : 0..1;
startstate p := 0; end;
rule "there" p = 0 ==> p := 1; end;
rule "back" p = 1 ==> p := 0; end;"""
    assert check(load(rules, "murphi")).verdict.value == "holds"


@given(model=random_enabledness.models)
@examples(25)
def test_promela(model: RandomModel) -> None:
    assert_sound(model, "promela", "merging")


@given(model=random_dve.models)
@examples(25)
def test_dve(model: RandomModel) -> None:
    assert_sound(model, "dve", "merging")


@given(system=systems())
@examples(60)
def test_systems(system: System) -> None:
    try:
        assert_system_is_sound(system, system.assertions, "merging")
    except TooLarge:
        return
