"""Operations on values of all types; those on vectors go element by element."""

from __future__ import annotations

from ouroboros.languages.c.read.types import FLOAT_BITS, Float, Integer, Type, Vector
from ouroboros.languages.c.reference import arithmetic, floating
from ouroboros.languages.c.reference.arithmetic import signed
from ouroboros.languages.c.reference.failure import Failed
from ouroboros.languages.c.reference.memory import Register

UNSUPPORTED = 24


def binary(opcode: str, kind: Type, left: Register, right: Register, checked: bool) -> Register:
    if isinstance(kind, Vector):
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        return tuple(binary(opcode, kind.element, a, b, checked) for a, b in zip(left, right, strict=True))
    assert isinstance(left, int)
    assert isinstance(right, int)
    if isinstance(kind, Float):
        return floating.operate(opcode, kind.name, left, right)
    return arithmetic.operate(opcode, width(kind), left, right, checked=checked)


def negate(kind: Type, value: Register) -> Register:
    if isinstance(kind, Vector):
        assert isinstance(value, tuple)
        return tuple(negate(kind.element, each) for each in value)
    assert isinstance(kind, Float)
    assert isinstance(value, int)
    return floating.negate(kind.name, value)


def width(kind: Type) -> int:
    """In bits; of pointers too."""
    if isinstance(kind, Integer):
        return kind.bits
    return FLOAT_BITS[kind.name] if isinstance(kind, Float) else 64


def compare(predicate: str, kind: Type, left: Register, right: Register) -> Register:
    if isinstance(kind, Vector):
        assert isinstance(left, tuple)
        assert isinstance(right, tuple)
        return tuple(compare(predicate, kind.element, a, b) for a, b in zip(left, right, strict=True))
    assert isinstance(left, int)
    assert isinstance(right, int)
    if isinstance(kind, Float):
        return floating.compare(predicate, kind.name, left, right)
    return arithmetic.compare(predicate, width(kind), left, right)


def cast(opcode: str, source: Type, target: Type, value: Register) -> Register:
    if isinstance(source, Vector) and isinstance(target, Vector) and source.count == target.count:
        assert isinstance(value, tuple)
        return tuple(cast(opcode, source.element, target.element, each) for each in value)
    if not isinstance(value, int) or isinstance(target, Vector):
        raise Failed(UNSUPPORTED, f"{opcode} from {source} to {target}")
    match opcode:
        case "trunc" | "zext" | "ptrtoint" | "ptrtoaddr" | "inttoptr" | "bitcast" | "addrspacecast":
            return value % (1 << width(target))
        case "sext":
            return signed(value, width(source)) % (1 << width(target))
    if isinstance(source, Float):
        match opcode:
            case "fptosi" | "fptoui":
                return floating.to_integer(source.name, value, width(target), signed=opcode == "fptosi")
            case "fptrunc" | "fpext":
                assert isinstance(target, Float)
                return floating.pattern(target.name, floating.number(source.name, value))
    assert isinstance(target, Float)
    return floating.from_integer(target.name, signed(value, width(source)) if opcode == "sitofp" else value)


def updated(operation: str, kind: Type, before: Register, operand: Register) -> Register:
    """What an atomic operation leaves in memory."""
    assert isinstance(before, int)
    assert isinstance(operand, int)
    bits = width(kind)
    match operation:
        case "xchg":
            return operand
        case "nand":
            return ~(before & operand) % (1 << bits)
        case "max":
            return max(before, operand, key=lambda each: signed(each, bits))
        case "min":
            return min(before, operand, key=lambda each: signed(each, bits))
        case "umax":
            return max(before, operand)
        case "umin":
            return min(before, operand)
        case "uinc_wrap":
            return 0 if before >= operand else before + 1
        case "udec_wrap":
            return operand if before == 0 or before > operand else before - 1
    return binary(operation, kind, before, operand, checked=False)


def part(whole: Register, index: int) -> Register:
    assert isinstance(whole, tuple)
    return whole[index]


def with_part(whole: Register, way: tuple[int, ...], new: Register) -> Register:
    """The value with one of its parts, however deep inside, replaced."""
    if not way:
        return new
    assert isinstance(whole, tuple)
    index, *rest = way
    return (*whole[:index], with_part(whole[index], tuple(rest), new), *whole[index + 1 :])
