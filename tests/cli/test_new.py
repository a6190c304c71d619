"""`ouro examples` and `ouro new`."""

from __future__ import annotations

from pathlib import Path

import pytest

from ouroboros.examples import all_examples

from .helpers import ouro


def test_the_list_has_every_example_under_its_topic() -> None:
    lines = ouro("examples").out.splitlines()
    topic = ""
    found = {}
    for line in lines[:-2]:
        if line.startswith("  "):
            found[*line.split()[:2]] = topic
        elif line:
            topic = line
    assert found == {(each.name, each.language): each.header.topic for each in all_examples()}
    assert lines[-1].startswith(f"{len(found)} examples")


def test_one_example_is_shown_with_what_to_expect() -> None:
    ran = ouro("examples", "hanoi")
    assert ran.code == 0
    assert "ouro check hanoi.m -D disks=6\n    violated in 63 steps\n" in ran.out
    assert "ouro states hanoi.m\n    243 states, 726 transitions, 0 deadlocks\n" in ran.out
    assert 'invariant "it cannot be done"' in ran.out


def test_an_example_that_is_not_there() -> None:
    ran = ouro("examples", "hannoi")
    assert (ran.code, ran.err) == (2, "ouro: there is no example hannoi: did you mean hanoi?\n")
    assert "`ouro examples` lists them" in ouro("new", "xyzzy").err


def test_a_copy_is_never_made_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert ouro("new", "peterson").code == 0
    text = Path("peterson.pml").read_text()
    assert "proctype" in text
    Path("peterson.pml").write_text("mine")
    ran = ouro("new", "peterson")
    assert (ran.code, Path("peterson.pml").read_text()) == (2, "mine")
    assert "--force" in ran.err
    assert ouro("new", "peterson", "other.pml").code == 0
    assert Path("other.pml").read_text() == text
    assert ouro("new", "peterson", "--force").code == 0
    assert Path("peterson.pml").read_text() == text


def test_files_that_an_example_needs_come_along(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("models").mkdir()
    assert ouro("new", "election", "models").code == 0
    assert sorted(path.name for path in Path("models").iterdir()) == ["election.dve", "election.ltl"]
    (Path("models") / "election.dve").unlink()
    assert ouro("new", "election", "models").code == 2
    assert not (Path("models") / "election.dve").exists()


@pytest.mark.parametrize(("language", "file"), [("dve", "a.dve"), ("promela", "a.pml"), ("murphi", "a.m")])
def test_an_empty_model_is_one_that_holds(
    language: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ouro("new", "--language", language, file).code == 0
    assert ouro("check", file).code == 0
    assert ouro("new", "--language", language, file).code == 2
    assert ouro("new", "--language", language, "one", "two").code == 2
    assert "cannot be written" in ouro("new", "--language", language, "no/where").err
