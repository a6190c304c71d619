"""The memory of nodes: made by machine code that modules call, with marks that show what a module has done to it.

A node has sixteen bytes before it, a mark of its place and its size, and eight bytes behind it that nobody may write
to.
All nodes of one call lie one after the other, and are gone at the next; around them no memory can be touched.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

from llvmlite import ir

from ouroboros import outside
from ouroboros.languages.modules.building import WORD, Emitter, loaded, new_module
from ouroboros.languages.modules.pages import PAGE, guarded_pages
from ouroboros.native.types import I32, I64, POINTER, Value

HEAD = 16
MARK = 0x6F75726F626F726F
END = 0x5AFE5AFE5AFE5AFE
ALL_NODES = 1 << 28
"""Bytes. Memory that is not used costs nothing."""

NEXT, LIMIT, MOST, WANTED = range(4)
"""The words of a desk: where the next node goes; where there is no more room; how many successors the caller has room
for; and how many it should have had."""

NODE = ir.LiteralStructType([I64, POINTER])
MAKE_NODE = 1
"""The number of the function, in notes."""


class Node(ctypes.Structure):
    _fields_ = (("handle", ctypes.c_uint64), ("memory", ctypes.c_void_p))


class Desk:
    """Where the loader of one instance keeps its nodes."""

    def __init__(self) -> None:
        self.pages: mmap.mmap = guarded_pages(ALL_NODES)
        self.begin = ctypes.addressof(ctypes.c_char.from_buffer(self.pages)) + PAGE
        self.words = (ctypes.c_uint64 * 4)(self.begin, self.begin + ALL_NODES, 16, 0)
        self.address = ctypes.addressof(self.words)
        self._engine, self.make, self.clone = _makers()

    def clear(self) -> None:
        self.words[NEXT] = self.begin

    def made(self, handle: int) -> int | None:
        """The size of a node; None where the handle is not that of one."""
        if handle % 16 or not self.begin + HEAD <= handle < self.words[NEXT]:
            return None
        mark, size = (ctypes.c_uint64 * 2).from_address(handle - HEAD)
        return int(size) if mark == handle ^ MARK else None

    @staticmethod
    def overrun(handle: int, size: int) -> bool:
        """Whether something was written behind a node."""
        return ctypes.string_at(handle + size, WORD) != END.to_bytes(WORD, "little")


def _makers() -> tuple[Any, int, int]:
    module = new_module("nodes")
    _emit_make(module)
    _emit_clone(module)
    engine = loaded(module)
    return engine, engine.get_function_address("make_node"), engine.get_function_address("clone_node")


def _emit_make(module: ir.Module) -> None:
    """Of `node make_node(setup*, i32 size)`."""
    to = Emitter(module, "make_node", NODE, [POINTER, I32])
    setup, size = to.function.args
    desk = to.at.ptrtoint(to.at.load(setup, typ=POINTER), I64)
    wide = to.at.sext(size, I64)
    begin = to.load(desk)
    node = to.plus(begin, HEAD)
    end = to.at.add(node, to.at.and_(to.plus(wide, WORD + 15), to.number(-16)))
    limit = to.load(to.plus(desk, LIMIT * WORD))
    negative = to.at.icmp_signed("<", wide, to.number(0))
    with to.at.if_then(to.at.or_(negative, to.at.icmp_unsigned(">", end, limit)), likely=False):
        slot = to.slot()
        to.store(to.number(MAKE_NODE), to.plus(slot, outside.FUNCTION * WORD))
        to.store(wide, to.plus(slot, outside.ARGUMENT * WORD))
        to.library("abort", ir.VoidType(), [])
        to.at.unreachable()
    to.store(to.at.xor(node, to.number(MARK)), begin)
    to.store(wide, to.plus(begin, WORD))
    to.clear(node, wide)
    to.at.store(to.number(END), to.pointer(to.at.add(node, wide)), align=1)
    to.store(end, desk)
    to.at.ret(_node(to, node))


def _emit_clone(module: ir.Module) -> None:
    """Of `node clone_node(setup*, u64 handle, memory*)`."""
    to = Emitter(module, "clone_node", NODE, [POINTER, I64, POINTER])
    setup, handle, _ = to.function.args
    size = to.load(to.plus(handle, -WORD))
    made = to.at.call(module.globals["make_node"], [setup, to.at.trunc(size, I32)])
    to.copy(to.at.extract_value(made, 0), handle, size)
    to.at.ret(made)


def _node(to: Emitter, address: Value) -> Value:
    empty = ir.Constant(NODE, ir.Undefined)
    return to.at.insert_value(to.at.insert_value(empty, address, 0), to.pointer(address), 1)
