"""The state vector as running code sees it: whole 64-bit words, kept in registers for as long as possible.

Every access to memory is an aligned load or store of a word. What is read once is known until something may have
changed it, and what an effect writes stays pending until the effect ends or its control flow forks: most actions load
each word they need once and store each word of the successor once.
"""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I1, I64, POINTER, Value, constant
from ouroboros.system.expressions import Local

# Up to this many words a successor is stored word by word, else it is copied as a whole and then corrected.
COPIED_WORD_BY_WORD = 6


class StateWords:
    """Read access to the words of the state that the function was called with."""

    def __init__(self, function: FunctionBuilder, state: Value) -> None:
        self.function = function
        self.state = state
        self.known: dict[int | Local, Value] = {}
        """The values of words and temporaries at the current point of the code; each must dominate it."""

    def load(self, word: int) -> Value:
        value = self.known.get(word)
        if value is None:
            value = self.function.at.load(self.address(word), typ=I64)
            self.known[word] = value
        return value

    def load_at(self, base: int, count: int, index: Value) -> Value:
        """Word `base + index`, one of the `count` words from `base` on."""
        return self.function.at.load(self.address_at(base, count, index), typ=I64)

    def before_branch(self) -> None:
        """Must be called before code that reads words on one of several paths only."""

    def settle(self) -> None:
        """Bring memory up to date with what is known: nothing to do where nothing is written."""

    def fork(self) -> None:
        """Must be called before control flow forks in a block."""

    def forget(self) -> None:
        """Must be called where paths join that may have written different words or temporaries."""
        self.known.clear()

    def forget_locals(self) -> None:
        """Where an evaluation begins that has temporaries of its own."""
        for key in [key for key in self.known if isinstance(key, Local)]:
            del self.known[key]

    @property
    def memory(self) -> Value:
        """The address of the words, for code that reads and writes them there."""
        return self.state

    def address(self, word: int) -> Value:
        return self.function.word_address(self.state, word)

    def address_at(self, base: int, count: int, index: Value) -> Value:
        return self.function.at.gep(self.address(base), [index], inbounds=True, source_etype=I64)


class SuccessorWords(StateWords):
    """The words of a successor: those of the state until an effect changes them."""

    def __init__(self, origin: StateWords, out: Value, slot: Value, words: int) -> None:
        super().__init__(origin.function, origin.state)
        self.known = dict(origin.known)
        self._words = words
        self._slot = self.function.at.gep(out, [slot], inbounds=True, source_etype=ir.ArrayType(I64, words))
        self._copied = False
        self._pending: set[int] = set()
        """Words whose known value is newer than the one in memory."""
        self._changed: set[int] = set()
        """Words that may differ from the state: they must be read from the slot."""

    def before_branch(self) -> None:
        # A read by a computed index needs its words in memory: they must get there on every path, or on none.
        if self._changed:
            self.settle()

    def address(self, word: int) -> Value:
        return self._slot_address(word) if word in self._changed else super().address(word)

    def address_at(self, base: int, count: int, index: Value) -> Value:
        touched = range(base, base + count)
        if self._changed.isdisjoint(touched):
            return super().address_at(base, count, index)
        self.settle()
        return self.function.at.gep(self._slot_address(base), [index], inbounds=True, source_etype=I64)

    def store(self, word: int, value: Value) -> None:
        self.known[word] = value
        self._pending.add(word)
        self._changed.add(word)

    def store_at(self, base: int, count: int, index: Value, value: Value) -> None:
        """Write word `base + index`, one of the `count` words from `base` on."""
        self.settle()
        address = self.function.at.gep(self._slot_address(base), [index], inbounds=True, source_etype=I64)
        self.function.at.store(value, address)
        for word in range(base, base + count):
            self.known.pop(word, None)
            self._changed.add(word)

    def settle(self) -> None:
        """Bring the slot in memory up to date; what is known stays known."""
        builder = self.function.at
        if not self._copied:
            self._copied = True
            if self._words <= COPIED_WORD_BY_WORD:
                for word in range(self._words):
                    self.load(word)
                    self._pending.add(word)
            else:
                copy = builder.module.declare_intrinsic("llvm.memcpy", [POINTER, POINTER, I64])
                builder.call(copy, [self._slot, self.state, constant(I64, 8 * self._words), constant(I1, 0)])
        for word in sorted(self._pending):
            builder.store(self.known[word], self._slot_address(word))
        self._pending.clear()

    def fork(self) -> None:
        """Before control flow forks: from here on memory alone says what the words are."""
        self.settle()
        self._changed = set(range(self._words))

    @property
    def memory(self) -> Value:
        return self._slot

    def _slot_address(self, word: int) -> Value:
        if word == 0:
            return self._slot
        return self.function.at.gep(self._slot, [constant(I64, word)], inbounds=True, source_etype=I64)


class FrameWords(SuccessorWords):
    """The words that a procedure works on, where its caller has them in memory."""

    def __init__(self, function: FunctionBuilder, memory: Value, words: int) -> None:
        super().__init__(StateWords(function, memory), memory, constant(I64, 0), words)
        self._copied = True
        self._changed = set(range(words))
