"""Functions that give back anything: those without a body, where that was asked for, and those with a range."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ouroboros.errors import InputError, UsageError
from ouroboros.languages.c.permitted import ALL
from ouroboros.languages.c.prepare.editing import Edits, declare
from ouroboros.languages.c.read.instructions import Call
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import Integer, Type, Void, quoted
from ouroboros.languages.c.read.values import Global

_BOUNDS = re.compile(r"\(i64 (?:noundef )?-?\d+, i64 (?:noundef )?-?\d+,")


def stub(edits: Edits, names: frozenset[str]) -> None:
    """Write a body for these functions, or for all that have none."""
    missing = [
        function
        for function in edits.module.functions.values()
        if not function.blocks and not function.name.startswith(("llvm.", "__ouro_"))
    ]
    known = {function.name for function in missing}
    for name in sorted(names - {ALL} - known):
        defined = name in edits.module.functions
        raise UsageError(f"--stub {name}: {'it has a body' if defined else 'the program has no such function'}")
    for function in missing:
        if ALL in names or function.name in names:
            _write(edits, function)


def _write(edits: Edits, function: Function) -> None:
    result, name = function.signature.result, quoted(function.name)
    parameters = [str(each) for each in function.signature.parameters]
    parameters += ["..."] if function.signature.variadic else []
    head = f"define {result} @{name}({', '.join(parameters)}) {{"
    if isinstance(result, Void):
        edits.replace(function.line, head, "  ret void", "}")
        return
    if not isinstance(result, Integer) or result.bits > 64:
        raise InputError(
            f"--stub {function.name}: it gives back a value of type {_told(result)}, of which there is no anything",
            hint="write a stand-in for it",
        )
    bits = result.bits
    low, high = (0, 1) if bits == 1 else (-(1 << bits - 1), (1 << bits - 1) - 1)
    text, label = f"ouro.stub.{function.name}", function.name.encode()
    edits.added.append(f'@{quoted(text)} = internal constant [{len(label) + 1} x i8] c"{function.name}\\00"')
    chosen = f"call i64 @__ouro_choose(i64 {low}, i64 {high}, ptr @{quoted(text)})"
    body = [f"  %chosen = {chosen}"]
    body += [f"  %given = trunc i64 %chosen to {result}"] if bits < 64 else ["  %given = bitcast i64 %chosen to i64"]
    edits.replace(function.line, head, *body, f"  ret {result} %given", "}")
    declare(edits, "__ouro_choose", "i64", "i64", "i64", "ptr")


def _told(kind: Type) -> str:
    return "pointer" if str(kind) == "ptr" else str(kind)


def limit(edits: Edits, ranges: Mapping[str, tuple[int, int]]) -> None:
    """Functions that choose give back a number from their range."""
    choosing: set[str] = set()
    for function, _, instruction in edits.instructions():
        match instruction:
            case Call(Global("__ouro_choose")):
                choosing.add(function.name)
                if function.name in ranges:
                    low, high = ranges[function.name]
                    line = _BOUNDS.sub(f"(i64 {low}, i64 {high},", edits.now(instruction.line), count=1)
                    edits.replace(instruction.line, line)
    for name in ranges:
        if name not in choosing:
            called = ", ".join(sorted(choosing)) or "none"
            raise UsageError(f"--range {name}: the program calls no function {name} that chooses; there are: {called}")
