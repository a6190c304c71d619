"""The steps of a library as the engine calls them: it hands each successor to a function that writes it down."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import NamedTuple

from llvmlite import ir

from ouroboros.languages.modules.building import CROWDED, FAILED, WORD, Emitter, loaded, new_module
from ouroboros.languages.modules.pages import PAGE, guarded_pages
from ouroboros.languages.modules.pins.interface import (
    GET_LABEL,
    GET_SUCCESSORS,
    MOST_VARIABLES,
    WHOLE_BITS,
    Labels,
    PinsLibrary,
)
from ouroboros.native.types import I32, I64, POINTER, Value, constant
from ouroboros.system import foreign

CHANGED, ASSERTION, BEYOND = range(3)
"""The sites of failures."""
_ASSERTED = 1 << 30
_INT = 4  # bytes

OUT, LABELS, COUNT, MOST, WANTED = range(5)
"""The words of a desk: where the next successors go, and what they are called; how many there are; how many there is
room for; and for how many there should have been."""


class Place(NamedTuple):
    """The bits of a variable in a state."""

    word: int
    shift: int
    bits: int


class Packing(NamedTuple):
    words: int
    places: tuple[Place, ...]
    """Of each variable. A library has all of them in 32 bits, with zeros above the bits of its type."""


class Desk:
    """The state that a library is given, twice, and what is known of its successors."""

    def __init__(self) -> None:
        self.pages = guarded_pages(2 * _INT * MOST_VARIABLES)
        self.whole = ctypes.addressof(ctypes.c_char.from_buffer(self.pages)) + PAGE
        # Behind it begin the pages that cannot be touched.
        self.state = self.whole + _INT * MOST_VARIABLES
        self.words = (ctypes.c_uint64 * 5)(0, 0, 0, 64, 0)
        self.address = ctypes.addressof(self.words)


def machine_code(pins: PinsLibrary, desk: Desk, packing: Packing, predicates: Sequence[int]) -> foreign.Machine:
    """Bit k of a valuation is that of the k-th predicate; where the library accepts states, its bit comes last."""
    module = new_module("pins")
    _emit_take(module, pins, desk, packing)
    _emit_successors(module, pins, desk, packing)
    _emit_valuation(module, pins, desk, packing, predicates)
    engine = loaded(module)
    successors, valuation = (engine.get_function_address(name) for name in ("successors", "valuation"))
    return foreign.Machine(successors, valuation, (engine, desk))


def _given(to: Emitter, desk: Desk, packing: Packing, state: Value) -> Value:
    """The address of a copy of the state, with each variable in a number of its own."""
    begin = to.at.ptrtoint(state, I64)
    words = [to.load(to.plus(begin, WORD * word)) for word in range(packing.words)]
    for number, place in enumerate(packing.places):
        value = to.at.trunc(to.at.lshr(words[place.word], to.number(place.shift)), I32)
        if place.bits < WHOLE_BITS:
            value = to.at.and_(value, constant(I32, (1 << place.bits) - 1))
        to.store(value, to.number(desk.state + _INT * number))
    to.note_state(begin, to.number(WORD * packing.words))
    return to.number(desk.state)


def _pack(to: Emitter, packing: Packing, state: Value, place: Value) -> Value:
    """Write a state of the library down; returns the bits that there was no room for."""
    lost: Value = constant(I32, 0)
    words: list[Value] = [to.number(0)] * packing.words
    for number, (word, shift, bits) in enumerate(packing.places):
        value = to.load(to.plus(state, _INT * number), I32)
        if bits < WHOLE_BITS:
            lost = to.at.or_(lost, to.at.lshr(value, constant(I32, bits)))
        words[word] = to.at.or_(words[word], to.at.shl(to.at.zext(value, I64), to.number(shift)))
    for word, value in enumerate(words):
        to.store(value, to.plus(place, WORD * word))
    return lost


def _desk_word(to: Emitter, desk: Desk, word: int) -> Value:
    return to.number(desk.address + word * WORD)


def _emit_take(module: ir.Module, pins: PinsLibrary, desk: Desk, packing: Packing) -> None:
    """Of `void take(argument*, transition*, i32* state, i32* unchanged)`: writes one successor, if there is room."""
    to = Emitter(module, "take", ir.VoidType(), [POINTER] * 4)
    _, transition, state, _ = to.function.args
    count = to.load(_desk_word(to, desk, COUNT))
    to.store(to.plus(count, 1), _desk_word(to, desk, COUNT))
    with to.at.if_then(to.at.icmp_unsigned("<", count, to.load(_desk_word(to, desk, MOST)))):
        place = to.at.add(to.load(_desk_word(to, desk, OUT)), to.at.mul(count, to.number(packing.words * WORD)))
        lost = _pack(to, packing, to.at.ptrtoint(state, I64), place)
        label = to.cell(I32)
        to.at.store(_label(to, pins.labels, pins.transitions, to.at.ptrtoint(transition, I64)), label)
        with to.at.if_then(to.at.icmp_unsigned("!=", lost, constant(I32, 0)), likely=False):
            to.store(to.number(BEYOND), place)
            to.at.store(constant(I32, FAILED), label)
        to.store(
            to.at.load(label, typ=I32), to.at.add(to.load(_desk_word(to, desk, LABELS)), to.at.shl(count, to.number(2)))
        )
    to.at.ret_void()


def _label(to: Emitter, labels: Labels, transitions: int, transition: Value) -> Value:
    """The number of the transition, 0 where there is none, and whether an assertion was false."""
    cell = to.cell(I32)
    to.at.store(constant(I32, 0), cell)
    there = to.at.icmp_unsigned("!=", transition, to.number(0))
    with to.at.if_then(there):
        number = to.load(to.plus(transition, WORD), I32)
        known = to.at.icmp_unsigned("<", number, constant(I32, transitions))
        to.at.store(to.at.select(known, number, constant(I32, 0)), cell)
        if labels.action >= 0:
            array = to.load(transition)
            with to.at.if_then(to.at.icmp_unsigned("!=", array, to.number(0))):
                told = to.load(to.plus(array, _INT * labels.action), I32)
                false = to.at.icmp_signed("==", told, constant(I32, labels.asserted))
                flag = to.at.select(false, constant(I32, _ASSERTED), constant(I32, 0))
                to.at.store(to.at.or_(to.at.load(cell, typ=I32), flag), cell)
    return to.at.load(cell, typ=I32)


def _emit_successors(module: ir.Module, pins: PinsLibrary, desk: Desk, packing: Packing) -> None:
    """Of `i32 successors(u64* state, u64* out, u32* labels)`."""
    to = Emitter(module, "successors", I32, [POINTER] * 3)
    state, out, labels = to.function.args
    size = to.number(_INT * pins.size)
    copy = _given(to, desk, packing, state)
    to.copy(to.number(desk.whole), copy, size)
    to.store(to.at.ptrtoint(out, I64), _desk_word(to, desk, OUT))
    to.store(to.at.ptrtoint(labels, I64), _desk_word(to, desk, LABELS))
    to.store(to.number(0), _desk_word(to, desk, COUNT))
    kind = ir.FunctionType(I32, [POINTER] * 4)
    nothing = to.pointer(to.number(0))
    take = module.globals["take"]
    to.noted(
        GET_SUCCESSORS,
        to.number(0),
        lambda: to.call_at(
            pins.library.address(pins.dialect.successors), kind, [nothing, to.pointer(copy), take, nothing]
        ),
    )
    count, most = to.load(_desk_word(to, desk, COUNT)), to.load(_desk_word(to, desk, MOST))
    # There is always room for one more, if only for what went wrong.
    with to.at.if_then(to.at.icmp_unsigned(">=", count, most), likely=False):
        to.store(to.at.shl(count, to.number(1)), _desk_word(to, desk, WANTED))
        to.at.ret(constant(I32, CROWDED))
    differs = to.library("memcmp", I32, [to.pointer(copy), to.pointer(to.number(desk.whole)), size])
    with to.at.if_then(to.at.icmp_signed("!=", differs, constant(I32, 0)), likely=False):
        begin = to.at.ptrtoint(out, I64)
        to.store(to.number(CHANGED), to.at.add(begin, to.at.mul(count, to.number(packing.words * WORD))))
        at = to.at.add(to.at.ptrtoint(labels, I64), to.at.shl(count, to.number(2)))
        to.store(constant(I32, FAILED), at)
        to.at.ret(to.at.trunc(to.plus(count, 1), I32))
    to.at.ret(to.at.trunc(count, I32))


def _emit_valuation(
    module: ir.Module, pins: PinsLibrary, desk: Desk, packing: Packing, predicates: Sequence[int]
) -> None:
    """Of `u64 valuation(u64* state)`."""
    to = Emitter(module, "valuation", I64, [POINTER])
    found = to.number(0)
    if predicates or pins.accepting:
        copy, nothing = to.pointer(_given(to, desk, packing, to.function.args[0])), to.pointer(to.number(0))
        told = []
        for each in predicates:
            told.append(_asked(to, pins.library.address("spins_get_label"), [nothing, constant(I32, each), copy]))
        if pins.accepting:
            told.append(_asked(to, pins.library.address(pins.accepting), [nothing, copy]))
        for bit, each in enumerate(told):
            holds = to.at.zext(to.at.icmp_signed("!=", each, constant(I32, 0)), I64)
            found = to.at.or_(found, to.at.shl(holds, to.number(bit)))
    to.at.ret(found)


def _asked(to: Emitter, address: int, arguments: Sequence[Value]) -> Value:
    kind = ir.FunctionType(I32, [each.type for each in arguments])
    return to.noted(GET_LABEL, to.number(0), lambda: to.call_at(address, kind, arguments))
