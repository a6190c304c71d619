"""A function under construction: its values, and the way out when something goes wrong."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.languages.c.machine.constants import register_bytes
from ouroboros.languages.c.machine.failures import Failure
from ouroboros.languages.c.machine.layout import FrameLayout
from ouroboros.languages.c.machine.unit import (
    FAILED,
    SITE,
    SLOT,
    NotSupported,
    Unit,
    bits,
    llvm_type,
    load_word,
    store_word,
    word_at,
)
from ouroboros.languages.c.pointers import DEPTH_SHIFT, OFFSET_BITS, SLOT_SHIFT, STACK
from ouroboros.languages.c.prepare.accesses import Sharing
from ouroboros.languages.c.read.instructions import Instruction
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import Array, Float, Integer, Pointer, Struct, Type, Vector
from ouroboros.languages.c.read.values import Aggregate, Local, Text, Undefined, Zero
from ouroboros.languages.c.read.values import Value as Operand
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I32, I64, Value, constant


class Context:
    """Of one function of the program: `i32 run(state*, thread*, record*)`."""

    def __init__(self, unit: Unit, source: Function, function: Value) -> None:
        self.unit, self.layout, self.source = unit, unit.layout, source
        self.code = FunctionBuilder(function)
        self.state, self.thread, self.record = function.args
        self.record.add_attribute("noalias")
        at = self.code.at
        self.about = load_word(self.code, self.thread, 0)
        """The word about the thread, as it was when the function was entered."""
        self.frame_word = bits(self.code, self.about, 32, 16)
        self.frame = word_at(self.code, self.state, self.frame_word)
        slot = at.shl(load_word(self.code, self.record, SLOT), constant(I64, SLOT_SHIFT))
        depth = at.shl(bits(self.code, self.about, 16, 16), constant(I64, DEPTH_SHIFT))
        number = at.add(at.add(slot, depth), constant(I64, STACK))
        self.objects = at.shl(number, constant(I64, OFFSET_BITS))
        """A pointer to the first object of this frame."""
        self.cells: dict[str, Value] = {}
        """Of the registers that more than one block needs."""
        self.values: dict[str, Value] = {}
        """Of the others, in this block."""
        self.definitions: dict[str, Instruction] = {
            each.result: each for block in source.blocks for each in block.instructions if each.result is not None
        }
        self.label, self.index = "", 0
        self.instruction: Instruction | None = None
        """The one that is being written."""
        self.sharing = Sharing(source, self.layout.module)
        self.noted: list[Value] = []
        """Of the accesses that it makes: whether the step ends with them."""

    @property
    def frame_layout(self) -> FrameLayout:
        return self.layout.frames[self.source.name]

    def value(self, operand: Operand) -> Value:
        """The value of an operand, here."""
        if isinstance(operand, Local):
            cell = self.cells.get(operand.name)
            if cell is not None:
                return self.code.at.load(cell, typ=llvm_type(operand.type))
            found = self.frame_layout.objects.get(operand.name)
            if found is not None:
                return self.code.at.add(self.objects, constant(I64, found.number << OFFSET_BITS))
            if operand.name not in self.values:
                raise NotSupported(f"a value of type {operand.type}")
            return self.values[operand.name]
        return self.constant(operand)

    def constant(self, operand: Operand) -> Value:
        """A constant operand."""
        kind = operand.type
        match kind:
            case Integer() | Pointer():
                return ir.Constant(llvm_type(kind), self.layout.constants.integer(operand))
            case Float():
                number = ir.Constant(
                    ir.IntType(self.layout.module.layout.bits(kind)), self.layout.constants.integer(operand)
                )
                return number.bitcast(llvm_type(kind))
            case Struct() | Array() | Vector():
                if isinstance(operand, Zero | Undefined):
                    return ir.Constant(llvm_type(kind), None)
                if isinstance(operand, Aggregate):
                    return ir.Constant(llvm_type(kind), [self.constant(element) for element in operand.elements])
                if isinstance(operand, Text):
                    return ir.Constant(llvm_type(kind), bytearray(operand.data))
        raise NotSupported(f"a constant of type {kind}")

    def define(self, name: str | None, value: Value) -> None:
        """The result of an instruction."""
        if name is None:
            return
        cell = self.cells.get(name)
        if cell is not None:
            self.code.at.store(value, cell)
        else:
            self.values[name] = value

    def failure(self, kind: int, text: str = "") -> int:
        """The number of a failure of the instruction that is being written."""
        return self.unit.failures.number(Failure(kind, self.source.name, self.label, self.index, text))

    def fail(self, kind: int, text: str = "") -> None:
        """Give up here; what follows cannot be reached."""
        self._leave(self.failure(kind, text))
        self.code.enter(self.code.block())

    def _leave(self, number: int | Value) -> None:
        store_word(self.code, self.record, SITE, number)
        self.code.at.ret(constant(I32, FAILED))

    def require(self, condition: Value, kind: int, text: str = "") -> None:
        """Fail unless this holds."""
        fine, wrong = self.code.block(), self.code.block()
        self.code.at.cbranch(condition, fine, wrong).set_weights([1000, 1])
        self.code.enter(wrong)
        self._leave(self.failure(kind, text))
        self.code.enter(fine)

    def require_none(self, kind: Value, kinds: tuple[int, ...]) -> None:
        """Fail with the kind that a function found, one of these, unless it is 0."""
        at = self.code.at
        fine, wrong = self.code.block(), self.code.block()
        at.cbranch(at.icmp_unsigned("==", kind, constant(I32, 0)), fine, wrong).set_weights([1000, 1])
        self.code.enter(wrong)
        number: Value = constant(I64, self.failure(kinds[0]))
        for each in kinds[1:]:
            same = at.icmp_unsigned("==", kind, constant(I32, each))
            number = at.select(same, constant(I64, self.failure(each)), number)
        self._leave(number)
        self.code.enter(fine)

    def read_scalar(self, address: Value, kind: Type) -> Value:
        """A scalar of a state, as a value."""
        at = self.code.at
        if isinstance(kind, Float):
            return at.load(address, typ=llvm_type(kind), align=1)
        wide = ir.IntType(8 * register_bytes(kind))
        value = at.load(address, typ=wide, align=1)
        return value if wide == llvm_type(kind) else at.trunc(value, llvm_type(kind))

    def write_scalar(self, address: Value, kind: Type, value: Value) -> None:
        at = self.code.at
        if not isinstance(kind, Float):
            wide = ir.IntType(8 * register_bytes(kind))
            value = value if wide == llvm_type(kind) else at.zext(value, wide)
        at.store(value, address, align=1)

    def part(self, value: Value, way: tuple[int, ...]) -> Value:
        return self.code.at.extract_value(value, list(way)) if way else value

    def cell(self, kind: Type) -> Value:
        return self.code.cell(llvm_type(kind))
