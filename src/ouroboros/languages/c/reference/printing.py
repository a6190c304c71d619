"""What a program prints."""

from __future__ import annotations

import re

from ouroboros.languages.c.reference import floating
from ouroboros.languages.c.reference.arithmetic import signed
from ouroboros.languages.c.reference.failure import Failed
from ouroboros.languages.c.reference.memory import Memory

_CONVERSION = re.compile(rb"%([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?(hh|h|ll|l|j|z|t|L)?([a-zA-Z%])|%")
_WIDTHS = {b"hh": 8, b"h": 16, b"l": 64, b"ll": 64, b"j": 64, b"z": 64, b"t": 64}


class Printer:
    """Formats as printf does; arguments are in slots of eight bytes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._next = 0

    def format(self, text: int, slots: int) -> str:
        self._next = slots
        out = b""
        template = self._string(text, None)
        at = 0
        for match in _CONVERSION.finditer(template):
            out += template[at : match.start()] + self._convert(match)
            at = match.end()
        return (out + template[at:]).decode("utf-8", "replace")

    def _string(self, pointer: int, most: int | None) -> bytes:
        """A text in memory; what cannot be read is not printed."""
        out = bytearray()
        try:
            while most is None or len(out) < most:
                byte = self._memory.bytes_at(pointer + len(out), 1)
                if byte == b"\0":
                    break
                out += byte
        except Failed:
            return b"(not to be read)"
        return bytes(out)

    def _slot(self, bits: int = 64) -> int:
        try:
            data = self._memory.bytes_at(self._next, 8)
        except Failed:
            data = bytes(8)
        self._next += 8
        return int.from_bytes(data, "little") % (1 << bits)

    def _convert(self, match: re.Match[bytes]) -> bytes:
        if match[5] is None or match[5] == b"%":
            return b"%"
        flags = match[1].decode()
        width = match[2].decode() if match[2] else ""
        if width == "*":
            number = signed(self._slot(32), 32)
            flags, width = (flags + "-", str(-number)) if number < 0 else (flags, str(number))
        precision: int | None = None
        if b"." in match[0]:
            precision = 0
            if match[3] == b"*":
                precision = signed(self._slot(32), 32)
                precision = None if precision < 0 else precision
            elif match[3]:
                precision = int(match[3])
        return self._value(match[5].decode(), flags, width, precision, match[4])

    def _value(self, letter: str, flags: str, width: str, precision: int | None, length: bytes | None) -> bytes:
        dotted = "" if precision is None else f".{precision}"
        bits = _WIDTHS.get(length or b"", 32)
        match letter:
            case "d" | "i":
                return _integer(signed(self._slot(bits), bits), "d", flags, width, precision)
            case "u":
                return _integer(self._slot(bits), "d", flags.replace("+", "").replace(" ", ""), width, precision)
            case "x" | "X" | "o":
                return _integer(self._slot(bits), letter, flags, width, precision)
            case "c":
                return _padded(bytes([self._slot(8)]), flags, width)
            case "s":
                return _padded(self._string(self._slot(), precision), flags, width)
            case "p":
                return _padded(f"{self._slot():#x}".encode(), flags, width)
            case "f" | "F" | "e" | "E" | "g" | "G" if length == b"L":
                self._next = (self._next + 15) // 16 * 16
                value = floating.number("x86_fp80", self._slot() | self._slot(16) << 64)
                return f"%{flags}{width}{dotted}{letter}".encode() % float(value)
            case "f" | "F" | "e" | "E" | "g" | "G":
                value = float(floating.number("double", self._slot()))
                if value != value or value in (float("inf"), float("-inf")):
                    return _padded((f"%{letter}" % value).encode(), flags.replace("0", ""), width)
                return (f"%{flags}{width}{dotted}{letter}" % value).encode()
        return b"%" + letter.encode()


def _integer(value: int, letter: str, flags: str, width: str, precision: int | None) -> bytes:
    digits = format(abs(value), letter)
    if precision is not None:
        digits = digits.rjust(precision, "0") if precision or value else ""
    prefix = "-" if value < 0 else "+" if "+" in flags else " " if " " in flags else ""
    if "#" in flags and value and letter in "xX":
        prefix = "0" + letter
    if "0" in flags and "-" not in flags and precision is None and width:
        digits = digits.rjust(int(width) - len(prefix), "0")
    return _padded((prefix + digits).encode(), flags, width)


def _padded(text: bytes, flags: str, width: str) -> bytes:
    if not width:
        return text
    return text.ljust(int(width)) if "-" in flags else text.rjust(int(width))
