"""Building the machine code that stands between the engine and a module: its few ways to speak of memory and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from llvmlite import ir

from ouroboros import outside
from ouroboros.native import objects
from ouroboros.native.types import I32, I64, POINTER, Builder, Value, constant

WORD = 8  # bytes
FAILED = 1 << 31
CROWDED = -1


def new_module(name: str) -> ir.Module:
    module = ir.Module(name)
    module.triple, module.data_layout = objects.target()
    return module


def loaded(module: ir.Module) -> Value:
    """An engine that holds its code; there are addresses in it, which are others in the next run."""
    return objects.load(objects.compiled(str(module)))


class Emitter:
    """A function of a module under construction."""

    def __init__(self, module: ir.Module, name: str, result: Value, arguments: Sequence[Value]) -> None:
        self.module = module
        self.function = ir.Function(module, ir.FunctionType(result, list(arguments)), name)
        self.at: Builder = ir.IRBuilder(self.function.append_basic_block())
        self._entry = self.at.block

    def block(self) -> Value:
        return self.function.append_basic_block()

    def cell(self, kind: Value) -> Value:
        with self.at.goto_entry_block():
            cell = self.at.alloca(kind)
        cell.type = POINTER
        return cell

    def number(self, value: int) -> Value:
        return constant(I64, value)

    def pointer(self, address: Value) -> Value:
        return self.at.inttoptr(address, POINTER)

    def load(self, address: Value, kind: Value = I64) -> Value:
        return self.at.load(self.pointer(address), typ=kind)

    def store(self, value: Value, address: Value) -> None:
        self.at.store(value, self.pointer(address))

    def plus(self, address: Value, offset: int) -> Value:
        return self.at.add(address, self.number(offset))

    def call_at(self, address: int, kind: ir.FunctionType, arguments: Sequence[Value]) -> Value:
        function = ir.FormattedConstant(POINTER, f"inttoptr (i64 {address} to ptr)")
        function.function_type = kind
        return self.at.call(function, arguments)

    def library(self, name: str, result: Value, arguments: Sequence[Value]) -> Value:
        """A call of a function of the C library that takes pointers and sizes."""
        found = self.module.globals.get(name)
        if found is None:
            found = ir.Function(self.module, ir.FunctionType(result, [each.type for each in arguments]), name)
        return self.at.call(found, arguments)

    def copy(self, to: Value, origin: Value, size: Value) -> None:
        self.library("memcpy", POINTER, [self.pointer(to), self.pointer(origin), size])

    def clear(self, to: Value, size: Value) -> None:
        self.library("memset", POINTER, [self.pointer(to), constant(I32, 0), size])

    def smaller(self, first: Value, second: Value) -> Value:
        return self.at.select(self.at.icmp_unsigned("<", first, second), first, second)

    def note_state(self, node: Value, size: Value) -> None:
        """What the next calls are about."""
        slot = self.slot()
        self.store(size, self.plus(slot, outside.SIZE * WORD))
        most = self.number(outside.NODE_WORDS * WORD)
        self.copy(self.plus(slot, outside.NODE * WORD), node, self.smaller(size, most))

    def slot(self) -> Value:
        """The address of the slot of the process that we are in."""
        return self.load(self.number(outside.slot_cell()))

    def noted(self, function: int, argument: Value, call: Callable[[], Value]) -> Value:
        """A call that is noted while it lasts."""
        slot = self.slot()
        calls = self.plus(slot, outside.CALLS * WORD)
        self.store(self.at.add(self.load(calls), self.number(1)), calls)
        self.store(argument, self.plus(slot, outside.ARGUMENT * WORD))
        self.store(self.number(function), self.plus(slot, outside.FUNCTION * WORD))
        result = call()
        self.store(self.number(0), self.plus(slot, outside.FUNCTION * WORD))
        return result
