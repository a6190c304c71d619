"""Classification and output of automata."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from ouroboros.ltl import Automaton, Edge, parse_formula, translate
from ouroboros.ltl.output import to_dot, to_hoa, to_never_claim, to_text
from tests.ltl.patterns import DWYER


@pytest.mark.parametrize(
    ("text", "strength"),
    [
        ("<>p", "terminal"),
        ("p U q", "terminal"),
        ("X p", "terminal"),
        ("[]p", "weak"),
        ("<>[]p", "weak"),
        ("p W q", "weak"),
        ("<>p && []q", "weak"),
        ("false", "terminal"),
        ("[]<>p", "strong"),
        ("[](p -> <>q)", "strong"),
    ],
)
def test_strength(text: str, strength: str) -> None:
    assert translate(parse_formula(text)).strength == strength


def test_a_terminal_automaton_may_move_between_accepting_states() -> None:
    automaton = Automaton(("p",), 0, ((Edge(1, 1, 1), Edge(1, 0, 0)), (Edge(0, 0, 0),)), (True, True))
    assert automaton.strength == "terminal"
    assert Automaton(("p",), 0, ((Edge(1, 1, 0),),), (True,)).strength == "weak"


def test_edges_read_the_letter_of_the_state_that_is_left() -> None:
    automaton = Automaton(("p", "q"), 0, ((Edge(0b11, 0b01, 1),), (Edge(0b10, 0b10, 1),)), (False, True))
    assert automaton.accepts([{"p"}], [{"q"}])
    assert not automaton.accepts([{"p", "q"}], [{"q"}])
    assert not automaton.accepts([], [{"p"}])


def test_text() -> None:
    assert to_text(translate(parse_formula("<>(x > 1)"))) == (
        "state 0 (initial)\n  -> 0  when !(x > 1)\n  -> 1  when (x > 1)\nstate 1 (accepting)\n  -> 1  when true\n"
    )


def test_hoa_of_atoms_with_quotes(spot: ModuleType) -> None:
    automaton = translate(parse_formula('[]<>{f("a\\b") > 1}'))
    assert [str(atom) for atom in spot.automaton(to_hoa(automaton)).ap()] == ['"f(\\"a\\\\b\\") > 1"']


def test_never_claims_are_read_by_spot_as_the_same_language(spot: ModuleType) -> None:
    for text in DWYER:
        automaton = translate(parse_formula(text))
        assert spot.are_equivalent(spot.automaton(to_never_claim(automaton)), spot.automaton(to_hoa(automaton))), text


@pytest.mark.skipif(shutil.which("spin") is None and not os.environ.get("CI"), reason="Spin is not installed")
@pytest.mark.parametrize("text", ["[]<>p", "(p > 1) U (q == 2)", "false", "true", "[](p -> X q)"])
def test_never_claims_are_accepted_by_spin(tmp_path: Path, text: str) -> None:
    claim = to_never_claim(translate(parse_formula(text)))
    model = tmp_path / "model.pml"
    model.write_text(f"byte p, q;\nactive proctype main() {{ do :: p++; q = p od }}\n{claim}")
    run = subprocess.run(["spin", "-a", str(model)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "rror" not in run.stdout + run.stderr


def test_dot() -> None:
    assert to_dot(translate(parse_formula("[]p"))) == (
        'digraph automaton {\n  rankdir=LR;\n  start [shape=point, label=""];\n'
        '  0 [shape=doublecircle, label="0"];\n  start -> 0;\n  0 -> 0 [label="p"];\n}\n'
    )
