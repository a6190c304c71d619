"""Whether a zone has a valuation without a way out: what each step is for is taken away from it, one after the other.

What is left of a zone without a box is no zone, but several. So there is a function for each step, which calls the next
one for every piece that its own step leaves over:

    i1 stuck_k(words*, matrix*)     some valuation has no way out by steps k, k + 1, …; the matrix is used up

Where it is asked for a way out, the functions say whether there is one by steps k, k + 1, …; the matrix stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.types import I1, I64, POINTER, Builder, Value, constant
from ouroboros.native.words import FrameWords, StateWords
from ouroboros.native.zones import ZoneCode
from ouroboros.system.blocks import Limit
from ouroboros.system.expressions import Constant, Element, Escape, Stuck


class StuckCode:
    def __init__(self, code: ZoneCode, question: Stuck, outer: ExpressionEmitter) -> None:
        self.code = code
        self.question = question
        self.outer = outer
        self.module = code.module
        self.size = code.size

    def ask(self, at: Builder, words: Value, matrix: Value) -> Value:
        following: Value | None = None
        known = self.code.remembered(self.question)
        if known is None:
            for number in range(len(self.question.escapes) - 1, -1, -1):
                following = self._step(number, self.question.escapes[number], following)
            known = self.code.remember(self.question, following)
        return self._nothing_left if known is None else at.call(known, [words, matrix])

    @property
    def _nothing_left(self) -> Value:
        """The answer where there are no more steps."""
        return constant(I1, int(not self.question.escaping))

    def _step(self, number: int, escape: Escape, following: Value | None) -> Value:
        name = self.module.get_unique_name(f"stuck_{number}")
        definition = ir.Function(self.module, ir.FunctionType(I1, [POINTER, POINTER]), name)
        definition.linkage = "internal"
        definition.attributes.add("nounwind")
        definition.attributes.add("noinline")
        words, matrix = definition.args
        function = FunctionBuilder(definition)
        at = function.at
        passed = function.block()
        """Where the step is for none of the valuations."""

        source = self._emitter(function, StateWords(function, words))
        self._proceed_if(function, source[0].condition(escape.guard), passed)
        above, below = self._box(function)
        waits = source[0].condition(self.question.delays)
        self._limit(function, source[0], above, waits)
        copy = function.cell(ir.ArrayType(I64, self.code.layout.words))
        for word in range(self.code.layout.words):
            address = [constant(I64, word)]
            value = at.load(at.gep(words, address, source_etype=I64), typ=I64)
            at.store(value, at.gep(copy, address, source_etype=I64))
        after, failure = self._emitter(function, FrameWords(function, copy, self.code.layout.words))
        after.temporaries = source[0].temporaries
        after.run(escape.effect)
        for row, column, bound, strict in escape.constraints:
            value = self.code.encoded(at, after.value(bound), strict)
            is_upper = isinstance(column, Constant) and column.value == 0
            clock = at.sext(after.value(row if is_upper else column), I64)
            self._tighten(at, above if is_upper else below, clock, value)
        self._limit_after(function, after, escape, above, passed)
        self._confirm_some(function, above, below, passed)
        rest = function.cell(self.code.matrix_type)
        if self.question.escaping:
            self.code.copy(at, matrix, rest)

            def face(row: Value, column: Value, bound: Value) -> None:
                self._proceed_if(function, self.code.constrain(at, rest, row, column, bound), passed)
        else:

            def face(row: Value, column: Value, bound: Value) -> None:
                self._cut(function, (words, matrix), rest, (row, column, bound), following)

        self._faces(function, above, below, waits, face)
        at.ret(constant(I1, int(self.question.escaping)))
        for each in (source[1], failure):
            if each.enter() is not None:
                # A step that fails is one; that of an assumption never was.
                at.branch(passed)
        function.enter(passed)
        at.ret(self._nothing_left if following is None else at.call(following, [words, matrix]))
        function.finish()
        return definition

    def _emitter(self, function: FunctionBuilder, words: StateWords) -> tuple[ExpressionEmitter, FailureExit]:
        failure = FailureExit(function)
        emitter = ExpressionEmitter(function, self.code.layout, self.outer.width, words, failure)
        self.outer.blocks(emitter)
        return emitter, failure

    @staticmethod
    def _proceed_if(function: FunctionBuilder, condition: Value, otherwise: Value) -> None:
        proceed = function.block()
        function.at.cbranch(condition, proceed, otherwise)
        function.enter(proceed)

    def _box(self, function: FunctionBuilder) -> tuple[Value, Value]:
        """Rows for the bounds above and below each clock."""
        above, below = function.cell(self.code.row), function.cell(self.code.row)
        for clock in range(self.size):
            position = constant(I64, clock)
            function.at.store(self.code.infinite, self._at(function.at, above, position))
            function.at.store(constant(self.code.lane, 1), self._at(function.at, below, position))
        return above, below

    def _at(self, at: Builder, row: Value, clock: Value) -> Value:
        return at.gep(row, [clock], inbounds=True, source_etype=self.code.lane)

    def _get(self, at: Builder, row: Value, clock: Value) -> Value:
        return at.load(self._at(at, row, clock), typ=self.code.lane)

    def _tighten(self, at: Builder, row: Value, clock: Value, bound: Value) -> None:
        before = self._get(at, row, clock)
        at.store(at.select(at.icmp_signed("<", bound, before), bound, before), self._at(at, row, clock))

    def _limit(self, function: FunctionBuilder, emitter: ExpressionEmitter, above: Value, waits: Value) -> None:
        """Whoever waits does so within the limits of where he is."""
        at = function.at
        for limit in self.question.limits:
            clock, bound, holds = self._evaluated(emitter, limit)
            applies = at.and_(holds, waits)
            self._tighten(at, above, clock, at.select(applies, bound, self.code.infinite))

    def _evaluated(self, emitter: ExpressionEmitter, limit: Limit) -> tuple[Value, Value, Value]:
        at = emitter.function.at
        holds = emitter.condition(limit.condition)
        bound = self.code.encoded(at, emitter.value(limit.bound), limit.strict)
        return at.sext(emitter.value(limit.clock), I64), bound, holds

    def _limit_after(
        self, function: FunctionBuilder, emitter: ExpressionEmitter, escape: Escape, above: Value, passed: Value
    ) -> None:
        """The limits of where the step leads to; a clock that it sets must be within them at once."""
        at = function.at
        for limit in self.question.limits:
            clock, bound, holds = self._evaluated(emitter, limit)
            noted = emitter.value(Element(escape.resets, limit.clock))
            is_set = at.icmp_signed("!=", noted, constant(noted.type, 0))
            value = self.code.encoded(at, at.sub(noted, constant(noted.type, 1)), strict=False)
            too_late = at.and_(at.and_(holds, is_set), at.icmp_signed(">", value, bound))
            self._proceed_if(function, at.not_(too_late), passed)
            applies = at.and_(holds, at.not_(is_set))
            self._tighten(at, above, clock, at.select(applies, bound, self.code.infinite))

    def _confirm_some(self, function: FunctionBuilder, above: Value, below: Value, passed: Value) -> None:
        at = function.at
        for clock in range(1, self.size):
            upper, lower = (self._get(at, row, constant(I64, clock)) for row in (above, below))
            empty = at.icmp_signed("<", self.code.added_one(at, upper, lower), constant(self.code.lane, 1))
            bounded = at.icmp_signed("!=", upper, self.code.infinite)
            self._proceed_if(function, at.not_(at.and_(empty, bounded)), passed)

    def _faces(
        self,
        function: FunctionBuilder,
        above: Value,
        below: Value,
        waits: Value,
        face: Callable[[Value, Value, Value], None],
    ) -> None:
        """Emit code for each face of what comes into the box by waiting, or is in it."""
        at = function.at
        trivial = constant(self.code.lane, 1)

        def upper(clock: Value, after: Value) -> None:
            bound = self._get(at, above, clock)
            self._proceed_if(function, at.icmp_signed("!=", bound, self.code.infinite), after)
            face(clock, constant(I64, 0), bound)
            self._proceed_if(function, waits, after)

            def late(other: Value, next_one: Value) -> None:
                least = self._get(at, below, other)
                matters = at.and_(at.icmp_signed("<", least, trivial), at.icmp_signed("!=", other, clock))
                self._proceed_if(function, matters, next_one)
                face(clock, other, self.code.added_one(at, bound, least))

            self.code.each(at, 1, late)

        self.code.each(at, 1, upper)
        done = function.block()
        self._proceed_if(function, at.not_(waits), done)

        def lower(clock: Value, after: Value) -> None:
            bound = self._get(at, below, clock)
            self._proceed_if(function, at.icmp_signed("<", bound, trivial), after)
            face(constant(I64, 0), clock, bound)

        self.code.each(at, 1, lower)
        at.branch(done)
        function.enter(done)

    def _cut(
        self,
        function: FunctionBuilder,
        given: tuple[Value, Value],
        rest: Value,
        face: tuple[Value, Value, Value],
        following: Value | None,
    ) -> None:
        """Go on with what is on the other side of a face, then with what is on this side."""
        at = function.at
        words, matrix = given
        row, column, bound = face
        self.code.copy(at, matrix, rest)
        opposite = at.sub(constant(self.code.lane, 1), bound)
        outside = self.code.constrain(at, rest, column, row, opposite)
        beyond, inside = function.block(), function.block()
        at.cbranch(outside, beyond, inside)
        function.enter(beyond)
        stuck = constant(I1, 1) if following is None else at.call(following, [words, rest])
        found = function.block()
        at.cbranch(stuck, found, inside)
        function.enter(found)
        at.ret(constant(I1, 1))
        function.enter(inside)
        some = self.code.constrain(at, matrix, row, column, bound)
        none, proceed = function.block(), function.block()
        at.cbranch(some, proceed, none)
        function.enter(none)
        at.ret(constant(I1, 0))
        function.enter(proceed)
