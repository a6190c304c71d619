"""Data races of a state: next steps of different threads that go to the same memory, where one writes, and not both are
atomic.

Each thread's next step is made on a copy of the state. Either its first access is noted, which is what the thread will
do next (its head); or it begins an atomic section, whose accesses all count: each is compared with the heads of others.
"""

from __future__ import annotations

from llvmlite import ir

from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.stepping import drive_function, new_record
from ouroboros.languages.c.machine.unit import (
    DEPTH,
    HEADS,
    OUTCOMES,
    RECORD_WORDS,
    SLOT,
    STOPPED,
    WATCH,
    Unit,
    bits,
    clear,
    copy_words,
    load_word,
    status,
    store_word,
    thread_index,
    word_at,
)
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I1, I64, POINTER, Value, constant

NOT_WATCHED, HEAD, SECTION = range(3)
"""What is done with the accesses of a step: nothing; the first one is noted, and ends it; those in sections are
compared."""

WORDS_OF_HEAD, HEADS_OF_THREAD = 2, 2
"""A pointer, and how many bytes there are and what is done to them; copying reads and writes."""
WRITES, ATOMIC = 1 << 32, 1 << 33


def note_function(unit: Unit) -> Value:
    """`i1 note(record*, pointer, bytes and flags, library)`: whether the step shall go no further."""
    return unit.function("note", I1, [POINTER, I64, I64, I1])


def note(context: Context, pointer: Value, size: Value, *, writes: bool, atomic: bool) -> None:
    """An access is about to be made by the instruction that is being written."""
    at, instruction = context.code.at, context.instruction
    if instruction is None or not context.sharing.visible(instruction):
        return
    flags = constant(I64, (WRITES if writes else 0) | (ATOMIC if atomic else 0))
    given = [
        context.record,
        pointer,
        at.or_(size, flags),
        constant(I1, int(context.layout.in_library(instruction.location))),
    ]
    context.noted.append(at.call(note_function(context.unit), given))


def stop_if_noted(context: Context) -> None:
    """A step of which only the head is wanted ends after all accesses of its first instruction."""
    if not context.noted:
        return
    code, at = context.code, context.code.at
    stops = context.noted[0]
    for each in context.noted[1:]:
        stops = at.or_(stops, each)
    context.noted.clear()
    here, on = code.block(), code.block()
    at.cbranch(stops, here, on).set_weights([1, 1000])
    code.enter(here)
    status(code, STOPPED)
    code.enter(on)


def emit_races(unit: Unit) -> None:
    """Define `race`: whether there is one."""
    _emit_note(unit)
    _Observer(unit).emit()


def _emit_note(unit: Unit) -> None:
    function = note_function(unit)
    function.attributes.add("alwaysinline")
    code = FunctionBuilder(function)
    record, pointer, about, library = function.args
    at = code.at
    watched, asleep = code.block(), code.block()
    at.cbranch(at.icmp_unsigned("==", load_word(code, record, WATCH), constant(I64, NOT_WATCHED)), asleep, watched)
    code.enter(asleep)
    at.ret(constant(I1, 0))
    code.enter(watched)
    at.ret(at.call(_watch_function(unit), [record, pointer, about, library]))
    code.finish()
    _emit_watch(unit)


def _watch_function(unit: Unit) -> Value:
    return unit.function("watch", I1, [POINTER, I64, I64, I1])


def _emit_watch(unit: Unit) -> None:
    function = _watch_function(unit)
    function.attributes.add("noinline")
    code = FunctionBuilder(function)
    record, pointer, about, library = function.args
    at = code.at
    inside = at.icmp_unsigned("!=", load_word(code, record, DEPTH), constant(I64, 0))
    heads = at.inttoptr(load_word(code, record, HEADS), POINTER)
    skip, counts, head, stop, section, compare = (code.block() for _ in range(6))
    # What the library does in its sections is how threads synchronise.
    at.cbranch(at.and_(inside, library), skip, counts)
    code.enter(skip)
    at.ret(constant(I1, 0))
    code.enter(counts)
    wanted = at.icmp_unsigned("==", load_word(code, record, WATCH), constant(I64, HEAD))
    at.cbranch(wanted, head, section)
    code.enter(head)
    outside = code.block()
    at.cbranch(inside, stop, outside)
    code.enter(outside)
    slot = load_word(code, record, SLOT)
    first = word_at(code, heads, at.mul(slot, constant(I64, WORDS_OF_HEAD * HEADS_OF_THREAD)))
    taken = at.icmp_unsigned("!=", load_word(code, first, 1), constant(I64, 0))
    free = at.select(taken, constant(I64, WORDS_OF_HEAD), constant(I64, 0))
    store_word(code, word_at(code, first, free), 0, pointer)
    store_word(code, word_at(code, first, free), 1, about)
    at.branch(stop)
    code.enter(stop)
    at.ret(constant(I1, 1))
    code.enter(section)
    at.cbranch(inside, compare, skip)
    code.enter(compare)
    atomic = at.or_(about, constant(I64, ATOMIC))
    _compare_with_others(unit, code, heads, load_word(code, record, SLOT), (pointer, atomic))
    at.ret(constant(I1, 0))
    code.finish()


def _compare_with_others(
    unit: Unit, code: FunctionBuilder, heads: Value, slot: Value, access: tuple[Value, Value]
) -> None:
    """Note where a head of another thread and an access are a race."""
    at = code.at
    count = unit.layout.room.threads * HEADS_OF_THREAD
    number = code.cell(I64)
    at.store(constant(I64, 0), number)
    again, body, after = code.block(), code.block(), code.block()
    at.branch(again)
    code.enter(again)
    current = at.load(number, typ=I64)
    at.cbranch(at.icmp_unsigned("<", current, constant(I64, count)), body, after)
    code.enter(body)
    head = word_at(code, heads, at.mul(current, constant(I64, WORDS_OF_HEAD)))
    other = at.icmp_unsigned("!=", at.udiv(current, constant(I64, HEADS_OF_THREAD)), slot)
    race = at.and_(other, _race(code, access, (load_word(code, head, 0), load_word(code, head, 1))))
    found = word_at(code, heads, count * WORDS_OF_HEAD)
    store_word(code, found, 0, at.or_(load_word(code, found, 0), at.zext(race, I64)))
    at.store(at.add(current, constant(I64, 1)), number)
    at.branch(again)
    code.enter(after)


def _race(code: FunctionBuilder, one: tuple[Value, Value], other: tuple[Value, Value]) -> Value:
    """Pointers to different objects are far apart as numbers; an access of no bytes is none."""
    at = code.at
    (first, about), (second, about_other) = one, other
    before = at.icmp_unsigned("<", at.sub(second, first), bits(code, about, 0, 32))
    behind = at.icmp_unsigned("<", at.sub(first, second), bits(code, about_other, 0, 32))
    there = at.icmp_unsigned("!=", bits(code, about_other, 0, 32), constant(I64, 0))
    writes = at.icmp_unsigned("!=", at.and_(at.or_(about, about_other), constant(I64, WRITES)), constant(I64, 0))
    plain = at.icmp_unsigned("==", at.and_(at.and_(about, about_other), constant(I64, ATOMIC)), constant(I64, 0))
    return at.and_(at.and_(there, at.or_(before, behind)), at.and_(writes, plain))


class _Observer:
    """`u64 race(state*)`."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.layout = unit, unit.layout
        self.function = ir.Function(unit.module, ir.FunctionType(I64, [POINTER]), "race")
        self.code = FunctionBuilder(self.function)
        (self.state,) = self.function.args
        self.threads = unit.layout.room.threads
        self.words = self.threads * HEADS_OF_THREAD * WORDS_OF_HEAD
        self.heads = self.code.cell(ir.ArrayType(I64, self.words + 1))
        self.copy = self.code.cell(ir.ArrayType(I64, self.layout.words))
        self.record = self.code.cell(ir.ArrayType(I64, RECORD_WORDS))
        self.outcome = self.code.cell(I64)

    def emit(self) -> None:
        code, at = self.code, self.code.at
        clear(self.unit, code, self.heads, self.words + 1)
        self._over_threads(self._take_head)
        self._over_threads(self._look)
        at.ret(load_word(code, self.heads, self.words))
        code.finish()

    def _over_threads(self, look: object) -> None:
        """Do something for each thread that is there."""
        assert callable(look)
        code, at = self.code, self.code.at
        number = code.cell(I64)
        at.store(constant(I64, 0), number)
        again, body, there, after, done = (code.block() for _ in range(5))
        at.branch(again)
        code.enter(again)
        slot = at.load(number, typ=I64)
        at.cbranch(at.icmp_unsigned("<", slot, constant(I64, self.threads)), body, done)
        code.enter(body)
        about = load_word(code, self.state, thread_index(code, self.layout, slot))
        at.cbranch(at.icmp_unsigned("!=", about, constant(I64, 0)), there, after)
        code.enter(there)
        look(slot, about)
        at.branch(after)
        code.enter(after)
        at.store(at.add(slot, constant(I64, 1)), number)
        at.branch(again)
        code.enter(done)

    def _step(self, slot: Value, about: Value, outcome: Value | int, watch: int) -> None:
        """Make a step of a thread on a copy."""
        code, at = self.code, self.code.at
        copy_words(self.unit, code, self.copy, self.state, self.layout.words)
        new_record(code, self.record, slot, outcome, bits(code, about, 48, 16))
        store_word(code, self.record, WATCH, watch)
        store_word(code, self.record, HEADS, at.ptrtoint(self.heads, I64))
        at.call(drive_function(self.unit), [self.copy, slot, self.record])

    def _head(self, slot: Value) -> Value:
        offset = self.code.at.mul(slot, constant(I64, HEADS_OF_THREAD * WORDS_OF_HEAD))
        return word_at(self.code, self.heads, offset)

    def _take_head(self, slot: Value, about: Value) -> None:
        self._step(slot, about, 0, HEAD)

    def _look(self, slot: Value, about: Value) -> None:
        """Compare what a thread does next with what others do."""
        code, at = self.code, self.code.at
        section, heads, again, done = (code.block() for _ in range(4))
        head = self._head(slot)
        at.cbranch(at.icmp_unsigned("==", load_word(code, head, 1), constant(I64, 0)), section, heads)
        code.enter(heads)
        for number in range(HEADS_OF_THREAD):
            word = number * WORDS_OF_HEAD
            access = (load_word(code, head, word), load_word(code, head, word + 1))
            _compare_with_others(self.unit, code, self.heads, slot, access)
        at.branch(done)
        code.enter(section)
        at.store(constant(I64, 0), self.outcome)
        at.branch(again)
        code.enter(again)
        outcome = at.load(self.outcome, typ=I64)
        self._step(slot, about, outcome, SECTION)
        following = at.add(outcome, constant(I64, 1))
        at.store(following, self.outcome)
        more = at.icmp_unsigned("<", following, load_word(code, self.record, OUTCOMES))
        at.cbranch(more, again, done)
        code.enter(done)
