"""A program that is ready to be run: by the interpreter, and as machine code."""

from __future__ import annotations

from dataclasses import dataclass, field

from ouroboros.languages.c.read.module import Module
from ouroboros.languages.c.read.values import Local


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
