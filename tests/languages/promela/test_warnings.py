"""What is accepted, and may not mean what it seems to."""

from __future__ import annotations

import pytest

from ouroboros.languages.promela import load
from ouroboros.languages.promela.model import PromelaModel
from ouroboros.source import Source

TWO = "byte d; bool b; active proctype P() { byte v; idle: d = 1; d = 2 }\nactive proctype Q() { idle: d = 3 }\n"


def loaded(text: str) -> PromelaModel:
    return load(Source("model.pml", text))


def asked(model: PromelaModel, text: str) -> tuple[str, ...]:
    model.proposition(Source("--ltl", text))
    return model.system.warnings


def test_a_process_of_another_type() -> None:
    (warning,) = asked(loaded(TWO), "P[1]@idle")
    assert warning.startswith("--ltl:1:1: process 1 is `Q`, and no `P`, so that this is false: `P` is process 0")
    (warning,) = asked(loaded(TWO), "d == P[2 - 1]:v")
    assert warning.startswith("--ltl:1:6: process 1 is `Q`, and no `P`, so that this is 0")
    (warning,) = asked(loaded(TWO), "Q[7]@idle")
    assert "there is no process 7, and no `Q`" in warning


def test_a_process_of_another_type_in_the_model_itself() -> None:
    never = "never { do :: P[1]@idle -> break :: else od }"
    (warning,) = loaded(TWO + never).system.warnings
    assert warning.startswith("model.pml:3:15: process 1 is `Q`")


@pytest.mark.parametrize("text", ["P[0]@idle", "Q[1]@idle", "P@idle", "P[d]@idle"])
def test_a_process_of_the_right_type_or_of_a_number_that_varies(text: str) -> None:
    assert asked(loaded(TWO), text) == ()


def test_a_process_that_may_yet_be_made() -> None:
    text = "proctype P() { idle: skip }\ninit { byte n; do :: n < 200 -> n++ :: n == 200 -> break od; run P() }"
    assert asked(loaded(text), "P[1]@idle") == ()
    (warning,) = asked(loaded(text), "P[0]@idle")
    assert "process 0 is `init`" in warning


@pytest.mark.parametrize(
    ("formula", "place", "spin"),
    [
        ("[] d == 1", "4:9", "([] d) == …"),
        ("<> d > 1", "4:9", "(<> d) > …"),
        ("always d == 1", "4:9", "(always d) == …"),
        ("X d == 1", "4:9", "(X d) == …"),
        ("b -> <>[] d + 1 > 2", "4:16", "([] d) + …"),
        ("[] !b == 1", "4:9", "([] !b) == …"),
        ("[] (d) == 1", "4:9", "([] (d)) == …"),
        ("[] small == 1", "4:9", "([] (d < 2)) == …"),
        ("[] q?[1] == 0", "4:9", "([] q?[1]) == …"),
        ("[] len(q) < 2", "4:9", "([] len(q)) < …"),
        ("[] a[d + 1] < 2", "4:9", "([] a[d + 1]) < …"),
        ("[] P@idle == b", "4:9", "([] P@idle) == …"),
        ("[] SMALL", "4:9", "([] d) < …"),
    ],
)
def test_a_comparison_that_spin_makes_with_a_temporal_formula(formula: str, place: str, spin: str) -> None:
    declarations = "#define small (d < 2)\n#define SMALL d < 2\n"
    text = declarations + "chan q = [1] of {byte}; byte a[3]; " + TWO.replace("\n", "", 1) + f"ltl p {{ {formula} }}"
    (warning,) = loaded(text).system.warnings
    assert warning.startswith(f"model.pml:{place}: Spin reads ")
    assert f"as `{spin}`" in warning


@pytest.mark.parametrize(
    "formula",
    [
        "[] (d == 1)",
        "[] b -> d == 1",
        "d == 1 U d > 2",
        "[] b <-> <> b",
        "<> [] b && d == 1",
        "[] b U d < 3",
        "!d == 1",
    ],
)
def test_a_formula_that_spin_reads_alike(formula: str) -> None:
    assert loaded(TWO + f"ltl p {{ {formula} }}").system.warnings == ()
