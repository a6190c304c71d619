"""`ouro check --trail`."""

from __future__ import annotations

from pathlib import Path

from tests.cli.helpers import MODELS, ouro

# Two statements, and the third one violates the assertion.
MODEL = "byte n;\nactive proctype P() {\n  n = 1; n = 2;\n  assert(n == 1)\n}\n"


def test_a_trail_is_written_where_spin_looks_for_it(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(MODEL)
    ran = ouro("check", path, "--trail")
    assert ran.code == 1
    assert (tmp_path / "model.pml.trail").read_text() == "1:0:0\n2:0:1\n3:0:2\n"
    assert f"spin -t -p {path}" in ran.err


def test_no_violation_no_trail(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(MODEL.replace("n == 1", "n == 2"))
    assert ouro("check", path, "--trail").code == 0
    assert not (tmp_path / "model.pml.trail").exists()


def test_only_promela_has_trails() -> None:
    ran = ouro("check", MODELS / "philosophers.dve", "--trail")
    assert ran.code == 2
    assert "only a Promela model" in ran.err
