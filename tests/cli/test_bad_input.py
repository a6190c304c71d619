"""Whatever is wrong with the input: exit code 2, what happened and where, and never a traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from .helpers import MODELS, ouro

RING = MODELS / "ring.dve"


def refused(*arguments: object) -> str:
    ran = ouro(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Traceback" not in ran.err
    return ran.err


@pytest.mark.parametrize("command", ["check", "states", "info"])
def test_a_missing_file(command: str) -> None:
    assert "there is no such file" in refused(command, "nowhere.dve")


def test_a_slip_in_a_file_name_is_noticed() -> None:
    assert f"did you mean {RING}?" in refused("check", MODELS / "rign.dve")


def test_a_missing_directory() -> None:
    assert "there is no directory nowhere" in refused("check", "nowhere/ring.dve")


def test_a_directory(tmp_path: Path) -> None:
    assert "this is a directory" in refused("check", tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n\t\n", "the file is empty"),
        (b"\x7fELF\0\0\0", "binary file"),
        (b"byte x = ;\n", "model.dve:1:"),
        (b"byte x;\nprocess P { state a; init b; }\nsystem async;\n", "model.dve:2:"),
        (b"// caf\xe9\nbyte x = y;\nsystem async;\n", "model.dve:2:10: unknown"),
        (b"\xff\xfe\x00b", "binary file"),
        (bytes(range(128, 256)) * 4, "model.dve:1:1"),
    ],
)
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "model.dve"
    path.write_bytes(content)
    assert message in refused("check", path)


def test_an_unknown_suffix(tmp_path: Path) -> None:
    path = tmp_path / "model.txt"
    path.write_text("byte x;")
    assert "known suffixes: .dve" in refused("check", path)


def test_the_offending_line_is_shown_with_a_caret(tmp_path: Path) -> None:
    path = tmp_path / "model.dve"
    path.write_text(RING.read_text().replace("turn + 1", "turm + 1"))
    err = refused("check", path)
    line = err.splitlines()[1]
    assert "turm + 1" in line
    assert err.splitlines()[2].index("^") == line.index("turm")


@pytest.mark.parametrize("expression", ["turm < 3", "turn <", "", "turn[0] == 1", "Walker.nowhere", "turn < 3 3"])
def test_a_bad_invariant(expression: str) -> None:
    assert "--invariant:1:" in refused("check", RING, "--invariant", expression)


def test_an_unknown_property_lists_the_known_ones() -> None:
    err = refused("check", MODELS / "property.dve", "--property", "never")
    assert "choose from assertions, deadlock, never_there" in err


@pytest.mark.parametrize(
    "options",
    [
        ("--workers", "0"),
        ("--workers", "two"),
        ("--memory", "lots"),
        ("--memory", "-4G"),
        ("--memory", "0"),
        ("--memory", "4X"),
        ("--time", "soon"),
        ("--time", "5 parsecs"),
        ("--time", "0s"),
        ("--states", "0"),
        ("--states", "many"),
        ("--json", "nowhere/report.json"),
        ("--json", "."),
        ("--nonsense",),
    ],
)
def test_bad_options(options: tuple[str, ...]) -> None:
    assert options[0] in refused("check", RING, *options)


def test_an_unknown_command() -> None:
    assert "No such command" in refused("chekc", RING)


PROMELA = "byte x; bool p, q; active proctype P() { do :: x = 1 - x od }\n"


@pytest.mark.parametrize(
    ("formula", "offending", "hint"),
    [
        ("[] (p => <> q)", "=>", "write ->"),
        ("p <=> q", "<=>", "write <->"),
        ("AG p", "AG ", "write [] p"),
        ("AG (p)", "", "AG p is CTL: write [] p"),
        ("A[] p", "A", "AG p is CTL: write [] p"),
        ("AF p", "AF ", "AF p is CTL: write <> p"),
        ("EF (x == 1)", "", "EF p is CTL, of some run: check [] !p"),
        ("E<> p", "E", "EF p is CTL, of some run: check [] !p"),
        ("[] x = 1", "", "a comparison is written =="),
        ("[] (x = 1)", "", "a comparison is written =="),
    ],
)
def test_formulas_of_other_tools(tmp_path: Path, formula: str, offending: str, hint: str) -> None:
    model = tmp_path / "model.pml"
    model.write_text(PROMELA)
    err = refused("check", model, "--ltl", formula)
    assert "--ltl:1:" in err
    assert hint in err
    carets = next(line for line in err.splitlines() if line.strip(" ^") == "")
    assert not offending or carets.count("^") == len(offending)
    assert not offending or carets.index("^") - 4 == formula.index(offending)


def test_a_comparison_in_murphi_is_still_one(tmp_path: Path) -> None:
    model = tmp_path / "model.m"
    model.write_text("var x: 0..1; startstate begin x := 0; end; rule begin x := 1 - x; end;")
    assert ouro("check", model, "--ltl", "[] (x = 1 -> <> x = 0)").code == 0


def test_a_file_instead_of_a_formula(tmp_path: Path) -> None:
    formulas = tmp_path / "some.ltl"
    for _ in range(2):
        err = refused("check", RING, "--ltl", formulas)
        assert f"--ltl-file {formulas} reads those of a file" in err
        formulas.write_text("#property [] true\n")


def test_a_directory_for_checkpoints_that_would_be_far_from_any_other(tmp_path: Path) -> None:
    err = refused("check", RING, "--checkpoint", tmp_path / "nowhere" / "run")
    assert f"there is no directory {tmp_path / 'nowhere'}: create it first" in err
    assert list(tmp_path.iterdir()) == []
