"""Threads and their frames while a step is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from ouroboros.languages.c.pointers import stack_number
from ouroboros.languages.c.program import Cut, Program
from ouroboros.languages.c.read.instructions import Alloca
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.languages.c.read.types import Type
from ouroboros.languages.c.read.values import IntegerConstant, Local
from ouroboros.languages.c.reference.failure import Site
from ouroboros.languages.c.reference.memory import Register


@dataclass(frozen=True)
class Shape:
    """What is known of a function before it runs."""

    function: Function
    blocks: dict[str, Block]
    objects: dict[str, tuple[int, Type, int]]
    """Its variables in memory: number, type and count."""
    cuts: dict[str, Cut]


def shape_of(function: Function, program: Program) -> Shape:
    objects: dict[str, tuple[int, Type, int]] = {}
    for block in function.blocks:
        for instruction in block.instructions:
            if isinstance(instruction, Alloca) and isinstance(instruction.count, IntegerConstant):
                assert instruction.result is not None
                objects[instruction.result] = (len(objects), instruction.allocated, instruction.count.value)
    cuts = {cut.label: cut for cut in program.cuts[function.name]}
    return Shape(function, {block.label: block for block in function.blocks}, objects, cuts)


@dataclass
class Frame:
    shape: Shape
    slot: int
    level: int
    """How many frames are below."""
    block: Block
    index: int = 0
    registers: dict[str, Register] = field(default_factory=dict)

    @property
    def site(self) -> Site:
        return Site(self.shape.function.name, self.block.label, self.index)

    def number(self, name: str) -> int:
        """Of a variable in memory."""
        return stack_number(self.slot, self.level, self.shape.objects[name][0])

    def read(self, live: tuple[Local, ...]) -> tuple[Register, ...]:
        return tuple(self.registers[local.name] for local in live)


@dataclass
class Thread:
    slot: int
    depth: int
    frames: list[Frame]

    @property
    def top(self) -> Frame:
        return self.frames[-1]
