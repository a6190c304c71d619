"""Standard output that is full, closed, or not read to its end is nobody's bug."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from .helpers import MODELS, said

OURO = [sys.executable, "-m", "ouroboros"]
RING = str(MODELS / "ring.dve")

COMMANDS = [
    (["--help"], 0),
    (["check", "--help"], 0),
    (["--version"], 0),
    (["info", RING], 0),
    (["ltl", "[] a"], 0),
    (["simulate", RING, "--steps", "3", "--seed", "1"], 0),
    (["check", RING, "--invariant", "0"], 1),
    (["check", RING, "--invariant", "0", "--json", "-"], 1),
    (["states", RING, "--states", "1"], 3),
]


def ran(arguments: list[str], **streams: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*OURO, *arguments], text=True, timeout=120, check=False, **streams)  # type: ignore[call-overload,no-any-return]  # streams have many types


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_a_full_disk_is_told_and_is_no_bug(arguments: list[str], code: int) -> None:
    with open("/dev/full", "w") as full:
        told = ran(arguments, stdout=full, stderr=subprocess.PIPE)
    assert told.returncode == 2
    assert said(told.stderr) == "ouro: standard output cannot be written: No space left on device\n"


@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_who_reads_no_more_hears_no_more(arguments: list[str], code: int) -> None:
    command = subprocess.Popen([*OURO, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert command.stdout
    assert command.stderr
    command.stdout.close()
    with command.stderr:
        assert said(command.stderr.read()) == ""
    assert command.wait(timeout=120) == code


@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_no_standard_output_at_all(arguments: list[str], code: int) -> None:
    told = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *OURO, *arguments], text=True, stderr=subprocess.PIPE, check=False
    )
    assert (told.returncode, said(told.stderr)) == (code, "")


def test_a_simulation_without_a_reader_ends() -> None:
    with subprocess.Popen(
        [*OURO, "simulate", RING, "--steps", "1000000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as command:
        assert command.stdout
        command.stdout.close()
        assert command.wait(timeout=60) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_messages_that_nobody_can_read_do_not_change_the_exit_code(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        assert ran(["check", str(tmp_path / "none.dve")], stderr=full).returncode == 2
        assert ran(["check", RING, "--invariant", "0"], stdout=subprocess.DEVNULL, stderr=full).returncode == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_report_that_cannot_be_shown_is_still_written(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    with open("/dev/full", "w") as full:
        assert ran(["check", RING, "--json", str(file)], stdout=full, stderr=subprocess.DEVNULL).returncode == 2
    assert json.loads(file.read_text())["verdict"]
