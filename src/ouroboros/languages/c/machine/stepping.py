"""Steps: each thread from where it stands to its next cut, every outcome; and the first steps of threads."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.languages.c.machine.canonical import canonical_function
from ouroboros.languages.c.machine.failures import BAD_CALL, ENDLESS, THREADS, Failure
from ouroboros.languages.c.machine.layout import LEAKED
from ouroboros.languages.c.machine.unit import (
    CONTINUE,
    DEPTH,
    DISABLED,
    DONE,
    DROPPED,
    FAILED,
    FUEL,
    FUEL_OF_A_STEP,
    NOTICED,
    OMITTED,
    OUTCOME,
    OUTCOMES,
    RECORD_WORDS,
    SITE,
    SLOT,
    WATCH,
    Unit,
    bits,
    byte_at,
    copy_words,
    load_word,
    status,
    store_word,
    thread_index,
    word_at,
)
from ouroboros.languages.c.pointers import HALF, OFFSET_BITS
from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.labels import FAILURE
from ouroboros.native.types import I32, I64, POINTER, Value, constant
from ouroboros.system.foreign import CROWDED

FIRST_CAPACITY = 16
"""Successors of a state for which there is room at first."""

DROPPED_SITE, DISABLED_SITE = 0, 1
"""Two failures that are none: the first of every program."""

RUN = [POINTER, POINTER, POINTER]
"""The parameters of a function of the program."""


def run_function(unit: Unit, name: str) -> Value:
    """`i32 run(state*, thread*, record*)` of a function of the program."""
    return unit.function(f"run.{name}", I32, RUN)


def create_function(unit: Unit) -> Value:
    """`i32 create(state*, record*, slot, root, f, argument)`: start a thread, and run it up to its first cut."""
    return unit.function("create", I32, [POINTER, POINTER, I64, I64, I64, I64])


def drive_function(unit: Unit) -> Value:
    """`i32 drive(state*, slot, record*)`: run a thread up to a cut."""
    return unit.function("drive", I32, [POINTER, I64, POINTER])


def step_failure(unit: Unit, kind: int) -> int:
    """A failure of no instruction in particular."""
    return unit.failures.number(Failure(kind, "", "", 0))


def emit_steps(unit: Unit) -> None:
    """Define `start` and `successors`, and what they need."""
    _emit_drive(unit)
    _emit_create(unit)
    _emit_start(unit)
    _Successors(unit).emit()


def _emit_drive(unit: Unit) -> None:
    function = drive_function(unit)
    code = FunctionBuilder(function)
    state, slot, record = function.args
    at, layout = code.at, unit.layout
    thread = word_at(code, state, thread_index(code, unit.layout, slot))
    runs = [run_function(unit, name) for name in layout.frames]
    index = {name: number for number, name in enumerate(layout.frames)}
    table = unit.table(
        "runs",
        POINTER,
        [ir.Constant(POINTER, None), *(_as_pointer(runs[index[site.function]]) for site in layout.sites)],
    )
    again, more, spent, over = (code.block() for _ in range(4))
    at.branch(again)
    code.enter(again)
    place = bits(code, load_word(code, thread, 0), 0, 16)
    run = at.load(at.gep(table, [place], source_etype=POINTER), typ=POINTER)
    found = at.call(_typed(run), [state, thread, record])
    at.cbranch(at.icmp_unsigned("==", found, constant(I32, CONTINUE)), more, over)
    code.enter(more)
    fuel = at.sub(load_word(code, record, FUEL), constant(I64, 1))
    store_word(code, record, FUEL, fuel)
    at.cbranch(at.icmp_signed(">", fuel, constant(I64, 0)), again, spent)
    code.enter(spent)
    store_word(code, record, SITE, step_failure(unit, ENDLESS))
    status(code, FAILED)
    code.enter(over)
    at.ret(found)
    code.finish()


def _as_pointer(function: Value) -> Value:
    return ir.FormattedConstant(POINTER, function.get_reference())


def _typed(address: Value) -> Value:
    """An address as something that can be called."""
    address.type = ir.PointerType(ir.FunctionType(I32, RUN))
    return address


def _emit_create(unit: Unit) -> None:
    function = create_function(unit)
    code = FunctionBuilder(function)
    state, parent, slot, root, first_argument, second_argument = function.args
    at, layout = code.at, unit.layout
    record = code.cell(ir.ArrayType(I64, RECORD_WORDS))
    fits, crowded, bad, ready = (code.block() for _ in range(4))
    at.cbranch(at.icmp_unsigned("<", slot, constant(I64, layout.room.threads)), fits, crowded)
    for block, kind in ((crowded, THREADS), (bad, BAD_CALL)):
        code.enter(block)
        store_word(code, parent, SITE, step_failure(unit, kind))
        status(code, FAILED)
    code.enter(fits)
    word = thread_index(code, unit.layout, slot)
    first = at.add(word, constant(I64, 1))
    frame = word_at(code, state, first)
    number = at.lshr(at.add(root, constant(I64, HALF)), constant(I64, OFFSET_BITS))
    switch = at.switch(number, bad)
    for name in layout.frames:
        parameters = layout.module.functions[name].parameters
        if [str(parameter.type) for parameter in parameters] != ["ptr", "ptr"]:
            continue
        begin = code.block()
        switch.add_case(constant(I64, layout.constants.numbers[name]), begin)
        code.enter(begin)
        for register in layout.entries[name].registers:
            value = first_argument if register.local == parameters[0] else second_argument
            at.store(value, byte_at(code, frame, register.offset), align=8)
        about = at.or_(at.shl(first, constant(I64, 32)), constant(I64, layout.entries[name].number))
        store_word(code, state, word, about)
        at.branch(ready)
    code.enter(ready)
    for field, value in ((OUTCOME, 0), (OUTCOMES, 1), (DEPTH, 0), (NOTICED, 1), (WATCH, 0)):
        store_word(code, record, field, value)
    store_word(code, record, FUEL, load_word(code, parent, FUEL))
    store_word(code, record, SLOT, slot)
    found = at.call(drive_function(unit), [state, slot, record])
    store_word(code, parent, SITE, load_word(code, record, SITE))
    at.ret(found)
    code.finish()


def new_record(
    code: FunctionBuilder, record: Value, slot: Value | int, outcome: Value | int, depth: Value | int
) -> None:
    fields = ((OUTCOME, outcome), (OUTCOMES, 1), (DEPTH, depth), (FUEL, FUEL_OF_A_STEP), (SITE, 0), (SLOT, slot))
    for field, value in (*fields, (NOTICED, 0), (WATCH, 0)):
        store_word(code, record, field, value)


def _emit_start(unit: Unit) -> None:
    """`i64 start(state*)`: from the start of the first function to its first cut; -1, or what failed."""
    function = ir.Function(unit.module, ir.FunctionType(I64, [POINTER]), "start")
    code = FunctionBuilder(function)
    (state,) = function.args
    record = code.cell(ir.ArrayType(I64, RECORD_WORDS))
    new_record(code, record, 0, 0, 0)
    at = code.at
    found = at.call(drive_function(unit), [state, constant(I64, 0), record])
    if unit.layout.has_heap:
        at.call(canonical_function(unit), [state])
    none = at.select(
        at.icmp_unsigned("==", found, constant(I32, DROPPED)),
        constant(I64, DROPPED_SITE),
        load_word(code, record, SITE),
    )
    at.ret(at.select(at.icmp_unsigned("==", found, constant(I32, DONE)), constant(I64, -1), none))
    code.finish()


class _Successors:
    """`i32 successors(state*, out*, labels*)`: threads in order, and for each its outcomes in order."""

    def __init__(self, unit: Unit) -> None:
        self.unit, self.layout = unit, unit.layout
        self.capacity = ir.GlobalVariable(unit.module, I64, "capacity")
        self.capacity.initializer = constant(I64, max(FIRST_CAPACITY, 2 * unit.layout.room.threads))
        kind = ir.FunctionType(I32, [POINTER, POINTER, POINTER])
        self.function = ir.Function(unit.module, kind, "whole_successors")
        self.code = FunctionBuilder(self.function)
        self.state, self.out, self.labels = self.function.args
        for argument in self.function.args:
            argument.add_attribute("noalias")
        self.record = self.code.cell(ir.ArrayType(I64, RECORD_WORDS))
        self.count, self.slot = self.code.cell(I64), self.code.cell(I64)
        self.outcome = self.code.cell(I64)

    def emit(self) -> None:
        code, at = self.code, self.code.at
        over, alive, threads, one, after, done = (code.block() for _ in range(6))
        self.control = load_word(code, self.state, 0)
        at.cbranch(at.icmp_unsigned("==", bits(code, self.control, 0, 32), constant(I64, 0)), alive, over)
        code.enter(over)
        at.ret(constant(I32, 0))
        code.enter(alive)
        at.store(constant(I64, 0), self.count)
        at.store(constant(I64, 0), self.slot)
        at.branch(threads)
        code.enter(threads)
        slot = at.load(self.slot, typ=I64)
        at.cbranch(at.icmp_unsigned("<", slot, constant(I64, self.layout.room.threads)), one, done)
        code.enter(one)
        self._thread(slot, after)
        code.enter(after)
        at.store(at.add(slot, constant(I64, 1)), self.slot)
        at.branch(threads)
        code.enter(done)
        at.ret(at.trunc(at.load(self.count, typ=I64), I32))
        code.finish()

    def _thread(self, slot: Value, after: Value) -> None:
        code, at = self.code, self.code.at
        owner = bits(code, self.control, 32, 16)
        mine = at.icmp_unsigned("==", owner, at.add(slot, constant(I64, 1)))
        free = at.icmp_unsigned("==", owner, constant(I64, 0))
        about = load_word(code, self.state, thread_index(code, self.layout, slot))
        there = at.icmp_unsigned("!=", about, constant(I64, 0))
        outcomes, full, room = code.block(), code.block(), code.block()
        begin = code.block()
        at.cbranch(at.and_(there, at.or_(mine, free)), begin, after)
        code.enter(begin)
        place = at.sub(bits(code, about, 0, 16), constant(I64, 1))
        last = constant(I64, len(self.layout.cuts))
        kind = at.select(at.icmp_unsigned("<", place, last), place, last)
        step = at.trunc(at.add(at.mul(slot, constant(I64, self.layout.kinds_of_steps)), kind), I32)
        at.store(constant(I64, 0), self.outcome)
        at.branch(outcomes)
        code.enter(outcomes)
        count = at.load(self.count, typ=I64)
        target = word_at(code, self.out, at.mul(count, constant(I64, self.layout.words)))
        label = at.gep(self.labels, [count], source_etype=I32)
        known = at.load(self.capacity, typ=I64)
        at.cbranch(at.icmp_unsigned("<", count, known), room, full)
        code.enter(full)
        at.store(at.shl(known, constant(I64, 1)), self.capacity)
        at.ret(constant(I32, CROWDED))
        code.enter(room)
        copy_words(self.unit, code, target, self.state, self.layout.words)
        if self.layout.leaks:
            store_word(code, target, 0, bits(code, self.control, 0, 48))
        outcome = at.load(self.outcome, typ=I64)
        new_record(code, self.record, slot, outcome, bits(code, about, 48, 16))
        found = at.call(drive_function(self.unit), [target, slot, self.record])
        self._settle(found, slot, step, target, label, count)
        following = at.add(outcome, constant(I64, 1))
        at.store(following, self.outcome)
        last = load_word(code, self.record, OUTCOMES)
        at.cbranch(at.icmp_unsigned("<", following, last), outcomes, after)

    def _settle(self, found: Value, slot: Value, step: Value, target: Value, label: Value, count: Value) -> None:
        """What becomes of a step."""
        code, at = self.code, self.code.at
        made, bad, given_up, omitted, counted, done = (code.block() for _ in range(6))
        switch = at.switch(found, bad)
        switch.add_case(constant(I32, DONE), made)
        switch.add_case(constant(I32, OMITTED), omitted)
        switch.add_case(constant(I32, DISABLED), done)
        code.enter(made)
        self._own_section(slot, target)
        if self.layout.has_heap:
            at.call(canonical_function(self.unit), [target])
        at.store(step, label)
        at.branch(counted)
        code.enter(bad)
        dropped = at.icmp_unsigned("==", found, constant(I32, DROPPED))
        site = at.select(dropped, constant(I64, DROPPED_SITE), load_word(code, self.record, SITE))
        store_word(code, target, 0, site)
        at.store(at.or_(step, constant(I32, FAILURE)), label)
        at.cbranch(self._is_given_up(site), given_up, counted)
        code.enter(given_up)
        store_word(code, target, 0, constant(I64, DROPPED_SITE))
        left_out = at.add(at.trunc(site, I32), constant(I32, self.layout.first_given_up))
        at.store(at.or_(left_out, constant(I32, FAILURE)), label)
        at.branch(counted)
        code.enter(omitted)
        store_word(code, target, 0, constant(I64, DROPPED_SITE))
        nobody = at.mul(
            at.sub(constant(I64, self.layout.room.threads), slot), constant(I64, self.layout.kinds_of_steps)
        )
        at.store(at.or_(at.add(step, at.trunc(nobody, I32)), constant(I32, FAILURE)), label)
        at.branch(counted)
        code.enter(counted)
        at.store(at.add(count, constant(I64, 1)), self.count)
        at.branch(done)
        code.enter(done)

    def _is_given_up(self, site: Value) -> Value:
        flags = [int(each.kind in self.layout.given_up) for each in self.unit.failures.known]
        table = self.unit.table("given_up", I32, flags)
        found = self.code.at.load(self.code.at.gep(table, [site], source_etype=I32), typ=I32)
        return self.code.at.icmp_unsigned("!=", found, constant(I32, 0))

    def _own_section(self, slot: Value, target: Value) -> None:
        """Who stopped inside of an atomic section goes on alone."""
        code, at = self.code, self.code.at
        outside = at.icmp_unsigned("==", load_word(code, self.record, DEPTH), constant(I64, 0))
        owner = at.shl(at.add(slot, constant(I64, 1)), constant(I64, 32))
        told = at.and_(load_word(code, target, 0), constant(I64, LEAKED | (1 << 32) - 1))
        store_word(code, target, 0, at.or_(told, at.select(outside, constant(I64, 0), owner)))
