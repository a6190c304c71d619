"""What an earlier run found out about a system is used again, for the same system and the same question alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ouroboros.checking import check
from ouroboros.driver import reducing
from ouroboros.languages import dve, load
from ouroboros.reduce.kept import kept
from ouroboros.source import Source
from ouroboros.verdict.report import Report

EXAMPLES = Path(__file__).parents[2] / "examples"
MODELS = sorted((Path(__file__).parent / "models").glob("*.pml"))
TEXT = """byte x;
process P { byte i; state a, b; init a; trans a -> b { effect i = 1; }, b -> a { guard i == 1; effect x = BY; }; }
process Q { byte i; state a, b; init a; trans a -> b { effect i = 2; }; }
system async;"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OUROBOROS_CACHE", str(tmp_path))
    return tmp_path / "reductions"


def numbers(report: Report) -> tuple[Any, ...]:
    statistics = report.statistics
    return (
        report.verdict,
        statistics.states,
        statistics.transitions,
        statistics.depth,
        report.setting.reductions,
        report.setting.reductions_off,
    )


def never(*_: object) -> None:
    pytest.fail("it was known already")


@pytest.mark.parametrize(
    "path",
    [*MODELS, *sorted(EXAMPLES.glob("dve/*.dve")), *sorted(EXAMPLES.glob("murphi/*.m"))],
    ids=lambda path: path.stem,
)
def test_a_second_run_answers_as_the_first_did(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = check(load(path), safety=True)
    monkeypatch.setattr(reducing, "smaller", never)
    monkeypatch.setattr(reducing, "Stubborn", never)
    assert numbers(check(load(path), safety=True)) == numbers(first)


def test_runs_are_answered_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    model = TEXT.replace("BY", "3")
    first = check(dve.load(Source("model.dve", model)), ltl=["<> P.b", "[] (x < 4)"])
    monkeypatch.setattr(reducing, "smaller", never)
    monkeypatch.setattr(reducing, "Stubborn", never)
    assert numbers(check(dve.load(Source("model.dve", model)), ltl=["<> P.b", "[] (x < 4)"])) == numbers(first)


def test_another_system_or_another_question_is_not_mistaken_for_a_known_one(directory: Path) -> None:
    known = set()
    for by in ("3", "4"):
        for question in ("one", "other"):
            system = dve.load(Source("model.dve", TEXT.replace("BY", by))).system
            assert kept(system, question, lambda by=by, question=question: (by, question)) == (by, question)
            known.add((by, question))
            assert len(list(directory.iterdir())) == len(known)


def test_parts_of_the_system_are_the_same_objects() -> None:
    for _ in range(2):
        system = dve.load(Source("model.dve", TEXT.replace("BY", "3"))).system
        field, actions, other = kept(
            system,
            "parts",
            lambda s=system: (s.layout.fields[0], s.actions[1:], reducing.replace(s, deadlock="stuttering")),
        )
        assert field is system.layout.fields[0]
        assert actions[0] is system.actions[1]
        assert other.deadlock == "stuttering"
        assert other.choices is system.choices


def test_what_is_damaged_is_found_out_again(directory: Path) -> None:
    system = dve.load(Source("model.dve", TEXT.replace("BY", "3"))).system
    kept(system, "question", lambda: 1)
    (path,) = directory.iterdir()
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    assert kept(system, "question", lambda: 2) == 2
