"""The end of a step of a timed automaton: limits are met, time passes, what nothing tells apart is put together.

i1    zone_settle(words*, matrix*)    one for each statement of this kind
"""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.types import I1, I32, I64, POINTER, Builder, Value, constant
from ouroboros.native.words import FrameWords
from ouroboros.native.zones import ZoneCode
from ouroboros.system.blocks import Settle
from ouroboros.system.expressions import Constant
from ouroboros.system.layout import Field


class SettlingZoneCode(ZoneCode):
    """The functions of one zone, with those for the end of a step."""

    def settle(self, at: Builder, end: Settle, emitter: ExpressionEmitter, words: Value, matrix: Value) -> Value:
        known = self.remembered(end)
        if known is None:
            known = self.remember(end, self._define_settle(end, emitter))
        return at.call(known, [words, matrix])

    def _define_settle(self, end: Settle, outer: ExpressionEmitter) -> Value:
        name = self.module.get_unique_name("zone_settle")
        definition = ir.Function(self.module, ir.FunctionType(I1, [POINTER, POINTER]), name)
        definition.linkage = "internal"
        definition.attributes.add("nounwind")
        definition.attributes.add("noinline")
        words, matrix = definition.args
        function = FunctionBuilder(definition)
        failure = FailureExit(function)
        emitter = ExpressionEmitter(
            function, self.layout, outer.width, FrameWords(function, words, self.layout.words), failure
        )
        outer.blocks(emitter)
        limits = self._limits(emitter, end)
        at = function.at
        for clock in self._limited(end):
            bound = at.load(at.gep(limits, [constant(I64, clock)], source_etype=self.lane), typ=self.lane)
            met = self.constrain(at, matrix, constant(I64, clock), constant(I64, 0), bound)
            failure.leave_unless(met, 0)
        passes = emitter.condition(end.delays)
        delay, after = function.block(), function.block()
        at.cbranch(passes, delay, after)
        function.enter(delay)
        self._emit_delay(function, matrix, limits)
        at.branch(after)
        function.enter(after)
        self._emit_extrapolation(function, emitter, matrix, end)
        at.ret(constant(I1, 1))
        if failure.enter() is not None:
            at.ret(constant(I1, 0))
        function.finish()
        return definition

    def _limited(self, end: Settle) -> range | list[int]:
        if all(isinstance(limit.clock, Constant) for limit in end.limits):
            return sorted({limit.clock.value for limit in end.limits if isinstance(limit.clock, Constant)})
        return range(1, self.size)

    def _limits(self, emitter: ExpressionEmitter, end: Settle) -> Value:
        """A row with the limit of each clock."""
        at = emitter.function.at
        cell = emitter.function.cell(self.row)
        at.store(self._splat(at, self.infinite), cell, align=self.lane.width // 8)
        for limit in end.limits:
            holds = emitter.condition(limit.condition)
            bound = self.encoded(at, emitter.value(limit.bound), limit.strict)
            clock = at.sext(emitter.value(limit.clock), I64)
            address = at.gep(cell, [clock], inbounds=True, source_etype=self.lane)
            before = at.load(address, typ=self.lane)
            at.store(self._smaller(at, at.select(holds, bound, self.infinite), before), address)
        return cell

    def _emit_delay(self, function: FunctionBuilder, matrix: Value, limits: Value) -> None:
        """Each clock may grow until the first of the limits is met."""
        at = function.at
        most = at.load(limits, align=self.lane.width // 8, typ=self.row)
        endless = self._splat(at, self.infinite)
        without = at.icmp_signed("==", most, endless)
        ones = ir.Constant(self.row, [1] * self.lanes)
        start = self._get_row(at, matrix, constant(I64, 0))
        least = self._reduction("smin", self.row)
        outside = ir.Constant(
            ir.VectorType(I1, self.lanes), [int(lane == 0 or lane >= self.size) for lane in range(self.lanes)]
        )

        def grow(clock: Value, following: ir.Block) -> None:
            row = self._get_row(at, matrix, clock)
            total = at.sub(at.add(row, most), at.and_(at.or_(row, most), ones))
            open_ended = at.or_(at.or_(without, outside), at.icmp_signed("==", row, endless))
            bound = at.call(least, [at.select(open_ended, endless, total)])
            at.store(bound, self._address(at, matrix, clock, constant(I64, 0)))
            self._skip_if(at, at.icmp_signed("==", bound, self.infinite), following)
            self._through(at, matrix, clock, bound, start)

        self.each(at, 1, grow)

    def _emit_extrapolation(
        self, function: FunctionBuilder, emitter: ExpressionEmitter, matrix: Value, end: Settle
    ) -> None:
        at = function.at
        lower, upper = function.cell(self.row), function.cell(self.row)
        for cell, bounds in ((lower, end.lower), (upper, end.upper)):
            at.store(self._splat(at, constant(self.lane, 0)), cell, align=self.lane.width // 8)
            for clock, bound in enumerate(bounds):
                value = self.lane_value(at, emitter.value(bound))
                at.store(value, at.gep(cell, [constant(I64, clock)], inbounds=True, source_etype=self.lane))
        one = self._splat(at, constant(self.lane, 1))
        endless = self._splat(at, self.infinite)
        zero = self._splat(at, constant(self.lane, 0))
        above = at.load(upper, align=self.lane.width // 8, typ=self.row)
        start = self._get_row(at, matrix, constant(I64, 0))
        least = at.sub(zero, at.ashr(start, one))
        beyond = at.icmp_signed(">", least, above)
        any_set = self._reduction("or", ir.VectorType(I1, self.lanes))
        inside = ir.Constant(ir.VectorType(I1, self.lanes), [int(lane < self.size) for lane in range(self.lanes)])
        changed = function.cell(I1)
        at.store(constant(I1, 0), changed)

        def note(old: Value, new: Value) -> None:
            differs = at.call(any_set, [at.and_(inside, at.icmp_signed("!=", old, new))])
            at.store(at.or_(at.load(changed, typ=I1), differs), changed)

        def widen(clock: Value, _: ir.Block) -> None:
            row = self._get_row(at, matrix, clock)
            bound = at.load(at.gep(lower, [clock], inbounds=True, source_etype=self.lane), typ=self.lane)
            own = at.load(self._address(at, matrix, constant(I64, 0), clock), typ=self.lane)
            late = at.icmp_signed(">", at.neg(at.ashr(own, constant(self.lane, 1))), bound)
            far = at.icmp_signed(">", at.ashr(row, one), self._splat(at, bound))
            all_late = at.icmp_signed("!=", self._splat(at, at.zext(late, self.lane)), zero)
            wide = at.select(at.or_(at.or_(far, all_late), beyond), endless, row)
            wide = at.insert_element(wide, constant(self.lane, 1), at.trunc(clock, I32))
            note(row, wide)
            self._set_row(at, matrix, clock, wide)

        self.each(at, 1, widen)
        strictly = at.select(at.icmp_signed(">=", above, zero), at.sub(zero, at.shl(above, one)), one)
        lowered = at.select(beyond, strictly, start)
        note(start, lowered)
        self._set_row(at, matrix, constant(I64, 0), lowered)
        close, done = function.block(), function.block()
        at.cbranch(at.load(changed, typ=I1), close, done)
        function.enter(close)
        at.call(self._function("zone_close", ir.VoidType(), [POINTER], self._emit_close), [matrix])
        at.branch(done)
        function.enter(done)


def zone_code(emitter: ExpressionEmitter, zone: Field) -> SettlingZoneCode:
    """The functions of a zone in the module that the emitter's function belongs to."""
    return SettlingZoneCode(emitter.function.function.module, emitter.layout, zone)
