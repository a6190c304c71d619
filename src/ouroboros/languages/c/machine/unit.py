"""What the code of all functions of a program shares: the module that it is written to, tables, runtime functions."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from ouroboros.languages.c.machine.failures import Failures
from ouroboros.languages.c.machine.layout import StateLayout
from ouroboros.languages.c.read.types import Array, Float, Integer, Pointer, Struct, Type, Vector, Void
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I32, I64, POINTER, Value, constant

# What a function of a step gives back.
DONE, CONTINUE, DISABLED, DROPPED, FAILED, STOPPED, OMITTED = range(7)

OUTCOME, OUTCOMES, DEPTH, FUEL, SITE, SLOT, NOTICED, WATCH, HEADS, RESULT = range(10)
"""The words of the record of a step: which outcome is wanted and how many there are; how deep in atomic sections it is;
how many instructions it may still make; what failed; whose step it is; whether it did what others may notice; what is
to be known of its accesses, and where the first ones of threads are noted; then what a call gives back."""
RESULT_WORDS = 8
RECORD_WORDS = RESULT + RESULT_WORDS

FUEL_OF_A_STEP = 1_000_000

_FLOATS = {"half": ir.HalfType, "float": ir.FloatType, "double": ir.DoubleType}


class NotSupported(Exception):
    """An instruction that has no machine code."""


class Unit:
    """A module under construction."""

    def __init__(self, module: ir.Module, layout: StateLayout) -> None:
        self.module, self.layout = module, layout
        self.failures = Failures()
        self._functions: dict[str, Value] = {}

    def function(self, name: str, result: Value, parameters: Sequence[Value]) -> Value:
        """A function of the module, declared when it is first asked for."""
        known = self._functions.get(name)
        if known is None:
            known = ir.Function(self.module, ir.FunctionType(result, list(parameters)), name)
            if not name.startswith("llvm."):
                known.linkage = "internal"
                known.attributes.add("nounwind")
            self._functions[name] = known
        return known

    def table(self, name: str, kind: Value, values: Sequence[object]) -> Value:
        """A constant array."""
        array = ir.ArrayType(kind, len(values))
        table = ir.GlobalVariable(self.module, array, name)
        table.global_constant = True
        table.linkage = "internal"
        table.initializer = ir.Constant(
            array, [value if _is_constant(value) else ir.Constant(kind, value) for value in values]
        )
        return table


def _is_constant(value: object) -> bool:
    return isinstance(value, ir.Constant | ir.Function | ir.instructions.Instruction)


def llvm_type(kind: Type) -> Value:
    """The type in machine code: pointers are integers."""
    match kind:
        case Integer(bits):
            return ir.IntType(bits)
        case Pointer():
            return I64
        case Float(name) if name in _FLOATS:
            return _FLOATS[name]()
        case Struct(_, elements):
            return ir.LiteralStructType([llvm_type(element) for element in elements])
        case Array(count, element):
            return ir.ArrayType(llvm_type(element), count)
        case Vector(count, element):
            return ir.VectorType(llvm_type(element), count)
        case Void():
            return ir.VoidType()
    raise NotSupported(f"the type {kind}")


def word_at(code: FunctionBuilder, base: Value, index: Value | int) -> Value:
    """The address of a word."""
    where = constant(I64, index) if isinstance(index, int) else index
    return code.at.gep(base, [where], inbounds=True, source_etype=I64)


def load_word(code: FunctionBuilder, base: Value, index: Value | int) -> Value:
    return code.at.load(word_at(code, base, index), typ=I64)


def store_word(code: FunctionBuilder, base: Value, index: Value | int, value: Value | int) -> None:
    content = constant(I64, value) if isinstance(value, int) else value
    code.at.store(content, word_at(code, base, index))


def byte_at(code: FunctionBuilder, base: Value, offset: Value | int) -> Value:
    """The address of a byte."""
    where = constant(I64, offset) if isinstance(offset, int) else offset
    return code.at.gep(base, [where], source_etype=ir.IntType(8))


def thread_index(code: FunctionBuilder, layout: StateLayout, slot: Value) -> Value:
    """Which word is the one about a thread."""
    at, room = code.at, layout.room
    others = layout.thread_base + room.main_words - room.stack_words
    place = at.add(at.mul(slot, constant(I64, room.stack_words)), constant(I64, others))
    return at.select(at.icmp_unsigned("==", slot, constant(I64, 0)), constant(I64, layout.thread_base), place)


def thread_length(code: FunctionBuilder, layout: StateLayout, slot: Value) -> Value:
    """How many words a thread has."""
    at, room = code.at, layout.room
    first = at.icmp_unsigned("==", slot, constant(I64, 0))
    return at.select(first, constant(I64, room.main_words), constant(I64, room.stack_words))


def bits(code: FunctionBuilder, word: Value, low: int, count: int) -> Value:
    """Some of the bits of a word."""
    shifted = code.at.lshr(word, constant(I64, low)) if low else word
    return code.at.and_(shifted, constant(I64, (1 << count) - 1)) if low + count < 64 else shifted


def clear(unit: Unit, code: FunctionBuilder, address: Value, words: Value | int) -> None:
    """Set words to zero."""
    if isinstance(words, int) and words <= 8:
        for word in range(words):
            store_word(code, address, word, 0)
        return
    clear_bytes(unit, code, address, 8 * words if isinstance(words, int) else code.at.mul(words, constant(I64, 8)))


def clear_bytes(unit: Unit, code: FunctionBuilder, address: Value, count: Value | int) -> None:
    fill = unit.function("llvm.memset.p0.i64", ir.VoidType(), [POINTER, ir.IntType(8), I64, ir.IntType(1)])
    length = constant(I64, count) if isinstance(count, int) else count
    code.at.call(fill, [address, constant(ir.IntType(8), 0), length, constant(ir.IntType(1), 0)])


def copy_words(unit: Unit, code: FunctionBuilder, target: Value, source: Value, words: Value | int) -> None:
    copy = unit.function("llvm.memcpy.p0.p0.i64", ir.VoidType(), [POINTER, POINTER, I64, ir.IntType(1)])
    length = constant(I64, 8 * words) if isinstance(words, int) else code.at.mul(words, constant(I64, 8))
    code.at.call(copy, [target, source, length, constant(ir.IntType(1), 0)])


def status(code: FunctionBuilder, number: int) -> None:
    """Leave the function with this status."""
    code.at.ret(constant(I32, number))
