"""The verdict on each small model is the one that the first line of the model expects."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from .helpers import MODELS, ouro

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
EXIT_CODES = {"holds": 0, "violated": 1, "unknown": 3}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("path", sorted(MODELS.glob("*.dve")), ids=lambda path: path.stem)
def test_as_expected(path: Path, workers: int) -> None:
    expected = re.match(r"// expect: (\w+)(?: (\w+))?(.*)\n", path.read_text())
    assert expected
    verdict, name, numbers = expected.groups()
    ran = ouro("check", path, "--no-reduction", "--workers", workers, "--json", "-")
    report = ran.data
    jsonschema.validate(report, SCHEMA)
    assert ran.code == EXIT_CODES[verdict]
    assert report["verdict"] == verdict
    assert name is None or report["property"] == name
    trace = report.get("trace", {"#meta": {"steps": 0}})
    found = {**report, "steps": trace["#meta"]["steps"], "loop": trace.get("loop")}
    for key, number in re.findall(r"(\w+) (\d+)", numbers):
        assert found[key] == int(number), key
    assert ran.err == ""


@pytest.mark.parametrize("path", sorted(MODELS.glob("*.dve")), ids=lambda path: path.stem)
def test_states_visits_everything(path: Path) -> None:
    ran = ouro("states", path, "--json", "-")
    jsonschema.validate(ran.data, SCHEMA)
    assert ran.code == 0
    assert ran.data["complete"] is True


def test_an_invariant_replaces_deadlock_freedom() -> None:
    ran = ouro("check", MODELS / "philosophers.dve", "--invariant", "fork[0] < 2", "--json", "-")
    assert ran.code == 0
    assert [answer["name"] for answer in ran.data["properties"]] == ["assertions", "fork[0] < 2"]


def test_a_violated_invariant_is_told_from_the_others() -> None:
    ran = ouro(
        "check",
        MODELS / "ring.dve",
        *("--invariant", "turn < 6", "--invariant", "turn < 4", "--property", "deadlock", "--json", "-"),
    )
    assert ran.code == 1
    assert ran.data["property"] == "turn < 4"
    assert {answer["name"]: answer["verdict"] for answer in ran.data["properties"]} == {
        "assertions": "holds",
        "deadlock": "holds",
        "turn < 6": "holds",
        "turn < 4": "violated",
    }


def test_an_invariant_that_fails_in_the_initial_state() -> None:
    ran = ouro("check", MODELS / "ring.dve", "--invariant", "turn > 0", "--json", "-")
    assert ran.code == 1
    assert ran.data["trace"]["#meta"]["steps"] == 0
    assert len(ran.data["trace"]["states"]) == 1


def test_an_invariant_that_cannot_be_evaluated_is_violated() -> None:
    ran = ouro("check", MODELS / "ring.dve", "--invariant", "6 / (3 - turn) < 7", "--json", "-")
    assert ran.code == 1
    assert "division by zero" in ran.data["reason"]
    assert ran.data["trace"]["#meta"]["steps"] == 3


def test_more_invariants_than_a_valuation_has_bits() -> None:
    many = [argument for bound in range(6, 106) for argument in ("--invariant", f"turn < {bound}")]
    assert ouro("check", MODELS / "ring.dve", *many).code == 0


@pytest.mark.parametrize("name", ["assertions", "deadlock"])
def test_a_property_by_name(name: str) -> None:
    ran = ouro("check", MODELS / "philosophers.dve", "--property", name, "--json", "-")
    assert ran.code == (1 if name == "deadlock" else 0)


@pytest.mark.parametrize(("option", "value"), [("--states", "2"), ("--time", "1ms"), ("--memory", "1")])
def test_a_limit_ends_in_doubt_and_says_what_to_do(option: str, value: str) -> None:
    ran = ouro("check", MODELS / "ring.dve", "--no-reduction", option, value)
    assert ran.code == 3
    assert f"unknown: the limit on {option[2:]} was met\n  allow more with {option}" in ran.out


def test_the_report_for_people() -> None:
    ran = ouro("check", MODELS / "handshake.dve", "--no-reduction")
    lines = ran.out.splitlines()
    assert "Sender → Receiver" in ran.out
    assert "Sender: ready → done, Receiver: waiting → done, Receiver.got: 0 → 7" in ran.out
    assert "violated: no step is possible" in lines
    assert lines[-1].startswith("full store, exact · one worker · no limit met · model sha256 ")
    assert lines[-1].endswith("counterexample replayed by the interpreter")
    assert all(line == line.rstrip() for line in lines)


def test_info_describes_the_model() -> None:
    ran = ouro("info", MODELS / "property.dve")
    assert ran.code == 0
    for text in ("Walker", "turn", "never_there", "8 bytes"):
        assert text in ran.out


def test_the_report_goes_to_a_file_as_well(tmp_path: Path) -> None:
    ran = ouro("check", MODELS / "ring.dve", "--json", tmp_path / "report.json")
    assert ran.out.startswith("holds\n")
    jsonschema.validate(json.loads((tmp_path / "report.json").read_text()), SCHEMA)


def test_info_shows_what_becomes_of_a_model() -> None:
    system, llvm, assembly = (ouro("info", MODELS / "property.dve", option) for option in ("--ir", "--llvm", "--asm"))
    assert (system.code, llvm.code, assembly.code) == (0, 0, 0)
    assert "\nlayout\n" in system.out
    assert '@"whole_successors"' in llvm.out
    assert '@"valuation"' in llvm.out
    assert "whole_successors:" in assembly.out


def test_warnings_about_the_model_are_in_every_view(tmp_path: Path) -> None:
    model = tmp_path / "array.dve"
    model.write_text("byte x[2]; process P { state a; init a; trans a -> a { guard x == 0; }; } system async;")
    warning = f"{model}:1:62: the array `x` is named without an index"
    for command in ("check", "states", "info", "simulate"):
        ran = ouro(command, model)
        assert ran.code in (0, 3)
        assert ran.err.count(f"ouro: warning: {warning}") == 1
    ran = ouro("check", model, "--json", "-", "--invariant", "x == 0")
    assert ran.data["warnings"][0].startswith(warning)
    jsonschema.validate(ran.data, SCHEMA)


def test_several_violations_of_a_property(tmp_path: Path) -> None:
    model, page = tmp_path / "grid.dve", tmp_path / "page.html"
    counter = "process {0} {{ int at = 0; state s; init s; trans s -> s {{ guard at < 4; effect at = at + 1; }}; }}"
    model.write_text(f"{counter.format('A')}\n{counter.format('B')}\nsystem async;\n")
    ran = ouro("check", model, "--invariant", "A.at + B.at < 5", "--all", 3, "--html", page)
    assert ran.code == 1
    for number in (1, 2, 3):
        assert f"A.at + B.at < 5 is violated, {number} of 3: `A.at + B.at < 5` is false" in ran.out
    assert "`A.at + B.at < 5` is false, and 2 other violations" in ran.out
    assert "A.at + B.at \\u003c 5, 3 of 3" in page.read_text()
    assert ouro("check", model, "--all", 0).code == 2
    refused = ouro("check", model, "--all", 2, "--first")
    assert (refused.code, "leave out one of them" in refused.err) == (2, True)
