"""What an instruction or an initialiser can refer to: registers and constants."""

from __future__ import annotations

from dataclasses import dataclass

from ouroboros.languages.c.read.types import Integer, Pointer, Type


@dataclass(frozen=True, slots=True)
class Local:
    """A parameter, or the result of an instruction."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class IntegerConstant:
    type: Integer
    value: int
    """Without sign: at least zero, less than two to the power of the bits."""


@dataclass(frozen=True, slots=True)
class FloatConstant:
    type: Type
    bits: int
    """The pattern in memory, as an integer without sign."""


@dataclass(frozen=True, slots=True)
class Zero:
    """Zero of any type: null, zeroinitializer."""

    type: Type


@dataclass(frozen=True, slots=True)
class Undefined:
    type: Type
    poison: bool


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An array, a struct or a vector, element by element."""

    type: Type
    elements: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """An array of bytes."""

    type: Type
    data: bytes


@dataclass(frozen=True, slots=True)
class Global:
    """The address of a variable, of a function, or of what an alias stands for."""

    name: str
    type: Type = Pointer()  # noqa: RUF009 - immutable


@dataclass(frozen=True, slots=True)
class Expression:
    """An operation on constants."""

    opcode: str
    type: Type
    operands: tuple[Value, ...]
    source: Type | None = None
    """Of getelementptr: the type that is indexed."""


@dataclass(frozen=True, slots=True)
class BlockAddress:
    function: str
    block: str
    type: Type = Pointer()  # noqa: RUF009 - immutable


@dataclass(frozen=True, slots=True)
class InlineAssembly:
    text: str
    constraints: str
    type: Type = Pointer()  # noqa: RUF009 - immutable


@dataclass(frozen=True, slots=True)
class MetadataOperand:
    text: str
    type: Type


Value = (
    Local
    | IntegerConstant
    | FloatConstant
    | Zero
    | Undefined
    | Aggregate
    | Text
    | Global
    | Expression
    | BlockAddress
    | InlineAssembly
    | MetadataOperand
)
