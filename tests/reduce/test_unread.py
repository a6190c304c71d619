"""What nobody ever reads is forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given

from ouroboros.checking import check
from ouroboros.system.model import System
from tests.peers.counting import TooLarge
from tests.reduce import random_dve, random_enabledness, random_rules
from tests.reduce.judging import load
from tests.reduce.random_enabledness import RandomModel
from tests.reduce.smaller_systems import assert_sound, assert_system_is_sound, states_left
from tests.reduce.test_random_models import examples
from tests.systems import systems

COUNTER = "byte x; byte n; active proctype P() { do :: x == 0 -> x = 1; n++ :: x == 1 -> x = 0 od }"
CHAIN = "byte x, y; byte a[2]; active proctype P() { do :: y = y + 1; x = y; a[1] = x od }"
READ = "byte x, y; active proctype P() { do :: y < 4 -> y = y + 1; x = y :: y == 4 -> y = 0 od }"
DVE = """byte x; byte n = 3; process P { state a, b; init a; trans a -> b { effect n = 1; }, b -> a { effect n = x; }; }
system async;"""
MURPHI = """var x : 0..1; var n : array [0..1] of 0..9;
startstate x := 0; n[0] := 0; n[1] := 0; end;
rule "step" n[x] := (n[x] + 3) % 10; x := 1 - x; end;"""


@pytest.mark.parametrize(
    ("text", "language", "states"),
    [
        (COUNTER, "promela", (1280, 5)),
        # What is only read for what nobody reads is not read.
        (CHAIN, "promela", (768, 3)),
        # y is read.
        (READ, "promela", (17, 14)),
        (DVE, "dve", (3, 2)),
        (MURPHI, "murphi", (20, 2)),
    ],
)
def test_states_that_are_left(text: str, language: str, states: tuple[int, int]) -> None:
    assert states_left(text, language, "unread variables") == states


@pytest.mark.parametrize("name", ["n", "x"])
def test_what_is_observed_is_kept(name: str) -> None:
    assert states_left(COUNTER, "promela", "unread variables", [name]) == (1280, 1280 if name == "n" else 5)


def test_what_may_fail_still_fails() -> None:
    asked = {"properties": ["assertions"]}
    text = "int x, n; active proctype P() { x = 0; n = 1 / x; x = 1 }"
    assert check(load(text, "promela"), reductions=frozenset({"unread variables"}), **asked).verdict.value == "violated"


def test_what_only_counts_is_no_deadlock() -> None:
    """Where a state that every step leads back to is a deadlock, it matters what a counter does."""
    rules = 'var n : 0..9; startstate n := 0; end; rule "count" n := (n + 1) % 10; end;'
    assert check(load(rules, "murphi")).verdict.value == "holds"


@given(model=random_enabledness.models)
@examples(20)
def test_promela(model: RandomModel) -> None:
    assert_sound(model, "promela", "unread variables")


@given(model=random_dve.models)
@examples(20)
def test_dve(model: RandomModel) -> None:
    assert_sound(model, "dve", "unread variables")


@given(model=random_rules.models)
@examples(20)
def test_murphi(model: RandomModel) -> None:
    assert_sound(model, "murphi", "unread variables")


@given(system=systems())
@examples(60)
def test_systems(system: System) -> None:
    try:
        assert_system_is_sound(system, system.assertions, "unread variables")
    except TooLarge:
        return
