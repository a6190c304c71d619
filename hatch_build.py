"""The build of a wheel compiles the engine's kernels, so that who installs it needs no compiler and does not wait; and
it takes the examples along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class KernelsHook(BuildHookInterface[Any]):
    """Puts portable kernels and the examples into the wheel. An editable installation compiles kernels when they are
    needed, and finds the examples in the source tree."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            directory = mkdtemp(prefix="kernels-")
            path = os.pathsep.join([str(Path(self.root) / "src"), os.environ.get("PYTHONPATH", "")])
            command = [sys.executable, "-m", "ouroboros.search.build_kernels", directory]
            subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)
            build_data["force_include"][directory] = "ouroboros/jit/kernels"
            build_data["force_include"][str(Path(self.root) / "examples")] = "ouroboros/examples/models"
