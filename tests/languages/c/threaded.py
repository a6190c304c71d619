"""A program with threads, compiled and really run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def outcomes_of_runs(folder: Path, text: str, runs: int) -> set[str]:
    """What so many runs have printed, on this machine."""
    source, binary = folder / "really.c", folder / "really"
    source.write_text(text)
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-linux-gnu", "-O1", "-w", "-fno-sanitize=all"]
    subprocess.run([*command, f"-DRUNS={runs}", str(source), "-o", str(binary), "-lpthread"], check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=300, check=True)
    return set(done.stdout.splitlines(keepends=True))
