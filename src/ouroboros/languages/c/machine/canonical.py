"""The heap in its canonical order: what differs in the order of allocation only becomes one state.

Cheney, A nonrecursive list compacting algorithm (1970): objects are numbered as pointers to them are met, first in the
globals and the frames of the threads, then in the objects themselves, in the order of their new numbers. What nothing
points to is gone; of an object that was freed only its entry stays, for as long as something points to it.
"""

from __future__ import annotations

from collections.abc import Callable

from llvmlite import ir

from ouroboros.languages.c.machine.layout import LEAKED
from ouroboros.languages.c.machine.memory import GONE, SCRATCH, USED, WORD_BITS
from ouroboros.languages.c.machine.unit import Unit, bits, clear, copy_words, load_word, store_word, word_at
from ouroboros.languages.c.pointers import HALF, HEAP, OFFSET_BITS
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I64, POINTER, Value, constant


def canonical_function(unit: Unit) -> Value:
    """`void canonical(state*)`."""
    return unit.function("canonical", ir.VoidType(), [POINTER])


def emit_canonical(unit: Unit) -> None:
    """Define the function that puts the heap of a state in order."""
    _Collector(unit).emit()


class _Collector:
    def __init__(self, unit: Unit) -> None:
        self.unit, self.layout = unit, unit.layout
        function = canonical_function(unit)
        function.attributes.add("noinline")
        self.code = FunctionBuilder(function)
        (self.state,) = function.args
        room = self.layout.room
        # Of each old object its new number and one more; 0 while nobody was met who points to it.
        self.numbers = self.code.cell(ir.ArrayType(I64, room.heap_objects))
        self.entries = self.code.cell(ir.ArrayType(I64, room.heap_objects))
        self.contents = self.code.cell(ir.ArrayType(I64, max(1, room.heap_words)))
        self.objects = self.code.cell(I64)
        self.words = self.code.cell(I64)

    def emit(self) -> None:
        code, at, layout = self.code, self.code.at, self.layout
        empty, some = code.block(), code.block()
        heap = load_word(code, self.state, 1)
        at.cbranch(at.icmp_unsigned("==", heap, constant(I64, 0)), empty, some)
        code.enter(empty)
        at.ret_void()
        code.enter(some)
        self.old = bits(code, heap, 0, 32)
        self.old_words = bits(code, heap, 32, 32)
        self.old_entries = word_at(code, self.state, layout.heap_entries)
        self.old_contents = word_at(code, self.state, layout.heap_contents)
        clear(self.unit, code, self.numbers, self.old)
        at.store(constant(I64, 0), self.objects)
        at.store(constant(I64, 0), self.words)
        self._rename(self.state, constant(I64, 2), constant(I64, layout.heap_entries))
        self._scan()
        if layout.leaks:
            # Of a program that has ended, those were noted before its threads were gone.
            over = bits(code, load_word(code, self.state, 0), 0, 32)
            looked_at = at.select(at.icmp_unsigned("==", over, constant(I64, 0)), self.old, constant(I64, 0))
            self._loop(constant(I64, 0), lambda number: at.icmp_unsigned("<", number, looked_at), self._note_leak)
        count, length = at.load(self.objects, typ=I64), at.load(self.words, typ=I64)
        self._put_back(self.old_entries, self.entries, count, self.old)
        self._put_back(self.old_contents, self.contents, length, self.old_words)
        store_word(code, self.state, 1, at.or_(count, at.shl(length, constant(I64, 32))))
        at.ret_void()
        code.finish()

    def _loop(self, start: Value, more: Callable[[Value], Value], body: Callable[[Value], None]) -> None:
        code, at = self.code, self.code.at
        number = code.cell(I64)
        at.store(start, number)
        head, inside, after = code.block(), code.block(), code.block()
        at.branch(head)
        code.enter(head)
        current = at.load(number, typ=I64)
        at.cbranch(more(current), inside, after)
        code.enter(inside)
        body(current)
        at.store(at.add(current, constant(I64, 1)), number)
        at.branch(head)
        code.enter(after)

    def _rename(self, base: Value, first: Value, end: Value) -> None:
        """Pointers in these words get the new numbers of their objects."""
        self._loop(first, lambda word: self.code.at.icmp_unsigned("<", word, end), lambda word: self._word(base, word))

    def _word(self, base: Value, word: Value) -> None:
        code, at = self.code, self.code.at
        address = word_at(code, base, word)
        value = at.load(address, typ=I64)
        number = at.lshr(at.add(value, constant(I64, HALF)), constant(I64, OFFSET_BITS))
        old = at.sub(number, constant(I64, HEAP))
        pointer, met, new, done = (code.block() for _ in range(4))
        at.cbranch(at.icmp_unsigned("<", old, self.old), pointer, done)
        code.enter(pointer)
        place = word_at(code, self.numbers, old)
        known = at.load(place, typ=I64)
        at.cbranch(at.icmp_unsigned("==", known, constant(I64, 0)), new, met)
        code.enter(new)
        count = at.load(self.objects, typ=I64)
        after = at.add(count, constant(I64, 1))
        at.store(after, self.objects)
        at.store(after, place)
        self._take(old, count)
        at.branch(met)
        code.enter(met)
        moved = at.sub(at.sub(at.load(place, typ=I64), constant(I64, 1)), old)
        at.store(at.add(value, at.shl(moved, constant(I64, OFFSET_BITS))), address)
        at.branch(done)
        code.enter(done)

    def _take(self, old: Value, new: Value) -> None:
        """Copy an object that was met for the first time."""
        code, at = self.code, self.code.at
        entry = load_word(code, self.old_entries, old)
        used = at.load(self.words, typ=I64)
        kept = at.and_(entry, constant(I64, USED | GONE | SCRATCH | (1 << 32) - 1))
        store_word(code, self.entries, new, at.or_(kept, at.shl(used, constant(I64, 32))))
        length = self._length(entry)
        at.store(at.add(used, length), self.words)
        source = word_at(code, self.old_contents, bits(code, entry, 32, WORD_BITS))
        copy_words(self.unit, code, word_at(code, self.contents, used), source, length)

    def _length(self, entry: Value) -> Value:
        """The words that an object still has."""
        at = self.code.at
        words = at.lshr(at.add(bits(self.code, entry, 0, 32), constant(I64, 7)), constant(I64, 3))
        gone = at.icmp_unsigned("!=", at.and_(entry, constant(I64, GONE)), constant(I64, 0))
        return at.select(gone, constant(I64, 0), words)

    def _scan(self) -> None:
        """Rename the pointers in the objects that were met, which may bring more of them."""
        code, at = self.code, self.code.at

        def look(number: Value) -> None:
            entry = load_word(code, self.entries, number)
            first = bits(code, entry, 32, WORD_BITS)
            self._rename(self.contents, first, at.add(first, self._length(entry)))

        self._loop(constant(I64, 0), lambda number: at.icmp_unsigned("<", number, at.load(self.objects, typ=I64)), look)

    def _note_leak(self, old: Value) -> None:
        """What is left behind, and was neither freed nor needs to be, is lost."""
        code, at = self.code, self.code.at
        lost = at.icmp_unsigned("==", load_word(code, self.numbers, old), constant(I64, 0))
        settled = at.and_(load_word(code, self.old_entries, old), constant(I64, GONE | SCRATCH))
        leaks = at.and_(lost, at.icmp_unsigned("==", settled, constant(I64, 0)))
        mark = at.select(leaks, constant(I64, LEAKED), constant(I64, 0))
        store_word(code, self.state, 0, at.or_(load_word(code, self.state, 0), mark))

    def _put_back(self, target: Value, source: Value, count: Value, before: Value) -> None:
        copy_words(self.unit, self.code, target, source, count)
        clear(self.unit, self.code, word_at(self.code, target, count), self.code.at.sub(before, count))
