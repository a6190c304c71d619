"""What the primitives of kernels are for Numba: a few instructions each. Only who compiles kernels loads this."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as numba_intrinsic
from numba.np.arrayobj import populate_array

_I8, _I32, _I64 = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def intrinsic(definition: Callable[..., Any]) -> Callable[..., Any]:
    """What Numba asks for the type and the code of a call, given the types of its arguments."""
    return cast(Callable[..., Any], numba_intrinsic(definition))


def _call(result: Any, result_type: Any, arity: int) -> tuple[Any, Callable[..., Any]]:
    """How to call machine code at an address with integers, which stand for pointers."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = ir.FunctionType(result_type, [_I64] * arity)
        return builder.call(builder.inttoptr(arguments[0], ir.PointerType(function)), arguments[1:])

    return result(*[types.int64] * (arity + 1)), codegen


@intrinsic
def call_successors(typing: Any, address: Any, state: Any, out: Any, labels: Any) -> Any:
    return _call(types.int32, _I32, 3)


@intrinsic
def call_valuation(typing: Any, address: Any, state: Any) -> Any:
    return _call(types.uint64, _I64, 1)


@intrinsic
def load_word(typing: Any, address: Any, index: Any) -> Any:
    """Word `index` of the vector at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = builder.inttoptr(arguments[0], ir.PointerType(_I64))
        return builder.load(builder.gep(vector, [arguments[1]]))

    return types.uint64(types.int64, types.int64), codegen


@intrinsic
def array_at(typing: Any, address: Any, count: Any, kind: Any) -> Any:
    """An array of so many numbers at an address, of the type of the array `kind`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(kind)(context, builder)
        size = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
        data = builder.inttoptr(arguments[0], view.data.type)
        populate_array(view, data, shape=[arguments[1]], strides=[size], itemsize=size, meminfo=None)
        return view._getvalue()

    return kind(types.int64, types.int64, kind), codegen


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index] before it is needed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        pointer = builder.gep(view.data, [arguments[1]])
        pointer = builder.bitcast(pointer, ir.PointerType(_I8))
        kind = ir.FunctionType(ir.VoidType(), [ir.PointerType(_I8), _I32, _I32, _I32])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(fetch, [pointer, _I32(0), _I32(3), _I32(1)])
        return context.get_dummy_value()

    return types.void(array, index), codegen


@intrinsic
def words_in(typing: Any, width: Any) -> Any:
    """The inverse of `width_of`: a constant if the width is fixed."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _I64(len(width)) if isinstance(width, types.BaseTuple) else arguments[0]

    return types.uint64(width), codegen


def _element(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """The address of array[index]."""
    view = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(view.data, [arguments[1]])


@intrinsic
def address_of(typing: Any, array: Any, index: Any) -> Any:
    """The address of array[index] as a number.

    It has a sign, as nearly all numbers in kernels have: to Numba the sum of one with and one without is a
    floating-point number.
    """

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(_element(context, builder, signature, arguments), _I64)

    return types.int64(array, index), codegen


@intrinsic
def atomic_add(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Add to array[index], visible to all workers at once; returns what it was before."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.atomic_rmw("add", _element(context, builder, signature, arguments), arguments[2], "seq_cst")

    return types.int64(array, index, types.int64), codegen


@intrinsic
def atomic_load(typing: Any, array: Any, index: Any) -> Any:
    """array[index] as other workers have left it."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_element(context, builder, signature, arguments), "seq_cst", 8)

    return types.int64(array, index), codegen


@intrinsic
def load(typing: Any, array: Any, at: Any) -> Any:
    """Eight bytes of an array of bytes, from any place on, as a little-endian number."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        return builder.load(builder.bitcast(pointer, ir.PointerType(_I64)), align=1)

    return types.uint64(array, at), codegen


@intrinsic
def save(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """The inverse of `load`."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = _element(context, builder, signature, arguments)
        builder.store(arguments[2], builder.bitcast(pointer, ir.PointerType(_I64)), align=1)
        return context.get_dummy_value()

    return types.void(array, at, types.uint64), codegen


@intrinsic
def equal_bytes(typing: Any, array: Any, at: Any, value: Any) -> Any:
    """Which of 16 bytes of an array, from any place on, are the value: a bit for each. All are compared at once."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.VectorType(_I8, 16)
        pointer = builder.bitcast(_element(context, builder, signature, arguments), ir.PointerType(kind))
        wanted = ir.Constant(kind, [0] * 16)
        for k in range(16):
            wanted = builder.insert_element(wanted, arguments[2], _I32(k))
        equal = builder.icmp_unsigned("==", builder.load(pointer, align=1), wanted)
        return builder.zext(builder.bitcast(equal, ir.IntType(16)), _I64)

    return types.uint64(array, at, types.uint8), codegen


@intrinsic
def lowest_bit(typing: Any, number: Any) -> Any:
    """The place of the lowest bit that is set in a number other than zero."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen
