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
