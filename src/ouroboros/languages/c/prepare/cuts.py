"""Where steps begin: a new block before each instruction that other threads may notice."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum

from ouroboros.languages.c.prepare.accesses import Sharing
from ouroboros.languages.c.prepare.editing import Edits, declare, rename_origins
from ouroboros.languages.c.prepare.program import START
from ouroboros.languages.c.read.instructions import Call, Instruction, successors
from ouroboros.languages.c.read.module import Block, Function, Module
from ouroboros.languages.c.read.values import Global, IntegerConstant

PREFIX = "cut."
_CHOICES = frozenset({"__ouro_choose", "__ouro_sample"})


class Depth(Enum):
    """What is known of the sections in which an instruction stands."""

    OUTSIDE = 0
    INSIDE = 1
    """In one at least."""
    UNKNOWN = 2


Level = tuple[Depth, int]


def cut(edits: Edits, *, visible_output: bool) -> None:
    number = 0
    for function in edits.bodies():
        number = _cut_function(edits, function, number, visible_output)


def _cut_function(edits: Edits, function: Function, number: int, visible_output: bool) -> int:
    sharing = Sharing(function, edits.module)
    depths = _depths(function)
    visible = {
        id(instruction)
        for block in function.blocks
        for instruction, level in _with_depths(block, depths)
        if _begins_step(instruction, sharing, level, visible_output)
    }
    idle = _idle(function, visible, depths)
    last_piece: dict[str, str] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            turns = block.label in idle and instruction is block.instructions[-1]
            if id(instruction) in visible or turns:
                name = f"{PREFIX}{number}"
                number += 1
                edits.before(instruction.line, f"  br label %{name}", f"{name}:")
                last_piece[block.label] = name
            if turns:
                edits.before(instruction.line, f"  %ouro.idle.{number} = call i32 @__ouro_begin(i32 1)")
                edits.before(instruction.line, "  call void @__ouro_end()")
                declare(edits, "__ouro_begin", "i32", "i32")
                declare(edits, "__ouro_end", "void")
    rename_origins(edits, function, last_piece)
    return number


def _with_depths(block: Block, depths: dict[str, Level]) -> Iterator[tuple[Instruction, Level]]:
    """The instructions of a block that can be reached, each with the sections in which it stands."""
    level = depths.get(block.label)
    if level is not None:
        for instruction in block.instructions:
            yield instruction, level
            level = _after(instruction, level)


def _idle(function: Function, visible: set[int], depths: dict[str, Level]) -> set[str]:
    """Blocks from which there is no way but round and round, without anything that others can see.

    Programs that wait for ever in this way do so on purpose: it is a step that leads back to where it began.
    """
    leaves = {
        block.label
        for block in function.blocks
        if not successors(block.instructions[-1])
        or any(id(each) in visible or _calls_function(each) for each in block.instructions)
    }
    changed = True
    while changed:
        more = {block.label for block in function.blocks if not leaves.isdisjoint(successors(block.instructions[-1]))}
        changed = not more <= leaves
        leaves |= more
    return {label for label, (depth, _) in depths.items() if label not in leaves and depth is not Depth.INSIDE}


def _calls_function(instruction: Instruction) -> bool:
    """Whether this is a call of something that may be visible itself."""
    if not isinstance(instruction, Call):
        return False
    callee = instruction.callee
    return not isinstance(callee, Global) or not callee.name.startswith(("llvm.", "__ouro_", "ouro."))


def choices_first(edits: Edits) -> None:
    """Where there is something to choose, it comes first in its block: what was sunk into that stays before."""
    for _, block in cut_blocks(edits.module):
        first, *others = block.instructions
        chooses = next((each for each in others if _chooses(each)), None)
        if chooses is not None and not isinstance(first, Call):
            before = f"before.{block.label}"
            edits.before(chooses.line, f"  br label %{block.label}", f"{block.label}:")
            edits.replace(block.line, f"{before}:")
            for number, line in enumerate(edits.lines):
                if line.startswith(f"  br label %{block.label}") and _ends_there(line, block.label):
                    edits.replace(number, f"  br label %{before}")


def _ends_there(line: str, label: str) -> bool:
    return not line[len(f"  br label %{label}") :][:1].isalnum()


def _chooses(instruction: Instruction) -> bool:
    match instruction:
        case Call(Global(name)) if name in _CHOICES:
            return True
        case Call(Global("__ouro_begin"), (ways,)):
            return not (isinstance(ways, IntegerConstant) and ways.value < 2)
    return False


def _begins_step(instruction: Instruction, sharing: Sharing, level: Level, visible_output: bool) -> bool:
    inside = level[0] is Depth.INSIDE
    match instruction:
        case Call(Global(name)) if name in _CHOICES:
            return True
        case Call(Global("__ouro_begin"), (ways,)):
            match ways:
                case IntegerConstant(_, 0):
                    return False
                case IntegerConstant(_, 1):
                    return not inside
            return True
        case Call(Global("__ouro_print")):
            return visible_output and not inside
        case Call(Global("__ouro_drop" | "__ouro_exit")):
            return not inside
    return not inside and sharing.visible(instruction)


def _after(instruction: Instruction, level: Level) -> Level:
    depth, count = level
    match instruction:
        case Call(Global("__ouro_begin")) if depth is Depth.UNKNOWN:
            return Depth.INSIDE, 1
        case Call(Global("__ouro_begin")):
            return Depth.INSIDE, count + 1
        case Call(Global("__ouro_end")) if depth is Depth.INSIDE and count > 1:
            return Depth.INSIDE, count - 1
        case Call(Global("__ouro_end")) if depth is Depth.INSIDE:
            return Depth.OUTSIDE, 0
    return level


def _depths(function: Function) -> dict[str, Level]:
    """The sections in which each block begins; blocks that are never reached have none."""
    root = function.name == START or function.name.startswith("__ouro_run")
    entry = (Depth.OUTSIDE if root else Depth.UNKNOWN, 0)
    found = {function.blocks[0].label: entry}
    blocks = {block.label: block for block in function.blocks}
    waiting = [function.blocks[0].label]
    while waiting:
        block = blocks[waiting.pop()]
        level = found[block.label]
        for instruction in block.instructions:
            level = _after(instruction, level)
        for label in successors(block.instructions[-1]):
            known = found.get(label)
            joined = level if known is None else _joined(known, level)
            if joined != known:
                found[label] = joined
                waiting.append(label)
    return found


def _joined(one: Level, other: Level) -> Level:
    if one == other:
        return one
    if one[0] is other[0] is Depth.INSIDE:
        return Depth.INSIDE, min(one[1], other[1])
    return Depth.UNKNOWN, 0


def cut_blocks(module: Module) -> list[tuple[Function, Block]]:
    """The blocks at which steps begin, by their numbers."""
    found = [
        (int(block.label.removeprefix(PREFIX)), function, block)
        for function in module.functions.values()
        for block in function.blocks
        if block.label.startswith(PREFIX)
    ]
    return [(function, block) for _, function, block in sorted(found, key=lambda entry: entry[0])]
