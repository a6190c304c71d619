"""Several models in one command, and errors for programs."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from .helpers import MODELS, ouro
from .test_verdicts import SCHEMA

ERROR_SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "error.schema.json").read_text())
LARGE = Path(__file__).parents[2] / "examples" / "dve" / "robots.dve"
HOLDS, VIOLATED, NOWHERE = MODELS / "ring.dve", MODELS / "philosophers.dve", Path("nowhere.dve")


def test_each_model_has_its_report_and_its_line_at_the_end() -> None:
    ran = ouro("check", HOLDS, VIOLATED)
    assert ran.code == 1
    assert ran.out.count("model sha256") == 2
    assert ran.out.splitlines()[-2:] == [f"holds        {HOLDS}", f"violated     {VIOLATED}"]


@pytest.mark.parametrize(
    ("models", "options", "code"),
    [
        ([HOLDS, HOLDS], [], 0),
        ([VIOLATED, HOLDS], [], 1),
        ([HOLDS, NOWHERE, VIOLATED], [], 2),
        ([LARGE, HOLDS], ["--states", "1000"], 3),
    ],
)
def test_the_most_severe_code_counts(models: list[Path], options: list[str], code: int) -> None:
    assert ouro("check", *models, *options).code == code


def test_an_error_does_not_keep_the_others_from_being_checked() -> None:
    ran = ouro("check", NOWHERE, HOLDS)
    assert "there is no such file" in ran.err
    assert ran.out.splitlines()[-2:] == ["error        nowhere.dve", f"holds        {HOLDS}"]


@pytest.mark.parametrize("target", ["-", "reports.json"])
def test_reports_for_programs(target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ouro("check", VIOLATED, NOWHERE, HOLDS, "--json", target)
    first, second, third = json.loads(ran.out if target == "-" else Path(target).read_text())
    for report in (first, third):
        jsonschema.validate(report, SCHEMA)
    assert (first["verdict"], third["verdict"], ran.code) == ("violated", "holds", 2)
    jsonschema.validate(second, ERROR_SCHEMA)
    assert second["model"] == {"path": "nowhere.dve"}


@pytest.mark.parametrize("option", ["--checkpoint", "--certificate"])
def test_what_would_write_over_itself_is_refused(option: str, tmp_path: Path) -> None:
    ran = ouro("check", HOLDS, VIOLATED, option, tmp_path / "there")
    assert ran.code == 2
    assert f"{option} is for one model" in ran.err


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["check", "nowhere.dve"], {"message": "nowhere.dve: there is no such file", "line": None}),
        (["states", HOLDS, "--time", "soon"], {"message": "Invalid value for '--time': 'soon' is no duration"}),
        (["check", HOLDS, "--invariant", "trun == 2"], {"line": 1, "column": 1, "file": "--invariant"}),
        (["check", HOLDS, "--invariant", "trun == 2"], {"hint": "did you mean `turn`?"}),
        (["check", HOLDS, "--every", "5m"], {"exit_code": 2}),
    ],
)
def test_an_error_is_an_object(arguments: list[object], expected: dict[str, object]) -> None:
    for form in (["--json", "-"], ["--json=-"]):
        ran = ouro(*arguments, *form)
        assert ran.code == 2
        assert ran.err
        jsonschema.validate(ran.data, ERROR_SCHEMA)
        for key, value in expected.items():
            found = ran.data["error"][key]
            assert found == value or str(found).startswith(str(value))


def test_there_is_one_object_where_only_a_certificate_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report was written before, and standard output has no second document."""
    from ouroboros.certificate.format import CertificateWriter

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CertificateWriter, "block", full)
    ran = ouro("check", HOLDS, "--certificate", tmp_path / "c", "--json", "-")
    assert ran.code == 3
    assert ran.data["verdict"] == "holds"
