"""Automata in the HOA format: what Spot writes is read, and means the same."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from ouroboros.errors import InputError
from ouroboros.ltl.hoa import read_hoa
from ouroboros.ltl.output import to_hoa
from ouroboros.source import Source
from tests.cli.helpers import ouro
from tests.ltl.words import spot_formulas

MODEL = """\
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
"""
TWICE = """\
HOA: v1
name: "x is low again and again"
States: 1
Start: 0
AP: 2 "x == 0" "x == 1"
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0)&Inf(1)
Alias: @low 0 | 1
properties: trans-labels explicit-labels trans-acc deterministic
--BODY--
State: 0 "only" /* one state */
[0] 0 {0}
[!0 & 1] 0 {1}
[!@low] 0
--END--
"""


def read(text: str) -> object:
    return read_hoa(Source("automaton.hoa", text))


def test_what_spot_makes_of_a_formula_is_read_as_that(spot: ModuleType) -> None:
    for formula in spot_formulas(spot, 60, 5):
        for kind, level in (("tgba", "any"), ("tgba", "small"), ("ba", "small"), ("ba", "any")):
            made = spot.translate(formula, kind, level)
            for options in ("", "k", "i", "v"):
                found = read_hoa(Source("a", made.to_str("hoa", options))).automaton
                assert spot.are_equivalent(spot.automaton(to_hoa(found)), made), (formula, kind, level, options)


def test_sets_on_transitions_aliases_and_names() -> None:
    found = read_hoa(Source("a", TWICE))
    assert found.name == "x is low again and again"
    assert found.automaton.accepts([], [{"x == 0"}, {"x == 1"}])
    assert not found.automaton.accepts([{"x == 0"}, {"x == 1"}], [{"x == 1"}, set()])


def test_letters_by_number_and_several_starts() -> None:
    text = 'HOA: v1 States: 2 Start: 0 Start: 1 AP: 1 "p" Acceptance: 1 Inf(0) --BODY-- '
    text += "State: 0 {0} 0 1 State: 1 1 0 --END--"
    automaton = read_hoa(Source("a", text)).automaton
    # From 0: stays while p is false. From 1: p leads to 0.
    assert automaton.accepts([], [set()])
    assert automaton.accepts([{"p"}], [set()])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("HOA: v1", "HOA: v2", "version v2"),
        ("2 Inf(0)&Inf(1)", "2 Inf(0)|Inf(1)", "no disjunction"),
        ("2 Inf(0)&Inf(1)", "2 Fin(0)&Inf(1)", "only Büchi"),
        ("2 Inf(0)&Inf(1)", "2 Inf(!0)&Inf(1)", "complement"),
        ("2 Inf(0)&Inf(1)", "2 Inf(0)", "not used"),
        ("2 Inf(0)&Inf(1)", "2 Inf(0)&Inf(7)", "only 2 acceptance sets"),
        ("Start: 0", "Start: 0&0", "alternating"),
        ("[0] 0 {0}", "[0] 0&0 {0}", "alternating"),
        ("[0] 0 {0}", "[0] 5 {0}", "no state 5"),
        ("[0] 0 {0}", "[7] 0 {0}", "no proposition 7"),
        ("[0] 0 {0}", "[0] 0 {9}", "only 2 acceptance sets"),
        ("[0] 0 {0}", "[@high] 0 {0}", "a condition is expected"),
        ("AP: 2", "AP: 3", "3 propositions are announced"),
        ("properties:", "Controllable-AP: 0 properties:", "may change the meaning"),
        ("--END--", "--ABORT--", "given up"),
        ("--END--\n", "--END--\n" + "HOA: v1", "more than one"),
        ("--END--\n", "", "the end of the file"),
        ("[0] 0 {0}", "[0] 0 {0} $", "means nothing"),
        ("States: 1", "States: 99999999", "at most 10,000"),
    ],
)
def test_what_is_not_understood_is_refused_at_its_place(old: str, new: str, message: str) -> None:
    assert old in TWICE
    with pytest.raises(InputError, match=message) as raised:
        read(TWICE.replace(old, new))
    assert raised.value.span is not None


def test_an_automaton_is_a_property(tmp_path: Path) -> None:
    (tmp_path / "model.pml").write_text(MODEL)
    (tmp_path / "twice.hoa").write_text(TWICE)
    (tmp_path / "never.hoa").write_text(TWICE.replace('"x == 1"', '"x == 7"').replace("x is low", "x is seven"))
    path = tmp_path / "model.pml"
    for options in ([], ["--algorithm", "map"], ["--workers", 2], ["--store", "tree"]):
        ran = ouro("check", path, "--automaton", tmp_path / "twice.hoa", *options)
        assert (ran.code, "x is low again and again" in ran.out) == (1, True), ran
        assert "replayed by the interpreter beside the automaton" in ran.out
        ran = ouro("check", path, "--automaton", tmp_path / "never.hoa", *options)
        assert ran.code == 0, ran
    file = tmp_path / "p.cert"
    ran = ouro("check", path, "--automaton", tmp_path / "never.hoa", "--certificate", file)
    assert ran.code == 0
    assert ouro("verify-certificate", path, file).code == 0
    (tmp_path / "wrong.hoa").write_text(TWICE.replace("x == 0", "z == 0"))
    ran = ouro("check", path, "--automaton", tmp_path / "wrong.hoa")
    assert ran.code == 2
    assert "wrong.hoa:5:" in ran.err
    assert "z" in ran.err
