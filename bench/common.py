"""What the benchmarks share: where the oracles are, and one run of `ouro` with its report."""

from __future__ import annotations

import json
import mmap
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1]))
from tests.oracles.where import ORACLES

__all__ = ["MPIEXEC", "ORACLES", "OURO", "SHARED", "geometric_mean", "ouro", "warm_memory"]

SHARED = ORACLES.parent
BINARIES = Path(sys.executable).parent
OURO, MPIEXEC = str(BINARIES / "ouro"), str(BINARIES / "mpiexec")


def ouro(*arguments: str, ranks: int = 1) -> dict[str, Any]:
    """The JSON report of a run; a verdict, whatever it is, is no error."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        launcher = [MPIEXEC, "-n", str(ranks)] if ranks > 1 else []
        command = [*launcher, OURO, *arguments, "--json", report.name]
        ran = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        if ran.returncode not in (0, 1, 3):
            raise RuntimeError(f"{' '.join(command)} ended with {ran.returncode}:\n{ran.stderr}")
        result: dict[str, Any] = json.loads(Path(report.name).read_text())
        return result


def warm_memory(size: int = 3 << 29) -> None:
    """Touch so much memory and give it back.

    A virtual machine may have handed memory that it does not use over to its host. The next program that needs it then
    waits for the host, ten times as long as for memory that is there, and that is nothing to blame it for.
    """
    region = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for page in range(0, size, mmap.PAGESIZE):
        region[page] = 1
    region.close()


def geometric_mean(values: list[float]) -> float:
    product = 1.0
    for value in values:
        product *= value
    return float(product ** (1 / len(values)))
