"""A program that is ready to be run: by the interpreter, and as machine code."""

from __future__ import annotations

from dataclasses import dataclass, field

from ouroboros.languages.c.read.instructions import Call, Instruction, Load
from ouroboros.languages.c.read.module import Module
from ouroboros.languages.c.read.values import Global, Local


@dataclass(frozen=True, slots=True)
class Cut:
    """A place where a step ends and another one begins: a block whose first instruction others can see."""

    number: int
    """Among all of the program, from 0 on."""
    function: str
    label: str
    live: tuple[Local, ...]
    """The registers that somebody still reads, the largest first, then by name."""


@dataclass(frozen=True, slots=True)
class Program:
    module: Module
    cuts: dict[str, tuple[Cut, ...]]
    """Of each function."""
    calls: dict[tuple[str, str, int], tuple[Local, ...]] = field(default_factory=dict)
    """What is alive after a call of a function that has a frame, by function, block and index of the instruction."""
    start: str = "__ouro_main"
    needs: dict[str, int | None] = field(default_factory=dict)
    """Functions that are called and have no body, and a place where: the number of its location."""

    @property
    def functions(self) -> list[str]:
        """Those with a body, in the order of their numbers."""
        return [name for name, function in self.module.functions.items() if function.blocks]

    def all_cuts(self) -> list[Cut]:
        """By their numbers."""
        return sorted((cut for cuts in self.cuts.values() for cut in cuts), key=lambda cut: cut.number)


def is_noticed(instruction: Instruction) -> bool:
    """Whether others may notice a step that begins with this instruction.

    A false assumption ends a run where it stands: what the thread did before is there for all others. Where its step
    did nothing that they can notice, the run may as well end before that step.
    """
    match instruction:
        case Load() | Call(Global("__ouro_choose" | "__ouro_sample")):
            return False
    return True
