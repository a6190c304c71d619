"""`ouro help`, shell completion, and models from standard input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.testing import CliRunner

from ouroboros.cli import ouro

MODEL = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> assert(x < 3) od }\n"


def run(*arguments: str, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ouroboros", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("command", sorted(ouro.commands))
def test_help_shows_what_the_option_does(command: str) -> None:
    asked = CliRunner().invoke(ouro, ["help", command], prog_name="ouro")
    assert asked.exit_code == 0
    assert "Usage:" in asked.output
    option = CliRunner().invoke(ouro, [command, "--help"], prog_name="ouro")
    assert asked.output.split("Options:")[0].split("\n", 1)[1] == option.output.split("Options:")[0].split("\n", 1)[1]


def test_help_of_ouro_itself_and_of_nothing() -> None:
    assert "verify-certificate" in CliRunner().invoke(ouro, ["help"]).output
    ran = run("help", "chekc")
    assert (ran.returncode, "No such command" in ran.stderr) == (2, True)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_each_shell(shell: str) -> None:
    ran = run("completion", shell)
    assert ran.returncode == 0
    assert "_OURO_COMPLETE" in ran.stdout


def complete(words: str) -> list[str]:
    environment = {"_OURO_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
    return run(**environment).stdout.splitlines()


def test_commands_options_values_and_files_are_completed() -> None:
    assert "plain,verify-certificate" in complete("ouro ver")
    assert "plain,--invariant" in complete("ouro check --inv")
    assert {"plain,owcty", "plain,ndfs"} <= set(complete("ouro check --algorithm "))
    assert any(line.startswith("file,") for line in complete("ouro check mod"))


def test_names_of_properties_are_completed(tmp_path: Path) -> None:
    model = tmp_path / "model.pml"
    model.write_text(MODEL + "ltl small { [] (x < 3) }\nltl smart { <> (x == 3) }\n")
    assert complete(f"ouro check {model} --property sm") == ["plain,small", "plain,smart"]
    assert "plain,end-states" in complete(f"ouro check {model} --property ")
    assert not any(complete(f"ouro check {tmp_path / 'none.pml'} --property "))
    model.write_text("active proctype {")
    assert not any(complete(f"ouro check {model} --property "))


def test_manual_pages(tmp_path: Path) -> None:
    ran = run("man", str(tmp_path / "share" / "man"))
    assert ran.returncode == 0
    pages = sorted(path.stem for path in (tmp_path / "share" / "man" / "man1").iterdir())
    assert pages == sorted(["ouro", *(f"ouro-{name}" for name in ouro.commands)])
    page = (tmp_path / "share" / "man" / "man1" / "ouro-check.1").read_text()
    assert page.startswith('.TH "OURO-CHECK" "1"')
    assert "\\fB\\-\\-ltl FORMULA\\fR" in page
    if which("man"):
        shown = subprocess.run(
            ["man", "-l", str(tmp_path / "share" / "man" / "man1" / "ouro-check.1")],
            capture_output=True, text=True, check=True, env={**os.environ, "MANPAGER": "cat", "PAGER": "cat"},
        )  # fmt: skip
        assert "Check the properties of a model." in shown.stdout
    (tmp_path / "file").write_text("")
    refused = run("man", str(tmp_path / "file"))
    assert (refused.returncode, "cannot be written" in refused.stderr) == (2, True)


def test_a_model_from_standard_input() -> None:
    ran = run("check", "-", "--language", "promela", text=MODEL)
    assert ran.returncode == 1
    assert "stdin.pml:1" in ran.stdout
    assert run("states", "-", "--language", "promela", text=MODEL).returncode == 0
    assert "P[0]" in run("info", "-", "--language", "promela", text=MODEL).stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-"], "say with --language what it is"),
        (["model.pml", "--language", "promela"], "--language is for standard input"),
        (["-", "--language", "promela"], "standard input: it is empty"),
        (["-", "--language", "promela", "--checkpoint", "."], "standard input can be read once"),
    ],
)
def test_what_cannot_be_read(arguments: list[str], message: str) -> None:
    ran = run("check", *arguments, "--json", "-")
    assert ran.returncode == 2
    assert message in ran.stderr
    assert message in json.loads(ran.stdout)["error"]["message"]
