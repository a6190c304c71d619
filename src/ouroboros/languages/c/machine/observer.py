"""What is observed of a state beside its words: data races, and where threads are.

It is machine code of its own, for what is asked shows only when the program has been compiled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import reduce
from typing import Any

from llvmlite import ir

from ouroboros.languages.c.machine.layout import StateLayout
from ouroboros.languages.c.machine.unit import Unit, bits, load_word
from ouroboros.languages.c.positions import Position
from ouroboros.native import objects
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I64, POINTER, Value, constant

FIRST_POSITION = 1
"""Bit 0 of a valuation says whether there is a race."""
MOST_POSITIONS = 62


class Observer:
    """`u64 observe(state*)`: bit 0 if races are asked for, then a bit for each position."""

    def __init__(self, layout: StateLayout, race: int, positions: Sequence[Position]) -> None:
        """`race` is the address of the function that looks for races, 0 if nobody wants to know."""
        module = ir.Module("observer")
        module.triple, module.data_layout = objects.target()
        _Emitter(Unit(module, layout), positions).emit()
        code, _ = objects.object_code(str(module))
        self._engine: Any = objects.load(code)
        ctypes.c_int64.from_address(self._engine.get_global_value_address("race")).value = race
        self.address: int = self._engine.get_function_address("observe")


class _Emitter:
    def __init__(self, unit: Unit, positions: Sequence[Position]) -> None:
        self.unit, self.layout, self.positions = unit, unit.layout, positions
        function = ir.Function(unit.module, ir.FunctionType(I64, [POINTER]), "observe")
        self.code = FunctionBuilder(function)
        (self.state,) = function.args
        sites = range(len(self.layout.sites) + 1)
        self.at_sites = unit.table("positions", I64, [self._mask(lambda each, n=n: n in each.sites) for n in sites])
        self.in_roots = unit.table(
            "roots", I64, [self._mask(lambda each, n=n: each.roots is None or n in each.roots) for n in sites]
        )

    def _mask(self, holds: Any) -> int:
        return reduce(
            lambda mask, entry: mask | (bool(holds(entry[1])) << FIRST_POSITION + entry[0]),
            enumerate(self.positions),
            0,
        )

    def emit(self) -> None:
        code, at = self.code, self.code.at
        race = ir.GlobalVariable(self.unit.module, I64, "race")
        race.initializer = constant(I64, 0)
        found = code.cell(I64)
        at.store(constant(I64, 0), found)
        address = at.load(race, typ=I64)
        asked, places = code.block(), code.block()
        at.cbranch(at.icmp_unsigned("!=", address, constant(I64, 0)), asked, places)
        code.enter(asked)
        function = at.inttoptr(address, POINTER)
        function.type = ir.PointerType(ir.FunctionType(I64, [POINTER]))
        at.store(at.call(function, [self.state]), found)
        at.branch(places)
        code.enter(places)
        for slot in range(self.layout.room.threads if self.positions else 0):
            wanted = self._mask(lambda each, slot=slot: slot in each.slots)
            if wanted:
                here = at.and_(self._positions(slot), constant(I64, wanted))
                at.store(at.or_(at.load(found, typ=I64), here), found)
        at.ret(at.load(found, typ=I64))
        code.finish()

    def _positions(self, slot: int) -> Value:
        """All that is true of the frames of a thread, if its first function is the right one."""
        code, at = self.code, self.code.at
        about = load_word(code, self.state, self.layout.thread_word(slot))
        masks, link, left = code.cell(I64), code.cell(I64), code.cell(I64)
        at.store(constant(I64, 0), masks)
        at.store(at.or_(bits(code, about, 0, 16), at.shl(bits(code, about, 32, 16), constant(I64, 16))), link)
        at.store(bits(code, about, 16, 16), left)
        again, below, done = code.block(), code.block(), code.block()
        at.branch(again)
        code.enter(again)
        site = bits(code, at.load(link, typ=I64), 0, 16)
        at.store(at.or_(at.load(masks, typ=I64), self._entry(self.at_sites, site)), masks)
        at.cbranch(at.icmp_unsigned("==", at.load(left, typ=I64), constant(I64, 0)), done, below)
        code.enter(below)
        begin = bits(code, at.load(link, typ=I64), 16, 16)
        at.store(load_word(code, self.state, at.sub(begin, constant(I64, 1))), link)
        at.store(at.sub(at.load(left, typ=I64), constant(I64, 1)), left)
        at.branch(again)
        code.enter(done)
        return at.and_(at.load(masks, typ=I64), self._entry(self.in_roots, site))

    def _entry(self, table: Value, site: Value) -> Value:
        at = self.code.at
        return at.load(at.gep(table, [site], source_etype=I64), typ=I64)
