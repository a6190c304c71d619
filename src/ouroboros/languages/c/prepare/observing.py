"""What a function can find out about a number that was chosen freely.

The range of the number is divided so that on each piece every value that is computed from it by conversions and by
adding constants runs up or down by one, without wrapping; comparisons with constants divide it further. Remainders
depend on the remainder of the number itself. A value that depends on the piece and the remainder alone is *settled*:
whatever is done with it is the same for all numbers of a class. If anything else is done with a value that is not
settled, the number must be known exactly.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ouroboros.languages.c.prepare.arithmetic import PREFIX
from ouroboros.languages.c.read.instructions import (
    Binary,
    Call,
    Cast,
    Compare,
    Freeze,
    Instruction,
    Select,
    Switch,
    operands,
)
from ouroboros.languages.c.read.module import Function
from ouroboros.languages.c.read.types import Integer, Pointer, Type
from ouroboros.languages.c.read.values import Global, IntegerConstant, Local, Value, Zero
from ouroboros.languages.c.reference import arithmetic

MOST_PIECES = 4096
MOST_MODULUS = 1 << 12
_CASTS = frozenset({"trunc", "zext", "sext", "ptrtoint", "inttoptr", "bitcast"})
_CHECKED = re.compile(re.escape(PREFIX) + r"(\w+)\.i\d+$")


class _Unknown(Exception):
    """The number must be known exactly."""


@dataclass
class _Line:
    """A value that runs with the number: on a piece of its range, by one for each step."""

    bits: int
    """Where it comes round."""
    evaluate: Callable[[int], int]
    """Of the number, without sign."""
    width: int
    """Of its type, which may be wider: then it was extended."""
    signed: bool = False
    """Whether with its sign."""

    def value(self, number: int) -> int:
        """Without sign, in all the width of its type."""
        raw = self.evaluate(number)
        return arithmetic.signed(raw, self.bits) % (1 << self.width) if self.signed else raw

    def raw(self, value: int) -> int | None:
        """What it is before it is extended where its value is this; None: it never is."""
        if self.signed:
            value = arithmetic.signed(value % (1 << self.width), self.width)
            return value % (1 << self.bits) if -(1 << self.bits - 1) <= value < 1 << self.bits - 1 else None
        value %= 1 << self.width
        return value if value < 1 << self.bits else None


@dataclass
class Observed:
    definitions: dict[str, Instruction]
    starts: set[int]
    """Where pieces begin."""
    moduli: set[int] = field(default_factory=lambda: {1})
    complete: bool = True
    """Whether nothing else is found out."""
    lines: dict[str, _Line] = field(default_factory=dict)
    settled: dict[str, Callable[[int], int]] = field(default_factory=dict)
    remainders: list[Call] = field(default_factory=list)
    """Divisions of the number itself by something that is not known before."""

    @property
    def only_remainder(self) -> Call | None:
        """Where nothing is found out of the number but one remainder."""
        alone = self.complete and len(self.remainders) == 1 and not self.settled and self.moduli == {1}
        return self.remainders[0] if alone else None

    def settles(self, value: Value, number: int) -> int | None:
        """What a value is worth where the number is this; None: not known, or not the same all over a piece."""
        if not isinstance(value, Local):
            return _constant(value)
        evaluate = self.settled.get(value.name)
        if evaluate is not None:
            return evaluate(number)
        match self.definitions.get(value.name):
            case Select(condition, then, otherwise):
                which = self.settles(condition, number)
                return None if which is None else self.settles(then if which else otherwise, number)
            case Binary("and" | "or" | "xor" as opcode, left, right):
                one, other = self.settles(left, number), self.settles(right, number)
                if one is None or other is None:
                    return None
                return arithmetic.operate(opcode, width(value.type), one, other, checked=False)
            case Cast("zext" | "trunc", operand):
                found = self.settles(operand, number)
                return None if found is None else found % (1 << width(value.type))
            case Compare("icmp", predicate, left, right):
                one, other = self.settles(left, number), self.settles(right, number)
                if one is None or other is None:
                    return None
                return arithmetic.compare(predicate, width(left.type), one, other)
        return None

    def case(self, value: Value, number: int) -> int | None:
        """What a switch finds."""
        line = self.lines.get(value.name) if isinstance(value, Local) else None
        return self.settles(value, number) if line is None else line.value(number)


def observed(function: Function, name: str | None, low: int, high: int) -> Observed:
    """Of the register with a number from a range, in the function that chose it."""
    return _Observer(function, low, high).run(name)


class _Observer:
    def __init__(self, function: Function, low: int, high: int) -> None:
        self.low, self.high = low, high
        instructions = [each for block in function.blocks for each in block.instructions]
        self.found = Observed({each.result: each for each in instructions if each.result is not None}, {low})
        self.lines, self.settled = self.found.lines, self.found.settled
        self.uses: dict[str, list[Instruction]] = {}
        for instruction in instructions:
            for name in {each.name for each in operands(instruction) if isinstance(each, Local)}:
                self.uses.setdefault(name, []).append(instruction)

    def run(self, name: str | None) -> Observed:
        if name is None:
            return self.found
        self._line(name, _Line(64, lambda number: number % (1 << 64), 64))
        waiting = [name]
        while waiting:
            for use in self.uses.get(waiting.pop(), ()):
                known = use.result in self.lines or use.result in self.settled
                if known or self._is_settled(use):
                    continue
                try:
                    self._use(use)
                except _Unknown:
                    self.found.complete = False
                    continue
                if use.result is not None and use not in self.found.remainders:
                    waiting.append(use.result)
        if self.found.remainders and self.found.only_remainder is None:
            self.found.complete = False
        return self.found

    def _line(self, name: str | None, line: _Line) -> None:
        assert name is not None
        self.lines[name] = line
        # Neither read with a sign nor without does it wrap on a piece.
        self._divide(line, 0)
        self._divide(line, 1 << line.bits - 1)

    def _settle(self, instruction: Instruction, evaluate: Callable[[int], int]) -> None:
        assert instruction.result is not None
        self.settled[instruction.result] = evaluate

    def _is_settled(self, use: Instruction) -> bool:
        """Whether all that it reads is settled, or constant: then so is what it does."""
        return not any(isinstance(each, Local) and each.name in self.lines for each in operands(use))

    def _divide(self, line: _Line, value: int) -> None:
        """Divide the range where the line comes to this value, before it is extended."""
        size = 1 << line.bits
        value %= size
        # The line is the number, up or down, modulo its size: the same on every piece.
        here, further = line.evaluate(self.low), line.evaluate(self.low + 1) if self.high > self.low else 0
        up = (further - here) % size == 1
        # Going down, what comes after the value begins a piece.
        first = self.low + ((value - here) % size if up else (here - value) % size + 1)
        count = 0
        while first <= self.high:
            if first > self.low:
                self.found.starts.add(first)
            first += size
            count += 1
            if count > MOST_PIECES:
                raise _Unknown

    def _use(self, use: Instruction) -> None:
        match use:
            case Freeze(Local(name)):
                self._line(use.result, self.lines[name])
            case Cast(opcode, Local(name)) if opcode in _CASTS:
                self._cast(use, self.lines[name])
            case Binary(opcode, left, right):
                self._binary(use, opcode, left, right)
            case Call(Global(callee), (left, right)) if (found := _CHECKED.match(callee)) is not None:
                self._binary(use, found[1], left, right)
            case Compare("icmp", predicate, left, right):
                self._compare(use, predicate, left, right)
            case Switch(Local(name), _, cases):
                for case, _ in cases:
                    self._divide_at(self.lines[name], case)
            case _:
                raise _Unknown

    def _divide_at(self, line: _Line, value: int) -> None:
        """Less than a value, the value, and more are told apart."""
        for each in (value, value + 1):
            raw = line.raw(each)
            if raw is not None:
                self._divide(line, raw)

    def _cast(self, use: Cast, line: _Line) -> None:
        target = width(use.type)
        if target >= line.width:
            extended = line.width > line.bits
            is_signed = line.signed if extended else use.opcode == "sext"
            if extended and use.opcode == "sext" and not line.signed and target > line.width:
                # The number was extended without sign: it has none to extend.
                is_signed = False
            if extended and line.signed and use.opcode != "sext" and target > line.width:
                raise _Unknown
            self._line(use.result, _Line(line.bits, line.evaluate, target, is_signed))
        elif target >= line.bits:
            self._line(use.result, _Line(line.bits, line.evaluate, target, line.signed))
        else:
            self._truncate(use, line, target)

    def _truncate(self, use: Instruction, line: _Line, target: int) -> None:
        if (1 << target) <= MOST_MODULUS:
            self._remainder(use, line, lambda value: value % (1 << target), 1 << target)
        else:
            cut = _Line(target, lambda number: line.evaluate(number) % (1 << target), width(use.type))
            self._line(use.result, cut)

    def _binary(self, use: Instruction, opcode: str, left: Value, right: Value) -> None:
        bits = width(use.type)
        constant = _constant(right) if isinstance(left, Local) else _constant(left)
        if constant is None and opcode in ("srem", "urem") and isinstance(use, Call) and self._is_itself(left):
            if isinstance(right, Local) and right.name in self.lines:
                raise _Unknown
            self.found.remainders.append(use)
            return
        name = left.name if isinstance(left, Local) else right.name if isinstance(right, Local) else ""
        if constant is None or name not in self.lines:
            raise _Unknown
        line = self.lines[name]
        match opcode:
            case "and" if isinstance(left, Local) and constant < MOST_MODULUS:
                self._remainder(use, line, lambda value: value & constant, 1 << constant.bit_length())
            case "and" if isinstance(left, Local) and not constant & (constant + 1):
                if constant.bit_length() >= line.bits and not line.signed:
                    self._line(use.result, line)
                elif constant.bit_length() < line.bits:
                    self._truncate(use, line, constant.bit_length())
                else:
                    raise _Unknown
            case "urem" | "srem" if isinstance(left, Local) and 0 < constant <= MOST_MODULUS:
                self._remainder(
                    use,
                    line,
                    lambda value: arithmetic.operate(opcode, bits, value, constant, checked=False),
                    constant,
                )
            case _ if line.width > line.bits:
                raise _Unknown
            case "add":
                self._run(use, line, lambda number: (line.evaluate(number) + constant) % (1 << bits))
            case "sub" if isinstance(left, Local):
                self._run(use, line, lambda number: (line.evaluate(number) - constant) % (1 << bits))
            case "sub":
                self._run(use, line, lambda number: (constant - line.evaluate(number)) % (1 << bits))
            case "xor" if constant == (1 << bits) - 1:
                self._run(use, line, lambda number: line.evaluate(number) ^ constant)
            case _:
                raise _Unknown

    def _is_itself(self, value: Value) -> bool:
        """Whether this is the number, which has no sign."""
        line = self.lines.get(value.name) if isinstance(value, Local) else None
        if line is None or self.low < 0:
            return False
        return line.bits == line.width and line.value(self.low) == self.low and line.value(self.high) == self.high

    def _run(self, use: Instruction, line: _Line, evaluate: Callable[[int], int]) -> None:
        """It runs on. Where checked arithmetic overflows, the new line or the old one changes its sign."""
        self._line(use.result, _Line(line.bits, evaluate, line.width))

    def _remainder(self, use: Instruction, line: _Line, convert: Callable[[int], int], modulus: int) -> None:
        self.found.moduli.add(modulus)
        self._settle(use, lambda number: convert(line.value(number)))

    def _compare(self, use: Compare, predicate: str, left: Value, right: Value) -> None:
        variable, other = (left, right) if isinstance(left, Local) and left.name in self.lines else (right, left)
        constant = _constant(other)
        if constant is None or not isinstance(variable, Local) or variable.name not in self.lines:
            raise _Unknown
        line = self.lines[variable.name]
        self._divide_at(line, constant)
        swapped = variable is not left

        def compare(number: int) -> int:
            value = line.value(number)
            sides = (constant, value) if swapped else (value, constant)
            return arithmetic.compare(predicate, line.width, *sides)

        self._settle(use, compare)


def width(kind: Type) -> int:
    if isinstance(kind, Integer):
        return kind.bits
    if isinstance(kind, Pointer):
        return 64
    raise _Unknown


def _constant(value: Value) -> int | None:
    match value:
        case IntegerConstant(_, number):
            return number
        case Zero(Integer() | Pointer()):
            return 0
    return None
