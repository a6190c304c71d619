"""Saving and resuming from outside: limits, signals, kills, changed files, disks that fail."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

from .helpers import MODELS, Ran, ouro
from .test_process import OURO

ROOT = Path(__file__).parents[2]
COUNTED = ("verdict", "states", "transitions", "deadlocks", "depth", "unreached")

# 21 * 21 * 21 * 21 states; every run ends with all four counters at 20.
COUNTERS = """
byte a; byte b; byte c; byte d;
process P {
  state s;
  init s;
  trans
    s -> s { guard a < 20; effect a = a + 1; }, s -> s { guard b < 20; effect b = b + 1; },
    s -> s { guard c < 20; effect c = c + 1; }, s -> s { guard d < 20; effect d = d + 1; },
    s -> s { guard a == 20 and b == 20 and c == 20 and d == 20; };
}
system async;
"""

# Processes are made one after the other, later than a scout would find: room for them is made again and again.
SPAWNING = """
byte made, left = 3;
proctype Child(byte n) { do :: left > 0 -> left--; :: left == 0 -> break; od; made++ }
init {
  byte i;
  do
  :: i < 250 -> i++
  :: i == 250 -> break
  od;
  do
  :: made < 2 -> run Child(made); (_nr_pr == 1)
  :: made == 2 -> break
  od;
  run Child(0); run Child(1); run Child(2);
  (_nr_pr == 1)
}
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "counters.dve"
    path.write_text(COUNTERS)
    return path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    return tmp_path / "saved"


def numbers(ran: Ran) -> list[object]:
    return [ran.data[name] for name in COUNTED]


@pytest.mark.parametrize("store", ["full", "tree", "collapse"])
@pytest.mark.parametrize(("before", "after"), [(1, 3), (2, 1)])
def test_a_count_goes_on(model: Path, saved: Path, store: str, before: int, after: int) -> None:
    expected = ouro("states", model, "--json", "-")
    first = ouro("states", model, "--store", store, "--checkpoint", saved, "--states", 50000, "--workers", before)
    assert first.code == 3
    assert f"`ouro resume {saved}` goes on" in first.out
    second = ouro("resume", saved, "--states", 120000, "--workers", after, "--json", "-")
    assert (second.code, second.data["limit"], second.data["checkpoint"]["written"]) == (3, "states", 1)
    third = ouro("resume", saved, "--json", "-")
    assert third.code == 0
    assert numbers(third) == numbers(expected)
    assert (third.data["store"], third.data["workers"]) == (store, before)
    assert third.data["checkpoint"] == {"directory": str(saved), "written": 1, "resumed": True, "failure": None}
    jsonschema.validate(third.data, json.loads((ROOT / "docs" / "report.schema.json").read_text()))
    again = ouro("resume", saved, "--json", "-")
    assert numbers(again) == numbers(expected)


QUESTIONS = [
    ["--ltl", "<>[] a == 20", "--algorithm", "owcty"],
    ["--ltl", "<>[] a == 20", "--algorithm", "map"],
    ["--ltl", "[]<> a == 20"],
    ["--ltl", "[]<> a == 19", "--algorithm", "owcty"],
    ["--response", "a == 5 ~> a == 6", "--fairness", "weak"],
    ["--ltl", "<>[] a == 20", "--fairness", "strong"],
    ["--invariant", "a + b + c + d < 70"],
]


@pytest.mark.parametrize("algorithm", ["ndfs", "owcty", "map"])
@pytest.mark.parametrize("states", [400, 800])
def test_a_resumed_run_writes_the_certificate(tmp_path: Path, saved: Path, algorithm: str, states: int) -> None:
    """The first search, of 625 states, is ended by the limit, or the second, of its product with an automaton."""
    model, file = tmp_path / "counters.dve", tmp_path / "there" / "p.cert"
    model.write_text(COUNTERS.replace("20", "4"))
    file.parent.mkdir()
    question = ["--invariant", "a < 5", "--ltl", "[]<> a == 4", "--algorithm", algorithm, "--certificate", file]
    first = ouro("check", model, *question, "--checkpoint", saved, "--states", states)
    assert (first.code, list(file.parent.iterdir())) == (3, []), first
    for _ in range(2):
        ran = ouro("resume", saved, "--workers", 1 if algorithm == "ndfs" else 2)
        assert (ran.code, ran.err) == (0, f"certificate written to {file}\n"), ran
        shown = ouro("verify-certificate", model, file)
        assert (shown.code, shown.out.count("    holds  ")) == (0, 2), shown
        file.unlink()


@pytest.mark.parametrize("question", QUESTIONS, ids=" ".join)
def test_a_question_is_answered_in_the_end(model: Path, saved: Path, question: list[str]) -> None:
    expected = ouro("check", model, *question, "--json", "-")
    first = ouro("check", model, *question, "--checkpoint", saved, "--states", 60000)
    assert first.code == 3
    alone = expected.data["algorithm"] == "ndfs"
    ran = ouro("resume", saved, "--workers", 1 if alone else 2, "--json", "-")
    assert ran.code == expected.code
    if expected.code == 0:
        assert numbers(ran) == numbers(expected)
    else:
        assert len(ran.data["trace"]["states"]) == len(expected.data["trace"]["states"])
    assert [answer["name"] for answer in ran.data["properties"]] == [
        answer["name"] for answer in expected.data["properties"]
    ]


def test_what_was_begun_by_one_worker_is_gone_on_with(model: Path, saved: Path) -> None:
    assert ouro("check", model, "--ltl", "[]<> a == 20", "--checkpoint", saved, "--states", 60000).code == 3
    refused = ouro("resume", saved, "--workers", 2)
    assert refused.code == 2
    assert "ndfs is sequential" in refused.err


def test_finished_searches_are_not_made_again(model: Path, saved: Path) -> None:
    questions = ["--invariant", "a <= 20", "--ltl", "[]<> a == 20", "--ltl", "<>[] b == 20"]
    expected = ouro("check", model, *questions, "--json", "-")
    # Enough for the states alone, but not for the product.
    first = ouro("check", model, *questions, "--checkpoint", saved, "--states", 200000, "--json", "-")
    assert [answer["verdict"] for answer in first.data["properties"]] == ["holds", "holds", "unknown", "unknown"]
    ran = ouro("resume", saved, "--json", "-")
    assert ran.code == 0
    assert [search["states"] for search in ran.data["searches"]] == [
        search["states"] for search in expected.data["searches"]
    ]
    # It was made once, and so took the same time.
    assert ran.data["searches"][0]["search_seconds"] == first.data["searches"][0]["search_seconds"]


def test_a_model_that_has_to_grow(tmp_path: Path, saved: Path) -> None:
    model = tmp_path / "spawning.pml"
    model.write_text(SPAWNING)
    expected = ouro("states", model, "--json", "-")
    assert expected.code == 0
    first = ouro("states", model, "--checkpoint", saved, "--states", expected.data["states"] - 5)
    assert first.code == 3
    assert json.loads(next(saved.glob("*/manifest.json")).read_text())["content"]["grown"]
    assert numbers(ouro("resume", saved, "--json", "-")) == numbers(expected)


def test_the_directory_says_what_was_asked(model: Path, saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(model.parent)
    ouro("states", model.name, "--checkpoint", "saved", "--states", 50000)
    run = json.loads((saved / "run.json").read_text())["content"]
    assert run["files"][0]["text"] == COUNTERS
    monkeypatch.chdir("/")
    assert ouro("resume", saved).code == 0


def test_other_texts_are_refused(tmp_path: Path, saved: Path) -> None:
    model, included, formulas = tmp_path / "model.pml", tmp_path / "included.h", tmp_path / "formulas.ltl"
    included.write_text("#define MOST 200\n")
    model.write_text(
        '#include "included.h"\nbyte x;\nactive proctype P() { do :: x < MOST -> x++ :: else -> x = 0 od }'
    )
    formulas.write_text("#property []<> x == 7\n")
    assert ouro("check", model, "--ltl-file", formulas, "--checkpoint", saved, "--states", 5).code == 3
    for file in (model, included, formulas):
        text = file.read_text()
        file.write_text(text + " ")
        refused = ouro("resume", saved)
        assert refused.code == 2
        assert f"{file.name} is not what it was" in refused.err
        file.write_text(text)
    assert ouro("resume", saved).code == 0


def test_a_damaged_checkpoint_is_replaced_by_the_one_before(model: Path, saved: Path) -> None:
    ouro("states", model, "--checkpoint", saved, "--states", 50000)
    ouro("resume", saved, "--states", 90000)
    os.truncate(saved / "000002" / "worker-0", 1000)
    ran = ouro("resume", saved, "--json", "-")
    assert ran.data["states"] == 21**4
    assert "checkpoint 2 is damaged: worker-0 has 1000 bytes instead of" in ran.err
    for file in saved.glob("*/manifest.json"):
        os.truncate(file, 10)
    refused = ouro("resume", saved)
    assert refused.code == 2
    assert "there is none to go on from" in refused.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--store", "compact"], "--checkpoint needs a store that keeps the states themselves"),
        (["--store", "bitstate"], "--checkpoint needs a store that keeps the states themselves"),
        (["--workers", "2", "--algorithm", "ndfs", "--ltl", "[] a < 3"], "ndfs is sequential"),
    ],
)
def test_what_is_refused_leaves_no_directory(model: Path, saved: Path, arguments: list[str], said: str) -> None:
    ran = ouro("check", model, *arguments, "--checkpoint", saved)
    assert (ran.code, said in ran.err) == (2, True)
    assert not saved.exists()


def test_a_directory_that_cannot_be_written(model: Path, tmp_path: Path, saved: Path) -> None:
    (tmp_path / "file").write_text("")
    ran = ouro("states", model, "--checkpoint", tmp_path / "file")
    assert (ran.code, "nothing can be written there" in ran.err) == (2, True)
    ran = ouro("states", model, "--checkpoint", "/proc/saved")
    assert (ran.code, "nothing can be written there" in ran.err) == (2, True)
    ran = ouro("states", model, "--every", "1m")
    assert (ran.code, "nothing is saved without --checkpoint" in ran.err) == (2, True)
    assert ouro("states", model, "--checkpoint", saved).code == 0
    ran = ouro("states", model, "--checkpoint", saved)
    assert (ran.code, "there is a run in it already" in ran.err) == (2, True)


def test_a_disk_that_is_full_does_not_end_the_search(model: Path, saved: Path) -> None:
    """The system refuses files of more than 200 KB, as if that was all that is left."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    assert ouro("states", model, "--checkpoint", saved, "--states", 5000).code == 3
    command = [*OURO, "resume", saved, "--every", "1ms", "--json", "-"]
    ran = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["states"] == 21**4
    assert "no checkpoint could be written" in ran.stderr
    assert "the search goes on" in ran.stderr
    assert ouro("resume", saved).code == 0


@pytest.mark.parametrize(("workers", "number"), [(1, signal.SIGTERM), (2, signal.SIGINT)])
def test_a_signal_leaves_a_checkpoint(tmp_path: Path, saved: Path, workers: int, number: int) -> None:
    model = tmp_path / "larger.dve"
    model.write_text(COUNTERS.replace("20", "80"))
    command = [*OURO, "states", str(model), "--checkpoint", str(saved), "--workers", str(workers), "--memory", "2G"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not saved.exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 3, err
    assert "unknown: interrupted" in out
    assert "writing a checkpoint" in err
    ran = ouro("resume", saved, "--workers", 1, "--states", 1, "--json", "-")
    assert ran.data["limit"] == "states"
    assert ran.data["states"] > 1


def test_killed_runs_find_what_others_find() -> None:
    """The small version of what the benchmark does: one run of two workers is killed, and one rank of two."""
    command = [sys.executable, str(ROOT / "bench" / "kill.py"), "--small", "--kills", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "2 runs killed, 0 of them with another result" in ran.stdout


def test_the_report_tells_of_checkpoints(saved: Path) -> None:
    ran = ouro("check", MODELS / "philosophers.dve", "--checkpoint", saved)
    assert ran.code == 1
    assert f"in {saved}; the run is finished, and nothing was removed" in ran.out
    again = ouro("resume", saved)
    assert again.code == 1
    assert "resumed from a checkpoint" in again.out
