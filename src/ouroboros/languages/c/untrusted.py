"""LLVM IR that somebody else has made: a process of its own reads it first, for LLVM ends the process that reads what
is broken.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ouroboros.errors import InputError

_COMMAND = f"import sys; from {__name__} import examine; sys.exit(examine(sys.argv[1]))"


def confirmed(path: Path) -> str:
    """The text of a module that LLVM accepts, without debug information that is wrong; raises InputError."""
    command = [sys.executable, "-c", _COMMAND, str(path)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise InputError(f"{path}: LLVM does not accept this module:\n{said}" if said else f"{path}: LLVM ended at it")
    return done.stdout.decode("utf-8", "surrogateescape")


def examine(name: str) -> int:
    """Write the text of a module to standard output; or what is wrong with it to standard error."""
    from llvmlite import binding as llvm

    path = Path(name)
    try:
        if path.suffix == ".bc":
            module = llvm.parse_bitcode(path.read_bytes(), llvm.create_context())
        else:
            module = llvm.parse_assembly(path.read_text(encoding="utf-8"), llvm.create_context())
        module.verify()
    except (RuntimeError, UnicodeDecodeError) as error:
        print(str(error).strip(), file=sys.stderr)
        return 1
    sys.stdout.buffer.write(str(module).encode("utf-8", "surrogateescape"))
    return 0
