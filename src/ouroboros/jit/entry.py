"""The entry of a kernel: takes arguments from slots, arrays as the objects that Python has, and calls what Numba made.

The layout of an array's object, and of the description of its elements, is part of NumPy's binary interface: each
extension that is compiled against NumPy has it built in. Only what stands before, in every object of Python, depends on
the interpreter, and comes with the arguments.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array
from numba.np.numpy_support import as_dtype

from ouroboros.jit.portable import DONE, ENTRY, FAILED, HEADER_SLOTS, REFUSED, Shape

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)

# Places in an array's object, behind what every object has; the type is the last thing that every object has.
_TYPE, _DATA, _DIMENSIONS, _LENGTHS, _ELEMENT, _FLAGS = -8, 0, 8, 16, 40, 48

# Places in the description of an element.
_KIND, _SIZE = 8, 24

_CONTIGUOUS, _ALIGNED, _WRITABLE = 0x1, 0x100, 0x400


def shape_of(kind: Any) -> Shape:
    """A type of Numba, as callers of the entry need to know it."""
    if isinstance(kind, types.BaseTuple):
        return [shape_of(part) for part in kind]
    if isinstance(kind, types.Array) and kind.layout == "C":
        return f"{as_dtype(kind.dtype)}[{kind.ndim}]"
    if isinstance(kind, types.Integer | types.Boolean):
        return str(as_dtype(kind))
    if kind == types.none:
        return "void"
    raise TypeError(f"a kernel takes and returns numbers, tuples and contiguous arrays, no {kind}")


def add_entry(compilation: Any) -> Any:
    """A library with the code of a function of numbers, contiguous arrays and tuples of them, and its entry."""
    context, descriptor = cpu_target.target_context, compilation.fndesc
    module = context.create_module(ENTRY)
    convention = context.call_conv
    callee = ir.Function(
        module, convention.get_function_type(descriptor.restype, descriptor.argtypes), descriptor.llvm_func_name
    )
    entry = ir.Function(module, ir.FunctionType(_I32, [ir.PointerType(_I64)]), ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block())
    reader = _Reader(context, builder, entry.args[0])
    arguments = [reader.value(kind) for kind in descriptor.argtypes]
    status, result = convention.call_function(builder, callee, descriptor.restype, descriptor.argtypes, arguments)
    with builder.if_then(builder.not_(status.is_ok), likely=False):
        builder.ret(_I32(FAILED))
    reader.store(descriptor.restype, result)
    builder.ret(_I32(DONE))
    library = context.codegen().create_library(ENTRY)
    library.add_ir_module(module)
    library.add_linking_library(compilation.library)
    library.finalize()
    return library


class _Slots:
    """Slots, one after the other."""

    def __init__(self, builder: Any, slots: Any) -> None:
        self._builder = builder
        self._slots = slots
        self._taken = 0

    def next(self) -> Any:
        """The address of the next slot."""
        self._taken += 1
        return self._builder.gep(self._slots, [_I64(self._taken - 1)])


class _Object(NamedTuple):
    """The address of what an object consists of, behind what every object has."""

    builder: Any
    address: Any

    def part(self, place: int, kind: Any) -> Any:
        address = self.builder.add(self.address, _I64(place))
        return self.builder.load(self.builder.inttoptr(address, ir.PointerType(kind)))


class _Reader:
    """Takes values from slots, and stores the result."""

    def __init__(self, context: Any, builder: Any, slots: Any) -> None:
        self._context = context
        self._builder = builder
        self._slots = _Slots(builder, slots)
        self._arrays = 0
        self._header, self._array_type = (builder.load(self._slots.next()) for _ in range(HEADER_SLOTS))

    def value(self, kind: Any) -> Any:
        if isinstance(kind, types.BaseTuple):
            return self._context.make_tuple(self._builder, kind, [self.value(part) for part in kind])
        slot = self._builder.load(self._slots.next())
        if isinstance(kind, types.Array):
            return self._array(kind, slot)
        if isinstance(kind, types.Boolean):
            return self._builder.icmp_unsigned("!=", slot, _I64(0))
        return self._builder.trunc(slot, self._context.get_value_type(kind))

    def store(self, kind: Any, value: Any) -> None:
        builder = self._builder
        if isinstance(kind, types.BaseTuple):
            for part, item in zip(kind, cgutils.unpack_tuple(builder, value), strict=True):
                self.store(part, item)
        elif kind != types.none:
            extend = builder.sext if isinstance(kind, types.Integer) and kind.signed else builder.zext
            builder.store(extend(value, _I64) if value.type.width < 64 else value, self._slots.next())

    def _array(self, kind: Any, slot: Any) -> Any:
        builder, context = self._builder, self._context
        found = self._object(slot)
        self._require(builder.icmp_unsigned("==", found.part(_TYPE, _I64), self._array_type))
        element = as_dtype(kind.dtype)
        description = self._object(found.part(_ELEMENT, _I64))
        flags = _CONTIGUOUS | _ALIGNED | (_WRITABLE if kind.mutable else 0)
        fits = [
            (description.part(_KIND, _I8), _I8(ord(element.kind))),
            (description.part(_SIZE, _I64), _I64(element.itemsize)),
            (found.part(_DIMENSIONS, _I32), _I32(kind.ndim)),
            (builder.and_(found.part(_FLAGS, _I32), _I32(flags)), _I32(flags)),
        ]
        for is_so, must_be in fits:
            self._require(builder.icmp_unsigned("==", is_so, must_be))
        self._arrays += 1
        lengths = builder.inttoptr(found.part(_LENGTHS, _I64), ir.PointerType(_I64))
        shape = [builder.load(builder.gep(lengths, [_I64(axis)])) for axis in range(kind.ndim)]
        size = _I64(element.itemsize)
        strides = [size]
        for length in reversed(shape[1:]):
            strides.insert(0, builder.mul(length, strides[0]))
        view = context.make_array(kind)(context, builder)
        data = found.part(_DATA, view.data.type)
        populate_array(view, data, shape=shape, strides=strides, itemsize=size, meminfo=None)
        return view._getvalue()

    def _object(self, address: Any) -> _Object:
        return _Object(self._builder, self._builder.add(address, self._header))

    def _require(self, condition: Any) -> None:
        with self._builder.if_then(self._builder.not_(condition), likely=False):
            self._builder.ret(_I32(REFUSED + self._arrays))
