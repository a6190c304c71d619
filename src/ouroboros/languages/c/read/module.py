"""A module of LLVM IR as it was read."""

from __future__ import annotations

from dataclasses import dataclass, field

from ouroboros.languages.c.read.instructions import Instruction
from ouroboros.languages.c.read.layout import Layout
from ouroboros.languages.c.read.types import FunctionType, Struct, Type
from ouroboros.languages.c.read.values import Expression, Global, Local, Text, Value


@dataclass(frozen=True, slots=True)
class Reference:
    """!7, as the value of a field."""

    number: int


Datum = str | int | Reference | tuple["Datum", ...] | None
"""What a field of a node can be; words and strings are both text."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the metadata."""

    kind: str
    """DILocation and so on; nothing for a plain tuple."""
    fields: dict[str, Datum]
    items: tuple[Datum, ...] = ()


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: Type
    initialiser: Value | None
    """None where it is defined elsewhere."""
    constant: bool
    thread_local: bool
    alignment: int
    linkage: str
    debug: int | None


@dataclass(frozen=True, slots=True)
class Block:
    label: str
    instructions: tuple[Instruction, ...]
    """The last one says where it goes on."""
    line: int
    """Of its label, or of its first instruction where it has none."""


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    signature: FunctionType
    parameters: tuple[Local, ...]
    blocks: tuple[Block, ...]
    """Empty where it is defined elsewhere."""
    linkage: str
    debug: int | None
    line: int
    end: int
    """The lines of its text, both included, counted from zero."""
    attributes: frozenset[str] = frozenset()

    def block(self, label: str) -> Block:
        return next(block for block in self.blocks if block.label == label)


@dataclass(slots=True)
class Module:
    text: str
    layout: Layout
    layout_text: str = ""
    triple: str = ""
    types: dict[str, Struct] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    aliases: dict[str, Value] = field(default_factory=dict)
    metadata: dict[int, Node] = field(default_factory=dict)


def text_of(module: Module, value: Value) -> str:
    """The text that a constant pointer points to."""
    if isinstance(value, Expression) and value.operands:
        return text_of(module, value.operands[0])
    variable = module.variables.get(value.name) if isinstance(value, Global) else None
    if variable is not None and isinstance(variable.initialiser, Text):
        return variable.initialiser.data.split(b"\0")[0].decode("utf-8", "replace")
    return ""
