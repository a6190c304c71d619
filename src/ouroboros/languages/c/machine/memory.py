"""Objects of a state: where the bytes are that a pointer points to, allocation and release."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.languages.c.machine.constants import Constants
from ouroboros.languages.c.machine.failures import (
    BOUNDS,
    CONSTANT,
    DOUBLE_FREE,
    FREED,
    INVALID_FREE,
    NULL,
    WILD,
)
from ouroboros.languages.c.machine.unit import Unit, bits, byte_at, clear, load_word, store_word, thread_index, word_at
from ouroboros.languages.c.pointers import DEPTH_SHIFT, HALF, HEAP, OFFSET_BITS, SLOT_SHIFT, STACK
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.types import I1, I32, I64, POINTER, Value, constant

PLACE = ir.LiteralStructType([I64, I32])
"""An address, and what is wrong with the pointer (0: nothing)."""

USED, GONE, SCRATCH = 1 << 63, 1 << 62, 1 << 61
"""Bits of an entry of the heap; below them the word where the contents are, in 29 bits, and the size, in 32. What is
scratch need not be freed."""
WORD_BITS = 29

_NOWHERE, _MUTABLE, _FIXED = range(3)
_STATIC = ir.LiteralStructType([I64, I32, I32])
_OBJECT = ir.LiteralStructType([I32, I32, I32])


def emit_memory(unit: Unit) -> None:
    """Define the functions that know where objects are."""
    _Locate(unit).emit()
    if unit.layout.has_heap:
        _emit_allocate(unit)
        _emit_free(unit)
        _emit_size(unit)


def locate_function(unit: Unit) -> Value:
    """`{address, kind} locate(state*, pointer, bytes, writes)`."""
    return unit.function("locate", PLACE, [POINTER, I64, I64, I1])


def allocate_function(unit: Unit) -> Value:
    """`pointer allocate(state*, bytes)`: 0 where there is no room."""
    return unit.function("allocate", I64, [POINTER, I64])


def mark_scratch(unit: Unit, code: FunctionBuilder, state: Value, pointer: Value) -> None:
    """An object that was just allocated need not be freed."""
    at = code.at
    index = at.sub(at.lshr(pointer, constant(I64, OFFSET_BITS)), constant(I64, HEAP))
    entries = word_at(code, state, unit.layout.heap_entries)
    store_word(code, entries, index, at.or_(load_word(code, entries, index), constant(I64, SCRATCH)))


def free_function(unit: Unit) -> Value:
    """`kind free(state*, pointer)`."""
    return unit.function("release", I32, [POINTER, I64])


def size_function(unit: Unit) -> Value:
    """`bytes size(state*, pointer)` of an object of the heap."""
    return unit.function("size_of", I64, [POINTER, I64])


class _Locate:
    """One function for all pointers of which nothing is known before."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.layout = unit, unit.layout
        self.function = locate_function(unit)
        self.function.attributes.add("noinline")
        self.code = FunctionBuilder(self.function)
        self.state, self.pointer, self.need, self.writes = self.function.args

    def emit(self) -> None:
        at = self.code.at
        number = at.lshr(at.add(self.pointer, constant(I64, HALF)), constant(I64, OFFSET_BITS))
        self.offset = at.sext(at.trunc(self.pointer, I32), I64)
        static, other, heap, stack = (self.code.block() for _ in range(4))
        count = len(self.layout.constants.numbers) + 1
        at.cbranch(at.icmp_unsigned("<", number, constant(I64, count)), static, other)
        self.code.enter(static)
        self._static(number, count)
        self.code.enter(other)
        index = at.sub(number, constant(I64, HEAP))
        entries = self.layout.heap_contents - self.layout.heap_entries
        at.cbranch(at.icmp_unsigned("<", index, constant(I64, entries)), heap, stack)
        self.code.enter(heap)
        self._heap(index)
        self.code.enter(stack)
        self._stack(at.sub(number, constant(I64, STACK)))
        self.code.finish()

    def _give(self, address: Value) -> None:
        at = self.code.at
        place = at.insert_value(ir.Constant(PLACE, ir.Undefined), address, 0)
        at.ret(at.insert_value(place, constant(I32, 0), 1))

    def _fail(self, kind: Value) -> None:
        at = self.code.at
        place = at.insert_value(ir.Constant(PLACE, ir.Undefined), constant(I64, 0), 0)
        at.ret(at.insert_value(place, kind, 1))

    def _unless(self, condition: Value, kind: int | Value) -> None:
        """Fail if not."""
        fine, wrong = self.code.block(), self.code.block()
        self.code.at.cbranch(condition, fine, wrong)
        self.code.enter(wrong)
        self._fail(constant(I32, kind) if isinstance(kind, int) else kind)
        self.code.enter(fine)

    def _within(self, size: Value) -> None:
        """The access must be inside of an object of this size; negative offsets are huge without sign."""
        at = self.code.at
        self._unless(at.icmp_unsigned("<=", self.offset, size), BOUNDS)
        self._unless(at.icmp_unsigned("<=", self.need, at.sub(size, self.offset)), BOUNDS)

    def _static(self, number: Value, count: int) -> None:
        at = self.code.at
        table = self._static_table(count)
        entry = at.gep(table, [number], source_etype=_STATIC)
        place, size, kind = (
            at.load(at.gep(entry, [constant(I32, 0), constant(I32, k)], source_etype=_STATIC), typ=each)
            for k, each in enumerate((I64, I32, I32))
        )
        null = at.select(at.icmp_unsigned("==", number, constant(I64, 0)), constant(I32, NULL), constant(I32, WILD))
        self._unless(at.icmp_unsigned("!=", kind, constant(I32, _NOWHERE)), null)
        self._within(at.zext(size, I64))
        mutable = at.icmp_unsigned("==", kind, constant(I32, _MUTABLE))
        self._unless(at.or_(mutable, at.not_(self.writes)), CONSTANT)
        base = at.select(mutable, at.add(at.ptrtoint(self.state, I64), place), place)
        self._give(at.add(base, self.offset))

    def _static_table(self, count: int) -> Value:
        layout = self.layout
        rows = [[0, 0, _NOWHERE] for _ in range(count)]
        for name, number in layout.constants.numbers.items():
            if name in layout.globals:
                rows[number] = [*layout.globals[name], _MUTABLE]
            elif name in layout.module.variables:
                data = constant_data(self.unit, layout.constants, name)
                size = layout.module.layout.size(layout.module.variables[name].type)
                rows[number] = [data.ptrtoint(I64), size, _FIXED]
        return self.unit.table("objects", _STATIC, [ir.Constant(_STATIC, row) for row in rows])

    def _heap(self, index: Value) -> None:
        at = self.code.at
        entry = load_word(self.code, word_at(self.code, self.state, self.layout.heap_entries), index)
        self._unless(at.icmp_unsigned("!=", entry, constant(I64, 0)), WILD)
        self._unless(at.icmp_unsigned("==", at.and_(entry, constant(I64, GONE)), constant(I64, 0)), FREED)
        self._within(bits(self.code, entry, 0, 32))
        contents = word_at(
            self.code, word_at(self.code, self.state, self.layout.heap_contents), bits(self.code, entry, 32, WORD_BITS)
        )
        self._give(at.add(at.ptrtoint(contents, I64), self.offset))

    def _stack(self, relative: Value) -> None:
        code, at, layout = self.code, self.code.at, self.layout
        slot = at.lshr(relative, constant(I64, SLOT_SHIFT))
        self._unless(at.icmp_unsigned("<", slot, constant(I64, layout.room.threads)), WILD)
        depth = bits(code, relative, DEPTH_SHIFT, SLOT_SHIFT - DEPTH_SHIFT)
        index = bits(code, relative, 0, DEPTH_SHIFT)
        thread = load_word(code, self.state, thread_index(code, layout, slot))
        self._unless(at.icmp_unsigned("!=", bits(code, thread, 0, 16), constant(I64, 0)), FREED)
        self._unless(at.icmp_unsigned("<=", depth, bits(code, thread, 16, 16)), FREED)
        hops = code.cell(I64)
        at.store(at.sub(bits(code, thread, 16, 16), depth), hops)
        # A site and the beginning of its frame, as in the word that leads to the frame below.
        link = code.cell(I64)
        begin = at.shl(bits(code, thread, 32, 16), constant(I64, 16))
        at.store(at.or_(bits(code, thread, 0, 16), begin), link)
        head, body, found = code.block(), code.block(), code.block()
        at.branch(head)
        code.enter(head)
        left = at.load(hops, typ=I64)
        at.cbranch(at.icmp_unsigned("==", left, constant(I64, 0)), found, body)
        code.enter(body)
        at.store(at.sub(left, constant(I64, 1)), hops)
        frame = bits(code, at.load(link, typ=I64), 16, 16)
        at.store(load_word(code, self.state, at.sub(frame, constant(I64, 1))), link)
        at.branch(head)
        code.enter(found)
        self._object(at.load(link, typ=I64), index)

    def _object(self, link: Value, index: Value) -> None:
        code, at = self.code, self.code.at
        frame = word_at(code, self.state, bits(code, link, 16, 16))
        first, rows = self._object_tables()
        firsts = word_at(code, first, bits(code, link, 0, 16))
        entry = code.at.load(firsts, typ=I64)
        self._unless(at.icmp_unsigned("<", index, bits(code, entry, 32, 32)), FREED)
        row = at.gep(rows, [at.add(bits(code, entry, 0, 32), index)], source_etype=_OBJECT)
        offset, size, mark = (
            at.sext(at.load(at.gep(row, [constant(I32, 0), constant(I32, k)], source_etype=_OBJECT), typ=I32), I64)
            for k in range(3)
        )
        marked, alive = code.block(), code.block()
        at.cbranch(at.icmp_signed(">=", mark, constant(I64, 0)), marked, alive)
        code.enter(marked)
        word = load_word(code, frame, at.lshr(mark, constant(I64, 6)))
        lives = at.and_(at.lshr(word, at.and_(mark, constant(I64, 63))), constant(I64, 1))
        self._unless(at.icmp_unsigned("!=", lives, constant(I64, 0)), FREED)
        at.branch(alive)
        code.enter(alive)
        self._within(size)
        self._give(at.add(at.ptrtoint(byte_at(code, frame, offset), I64), self.offset))

    def _object_tables(self) -> tuple[Value, Value]:
        """For each site, the first row of its function and how many there are; and the rows."""
        begins: dict[str, int] = {}
        rows: list[Value] = []
        for name, frame in self.layout.frames.items():
            begins[name] = len(rows) | len(frame.objects) << 32
            for each in frame.objects.values():
                mark = -1 if each.mark is None else each.mark
                rows.append(ir.Constant(_OBJECT, [each.offset, each.size, mark]))
        firsts = [0, *(begins[site.function] for site in self.layout.sites)]
        rows = rows or [ir.Constant(_OBJECT, [0, 0, -1])]
        return self.unit.table("stack_firsts", I64, firsts), self.unit.table("stack_objects", _OBJECT, rows)


def constant_data(unit: Unit, constants: Constants, name: str) -> Value:
    """The bytes of a constant variable, in the machine code's own memory."""
    variable = unit.layout.module.variables[name]
    assert variable.initialiser is not None
    data = bytearray(constants.data(variable.initialiser))
    kind = ir.ArrayType(ir.IntType(8), len(data))
    content = ir.GlobalVariable(unit.module, kind, unit.module.get_unique_name("data"))
    content.global_constant = True
    content.linkage = "internal"
    content.align = 8
    content.initializer = ir.Constant(kind, data)
    return content


def _emit_allocate(unit: Unit) -> None:
    layout, function = unit.layout, allocate_function(unit)
    code = FunctionBuilder(function)
    state, size = function.args
    at = code.at
    heap = load_word(code, state, 1)
    objects, words = bits(code, heap, 0, 32), bits(code, heap, 32, 32)
    room = layout.room
    fits, small, full = code.block(), code.block(), code.block()
    at.cbranch(at.icmp_unsigned("<=", size, constant(I64, 8 * room.heap_words)), small, full)
    code.enter(small)
    more = at.lshr(at.add(size, constant(I64, 7)), constant(I64, 3))
    after = at.add(words, more)
    there_is = at.icmp_unsigned("<=", after, constant(I64, room.heap_words))
    free = at.icmp_unsigned("<", objects, constant(I64, room.heap_objects))
    at.cbranch(at.and_(there_is, free), fits, full)
    code.enter(full)
    at.ret(constant(I64, 0))
    code.enter(fits)
    store_word(code, state, 1, at.or_(at.add(objects, constant(I64, 1)), at.shl(after, constant(I64, 32))))
    entry = at.or_(at.or_(size, at.shl(words, constant(I64, 32))), constant(I64, USED))
    store_word(code, word_at(code, state, layout.heap_entries), objects, entry)
    at.ret(at.shl(at.add(objects, constant(I64, HEAP)), constant(I64, OFFSET_BITS)))
    code.finish()


def _heap_entry(unit: Unit, code: FunctionBuilder, state: Value, pointer: Value, otherwise: Value) -> Value:
    """The address of the entry of the object that a pointer points into; goes to a block if there is none."""
    at, layout = code.at, unit.layout
    index = at.sub(at.lshr(at.add(pointer, constant(I64, HALF)), constant(I64, OFFSET_BITS)), constant(I64, HEAP))
    known, used = code.block(), code.block()
    at.cbranch(at.icmp_unsigned("<", index, constant(I64, layout.room.heap_objects)), known, otherwise)
    code.enter(known)
    address = word_at(code, word_at(code, state, layout.heap_entries), index)
    at.cbranch(at.icmp_unsigned("!=", at.load(address, typ=I64), constant(I64, 0)), used, otherwise)
    code.enter(used)
    return address


def _emit_free(unit: Unit) -> None:
    function = free_function(unit)
    code = FunctionBuilder(function)
    state, pointer = function.args
    at = code.at
    invalid, null, real, again, whole, alive = (code.block() for _ in range(6))
    at.cbranch(at.icmp_unsigned("==", pointer, constant(I64, 0)), null, real)
    for block, kind in ((null, 0), (invalid, INVALID_FREE), (again, DOUBLE_FREE)):
        code.enter(block)
        at.ret(constant(I32, kind))
    code.enter(real)
    address = _heap_entry(unit, code, state, pointer, invalid)
    at.cbranch(at.icmp_unsigned("==", at.trunc(pointer, I32), constant(I32, 0)), whole, invalid)
    code.enter(whole)
    entry = at.load(address, typ=I64)
    at.cbranch(at.icmp_unsigned("==", at.and_(entry, constant(I64, GONE)), constant(I64, 0)), alive, again)
    code.enter(alive)
    at.store(at.or_(entry, constant(I64, GONE)), address)
    contents = word_at(code, word_at(code, state, unit.layout.heap_contents), bits(code, entry, 32, WORD_BITS))
    clear(unit, code, contents, at.lshr(at.add(bits(code, entry, 0, 32), constant(I64, 7)), constant(I64, 3)))
    at.ret(constant(I32, 0))
    code.finish()


def _emit_size(unit: Unit) -> None:
    function = size_function(unit)
    code = FunctionBuilder(function)
    state, pointer = function.args
    nothing = code.block()
    address = _heap_entry(unit, code, state, pointer, nothing)
    code.at.ret(bits(code, code.at.load(address, typ=I64), 0, 32))
    code.enter(nothing)
    code.at.ret(constant(I64, 0))
    code.finish()
