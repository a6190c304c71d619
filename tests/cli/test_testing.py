"""`ouro test`: models say what to expect of them."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .helpers import ouro

COUNTER = """\
byte x = 0;
process P {
  state a, b;
  init a;
  trans
    a -> b { guard x < 3; effect x = x + 1; },
    b -> a { };
}
system async;
"""
GOOD = """\
// check: --ltl-file p.ltl
// expect: holds
// check:
// expect: violated deadlock in 6 steps: no step is possible
// expect: holds assertions
// check: --invariant "x < 2"
// expect: violated "x < 2" in 4 steps
// check: --invariant "y < 2"
// expect: error: unknown variable `y`
// states: 7  transitions: 6  deadlocks: 1  depth: 6
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OUROBOROS_CACHE", str(tmp_path / ".cache"))
    (tmp_path / "p.ltl").write_text("#property F(x == 2)\n")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "silent.dve").write_text(COUNTER)
    return tmp_path


def write(path: Path, header: str) -> None:
    path.write_text(header + COUNTER)


def test_what_is_as_expected(folder: Path) -> None:
    write(folder / "good.dve", GOOD)
    ran = ouro("test")
    assert (ran.code, ran.err) == (0, ""), ran.out
    first, last = ran.out.splitlines()
    assert first.startswith("ok      good.dve  6 expectations")
    assert last.startswith("1 model, 6 expectations: all met")


@pytest.mark.parametrize(
    ("before", "after", "line", "found"),
    [
        ("in 6 steps: no step", "in 5 steps: no step", 4, 'violated "deadlock" in 6 steps: no step is possible'),
        ("violated deadlock in 6 steps", "holds deadlock", 4, 'violated "deadlock" in 6 steps'),
        ("holds assertions", "violated by a cycle", 5, 'violated "deadlock" in 6 steps'),
        ("holds assertions", "holds liveness", 5, "no such property; there are assertions, deadlock"),
        ("no step is possible", "overflow", 4, 'violated "deadlock" in 6 steps: no step is possible'),
        (
            "error: unknown variable `y`",
            "error: unknown variable `z`",
            9,
            "error: --invariant:1:1: unknown variable `y`",
        ),
        ("error: unknown variable `y`", "holds", 9, "error: --invariant:1:1: unknown variable `y`"),
        ("expect: holds", "expect: error", 2, "holds"),
        ("expect: holds", "expect: holds, 99 states", 2, "holds, "),
        ("transitions: 6", "transitions: 7", 10, "transitions: 6"),
    ],
)
def test_what_is_not(folder: Path, before: str, after: str, line: int, found: str) -> None:
    write(folder / "wrong.dve", GOOD.replace(before, after, 1))
    ran = ouro("test", "wrong.dve", "--junit", "junit.xml", "--sarif", "results.sarif")
    assert ran.code == 1
    assert f"  wrong.dve:{line}: ouro " in ran.out
    assert f"    found     {found}" in ran.out
    assert "1 not met" in ran.out
    (suite,) = ElementTree.parse("junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("6", "1")
    (failure,) = suite.iter("failure")
    assert f"found {found}" in str(failure.get("message"))
    log = json.loads(Path("results.sarif").read_text())
    (result,) = log["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (log["version"], place["artifactLocation"], place["region"]) == (
        "2.1.0",
        {"uri": "wrong.dve"},
        {"startLine": line},
    )
    assert found in result["message"]["text"]


def test_folders_and_files(folder: Path) -> None:
    write(folder / "inner" / "one.dve", "// check:\n// expect: violated\n")
    (folder / "inner" / "two.pml").write_text("/* states: 1 */ active proctype P() { skip }")
    (folder / "inner" / ".hidden").mkdir()
    write(folder / "inner" / ".hidden" / "three.dve", "// check:\n// expect: holds\n")
    ran = ouro("test", "inner")
    assert ran.code == 1
    assert [line.split()[:2] for line in ran.out.splitlines() if line.startswith(("ok", "FAILED"))] == [
        ["ok", "inner/one.dve"],
        ["FAILED", "inner/two.pml"],
    ]
    assert ouro("test", "inner/one.dve").code == 0


def test_what_makes_no_sense(folder: Path) -> None:
    assert "no model in . says what to expect" in ouro("test").err
    assert "does not say what to expect" in ouro("test", "inner/silent.dve").err
    write(folder / "bad.dve", "// check:\n// expect: fine\n")
    ran = ouro("test")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("bad.dve:2:1: this is nothing to expect")
    assert "there is no directory" in ouro("test", "--junit", "no/where.xml").err
    for options in ("--json x", "--certificate x", "--checkpoint x", "--trail", "other.dve", "--nonsense"):
        write(folder / "bad.dve", f"// check: {options}\n// expect: holds\n")
        ran = ouro("test")
        assert (ran.code, "error: " in ran.out) == (1, True)


def test_results_are_kept_if_asked(folder: Path) -> None:
    write(folder / "good.dve", GOOD)
    assert "not changed" not in ouro("test").out
    assert "not changed" not in ouro("test", "--cache").out
    assert "not changed" in ouro("test", "--cache").out
    assert "not changed" not in ouro("test").out
    # A file of formulas, the model, what is expected: whatever changes is asked again.
    (folder / "p.ltl").write_text("#property F(x == 9)\n")
    assert ouro("test", "--cache").code == 1
    assert ouro("test", "--cache").code == 1
    (folder / "p.ltl").write_text("#property F(x == 2)\n")
    assert "not changed" in ouro("test", "--cache").out
    write(folder / "good.dve", GOOD.replace("in 4 steps", "in 3 steps"))
    assert ouro("test", "--cache").code == 1
