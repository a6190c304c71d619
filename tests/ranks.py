"""Running a Python script on several MPI ranks."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_LAUNCHER = Path(sys.executable).parent / "mpiexec"


def run_ranks(ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What `mpiexec -n RANKS python ARGUMENTS` prints and returns. Skips where there is no launcher, but not in CI."""
    launcher = str(_LAUNCHER) if _LAUNCHER.exists() else shutil.which("mpiexec")
    if launcher is None:
        assert not os.environ.get("CI"), "no MPI launcher: the extra `test` has one"
        pytest.skip("no MPI launcher")
    command = [launcher, "-n", str(ranks), sys.executable, *arguments]
    root = Path(__file__).resolve().parents[1]
    return subprocess.run(command, capture_output=True, text=True, cwd=root, check=False, timeout=240)
