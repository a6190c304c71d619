"""A program without threads: run by the reference, and compiled and run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ouroboros.languages.c.compile import CompilerOptions, compile_program
from ouroboros.languages.c.pipeline import PipelineOptions, prepare
from ouroboros.languages.c.reference.interpreter import Reference

STOPPED = "stopped"
"""Instead of an exit code: arithmetic failed."""
_ARITHMETIC = {10, 11, 12}


def interpreted(path: Path) -> tuple[str, int | str]:
    """What it prints, and its exit code."""
    program = prepare(compile_program([path], CompilerOptions(), 1), PipelineOptions(1))
    assert not program.needs
    reference = Reference(program, 1)
    outcome = reference.initial()
    output = [outcome.output]
    while outcome.state is not None and not outcome.state.over:
        (outcome,) = reference.successors(outcome.state)
        output.append(outcome.output)
    if outcome.failure is not None:
        kind, text, site = outcome.failure
        assert kind in _ARITHMETIC, (kind, text, site)
        return "".join(output), STOPPED
    assert outcome.state is not None
    return "".join(output), outcome.state.over - 1


def really_run(path: Path, *, reckless: bool) -> tuple[str, int | str]:
    """The same, of the program on this machine; reckless: it ends where arithmetic fails."""
    binary = path.with_suffix(".out")
    checks = ["-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift-exponent", "-fsanitize-trap=all"]
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-linux-gnu", "-O1", "-w"]
    # Output is not kept in a buffer, so that it is there when the program is stopped.
    source = path.read_text().replace("int main(void) {", "int main(void) { setvbuf(stdout, 0, _IONBF, 0);")
    variant = path.with_name("really.c")
    variant.write_text(source)
    flags = checks if reckless else ["-fno-sanitize=all"]
    subprocess.run([*command, *flags, str(variant), "-o", str(binary)], check=True)
    done = subprocess.run([str(binary)], capture_output=True, text=True, timeout=20, check=False)
    return done.stdout, STOPPED if done.returncode < 0 else done.returncode
