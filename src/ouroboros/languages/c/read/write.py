"""Values as LLVM writes them."""

from __future__ import annotations

from ouroboros.languages.c.read.types import Float, Vector, quoted
from ouroboros.languages.c.read.values import (
    Aggregate,
    BlockAddress,
    Expression,
    FloatConstant,
    Global,
    IntegerConstant,
    Local,
    Text,
    Undefined,
    Value,
    Zero,
)

_LETTERS = {"half": "H", "bfloat": "R", "x86_fp80": "K", "fp128": "L"}
_DIGITS = {"half": 4, "bfloat": 4, "x86_fp80": 20, "fp128": 32}


def typed(value: Value) -> str:
    """With its type, as in the arguments of a call."""
    return f"{value.type} {plain(value)}"


def plain(value: Value) -> str:
    """Without its type, as the second operand of an addition."""
    match value:
        case Local(name):
            return "%" + quoted(name)
        case Global(name):
            return "@" + quoted(name)
        case IntegerConstant(kind, number):
            return ("false", "true")[number] if kind.bits == 1 else str(number)
        case FloatConstant(Float(name), bits):
            return _floating(name, bits)
        case Zero():
            return "zeroinitializer"
        case Undefined(_, poison):
            return "poison" if poison else "undef"
        case Text(_, data):
            return 'c"' + "".join(f"\\{byte:02X}" for byte in data) + '"'
        case Aggregate(kind, elements):
            inside = ", ".join(map(typed, elements))
            if isinstance(kind, Vector):
                return f"<{inside}>"
            if not str(kind).startswith("["):
                packed = getattr(kind, "packed", False)
                return f"<{{ {inside} }}>" if packed else f"{{ {inside} }}"
            return f"[{inside}]"
        case Expression("getelementptr", _, inner, source):
            return f"getelementptr ({source}, {', '.join(map(typed, inner))})"
        case Expression(opcode, kind, (operand,)):
            return f"{opcode} ({typed(operand)} to {kind})"
        case Expression(opcode, _, (left, right)):
            return f"{opcode} ({typed(left)}, {typed(right)})"
        case BlockAddress(function, block):
            return f"blockaddress(@{quoted(function)}, %{quoted(block)})"
    raise ValueError(f"{value} cannot be written")


def _floating(name: str, bits: int) -> str:
    if name in _LETTERS:
        return f"0x{_LETTERS[name]}{bits:0{_DIGITS[name]}X}"
    if name == "float":
        return f"0x{_widened(bits):016X}"
    return f"0x{bits:016X}"


def _widened(bits: int) -> int:
    """The pattern of a float as that of the same number as a double, which is how LLVM writes it."""
    sign, exponent, fraction = bits >> 31, bits >> 23 & 0xFF, bits & 0x7FFFFF
    if exponent == 0xFF:
        wide = 0x7FF
    elif exponent:
        wide = exponent - 127 + 1023
    elif fraction:
        shift = 24 - fraction.bit_length()
        fraction = fraction << shift & 0x7FFFFF
        wide = 1 - shift - 127 + 1023
    else:
        wide = 0
    return sign << 63 | wide << 52 | fraction << 29
