"""Machine code over sets in memory: a bit for each member, in words."""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from ouroboros.native.types import I1, I64, Block, Value, constant

WORD = 64
"""Bits."""

_MOST_UNROLLED = 4  # words


class SetEmitter:
    """Appends code to a function. Sets have so many words."""

    def __init__(self, function: Value, words: int) -> None:
        self.function = function
        self.words = words
        self.at = ir.IRBuilder(function.append_basic_block("entry"))

    def array(self) -> Value:
        """Room for a set."""
        return self.at.alloca(I64, self.words)

    def number(self, value: int) -> Value:
        return constant(I64, value)

    def address(self, array: Value, index: Value) -> Value:
        return self.at.gep(array, [index], inbounds=True, source_etype=I64)

    def load(self, array: Value, index: Value) -> Value:
        return self.at.load(self.address(array, index), typ=I64)

    def store(self, array: Value, index: Value, value: Value) -> None:
        self.at.store(value, self.address(array, index))

    def variable(self) -> Value:
        """A stack cell that is made once, however often the code around it runs."""
        with self.at.goto_entry_block():
            return self.at.alloca(I64)

    def get(self, variable: Value) -> Value:
        return self.at.load(variable, typ=I64)

    def increase(self, variable: Value, by: Value) -> None:
        self.at.store(self.at.add(self.get(variable), by), variable)

    def include(self, variable: Value, bits: Value) -> None:
        self.at.store(self.at.or_(self.get(variable), bits), variable)

    def is_zero(self, value: Value) -> Value:
        return self.at.icmp_unsigned("==", value, self.number(0))

    def is_not_zero(self, value: Value) -> Value:
        return self.at.icmp_unsigned("!=", value, self.number(0))

    def bit(self, array: Value, place: Value) -> Value:
        """Whether a bit is set."""
        word = self.load(array, self.at.lshr(place, self.number(6)))
        return self.at.trunc(self.at.lshr(word, self.at.and_(place, self.number(63))), I1)

    def set_bit(self, array: Value, place: Value) -> None:
        index = self.at.lshr(place, self.number(6))
        mask = self.at.shl(self.number(1), self.at.and_(place, self.number(63)))
        self.store(array, index, self.at.or_(self.load(array, index), mask))

    def ones(self, word: Value) -> Value:
        return self.at.ctpop(word)

    def lowest(self, word: Value) -> Value:
        return self.at.cttz(word, constant(I1, 1))

    def without_lowest(self, word: Value) -> Value:
        return self.at.and_(word, self.at.sub(word, self.number(1)))

    def leave_if(self, condition: Value, target: Block) -> None:
        proceed = self.function.append_basic_block()
        self.at.cbranch(condition, target, proceed)
        self.at.position_at_end(proceed)

    def while_(self, condition: Callable[[], Value], body: Callable[[], None]) -> None:
        head, inner, after = (self.function.append_basic_block() for _ in range(3))
        self.at.branch(head)
        self.at.position_at_end(head)
        self.at.cbranch(condition(), inner, after)
        self.at.position_at_end(inner)
        body()
        self.at.branch(head)
        self.at.position_at_end(after)

    def repeat(self, start: Value, stop: Value, body: Callable[[Value], None]) -> None:
        """Run code for each number from `start` to before `stop`."""
        counter = self.variable()
        self.at.store(start, counter)

        def step() -> None:
            number = self.get(counter)
            body(number)
            self.at.store(self.at.add(number, self.number(1)), counter)

        self.while_(lambda: self.at.icmp_unsigned("<", self.get(counter), stop), step)

    def each_word(self, body: Callable[[Value], None]) -> None:
        """Run code for each word of a set."""
        if self.words <= _MOST_UNROLLED:
            for word in range(self.words):
                body(self.number(word))
        else:
            self.repeat(self.number(0), self.number(self.words), body)

    def each_bit(self, word: Value, body: Callable[[Value], None]) -> None:
        """Run code for the place of each bit that is set."""
        rest = self.variable()
        self.at.store(word, rest)

        def step() -> None:
            bits = self.get(rest)
            self.at.store(self.without_lowest(bits), rest)
            body(self.lowest(bits))

        self.while_(lambda: self.is_not_zero(self.get(rest)), step)
