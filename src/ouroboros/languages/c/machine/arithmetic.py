"""Instructions that compute: they are copied, and what C leaves undefined is checked."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.failures import DIVISION, OVERFLOW, SHIFT
from ouroboros.languages.c.machine.unit import NotSupported, llvm_type
from ouroboros.languages.c.read.instructions import (
    Binary,
    Cast,
    Compare,
    ExtractElement,
    ExtractValue,
    Freeze,
    InsertElement,
    InsertValue,
    Instruction,
    Select,
    Unary,
)
from ouroboros.languages.c.read.types import Integer
from ouroboros.languages.c.read.values import IntegerConstant
from ouroboros.native.types import I64, Value

_SIGNED = {"sgt": ">", "sge": ">=", "slt": "<", "sle": "<=", "eq": "==", "ne": "!="}
_UNSIGNED = {"ugt": ">", "uge": ">=", "ult": "<", "ule": "<="}
_ORDERED = {"oeq": "==", "ogt": ">", "oge": ">=", "olt": "<", "ole": "<=", "one": "!=", "ord": "ord"}
_UNORDERED = {"ueq": "==", "ugt": ">", "uge": ">=", "ult": "<", "ule": "<=", "une": "!=", "uno": "uno"}


def emit_arithmetic(context: Context, instruction: Instruction) -> bool:
    """An instruction that computes; False if it is another one."""
    at, value = context.code.at, context.value
    result: Value
    match instruction:
        case Binary():
            result = _binary(context, instruction)
        case Unary("fneg", operand):
            result = at.fneg(value(operand))
        case Compare("icmp", predicate, left, right):
            signed = predicate in _SIGNED
            comparison = at.icmp_signed if signed else at.icmp_unsigned
            result = comparison((_SIGNED if signed else _UNSIGNED)[predicate], value(left), value(right))
        case Compare("fcmp", predicate, left, right) if predicate in _ORDERED:
            result = at.fcmp_ordered(_ORDERED[predicate], value(left), value(right))
        case Compare("fcmp", predicate, left, right) if predicate in _UNORDERED:
            result = at.fcmp_unordered(_UNORDERED[predicate], value(left), value(right))
        case Cast(opcode, operand):
            result = _cast(context, opcode, value(operand), instruction)
        case Select(condition, then, otherwise):
            result = at.select(value(condition), value(then), value(otherwise))
        case Freeze(operand):
            result = value(operand)
        case ExtractValue(aggregate, indices):
            result = at.extract_value(value(aggregate), list(indices))
        case InsertValue(aggregate, element, indices):
            result = at.insert_value(value(aggregate), value(element), list(indices))
        case ExtractElement(vector, index):
            result = at.extract_element(value(vector), value(index))
        case InsertElement(vector, element, index):
            result = at.insert_element(value(vector), value(element), value(index))
        case _:
            return False
    context.define(instruction.result, result)
    return True


def _cast(context: Context, opcode: str, operand: Value, instruction: Instruction) -> Value:
    at, kind = context.code.at, llvm_type(instruction.type)
    match opcode:
        case "ptrtoint" | "inttoptr" | "bitcast" | "addrspacecast" if operand.type == kind:
            return operand
        case "ptrtoint":
            return at.trunc(operand, kind) if kind.width < 64 else at.zext(operand, kind)
        case "inttoptr":
            return at.zext(operand, I64) if operand.type.width < 64 else at.trunc(operand, I64)
        case "zext" | "sext" | "trunc" | "bitcast" | "fptosi" | "fptoui" | "sitofp" | "uitofp" | "fpext" | "fptrunc":
            if opcode in ("fptosi", "fptoui"):
                return _to_integer(context, opcode, operand, kind)
            return getattr(at, opcode)(operand, kind)
    raise NotSupported(f"the conversion {opcode}")


def _to_integer(context: Context, opcode: str, operand: Value, kind: Value) -> Value:
    """What does not fit becomes what x86 makes of it, since C leaves that open: the least integer of 32 or 64 bits."""
    at = context.code.at
    signed = opcode == "fptosi"
    wide = ir.IntType(32 if signed and kind.width <= 32 else 64)
    least, end = (
        ir.Constant(operand.type, -(2.0 ** (wide.width - 1))),
        ir.Constant(operand.type, 2.0 ** (wide.width - 1)),
    )
    fits = at.and_(at.fcmp_ordered(">=", operand, least), at.fcmp_ordered("<", operand, end))
    value = at.select(fits, at.fptosi(operand, wide), ir.Constant(wide, -(1 << wide.width - 1)))
    if not signed and kind.width == 64:
        large = at.fcmp_ordered(">=", operand, end)
        value = at.select(large, at.fptoui(operand, wide), value)
    return value if wide == kind else at.trunc(value, kind) if kind.width < wide.width else at.sext(value, kind)


def _binary(context: Context, instruction: Binary) -> Value:
    at, opcode = context.code.at, instruction.opcode
    left, right = context.value(instruction.left), context.value(instruction.right)
    match opcode:
        case "add" | "sub" | "mul" if "nsw" in instruction.flags and isinstance(instruction.type, Integer):
            pair = getattr(at, f"s{opcode}_with_overflow")(left, right)
            context.require(at.not_(at.extract_value(pair, 1)), OVERFLOW)
            return at.extract_value(pair, 0)
        case "sdiv" | "udiv" | "srem" | "urem":
            _check_division(context, instruction, left, right)
        case "shl" | "lshr" | "ashr" if not isinstance(instruction.right, IntegerConstant):
            width = ir.Constant(right.type, right.type.width)
            context.require(at.icmp_unsigned("<", right, width), SHIFT)
    if opcode in ("and", "or"):
        opcode += "_"
    return getattr(at, opcode)(left, right)


def _check_division(context: Context, instruction: Binary, left: Value, right: Value) -> None:
    at = context.code.at
    divisor = instruction.right
    if isinstance(divisor, IntegerConstant):
        if divisor.value == 0:
            context.fail(DIVISION)
        if divisor.value != (1 << divisor.type.bits) - 1:
            return
    else:
        context.require(at.icmp_unsigned("!=", right, ir.Constant(right.type, 0)), DIVISION)
    if instruction.opcode in ("sdiv", "srem"):
        least = at.icmp_signed("==", left, ir.Constant(left.type, -(1 << left.type.width - 1)))
        minus_one = at.icmp_signed("==", right, ir.Constant(right.type, -1))
        context.require(at.not_(at.and_(least, minus_one)), OVERFLOW)
