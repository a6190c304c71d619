"""Constants of a module as integers and bytes: addresses are pointers to objects that have numbers."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.c.pointers import pointer
from ouroboros.languages.c.read.module import Module
from ouroboros.languages.c.read.types import Array, Integer, Pointer, Struct, Type, Vector
from ouroboros.languages.c.read.values import (
    Aggregate,
    Expression,
    FloatConstant,
    Global,
    IntegerConstant,
    Text,
    Undefined,
    Value,
    Zero,
)


class Constants:
    """What the constants of a module are worth."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.layout = module.layout
        defined = [name for name, variable in module.variables.items() if variable.initialiser is not None]
        functions = [name for name, function in module.functions.items() if function.blocks]
        self.numbers = {name: number for number, name in enumerate([*defined, *functions], 1)}
        """The objects that have numbers: the variables that are defined here, and the functions."""

    def integer(self, value: Value) -> int:
        """A scalar constant as an integer without sign; a floating-point number by its bits."""
        match value:
            case IntegerConstant(_, number):
                return number
            case FloatConstant(_, bits):
                return bits
            case Zero() | Undefined():
                return 0
            case Global(name):
                return self._address(name)
            case Expression():
                return self._expression(value) & (1 << self.layout.bits(value.type)) - 1
            case Aggregate() | Text():
                return int.from_bytes(self.data(value), "little")
        raise InputError(f"this constant is not understood: {value}")

    def data(self, value: Value) -> bytes:
        """The bytes in memory of a constant of any type."""
        size = self.layout.size(value.type)
        match value:
            case Zero() | Undefined():
                return bytes(size)
            case Text(_, data):
                return data.ljust(size, b"\0")
            case Aggregate(Struct() as kind, elements):
                content = bytearray(size)
                for index, element in enumerate(elements):
                    self._place(content, self.layout.offset(kind, index), element)
                return bytes(content)
            case Aggregate(Array(_, element_type) | Vector(_, element_type), elements):
                content = bytearray(size)
                for index, element in enumerate(elements):
                    self._place(content, index * self.layout.size(element_type), element)
                return bytes(content)
            case _:
                return self.integer(value).to_bytes(max(size, self.layout.store_size(value.type)), "little")

    def _place(self, content: bytearray, offset: int, element: Value) -> None:
        data = self.data(element)
        content[offset : offset + len(data)] = data

    def _address(self, name: str) -> int:
        alias = self.module.aliases.get(name)
        if alias is not None:
            return self.integer(alias)
        number = self.numbers.get(name)
        return pointer(number) if number else 0

    def _expression(self, value: Expression) -> int:
        operands = value.operands
        if value.opcode == "getelementptr":
            assert value.source is not None
            steps = [self.signed(index) for index in operands[1:]]
            return self.integer(operands[0]) + self.offset(value.source, steps)
        left = self.integer(operands[0])
        match value.opcode:
            case "bitcast" | "ptrtoint" | "inttoptr" | "trunc" | "zext" | "addrspacecast" | "freeze":
                return left
            case "sext":
                return self.signed(operands[0])
            case "add":
                return left + self.integer(operands[1])
            case "sub":
                return left - self.integer(operands[1])
            case "mul":
                return left * self.integer(operands[1])
            case "xor":
                return left ^ self.integer(operands[1])
            case "and":
                return left & self.integer(operands[1])
            case "or":
                return left | self.integer(operands[1])
            case "shl":
                return left << self.integer(operands[1])
            case "lshr":
                return left >> self.integer(operands[1])
        raise InputError(f"a constant expression with {value.opcode} is not understood")

    def signed(self, value: Value) -> int:
        """An integer constant with its sign."""
        bits = self.layout.bits(value.type)
        number = self.integer(value)
        return number - (1 << bits) if number >> bits - 1 else number

    def offset(self, source: Type, steps: list[int]) -> int:
        """How many bytes these steps through a type go."""
        offset = steps[0] * self.layout.size(source)
        kind = source
        for step in steps[1:]:
            match kind:
                case Struct():
                    offset += self.layout.offset(kind, step)
                    kind = kind.elements[step]
                case Array(_, element) | Vector(_, element):
                    offset += step * self.layout.size(element)
                    kind = element
                case _:
                    raise InputError(f"there are no elements in {kind}")
        return offset


def register_bytes(kind: Type) -> int:
    """How many bytes a scalar takes in a state."""
    match kind:
        case Integer(bits):
            return max(1, 1 << ((bits + 7) // 8 - 1).bit_length())
        case Pointer():
            return 8
        case _:
            return {"half": 2, "bfloat": 2, "float": 4, "double": 8}.get(str(kind), 16)


def scalars(kind: Type) -> list[tuple[tuple[int, ...], Type]]:
    """The scalars in a value of a type, each with the way to it."""
    match kind:
        case Struct(_, elements):
            parts = list(enumerate(elements))
        case Array(count, element) | Vector(count, element):
            parts = [(index, element) for index in range(count)]
        case _:
            return [((), kind)]
    return [((index, *way), scalar) for index, part in parts for way, scalar in scalars(part)]
