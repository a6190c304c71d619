"""What Spin accepts we accept, and what Spin refuses we refuse."""

from __future__ import annotations

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ouroboros.errors import InputError
from tests.languages.promela.models import EVERYTHING, PREPROCESSED_AWAY, checked


def texts(name: str) -> list[str]:
    """The models of a file, whose first part is a comment."""
    return (Path(__file__).with_name(name)).read_text().strip().split("\n---\n")[1:]


@pytest.fixture(scope="session")
def spin() -> str:
    found = shutil.which("spin")
    if found is None:
        if os.environ.get("CI"):
            pytest.fail("Spin is needed")
        pytest.skip("Spin is not installed")
    return found


def accepted_by_spin(spin: str, directory: Path, models: list[str]) -> list[bool]:
    def accepts(numbered: tuple[int, str]) -> bool:
        place = directory / str(numbered[0])
        place.mkdir()
        (place / "model.pml").write_text(numbered[1])
        command = [spin, "-a", "model.pml"]
        return subprocess.run(command, cwd=place, capture_output=True, timeout=60, check=False).returncode == 0

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(accepts, enumerate(models)))


def accepted(text: str) -> bool:
    try:
        checked(text)
    except InputError:
        return False
    return True


def test_good_models(spin: str, tmp_path: Path) -> None:
    models = [*texts("accepted_by_spin.txt"), EVERYTHING, PREPROCESSED_AWAY]
    assert [text for text, good in zip(models, accepted_by_spin(spin, tmp_path, models), strict=True) if not good] == []
    assert [text for text in models if not accepted(text)] == []


def test_bad_models(spin: str, tmp_path: Path) -> None:
    models = texts("refused_by_spin.txt")
    assert [text for text, good in zip(models, accepted_by_spin(spin, tmp_path, models), strict=True) if good] == []
    assert [text for text in models if accepted(text)] == []
