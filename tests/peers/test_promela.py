"""Promela models have the states, the transitions and the verdict that Spin finds: small ones, and random ones.

Each model here shows one point of the language. Its first line says what Spin counts without reductions; both Spin and
we are held to that.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ouroboros.checking import check, explore
from ouroboros.errors import InputError
from ouroboros.expectations.header import read_header
from ouroboros.languages import load, promela
from ouroboros.reduce.smaller import smaller
from ouroboros.source import Source
from ouroboros.system.model import REDUCTIONS, ReductionKind, System
from tests.peers.counting import TooLarge, count
from tests.peers.random_promela import models
from tests.peers.spin import judged_by_spin, required_spin

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "promela").glob("*.pml"))
MODELS = sorted((Path(__file__).parent / "promela").glob("*.pml")) + EXAMPLES
ENGINE = (
    "atomic_nondeterministic",
    "rendezvous_atomic_both",
    "run_two_types_in_a_slot",
    "asserts_go_on",
    "invalid_end",
    "d_step_receives_from_atomic",
    "many_processes",
)
"""Models that the engine counts as well: kinds of steps that only Promela has."""

FORMULAS = ("[] (a < 2)", "<> [] (b == 0)", "[] <> (a == 1)", "(f == 0) U (a > 0)", "[] ((a == 1) -> <> (b != 1))")


class Expected(NamedTuple):
    states: int
    transitions: int
    verdict: str


def expected(path: Path) -> Expected:
    if path in EXAMPLES:
        header = read_header(Source(path.name, path.read_text()))
        (count,) = header.counts
        wrong = any(
            expected.verdict == "violated" and not expected.cycle
            for check in header.checks
            if "-D" not in check.options
            for expected in check.expected
        )
        return Expected(count.numbers["states"], count.numbers["transitions"], "wrong" if wrong else "ok")
    found = re.match(r"/\* (\d+) states, (\d+) transitions, (\w+) \*/", path.read_text())
    assert found, f"{path} does not say what to expect"
    return Expected(int(found[1]), int(found[2]), found[3])


@pytest.mark.parametrize(
    "path", [path for path in MODELS if expected(path).states < 10_000], ids=lambda path: path.stem
)
def test_the_interpreter_counts_what_is_expected(path: Path) -> None:
    counted = count(promela.load(Source(path.name, path.read_text())), 10_000, 200_000)
    wrong = "end" if counted.ends_badly else "assertion" if counted.failures else "ok"
    states, transitions, verdict = expected(path)
    assert (counted.states, counted.transitions, wrong == "ok") == (states, transitions, verdict == "ok")


@pytest.mark.parametrize("name", ENGINE)
def test_the_engine_counts_what_is_expected(name: str) -> None:
    (path,) = (path for path in MODELS if path.stem == name)
    statistics = explore(load(path)).statistics
    assert (statistics.states, statistics.transitions) == expected(path)[:2]
    verdicts = {answer.verdict.value for answer in check(load(path), properties=["assertions", "end-states"]).answers}
    assert ("violated" in verdicts) == (expected(path).verdict != "ok")


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_spin_counts_what_is_expected(path: Path, tmp_path: Path) -> None:
    judged = judged_by_spin(path.read_text(), tmp_path, optimise="-O0")
    assert not isinstance(judged, str), judged
    assert (judged.states, judged.transitions) == expected(path)[:2]
    assert (judged.error is None) == (expected(path).verdict == "ok")


@pytest.mark.parametrize(
    "text",
    [
        "active proctype S() { d_step { c!3; x = 1 } } active proctype R() { byte y; c?y }",
        "active proctype S() { d_step { x = 1; c!3 } } active proctype R() { byte y; c?y }",
        "active proctype S() { d_step { c!3; x = 1 } } active proctype R() { byte y; d_step { c?y; x = y } }",
        "active proctype S() { c!3 } active proctype R() { byte y; d_step { x = 1; c?y } }",
    ],
    ids=["offer", "offer later", "offer to a d_step", "receive later"],
)
def test_a_d_step_does_not_wait_for_a_rendezvous(text: str, tmp_path: Path) -> None:
    """Spin stops at these errors, so that its counts mean nothing."""
    whole = f"chan c = [0] of {{ byte }}; byte x; {text}"
    judged = judged_by_spin(whole, tmp_path, optimise="-O0")
    assert not isinstance(judged, str), judged
    assert judged.error is not None
    assert "d_step" in judged.error
    assert count(promela.load(Source("model.pml", whole)), 100).failures == {"block"}


def test_a_goto_before_an_unless_gives_up_control(tmp_path: Path) -> None:
    """As the manual has it; Spin 6.5.2 goes on alone, and finds only the states in which the channel blocks it."""
    text = """chan q = [3] of { byte }; byte a, b;
    active proctype P() { L: q!0; atomic { a = 1; { goto L; b = 2 } unless { (b == 9); b = 3 } } }"""
    counted = count(promela.load(Source("model.pml", text)), 100)
    assert (counted.states, counted.transitions) == (7, 6)
    judged = judged_by_spin(text, tmp_path, optimise="-O0")
    assert not isinstance(judged, str), judged
    assert (judged.states, judged.transitions) == (3, 2)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_the_reduced_system_goes_wrong_in_the_same_ways(path: Path) -> None:
    assert_reduction_is_sound(path.read_text())


@given(text=models())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_reduced_system_of_random_models(text: str) -> None:
    assert_reduction_is_sound(text)


@given(text=models(), formula=st.sampled_from(FORMULAS))
@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
def test_formulas_on_the_reduced_system(text: str, formula: str) -> None:
    try:
        count(promela.load(Source("model.pml", text)), 500)
    except (TooLarge, InputError):
        return
    verdicts = {
        check(promela.load(Source("model.pml", text)), ltl=[formula], reductions=reductions).answers[-1].verdict
        for reductions in (REDUCTIONS, ())
    }
    assert len(verdicts) == 1


class Reduced:
    """A model in its reduced form."""

    def __init__(self, text: str, kinds: frozenset[ReductionKind]) -> None:
        self.model = promela.load(Source("model.pml", text))
        self.kinds = kinds

    @property
    def system(self) -> System:
        whole = self.model.system
        reduced = smaller(whole, frozenset(), self.kinds)
        return reduced.system if reduced else whole

    def grow(self, sites: Iterable[int]) -> None:
        self.model.grow(sites)


def assert_reduction_is_sound(text: str) -> None:
    try:
        whole = count(promela.load(Source("model.pml", text)), 1500)
        for kinds in (*(frozenset({kind}) for kind in REDUCTIONS), REDUCTIONS):
            reduced = count(Reduced(text, kinds), 1500)
            assert reduced.states <= whole.states
            assert (reduced.ends_badly, reduced.failures) == (whole.ends_badly, whole.failures)
    except (TooLarge, InputError):
        return


@given(text=models())
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_models(text: str) -> None:
    required_spin()
    compare(text)


def compare(text: str) -> bool:
    """Compare a model with Spin; whether it could be."""
    try:
        counted = count(promela.load(Source("model.pml", text)), 1500)
    except (TooLarge, InputError):
        return False
    if counted.fatal:
        # Where a run is cut off here, Spin goes on somehow, or for ever.
        return False
    with tempfile.TemporaryDirectory() as directory:
        judged = judged_by_spin(text, Path(directory), optimise="-O0")
    if isinstance(judged, str):
        return False
    wrong = counted.ends_badly or bool(counted.failures)
    assert (counted.states, counted.transitions, wrong) == (judged.states, judged.transitions, judged.error is not None)
    return True
