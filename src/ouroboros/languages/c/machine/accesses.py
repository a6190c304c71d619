"""Memory as a program reads and writes it: each access is checked, unless it is known to be fine."""

from __future__ import annotations

from typing import NamedTuple

from llvmlite import ir

from ouroboros.languages.c.machine.constants import scalars
from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.failures import ACCESS_KINDS, BOUNDS, MISALIGNED, UNSUPPORTED
from ouroboros.languages.c.machine.memory import locate_function
from ouroboros.languages.c.machine.races import note, stop_if_noted
from ouroboros.languages.c.machine.unit import NotSupported, byte_at, llvm_type
from ouroboros.languages.c.pointers import OFFSET_BITS, offset_of, pointer
from ouroboros.languages.c.read.instructions import (
    AtomicUpdate,
    Call,
    Cast,
    CompareExchange,
    ElementPointer,
    Freeze,
    Instruction,
    Load,
    Store,
)
from ouroboros.languages.c.read.types import Array, Integer, Pointer, Struct, Type, Vector
from ouroboros.languages.c.read.values import Expression, Global, IntegerConstant, Local
from ouroboros.languages.c.read.values import Value as Operand
from ouroboros.native.types import I1, I64, POINTER, Value, constant

I8 = ir.IntType(8)


class _Root(NamedTuple):
    """The object that a pointer is known to point into."""

    place: Value
    """Its address."""
    base: Value
    """A pointer to its beginning."""
    size: int


def emit_access(context: Context, instruction: Instruction) -> bool:
    """An instruction that reads or writes memory; False if it is another one."""
    match instruction:
        case Load(pointer, ordering=ordering):
            kind = instruction.type
            address = locate(context, pointer, kind, writes=False, atomic=ordering is not None)
            context.define(instruction.result, _read(context, address, kind))
        case Store(value, pointer, ordering=ordering):
            address = locate(context, pointer, value.type, writes=True, atomic=ordering is not None)
            _write(context, address, value.type, context.value(value))
        case AtomicUpdate(operation, pointer, value):
            address = locate(context, pointer, value.type, writes=True, atomic=True)
            before = _read(context, address, value.type)
            _write(context, address, value.type, _updated(context, operation, before, context.value(value)))
            context.define(instruction.result, before)
        case CompareExchange(pointer, expected, replacement):
            _compare_exchange(context, instruction, pointer, expected, replacement)
        case ElementPointer(source, pointer, indices):
            context.define(instruction.result, _element(context, source, pointer, indices))
        case _:
            return False
    stop_if_noted(context)
    return True


def _compare_exchange(
    context: Context, instruction: Instruction, pointer: Operand, expected: Operand, replacement: Operand
) -> None:
    at, kind = context.code.at, expected.type
    address = locate(context, pointer, kind, writes=True, atomic=True)
    before = _read(context, address, kind)
    same = at.icmp_unsigned("==", before, context.value(expected))
    _write(context, address, kind, at.select(same, context.value(replacement), before))
    pair = at.insert_value(ir.Constant(llvm_type(instruction.type), None), before, 0)
    context.define(instruction.result, at.insert_value(pair, same, 1))


def _updated(context: Context, operation: str, before: Value, value: Value) -> Value:
    at = context.code.at
    match operation:
        case "xchg":
            return value
        case "nand":
            return at.not_(at.and_(before, value))
        case "max" | "min":
            return at.select(at.icmp_signed(">" if operation == "max" else "<", before, value), before, value)
        case "umax" | "umin":
            return at.select(at.icmp_unsigned(">" if operation == "umax" else "<", before, value), before, value)
        case "add" | "sub" | "fadd" | "fsub" | "xor":
            return getattr(at, operation)(before, value)
        case "and" | "or":
            return getattr(at, operation + "_")(before, value)
    raise NotSupported(f"an atomic {operation}")


def _read(context: Context, address: Value, kind: Type) -> Value:
    """A value of any type from memory."""
    if not isinstance(kind, Struct | Array | Vector):
        return context.read_scalar(address, kind)
    whole: Value = ir.Constant(llvm_type(kind), None)
    for way, scalar in scalars(kind):
        offset = context.layout.constants.offset(kind, [0, *way])
        part = context.read_scalar(byte_at(context.code, address, offset), scalar)
        whole = context.code.at.insert_value(whole, part, list(way))
    return whole


def _write(context: Context, address: Value, kind: Type, value: Value) -> None:
    if not isinstance(kind, Struct | Array | Vector):
        context.write_scalar(address, kind, value)
        return
    for way, scalar in scalars(kind):
        offset = context.layout.constants.offset(kind, [0, *way])
        context.write_scalar(byte_at(context.code, address, offset), scalar, context.part(value, way))


def locate(context: Context, operand: Operand, kind: Type, writes: bool, atomic: bool) -> Value:
    """The address of a value of this type that a pointer points to."""
    size = context.layout.module.layout.store_size(kind)
    aligned = size if atomic else 8 if isinstance(kind, Pointer) else 1
    return located(context, operand, constant(I64, size), size, writes, aligned, atomic)


def located(
    context: Context,
    operand: Operand,
    need: Value,
    known_need: int | None,
    writes: bool,
    aligned: int = 1,
    atomic: bool = False,
) -> Value:
    """The address of so many bytes that a pointer points to."""
    code, at = context.code, context.code.at
    value = context.value(operand)
    root = _root(context, operand)
    if root is not None and known_need is not None:
        offset = at.sub(value, root.base)
        known = _known_offset(context, operand)
        if root.size < known_need:
            context.fail(BOUNDS)
        elif known is None:
            context.require(at.icmp_unsigned("<=", offset, constant(I64, root.size - known_need)), BOUNDS)
        elif not 0 <= known <= root.size - known_need:
            context.fail(BOUNDS)
        address = byte_at(code, root.place, offset if known is None else known)
    else:
        place = at.call(locate_function(context.unit), [context.state, value, need, constant(I1, int(writes))])
        context.require_none(at.extract_value(place, 1), ACCESS_KINDS)
        address = at.inttoptr(at.extract_value(place, 0), POINTER)
    if aligned > 1:
        fits = at.icmp_unsigned("==", at.and_(value, constant(I64, aligned - 1)), constant(I64, 0))
        context.require(fits, *((MISALIGNED,) if atomic else (UNSUPPORTED, "a pointer in a place that is not aligned")))
    note(context, value, need, writes=writes, atomic=atomic)
    return address


def _root(context: Context, operand: Operand) -> _Root | None:
    """The object that a pointer goes through arithmetic from, if it is known and always there."""
    layout = context.layout
    match operand:
        case Global(name) if name in layout.globals:
            place, size = layout.globals[name]
            base = constant(I64, pointer(layout.constants.numbers[name]))
            return _Root(byte_at(context.code, context.state, place), base, size)
        case Expression("getelementptr", _, operands):
            return _root(context, operands[0])
        case Local(name):
            found = context.frame_layout.objects.get(name)
            if found is not None:
                number = constant(I64, found.number << OFFSET_BITS)
                base = context.code.at.add(context.objects, number)
                return _Root(byte_at(context.code, context.frame, found.offset), base, found.size)
            match context.definitions.get(name):
                case ElementPointer(_, inner) | Freeze(inner):
                    return _root(context, inner)
                case Cast("bitcast", inner):
                    return _root(context, inner)
    return None


def _known_offset(context: Context, operand: Operand) -> int | None:
    """The offset of a pointer from the object that it goes from, where it is a constant."""
    match operand:
        case Global() | Expression():
            return offset_of(context.layout.constants.integer(operand))
        case Local(name) if name in context.frame_layout.objects:
            return 0
        case Local(name):
            match context.definitions.get(name):
                case ElementPointer(source, inner, indices) if all(
                    isinstance(each, IntegerConstant) for each in indices
                ):
                    before = _known_offset(context, inner)
                    steps = [context.layout.constants.signed(each) for each in indices]
                    return None if before is None else before + context.layout.constants.offset(source, steps)
    return None


def _element(context: Context, source: Type, operand: Operand, indices: tuple[Operand, ...]) -> Value:
    """The pointer to an element, which is arithmetic."""
    at, layout = context.code.at, context.layout.module.layout
    value = context.value(operand)
    kind: Type | None = None
    known = 0
    for index in indices:
        if isinstance(kind, Struct):
            number = context.layout.constants.integer(index)
            known += layout.offset(kind, number)
            kind = kind.elements[number]
            continue
        kind = source if kind is None else kind.element if isinstance(kind, Array | Vector) else kind
        size = layout.size(kind)
        if isinstance(index, Local):
            value = at.add(value, at.mul(_wide(context, index), constant(I64, size)))
        else:
            known += context.layout.constants.signed(index) * size
    return at.add(value, constant(I64, known)) if known else value


def _wide(context: Context, index: Operand) -> Value:
    value, kind = context.value(index), index.type
    if isinstance(kind, Integer) and kind.bits < 64:
        return context.code.at.sext(value, I64)
    return value if kind == Integer(64) else context.code.at.trunc(value, I64)


def emit_block_access(context: Context, call: Call, name: str) -> None:
    """memcpy, memmove and memset, as one action."""
    code, at = context.code, context.code.at
    target, second, length = call.arguments[:3]
    size = context.value(length)
    if size.type != I64:
        size = at.zext(size, I64)
    some, none = code.block(), code.block()
    at.cbranch(at.icmp_unsigned("!=", size, constant(I64, 0)), some, none)
    code.enter(some)
    known = context.layout.constants.integer(length) if isinstance(length, IntegerConstant) else None
    known = known or None
    bit = ir.IntType(1)
    if name.startswith("llvm.memset"):
        address = located(context, target, size, known, writes=True)
        fill = context.unit.function("llvm.memset.p0.i64", ir.VoidType(), [POINTER, I8, I64, bit])
        at.call(fill, [address, context.value(second), size, constant(bit, 0)])
    else:
        source = located(context, second, size, known, writes=False)
        address = located(context, target, size, known, writes=True)
        move = context.unit.function("llvm.memmove.p0.p0.i64", ir.VoidType(), [POINTER, POINTER, I64, bit])
        at.call(move, [address, source, size, constant(bit, 0)])
    stop_if_noted(context)
    at.branch(none)
    code.enter(none)
