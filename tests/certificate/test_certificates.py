"""From a check to a certificate, and from there to the same answer without a search."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ouroboros.languages import is_model
from tests.certificate.models import CERTIFIED, Certified, write
from tests.cli.helpers import ouro
from tests.ranks import run_ranks

FOLDER = Path(__file__).parents[2] / "examples"
# The interpreter would need long for these, and minutes for the robots.
LARGE = {"robots.dve", "directory.m", "go_back_n.pml", "mcs_lock.pml", "bounded_buffer.c", "readers_and_writer.c"}
EXAMPLES = sorted(
    path
    for path in FOLDER.rglob("*.*")
    if is_model(path) and path.name not in LARGE and path.parent.name != "cesmi"  # these are to be compiled first
)
LIVE = [name for name, model in CERTIFIED.items() if "formula" in name or "never" in name]


def certify(model: Path, file: Path, *options: object) -> None:
    ran = ouro("check", model, "--certificate", file, *options)
    assert (ran.code, ran.err) == (0, f"certificate written to {file}\n"), ran
    assert f"certificate in {file}" in ran.out


def confirm(model: Path, file: Path, parts: int) -> None:
    ran = ouro("verify-certificate", model, file)
    assert (ran.code, ran.err) == (0, ""), ran
    assert ran.out.startswith(f"valid: for {model}")
    assert ran.out.count("    holds  ") == parts


@pytest.mark.parametrize("name", CERTIFIED)
def test_what_holds_is_certified(name: str, tmp_path: Path) -> None:
    model, file = CERTIFIED[name], tmp_path / "p.cert"
    path = write(model, tmp_path)
    certify(path, file, *model.options)
    confirm(path, file, model.parts)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([model.name, "p.cert"])


@pytest.mark.parametrize(
    "options",
    [
        ("--algorithm", "ndfs"),
        ("--algorithm", "owcty"),
        ("--algorithm", "map", "--workers", "2"),
        ("--algorithm", "owcty", "--workers", "3", "--edges", "regenerate"),
        ("--algorithm", "owcty", "--store", "tree"),
        ("--algorithm", "map", "--store", "collapse", "--workers", "2"),
    ],
    ids=" ".join,
)
def test_every_algorithm_store_and_team_can_certify(options: tuple[str, ...], tmp_path: Path) -> None:
    for name in LIVE:
        model, file = CERTIFIED[name], tmp_path / "p.cert"
        path = write(model, tmp_path)
        certify(path, file, *model.options, *options)
        confirm(path, file, model.parts)


def test_ranks_of_a_cluster_certify_together(tmp_path: Path) -> None:
    model = CERTIFIED["a formula of Promela"]
    path, file = write(model, tmp_path), tmp_path / "p.cert"
    ran = run_ranks(2, "-m", "ouroboros", "check", str(path), "--certificate", str(file))
    assert ran.returncode == 0, ran
    confirm(path, file, model.parts)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_that_hold_are_certified(path: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.cert"
    ran = ouro("check", path, "--certificate", file, "--safety")
    nothing = "no certificate: it would show nothing of" in ran.out
    assert file.exists() == (ran.code == 0 and not nothing)
    assert not nothing or path.parent.name == "uppaal"
    if file.exists():
        confirm(path, file, 1)
    else:
        assert "no certificate: " in ran.out


def test_the_report_names_the_certificate(tmp_path: Path) -> None:
    model, file = CERTIFIED["states of Promela"], tmp_path / "p.cert"
    path = write(model, tmp_path)
    told = json.loads(ouro("check", path, "--certificate", file, "--json", "-").out)
    assert told["certificate"] == {"path": str(file), "properties": ["assertions", "end-states"], "reason": None}
    assert f"certificate in {file}, for which there is no partial order reduction" in told["assurance"]


def test_what_a_certificate_cannot_show_is_said(tmp_path: Path) -> None:
    model = tmp_path / "p.m"
    model.write_text('var x: 0..2; startstate x := 0; end; rule x := (x + 1) % 3; end; cover "two" x = 2;')
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert")
    assert ran.code == 0
    assert "which says nothing of cover two" in ran.out
    confirm(model, tmp_path / "p.cert", 1)


@pytest.mark.parametrize(("last", "code"), [("x = 0", 1), ("x = 2 * y; y = 1 - y", 0)])
def test_an_atomic_sequence_may_lead_back_to_where_it_began(last: str, code: int, tmp_path: Path) -> None:
    """Where that is no step, the search must know it as the certificate does. The second goes around a cycle of two."""
    model, file = tmp_path / "p.pml", tmp_path / "p.cert"
    model.write_text(f"byte x, y; active proctype P() {{ do :: atomic {{ x = 1; {last} }} od }}")
    ran = ouro("check", model, "--deadlock", "stuttering", "--certificate", file)
    assert ran.code == code, ran
    assert ("every step leads back to the same state" in ran.out) == (code == 1)
    if code == 0:
        confirm(model, file, 1)
    assert ouro("check", model, "--deadlock", "stuck").code == 0


def test_a_verdict_that_is_not_holds_has_no_certificate(tmp_path: Path) -> None:
    model = tmp_path / "p.dve"
    model.write_text("byte x; process P { state a, b; init a; assert b: x == 1; trans a -> b { }; } system async;")
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert")
    assert (ran.code, ran.err) == (1, "")
    assert list(tmp_path.iterdir()) == [model]
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert", "--states", 1)
    assert ran.code == 3
    assert list(tmp_path.iterdir()) == [model]


def test_a_formula_file_goes_into_the_certificate(tmp_path: Path) -> None:
    model = write(CERTIFIED["states of DVE"], tmp_path)
    formulas = tmp_path / "f.ltl"
    formulas.write_text("#define busy (inside == 1)\n#property G(inside <= 1)\n#property G(busy -> F !busy)\n")
    certify(model, tmp_path / "p.cert", "--ltl-file", formulas, "--workers", 2)
    formulas.unlink()
    confirm(model, tmp_path / "p.cert", 2)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--store", "compact"), "this store has not got them"),
        (("--store", "bitstate"), "this store has not got them"),
        (("--ltl", "<> at = 1", "--fairness", "weak"), "under fairness or stuttering there may be"),
        (("--ltl", "<> at = 1", "--stutter", "on"), "under fairness or stuttering there may be"),
        (("--response", "at = 1 ~> at = 2"), "under fairness or stuttering there may be"),
        (("--symmetry",), "--symmetry leaves most of them out"),
    ],
)
def test_combinations_that_are_refused(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    model = write(CERTIFIED["states of Murphi"], tmp_path)
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert", *options)
    assert ran.code == 2
    assert reason in ran.err
    assert list(tmp_path.iterdir()) == [model]


def test_fairness_by_conditions_is_refused(tmp_path: Path) -> None:
    model = write(CERTIFIED["a formula of Promela"], tmp_path)
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert", "--fairness", "weak")
    assert ran.code == 2
    assert "--certificate knows nothing of fairness" in ran.err


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    model = write(CERTIFIED["states of DVE"], tmp_path)
    assert "this is a directory" in ouro("check", model, "--certificate", tmp_path).err
    assert "there is no directory" in ouro("check", model, "--certificate", tmp_path / "no" / "p.cert").err


def test_a_full_disk_does_not_cost_the_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ouroboros.certificate.format import CertificateWriter

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(CertificateWriter, "block", full)
    model = write(CERTIFIED["states of DVE"], tmp_path)
    ran = ouro("check", model, "--certificate", tmp_path / "p.cert")
    assert ran.code == 3
    assert ran.out.startswith("holds\n")
    assert "there is no certificate: " in ran.err
    assert "No space left on device" in ran.err
    assert list(tmp_path.iterdir()) == [model]


_LOADED = """
import sys
from ouroboros.cli import main
try:
    main(["verify-certificate", *sys.argv[1:]])
except SystemExit as end:
    assert end.code == 0, end.code
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("ouroboros.")}
print(sorted(rooms & {"engine", "search", "native"}), sorted({"numba", "llvmlite"} & set(sys.modules)))
"""


@pytest.mark.parametrize("name", ["a formula of Promela", "a property automaton", "a formula of Murphi"])
def test_confirming_shares_no_code_with_the_search(name: str, tmp_path: Path) -> None:
    model: Certified = CERTIFIED[name]
    path, file = write(model, tmp_path), tmp_path / "p.cert"
    certify(path, file, *model.options)
    command = [sys.executable, "-c", _LOADED, str(path), str(file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "[] []"
