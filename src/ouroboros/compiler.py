"""The C and C++ compiler: where it is, and how it is called."""

from __future__ import annotations

import importlib.util
import shutil
import sys

from ouroboros.errors import UsageError


def compiler(cpp: bool) -> list[str]:
    """The command that compiles: the one that comes as a package, or one that is installed."""
    if importlib.util.find_spec("ziglang"):
        mode = "c++" if cpp else "cc"
        return [sys.executable, "-m", "ziglang", mode, "-target", "x86_64-linux-gnu", "-fno-sanitize=all"]
    if found := shutil.which("clang++" if cpp else "clang"):
        return [found, "-target", "x86_64-linux-gnu"]
    raise UsageError("there is no C compiler: pip install 'ouroboros-mc[c]', or install clang")
