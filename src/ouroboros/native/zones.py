"""Zones in machine code: a matrix of bounds is a list of vectors, and what is done to a row is done to it as a whole.

A state has the bounds packed, row after row. While an action runs they are in a matrix on the stack, in lanes of twice
the width, so that sums of a few bounds do not overflow; the lanes behind the last clock hold anything. The functions of
a zone are made once a module:

    void  zone_load(words*, matrix*)                void zone_store(matrix*, words*)
    i1    zone_constrain(matrix*, row, column, bound)
    void  zone_reset(matrix*, clock, value)         void zone_close(matrix*)
"""

from __future__ import annotations

from collections.abc import Callable
from weakref import WeakKeyDictionary

from llvmlite import ir

from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I1, I32, I64, POINTER, Builder, Value, constant, plain_pointer
from ouroboros.system.blocks import Settle
from ouroboros.system.expressions import Stuck
from ouroboros.system.layout import WORD_BITS, Field, Layout, zone_size

_LANES = 8
"""Rows are padded to a multiple of this."""


_MADE: WeakKeyDictionary[ir.Module, list[tuple[Settle | Stuck, Value]]] = WeakKeyDictionary()
"""The functions that parts of a system have in its module."""


class ZoneCode:
    """The functions of one zone in one module."""

    def __init__(self, module: ir.Module, layout: Layout, zone: Field) -> None:
        self.module = module
        self.layout = layout
        self.zone = zone
        self.size = zone_size(zone)
        self.lanes = -(-self.size // _LANES) * _LANES
        self.packed = ir.IntType(zone.bits)
        self.lane = ir.IntType(2 * zone.bits)
        self.row = ir.VectorType(self.lane, self.lanes)
        self.packed_row = ir.VectorType(self.packed, self.lanes)
        self.infinity = (1 << (2 * zone.bits - 1)) - 1
        self.matrix_type = ir.ArrayType(self.row, self.size)

    # Calls, from the code of actions and propositions

    def matrix(self, function: FunctionBuilder) -> Value:
        return function.cell(self.matrix_type)

    def load(self, at: Builder, words: Value, matrix: Value) -> None:
        at.call(self._function("zone_load", ir.VoidType(), [POINTER, POINTER], self._emit_load), [words, matrix])

    def store(self, at: Builder, matrix: Value, words: Value) -> None:
        at.call(self._function("zone_store", ir.VoidType(), [POINTER, POINTER], self._emit_store), [matrix, words])

    def constrain(self, at: Builder, matrix: Value, row: Value, column: Value, bound: Value) -> Value:
        kinds = [POINTER, I64, I64, self.lane]
        return at.call(self._function("zone_constrain", I1, kinds, self._emit_constrain), [matrix, row, column, bound])

    def reset(self, at: Builder, matrix: Value, clock: Value, value: Value) -> None:
        kinds = [POINTER, I64, self.lane]
        at.call(self._function("zone_reset", ir.VoidType(), kinds, self._emit_reset), [matrix, clock, value])

    def remembered(self, part: Settle | Stuck) -> Value | None:
        """The function that a part of the system has in this module already."""
        return next((function for known, function in _MADE.get(self.module, ()) if known is part), None)

    def remember(self, part: Settle | Stuck, function: Value) -> Value:
        _MADE.setdefault(self.module, []).append((part, function))
        return function

    def copy(self, at: Builder, matrix: Value, to: Value) -> None:
        for row in range(self.size):
            self._set_row(at, to, constant(I64, row), self._get_row(at, matrix, constant(I64, row)))

    def encoded(self, at: Builder, bound: Value, strict: bool) -> Value:
        """A number of the evaluation's width as a bound."""
        doubled = at.shl(bound, constant(bound.type, 1))
        return self.lane_value(at, doubled if strict else at.or_(doubled, constant(bound.type, 1)))

    def unlimited(self, at: Builder, matrix: Value) -> Value:
        result = constant(I1, 1)
        for clock in range(1, self.size):
            bound = self._get(at, matrix, constant(I64, clock), constant(I64, 0))
            result = at.and_(result, at.icmp_signed("==", bound, self.infinite))
        return result

    def lane_value(self, at: Builder, value: Value) -> Value:
        if value.type.width == self.lane.width:
            return value
        return at.trunc(value, self.lane) if value.type.width > self.lane.width else at.sext(value, self.lane)

    # Pieces of code

    @property
    def infinite(self) -> Value:
        return constant(self.lane, self.infinity)

    def _function(self, name: str, result: ir.Type, kinds: list[ir.Type], emit: Callable[[Value], None]) -> Value:
        known = self.module.globals.get(name)
        if known is not None:
            return known
        definition = ir.Function(self.module, ir.FunctionType(result, kinds), name)
        definition.linkage = "internal"
        definition.attributes.add("nounwind")
        definition.attributes.add("noinline")
        emit(definition)
        return definition

    def _reduction(self, operation: str, kind: Value) -> Value:
        """The function that makes one value of all lanes."""
        name = f"llvm.vector.reduce.{operation}.v{kind.count}i{kind.element.width}"
        known = self.module.globals.get(name)
        return known or ir.Function(self.module, ir.FunctionType(kind.element, [kind]), name)

    def _row_address(self, at: Builder, matrix: Value, row: Value) -> Value:
        return at.gep(matrix, [row], inbounds=True, source_etype=self.row)

    def _address(self, at: Builder, matrix: Value, row: Value, column: Value) -> Value:
        position = at.add(at.mul(row, constant(I64, self.lanes)), column)
        return at.gep(matrix, [position], inbounds=True, source_etype=self.lane)

    def _get(self, at: Builder, matrix: Value, row: Value, column: Value) -> Value:
        return at.load(self._address(at, matrix, row, column), typ=self.lane)

    def _get_row(self, at: Builder, matrix: Value, row: Value) -> Value:
        return at.load(self._row_address(at, matrix, row), align=self.lane.width // 8, typ=self.row)

    def _set_row(self, at: Builder, matrix: Value, row: Value, value: Value) -> None:
        at.store(value, self._row_address(at, matrix, row), align=self.lane.width // 8)

    def _splat(self, at: Builder, value: Value) -> Value:
        if isinstance(value, ir.Constant):
            return ir.Constant(self.row, [value.constant] * self.lanes)
        first = at.insert_element(ir.Constant(self.row, ir.Undefined), value, constant(I32, 0))
        zeros = ir.Constant(ir.VectorType(I32, self.lanes), [0] * self.lanes)
        return at.shuffle_vector(first, ir.Constant(self.row, ir.Undefined), zeros)

    def _added(self, at: Builder, bound: Value, row: Value) -> Value:
        """A bound that is not infinite, plus each of a row."""
        each = self._splat(at, bound)
        ones = ir.Constant(self.row, [1] * self.lanes)
        total = at.sub(at.add(each, row), at.and_(at.or_(each, row), ones))
        endless = self._splat(at, self.infinite)
        return at.select(at.icmp_signed("==", row, endless), endless, total)

    def _smaller(self, at: Builder, one: Value, other: Value) -> Value:
        return at.select(at.icmp_signed("<", one, other), one, other)

    def added_one(self, at: Builder, one: Value, other: Value) -> Value:
        """The sum of two bounds, neither of them infinite."""
        odd = at.and_(at.or_(one, other), constant(self.lane, 1))
        return at.sub(at.add(one, other), odd)

    def _through(self, at: Builder, matrix: Value, row: Value, bound: Value, via: Value) -> None:
        """Tighten a row by what follows from a bound and the row of bounds behind it."""
        old = self._get_row(at, matrix, row)
        self._set_row(at, matrix, row, self._smaller(at, self._added(at, bound, via), old))

    def each(self, at: Builder, start: int, body: Callable[[Value, ir.Block], None]) -> None:
        """Run code for the clocks from `start` on; it may branch to the block that goes on with the next."""
        if start >= self.size:
            return
        before = at.block
        head = at.append_basic_block()
        following = at.append_basic_block()
        done = at.append_basic_block()
        at.branch(head)
        at.position_at_end(head)
        clock = at.phi(I64)
        clock.add_incoming(constant(I64, start), before)
        body(clock, following)
        at.branch(following)
        at.position_at_end(following)
        after = at.add(clock, constant(I64, 1))
        clock.add_incoming(after, following)
        at.cbranch(at.icmp_unsigned("<", after, constant(I64, self.size)), head, done)
        at.position_at_end(done)

    @staticmethod
    def _skip_if(at: Builder, condition: Value, to: ir.Block) -> None:
        proceed = at.append_basic_block()
        at.cbranch(condition, to, proceed)
        at.position_at_end(proceed)

    # Between a state and a matrix

    @property
    def _packed_bits(self) -> int:
        return int(self.zone.bits) * self.size * self.size

    def _staging(self, at: Builder) -> Value:
        bits = self._packed_bits + self.zone.bits * self.lanes
        return plain_pointer(at.alloca(ir.ArrayType(I64, -(-bits // WORD_BITS) + 1)))

    def _staged_row(self, at: Builder, staging: Value, row: int) -> Value:
        return at.gep(staging, [constant(I64, row * self.size)], inbounds=True, source_etype=self.packed)

    def _emit_load(self, definition: Value) -> None:
        words, matrix = definition.args
        at = ir.IRBuilder(definition.append_basic_block())
        staging = self._staging(at)
        word, shift, _ = self.layout.placements[self.zone]
        for number in range(-(-self._packed_bits // WORD_BITS)):
            value = at.load(at.gep(words, [constant(I64, word + number)], source_etype=I64), typ=I64)
            at.store(at.lshr(value, constant(I64, shift)), at.gep(staging, [constant(I64, number)], source_etype=I64))
        most = ir.Constant(self.packed_row, [(1 << (self.zone.bits - 1)) - 1] * self.lanes)
        for row in range(self.size):
            packed = at.load(self._staged_row(at, staging, row), align=1, typ=self.packed_row)
            wide = at.sext(packed, self.row)
            endless = self._splat(at, self.infinite)
            self._set_row(at, matrix, constant(I64, row), at.select(at.icmp_signed("==", packed, most), endless, wide))
        at.ret_void()

    def _emit_store(self, definition: Value) -> None:
        matrix, words = definition.args
        at = ir.IRBuilder(definition.append_basic_block())
        staging = self._staging(at)
        for row in range(self.size):
            wide = self._get_row(at, matrix, constant(I64, row))
            most = self._splat(at, constant(self.lane, (1 << (self.zone.bits - 1)) - 1))
            # What lies behind the last clock goes where the next row comes.
            at.store(
                at.trunc(self._smaller(at, wide, most), self.packed_row), self._staged_row(at, staging, row), align=1
            )
        word, shift, _ = self.layout.placements[self.zone]
        rest = self._packed_bits
        number = 0
        while rest > 0:
            address = at.gep(words, [constant(I64, word + number)], source_etype=I64)
            value = at.load(at.gep(staging, [constant(I64, number)], source_etype=I64), typ=I64)
            if rest < WORD_BITS:
                mask = ((1 << rest) - 1) << shift
                kept = at.and_(at.load(address, typ=I64), constant(I64, ~mask))
                value = at.or_(kept, at.and_(at.shl(value, constant(I64, shift)), constant(I64, mask)))
            at.store(value, address)
            rest -= WORD_BITS
            number += 1
        at.ret_void()

    # Operations

    def _emit_constrain(self, definition: Value) -> None:
        matrix, row, column, bound = definition.args
        at = ir.IRBuilder(definition.append_basic_block())
        holds, empty = at.append_basic_block(), at.append_basic_block()
        self._skip_if(at, at.icmp_signed("<=", self._get(at, matrix, row, column), bound), holds)
        back = self._get(at, matrix, column, row)
        around = self.added_one(at, back, bound)
        negative = at.icmp_signed("<", around, constant(self.lane, 1))
        self._skip_if(at, at.and_(at.icmp_signed("!=", back, self.infinite), negative), empty)
        via = self._get_row(at, matrix, column)

        def tighten(clock: Value, following: ir.Block) -> None:
            first = self._get(at, matrix, clock, row)
            self._skip_if(at, at.icmp_signed("==", first, self.infinite), following)
            self._through(at, matrix, clock, self.added_one(at, first, bound), via)

        self.each(at, 0, tighten)
        at.branch(holds)
        at.position_at_end(holds)
        at.ret(constant(I1, 1))
        at.position_at_end(empty)
        at.ret(constant(I1, 0))

    def _emit_reset(self, definition: Value) -> None:
        matrix, clock, value = definition.args
        at = ir.IRBuilder(definition.append_basic_block())
        one = constant(self.lane, 1)
        ahead = at.or_(at.shl(value, one), one)
        behind = at.or_(at.shl(at.neg(value), one), one)

        def column(other: Value, following: ir.Block) -> None:
            bound = self._get(at, matrix, other, constant(I64, 0))
            endless = at.icmp_signed("==", bound, self.infinite)
            total = at.select(endless, bound, self.added_one(at, bound, behind))
            at.store(total, self._address(at, matrix, other, clock))

        self.each(at, 0, column)
        self._set_row(at, matrix, clock, self._added(at, ahead, self._get_row(at, matrix, constant(I64, 0))))
        at.store(constant(self.lane, 1), self._address(at, matrix, clock, clock))
        at.ret_void()

    def _emit_close(self, definition: Value) -> None:
        (matrix,) = definition.args
        at = ir.IRBuilder(definition.append_basic_block())

        def through(middle: Value, _: ir.Block) -> None:
            via = self._get_row(at, matrix, middle)

            def tighten(clock: Value, following: ir.Block) -> None:
                first = self._get(at, matrix, clock, middle)
                skip = at.or_(at.icmp_signed("==", first, self.infinite), at.icmp_signed("==", clock, middle))
                self._skip_if(at, skip, following)
                self._through(at, matrix, clock, first, via)

            self.each(at, 0, tighten)

        self.each(at, 0, through)
        at.ret_void()
