"""The package as others get it: a source archive and a wheel are built, the wheel is installed where nothing else is,
and runs there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest

from ouroboros import __version__
from ouroboros.search.build_kernels import versions

pytestmark = [pytest.mark.distribution, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[1]
NAME = f"ouroboros_mc-{__version__}"


def run(*command: object, at: Path, code: int = 0, **variables: str) -> str:
    """What a command says. It finds nothing but what is installed."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | variables
    ran = subprocess.run([*map(str, command)], cwd=at, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel is built from the source archive, and not from the checkout."""
    directory = tmp_path_factory.mktemp("archives")
    run(sys.executable, "-m", "build", ROOT, "--outdir", directory, at=directory)
    return directory


@pytest.fixture(scope="module")
def binaries(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an environment with the wheel, and with what that brings along."""
    directory = tmp_path_factory.mktemp("environment")
    venv.create(directory, with_pip=True)
    (wheel,) = archives.glob("*.whl")
    run(directory / "bin" / "pip", "install", "--quiet", wheel, at=directory)
    return directory / "bin"


def test_the_source_archive_has_what_a_developer_needs(archives: Path) -> None:
    with tarfile.open(archives / f"{NAME}.tar.gz") as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    tracked = run("git", "ls-files", at=ROOT).splitlines()
    assert set(tracked) <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith(".git/")]


def test_what_the_wheel_says_of_itself(archives: Path) -> None:
    (path,) = archives.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        names = set(wheel.namelist())
        metadata = message_from_bytes(wheel.read(f"{NAME}.dist-info/METADATA"))
    assert (metadata["Name"], metadata["Version"]) == ("ouroboros-mc", __version__)
    assert metadata["License-Expression"] == "MIT"
    assert "Typing :: Typed" in (metadata.get_all("Classifier") or [])
    assert "# Ouroboros" in str(metadata.get_payload())
    required = [text for text in metadata.get_all("Requires-Dist") or [] if "extra ==" not in text]
    assert not [text for text in required if text.startswith("numba")]
    assert "ouroboros/py.typed" in names
    assert {f"ouroboros/jit/kernels/{name}" for name in versions()} <= names
    assert not [name for name in names if name.startswith("tests/")]


def test_it_runs_where_nothing_else_is(binaries: Path, tmp_path: Path) -> None:
    ouro, python = binaries / "ouro", binaries / "python"
    run(binaries / "pip", "check", at=tmp_path)
    assert __version__ in run(ouro, "--version", at=tmp_path)
    run(python, "-c", "import numba", at=tmp_path, code=1)
    examples = ROOT / "examples"
    cache = {"OUROBOROS_CACHE": str(tmp_path / "cache")}
    for model, code in (
        ("dve/philosophers.dve", 1),
        ("dve/philosophers_fixed.dve", 0),
        ("promela/token_ring.pml", 0),
        ("murphi/tickets.m", 0),
    ):
        run(ouro, "check", examples / model, "--json", "report.json", at=tmp_path, code=code, **cache)
        report = json.loads((tmp_path / "report.json").read_text())
        assert report["verdict"] == ("violated" if code else "holds")
    run(ouro, "check", examples / "dve/robots.dve", "--workers", "2", at=tmp_path, **cache)
    # Kernels came with the package: none was compiled.
    assert not (tmp_path / "cache" / "kernels").exists()


def test_types_are_found(binaries: Path, tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text("import ouroboros\n\nreveal_type(ouroboros.load('model.dve').system.name)\n")
    mypy = (sys.executable, "-m", "mypy", "--python-executable", binaries / "python", "user.py")
    assert 'Revealed type is "str"' in run(*mypy, at=tmp_path).replace("builtins.", "")
