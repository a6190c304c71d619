"""Arithmetic that may fail is hidden from the passes, which would take for granted that it does not."""

from __future__ import annotations

import re

from ouroboros.languages.c.prepare.editing import Edits, attached
from ouroboros.languages.c.read.instructions import Binary, Cast, Compare, ElementPointer, Instruction
from ouroboros.languages.c.read.types import Integer, quoted
from ouroboros.languages.c.read.values import IntegerConstant, Value
from ouroboros.languages.c.read.write import typed

PREFIX = "ouro.checked."
_SIGNED = frozenset({"add", "sub", "mul"})
_DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


def may_fail(instruction: Instruction) -> bool:
    """Whether this is signed arithmetic that can overflow, or a division or a shift by anything."""
    match instruction:
        case Binary(opcode, _, right, flags) if isinstance(instruction.type, Integer):
            if opcode in _SIGNED:
                return "nsw" in flags
            if opcode in _DIVISIONS or opcode in _SHIFTS:
                return not _harmless(opcode, right, instruction.type.bits)
    return False


def _harmless(opcode: str, right: Value, bits: int) -> bool:
    if not isinstance(right, IntegerConstant):
        return False
    if opcode in _SHIFTS:
        return right.value < bits
    minus_one = (1 << bits) - 1
    return right.value != 0 and not (opcode in ("sdiv", "srem") and right.value == minus_one)


def guard(edits: Edits) -> None:
    """Each becomes a call of which nothing is known."""
    declared: set[str] = set()
    for _, _, instruction in edits.instructions():
        if isinstance(instruction, Binary) and may_fail(instruction) and instruction.result is not None:
            kind = instruction.type
            name = f"{PREFIX}{instruction.opcode}.{kind}"
            place = attached(edits.lines[instruction.line])
            edits.replace(
                instruction.line,
                f"  %{quoted(instruction.result)} = call {kind} @{name}"
                f"({typed(instruction.left)}, {typed(instruction.right)}){place}",
            )
            if name not in declared:
                declared.add(name)
                edits.added.append(f"declare {kind} @{name}({kind}, {kind}) nounwind memory(none)")


_GUARDED = re.compile(rf"= (?:tail )?call (?:[a-z]+ )*(i\d+) @{re.escape(PREFIX)}(\w+)\.i\d+\(\w+ (?:noundef )?")
_FLAGS = re.compile(r"\b(nuw|nsw|exact|disjoint|nneg|samesign|inbounds|nusw) ")


def unguard(text: str) -> str:
    """The calls become arithmetic again: signed arithmetic is told by its flag."""
    out = []
    for line in text.splitlines():
        found = _GUARDED.search(line)
        if found is None:
            if not line.startswith("declare ") or PREFIX not in line:
                out.append(line)
            continue
        kind, opcode = found[1], found[2]
        flag = "nsw " if opcode in _SIGNED else ""
        rest = line[found.end() :]
        end = _closing(rest)
        left, right = _divided(rest[:end])
        right = right.strip().split(" ", 1)[1].removeprefix("noundef ")
        out.append(f"{line[: found.start()]}= {opcode} {flag}{kind} {left}, {right}{attached(rest)}")
    return "\n".join([*out, ""])


def _closing(text: str) -> int:
    """Where the parenthesis is closed that was opened before the text."""
    depth = 1
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if not depth:
            return at
    raise ValueError(text)


def _divided(text: str) -> tuple[str, str]:
    """The two arguments of a call."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and not depth:
            return text[:at], text[at + 1 :]
    raise ValueError(text)


def forget_flags(edits: Edits) -> None:
    """What passes have found out of their own is not to be checked."""
    for _, _, instruction in edits.instructions():
        match instruction:
            case Binary() | Compare() | ElementPointer() | Cast():
                head, equals, tail = edits.now(instruction.line).partition(" = ")
                opcode, space, rest = tail.partition(" ")
                while _FLAGS.match(rest):
                    rest = _FLAGS.sub("", rest, count=1)
                edits.replace(instruction.line, f"{head}{equals}{opcode}{space}{rest}")
