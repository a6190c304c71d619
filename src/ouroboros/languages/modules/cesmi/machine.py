"""The steps of a module as the engine calls them: machine code that asks for one successor after the other.

A state is the size of its node in bytes, and then the node, with zeros up to the last word.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir

from ouroboros.languages.modules.building import CROWDED, FAILED, WORD, Emitter, loaded, new_module
from ouroboros.languages.modules.cesmi.nodes import END, HEAD, MARK, MOST, NEXT, NODE, WANTED, Desk
from ouroboros.native.types import I32, I64, POINTER, Value, constant
from ouroboros.system import foreign

GET_SUCCESSOR, GET_FLAGS = 4, 5
"""The numbers of the functions, in notes."""

NOT_MADE, OVERRUN, CHANGED, TOO_LARGE, ROOM = range(5)
"""The sites of failures; from the last on, one for each number of words that a state may need."""


class Addresses(NamedTuple):
    """What is called, and with what."""

    setup: int
    get_successor: int
    get_flags: int
    """0: there is none."""


def machine_code(addresses: Addresses, desk: Desk, words: int, rooms: tuple[int, ...]) -> foreign.Machine:
    """For states of so many words; `rooms` are the numbers of words that others may have."""
    module = new_module("cesmi")
    _Successors(module, addresses, desk, words, rooms).emit()
    _emit_valuation(module, addresses, desk)
    engine = loaded(module)
    successors, valuation = (engine.get_function_address(name) for name in ("successors", "valuation"))
    kept: Any = (engine, desk)
    return foreign.Machine(successors, valuation, kept)


def _given(to: Emitter, addresses: Addresses, desk: Desk, state: Value) -> tuple[Value, Value]:
    """The node of a state, made on an empty desk, and its size."""
    begin = to.at.ptrtoint(state, I64)
    size = to.load(begin)
    to.store(to.number(desk.begin), to.number(desk.address + NEXT * WORD))
    kind = ir.FunctionType(NODE, [POINTER, I32])
    made = to.call_at(desk.make, kind, [to.pointer(to.number(addresses.setup)), to.at.trunc(size, I32)])
    node = to.at.extract_value(made, 0)
    to.copy(node, to.plus(begin, WORD), size)
    to.note_state(node, size)
    return node, size


def _emit_valuation(module: ir.Module, addresses: Addresses, desk: Desk) -> None:
    """Of `u64 valuation(u64* state)`: the flags, but for the bit that says that they cannot be told."""
    to = Emitter(module, "valuation", I64, [POINTER])
    if not addresses.get_flags:
        to.at.ret(to.number(0))
        return
    node, _ = _given(to, addresses, desk, to.function.args[0])
    kind = ir.FunctionType(I64, [POINTER, I64, I64])
    setup = to.pointer(to.number(addresses.setup))
    flags = to.noted(GET_FLAGS, to.number(0), lambda: to.call_at(addresses.get_flags, kind, [setup, node, node]))
    to.at.ret(to.at.and_(flags, to.number((1 << 63) - 1)))


class _Successors:
    """Of `i32 successors(u64* state, u64* out, u32* labels)`."""

    def __init__(self, module: ir.Module, addresses: Addresses, desk: Desk, words: int, rooms: tuple[int, ...]) -> None:
        self.to = Emitter(module, "successors", I32, [POINTER] * 3)
        self.addresses, self.desk, self.words, self.rooms = addresses, desk, words, rooms

    def emit(self) -> None:
        to = self.to
        state, out, labels = to.function.args
        self.out, self.labels = to.at.ptrtoint(out, I64), to.at.ptrtoint(labels, I64)
        self.count, handle, result = to.cell(I64), to.cell(I32), to.cell(NODE)
        self.crowded = to.block()
        node, size = _given(to, self.addresses, self.desk, state)
        behind = to.load(to.number(self.desk.address + NEXT * WORD))
        self.most = to.load(to.number(self.desk.address + MOST * WORD))
        to.at.store(to.number(0), self.count)
        to.at.store(constant(I32, 1), handle)
        ask, take, done = to.block(), to.block(), to.block()
        to.at.branch(ask)

        to.at.position_at_end(ask)
        to.store(behind, to.number(self.desk.address + NEXT * WORD))
        to.at.store(to.number(0), result)
        asked = to.at.load(handle, typ=I32)
        told = to.noted(GET_SUCCESSOR, to.at.sext(asked, I64), lambda: self._call(asked, node, result))
        to.at.store(told, handle)
        to.at.cbranch(to.at.icmp_signed("==", told, constant(I32, 0)), done, take)

        to.at.position_at_end(take)
        self._take(to.at.load(result, typ=I64), behind, ask)

        to.at.position_at_end(done)
        self._confirm_untouched(node, to.plus(to.at.ptrtoint(state, I64), WORD), size)
        to.at.ret(to.at.trunc(to.at.load(self.count, typ=I64), I32))

        to.at.position_at_end(self.crowded)
        wanted = to.at.shl(self.most, to.number(1))
        to.store(wanted, to.number(self.desk.address + WANTED * WORD))
        to.at.ret(constant(I32, CROWDED))

    def _call(self, handle: Value, node: Value, result: Value) -> Value:
        kind = ir.FunctionType(I32, [POINTER, I32, I64, I64, POINTER])
        setup = self.to.pointer(self.to.number(self.addresses.setup))
        return self.to.call_at(self.addresses.get_successor, kind, [setup, handle, node, node, result])

    def _take(self, node: Value, behind: Value, ask: Value) -> None:
        """Write one successor, or why it is none."""
        to = self.to
        self._confirm_room()
        failed, sized, fits = to.block(), to.block(), to.block()
        site = to.cell(I64)

        to.at.store(to.number(NOT_MADE), site)
        next_free = to.load(to.number(self.desk.address + NEXT * WORD))
        inside = to.at.and_(
            to.at.icmp_unsigned(">=", node, to.plus(behind, HEAD)), to.at.icmp_unsigned("<", node, next_free)
        )
        straight = to.at.icmp_unsigned("==", to.at.and_(node, to.number(15)), to.number(0))
        marked = to.block()
        to.at.cbranch(to.at.and_(inside, straight), marked, failed)
        to.at.position_at_end(marked)
        mark = to.load(to.plus(node, -HEAD))
        to.at.cbranch(to.at.icmp_unsigned("==", mark, to.at.xor(node, to.number(MARK))), sized, failed)

        to.at.position_at_end(sized)
        to.at.store(to.number(OVERRUN), site)
        size = to.load(to.plus(node, -WORD))
        end = to.at.load(to.pointer(to.at.add(node, size)), typ=I64, align=1)
        whole = to.block()
        to.at.cbranch(to.at.icmp_unsigned("==", end, to.number(END)), whole, failed)
        to.at.position_at_end(whole)
        needed = to.at.add(to.at.lshr(to.plus(size, WORD - 1), to.number(3)), to.number(1))
        to.at.store(self._room_site(needed), site)
        to.at.cbranch(to.at.icmp_unsigned("<=", needed, to.number(self.words)), fits, failed)

        to.at.position_at_end(fits)
        place = self._place()
        to.store(size, place)
        to.clear(to.plus(place, WORD), to.number((self.words - 1) * WORD))
        to.copy(to.plus(place, WORD), node, size)
        self._label(0)
        to.at.branch(ask)

        to.at.position_at_end(failed)
        self._fail(to.at.load(site, typ=I64))
        to.at.branch(ask)

    def _room_site(self, needed: Value) -> Value:
        """The site for a state of so many words."""
        to = self.to
        site = to.number(TOO_LARGE)
        for number, room in reversed(list(enumerate(self.rooms))):
            fits = to.at.icmp_unsigned("<=", needed, to.number(room))
            site = to.at.select(fits, to.number(ROOM + number), site)
        return site

    def _confirm_room(self) -> None:
        to = self.to
        room = to.block()
        to.at.cbranch(to.at.icmp_unsigned("<", to.at.load(self.count, typ=I64), self.most), room, self.crowded)
        to.at.position_at_end(room)

    def _place(self) -> Value:
        to = self.to
        return to.at.add(self.out, to.at.mul(to.at.load(self.count, typ=I64), to.number(self.words * WORD)))

    def _fail(self, site: Value) -> None:
        self.to.store(site, self._place())
        self._label(FAILED)

    def _label(self, label: int) -> None:
        to = self.to
        count = to.at.load(self.count, typ=I64)
        to.store(constant(I32, label), to.at.add(self.labels, to.at.shl(count, to.number(2))))
        to.at.store(to.plus(count, 1), self.count)

    def _confirm_untouched(self, node: Value, before: Value, size: Value) -> None:
        """The node that the module was given is as it was."""
        to = self.to
        differs = to.library("memcmp", I32, [to.pointer(node), to.pointer(before), size])
        end = to.at.load(to.pointer(to.at.add(node, size)), typ=I64, align=1)
        touched = to.at.or_(
            to.at.icmp_signed("!=", differs, constant(I32, 0)), to.at.icmp_unsigned("!=", end, to.number(END))
        )
        with to.at.if_then(touched, likely=False):
            self._confirm_room()
            self._fail(to.number(CHANGED))
