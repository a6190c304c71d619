"""Choices among very many values, of which the program can tell only a few apart.

What a program does with a value that it may choose freely is often no more than to compare it with constants. Values
between which no comparison can tell are one: of each such class one value is tried, and nothing is left out. Where an
assumption that follows at once drops most values, the others are tried one by one. If even so there are too many, some
are tried, and that the others were not is told wherever nothing wrong was found.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import lcm

from ouroboros.languages.c.prepare.editing import Edits, attached, declare
from ouroboros.languages.c.prepare.observing import Observed, observed
from ouroboros.languages.c.read.instructions import (
    Binary,
    Branch,
    Call,
    Cast,
    Compare,
    ElementPointer,
    ExtractValue,
    Freeze,
    InsertValue,
    Instruction,
    Jump,
    Phi,
    Select,
    Switch,
    Unary,
)
from ouroboros.languages.c.read.module import Block, Function
from ouroboros.languages.c.read.types import Integer, quoted
from ouroboros.languages.c.read.values import Global, IntegerConstant
from ouroboros.languages.c.read.write import plain, typed

MOST_VALUES = 1 << 10
"""That are tried one by one, of a wide range: more of them hide what is wrong behind too many states."""
MOST_RANGE = 1 << 16
"""A range that is no larger is tried as it is."""
MOST_SAMPLES = 12
_ALWAYS_TRIED = (0, 1, -1, 2, 3)
_MOST_BLOCKS = 64
_COMPUTATION = Binary | Unary | Compare | Cast | Select | Freeze | Phi | ElementPointer | ExtractValue | InsertValue


@dataclass(frozen=True)
class Chosen:
    """What is tried of a choice."""

    values: tuple[int, ...]
    complete: bool
    """Whether every other value does what one of these does."""


def narrow_choices(edits: Edits) -> None:
    """Each choice between constants becomes one among the values that are to be tried."""
    for function in edits.bodies():
        for block in function.blocks:
            for instruction in block.instructions:
                match instruction:
                    case Call(Global("__ouro_choose"), (IntegerConstant(_, low), IntegerConstant(_, high), _)):
                        first, last = _signed(low), _signed(high)
                        if last - first > 1:
                            _narrow(edits, function, instruction, first, last)


def _narrow(edits: Edits, function: Function, call: Call, low: int, high: int) -> None:
    remainder = observed(function, call.result, low, high).only_remainder
    if remainder is not None:
        _choose_remainder(edits, call, remainder, high)
        return
    chosen = worth_trying(function, call, low, high)
    values = chosen.values
    if chosen.complete and len(values) == high - low + 1:
        return
    name = plain(call.arguments[2])
    result, place = quoted(call.result or f"ouro.unused.{call.line}"), attached(edits.lines[call.line])
    which = f"%ouro.which.{call.line}"
    if chosen.complete:
        made = f"  {which} = call i64 @__ouro_choose(i64 0, i64 {len(values) - 1}, ptr {name}){place}"
    else:
        made = f"  {which} = call i64 @__ouro_sample(i64 {len(values)}, ptr {name}){place}"
        declare(edits, "__ouro_sample", "i64", "i64", "ptr")
    table = f"@ouro.values.{call.line}"
    entries = ", ".join(f"i64 {value}" for value in values)
    edits.added.append(f"{table} = internal constant [{len(values)} x i64] [{entries}]")
    edits.replace(
        call.line,
        made,
        f"  %ouro.at.{call.line} = getelementptr [{len(values)} x i64], ptr {table}, i64 0, i64 {which}",
        f"  %{result} = load i64, ptr %ouro.at.{call.line}",
    )


def _choose_remainder(edits: Edits, call: Call, remainder: Call, high: int) -> None:
    """Of a number of which only the remainder of a division matters, that remainder is chosen, where it is needed."""
    divisor, kind, line = remainder.arguments[1], remainder.type, remainder.line
    unsigned = isinstance(remainder.callee, Global) and "urem" in remainder.callee.name
    wide = "bitcast" if kind == Integer(64) else "zext" if unsigned else "sext"
    place, result = attached(edits.lines[line]), quoted(remainder.result or "")
    edits.replace(call.line, f"  %{quoted(call.result or '')} = freeze i64 0")
    zero = edits.lines[line].partition(" = ")[2].replace(typed(remainder.arguments[0]), f"{kind} 0", 1)
    edits.replace(
        line,
        # Where the divisor is zero, this division fails.
        f"  %ouro.none.{line} = {zero}",
        f"  %ouro.wide.{line} = {wide} {typed(divisor)} to i64",
        f"  %ouro.less.{line} = icmp slt i64 %ouro.wide.{line}, 0",
        f"  %ouro.minus.{line} = sub i64 0, %ouro.wide.{line}",
        f"  %ouro.size.{line} = select i1 %ouro.less.{line}, i64 %ouro.minus.{line}, i64 %ouro.wide.{line}",
        f"  %ouro.last.{line} = sub i64 %ouro.size.{line}, 1",
        f"  %ouro.few.{line} = icmp ult i64 %ouro.last.{line}, {high}",
        f"  %ouro.most.{line} = select i1 %ouro.few.{line}, i64 %ouro.last.{line}, i64 {high}",
        f"  %ouro.chosen.{line} = call i64 @__ouro_choose(i64 0, i64 %ouro.most.{line}, ptr "
        f"{plain(call.arguments[2])}){place}",
        f"  %{result} = {'bitcast' if kind == Integer(64) else 'trunc'} i64 %ouro.chosen.{line} to {kind}",
    )


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def worth_trying(function: Function, call: Call, low: int, high: int) -> Chosen:
    """The values of a choice that are to be tried, the most simple ones first."""
    found = observed(function, call.result, low, high)
    starts = sorted(found.starts)
    intervals = [(start, following - 1) for start, following in pairwise([*starts, high + 1])]
    modulus = lcm(*found.moduli)
    if found.complete and sum(min(modulus, last - first + 1) for first, last in intervals) <= MOST_VALUES:
        return Chosen(_ordered(value for each in intervals for value in _simplest(*each, modulus)), complete=True)
    kept = intervals
    if modulus == 1:
        kept = [each for each in intervals if not _is_dropped(function, call, found, each[0])]
    dropped = [each for each in intervals if each not in kept]
    if sum(last - first + 1 for first, last in kept) <= MOST_VALUES:
        values = [value for first, last in kept for value in range(first, last + 1)]
        return Chosen(_ordered([*values, *(_simplest(*each, 1)[0] for each in dropped)]), complete=True)
    if high - low < MOST_RANGE:
        return Chosen(tuple(range(low, high + 1)), complete=True)
    some = {value for value in _ALWAYS_TRIED if any(first <= value <= last for first, last in kept)}
    for first, last in kept[:MOST_SAMPLES]:
        some |= {first, last, _simplest(first, last, 1)[0]}
    return Chosen(_ordered(some)[:MOST_SAMPLES], complete=False)


def _ordered(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(set(values), key=lambda value: (abs(value), -value)))


def _simplest(first: int, last: int, count: int) -> range:
    """So many values in a row of an interval, or all of it: those nearest to zero."""
    count = min(count, last - first + 1)
    start = max(first, last - count + 1) if last < 0 else first
    if first < 0 <= last:
        start = max(first, min(0, last - count + 1))
    return range(start, start + count)


def _is_dropped(function: Function, call: Call, found: Observed, value: int) -> bool:
    """Whether an assumption drops the run before it does anything else; so it is for all values of an interval."""
    blocks = {block.label: block for block in function.blocks}
    block = next(block for block in function.blocks if call in block.instructions)
    at = block.instructions.index(call) + 1
    for _ in range(_MOST_BLOCKS):
        ending = _next_effect(block, at)
        target: str | None = None
        match ending:
            case Call(Global("__ouro_drop")):
                return True
            case Jump(target):
                pass
            case Branch(asked, then, otherwise):
                condition = found.settles(asked, value)
                target = None if condition is None else then if condition else otherwise
            case Switch(asked, default, cases):
                number = found.case(asked, value)
                target = None if number is None else dict(cases).get(number, default)
        if target is None:
            return False
        block = blocks[target]
        at = 0
    return False


def _next_effect(block: Block, at: int) -> Instruction:
    """The first instruction that does more than to compute something."""
    for instruction in block.instructions[at:]:
        if not isinstance(instruction, _COMPUTATION):
            return instruction
    return block.instructions[-1]
