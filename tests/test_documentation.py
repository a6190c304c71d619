"""What the documentation shows is what happens.

Every `ouro` command in a `console` block of the README and the guide is run, in the order of the text, in a directory
with the examples and with the files that the text itself brings along, in blocks that are labelled `file=NAME`. Its
exit code is the one that a following `echo $?` shows, or else 0. The lines below it must be in its output, in that
order; `…` stands for lines that are left out. Times, memory and rates may differ.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import pytest

from ouroboros import __version__
from ouroboros.cli import ouro as command_group
from tests.cli.helpers import ouro

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
GUIDE = ROOT / "docs" / "guide.md"
PAGES = [README, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]

_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_MEASURED = re.compile(r"[\d,.]+(?= (?:ms|s|min|h|KiB|MiB|GiB|states/s|bytes a state|of CPU time))")


@dataclass
class Command:
    line: str
    code: int = 0
    output: list[str] = field(default_factory=list)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    yield from _BLOCK.findall(page.read_text())


def session(block: str) -> Iterator[Command]:
    """The commands of a block, each with what is shown below it."""
    command: Command | None = None
    lines = iter(block.splitlines())
    for line in lines:
        if line == "$ echo $?":
            assert command, "echo $? follows no command"
            command.code = int(next(lines))
        elif line.startswith("$ "):
            if command:
                yield command
            command = Command(line[2:])
        elif command and line.strip():
            command.output.append(line)
    if command:
        yield command


def run(line: str) -> tuple[int, str]:
    words = shlex.split(line, comments=True)
    if words[0] == "ouro" and not {"|", ">", "&&"} & set(words):
        ran = ouro(*words[1:])
        return ran.code, ran.out + ran.err
    binaries = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
    completed = subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, env=environment, timeout=120, check=False
    )
    return completed.returncode, completed.stdout + completed.stderr


def can_launch() -> bool:
    """MPI may be missing on a developer's machine, but not where it counts."""
    return bool(os.environ.get("CI") or importlib.util.find_spec("mpi4py"))


def plain(line: str) -> str:
    """A line without what differs from run to run: measurements, and the width of columns."""
    return " ".join(_MEASURED.sub("#", line).split())


def confirm(command: Command) -> None:
    code, output = run(command.line)
    assert code == command.code, f"{command.line}\n{output}"
    said = iter(map(plain, output.splitlines()))
    for shown in map(plain, command.output):
        assert shown == "…" or shown in said, f"{command.line}\ndoes not say: {shown}\n{output}"


@pytest.mark.parametrize("page", [README, GUIDE], ids=lambda page: page.stem)
def test_the_commands_do_what_is_shown(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for kind, text in blocks(page):
        brought = re.fullmatch(r"\w+ file=(\S+)", kind)
        if brought:
            (tmp_path / brought[1]).write_text(text)
        if kind != "console":
            continue
        for command in session(text):
            program = command.line.split()[0]
            if program == "ouro" or (program == "mpiexec" and can_launch()):
                confirm(command)
                ran += 1
    assert ran >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_models_and_programs_are_right(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for kind, text in blocks(page):
        if kind.split()[:1] == ["dve"]:
            (tmp_path / "model.dve").write_text(text)
            assert ouro("info", "model.dve").code == 0
        elif kind == "python":
            exec(text, {})


def options(group: click.Group) -> Iterator[tuple[str, str]]:
    for name, command in group.commands.items():
        for parameter in command.get_params(click.Context(command)):
            if isinstance(parameter, click.Option):
                yield name, max(parameter.opts, key=len)


@pytest.mark.parametrize(("command", "option"), list(options(command_group)))
def test_the_guide_mentions_every_option(command: str, option: str) -> None:
    text = GUIDE.read_text()
    assert re.search(rf"{option}\b", text), f"{option} of `ouro {command}` is not in the guide"
    assert f"ouro {command}" in text


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as they are made on the common forges."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in _HEADING.findall(text)}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)):
        if re.match(r"\w+:", target):
            continue
        name, _, anchor = target.partition("#")
        linked = (page.parent / name).resolve() if name else page
        assert linked.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(linked), f"{page.name}: {target}"


def test_every_page_can_be_found() -> None:
    """From the README, by following links."""
    seen, queue = {README}, [README]
    for page in queue:
        for target in _LINK.findall(page.read_text()):
            linked = (page.parent / target.partition("#")[0]).resolve()
            if linked.suffix == ".md" and linked.exists() and linked not in seen:
                seen.add(linked)
                queue.append(linked)
    assert set(PAGES) <= seen


def test_ci_runs_the_command_of_the_readme() -> None:
    (command,) = re.findall(r"^\$ (pip install '\.\[test\]'.*)$", README.read_text(), re.MULTILINE)
    assert command in map(str.strip, (ROOT / ".ci" / "run").read_text().splitlines())


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text()
