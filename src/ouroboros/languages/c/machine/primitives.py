"""What the library in C asks of the machine: sections, choices, threads, memory; and the intrinsics of LLVM."""

from __future__ import annotations

from collections.abc import Callable

from ouroboros.languages.c.machine.accesses import emit_block_access
from ouroboros.languages.c.machine.canonical import canonical_function
from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.failures import (
    DOUBLE_FREE,
    HEAP_ROOM,
    INVALID_FREE,
    MESSAGES,
    UNREACHABLE,
    UNSUPPORTED,
    WIDE_CHOICE,
)
from ouroboros.languages.c.machine.frames import length_of_thread
from ouroboros.languages.c.machine.layout import LEAKED, marked_object
from ouroboros.languages.c.machine.memory import allocate_function, free_function, mark_scratch, size_function
from ouroboros.languages.c.machine.stepping import create_function
from ouroboros.languages.c.machine.unit import (
    DEPTH,
    DISABLED,
    DONE,
    DROPPED,
    NOTICED,
    OMITTED,
    OUTCOME,
    OUTCOMES,
    SLOT,
    NotSupported,
    byte_at,
    clear,
    clear_bytes,
    llvm_type,
    load_word,
    status,
    store_word,
    word_at,
)
from ouroboros.languages.c.read.instructions import Call
from ouroboros.languages.c.read.module import text_of
from ouroboros.languages.c.read.values import IntegerConstant
from ouroboros.languages.c.read.values import Value as Operand
from ouroboros.native.types import I32, I64, Value, constant

MOST_OUTCOMES = 1 << 16

_IGNORED = (
    "llvm.dbg.",
    "llvm.assume",
    "llvm.donothing",
    "llvm.prefetch",
    "llvm.experimental.noalias",
    "llvm.invariant",
)
_BLOCKS = ("llvm.memcpy.", "llvm.memmove.", "llvm.memset.")
_REFUSED = ("llvm.va_", "llvm.stack", "llvm.eh.", "llvm.returnaddress", "llvm.frameaddress", "llvm.vector")


def emit_primitive(context: Context, call: Call, name: str) -> None:
    """A call of a function that has no instructions of its own."""
    known = _PRIMITIVES.get(name)
    if known is not None:
        known(context, call)
    elif name.startswith(_BLOCKS):
        emit_block_access(context, call, name)
    elif name.startswith("llvm.lifetime."):
        _lifetime(context, call, name.startswith("llvm.lifetime.start"))
    elif name in ("llvm.trap", "llvm.ubsantrap", "llvm.debugtrap"):
        context.fail(UNREACHABLE)
    elif name.startswith(("llvm.expect.", "llvm.launder.", "llvm.strip.", "llvm.ptr.annotation", "llvm.annotation")):
        context.define(call.result, context.value(call.arguments[0]))
    elif name.startswith("llvm.is.constant"):
        context.define(call.result, constant(llvm_type(call.type), 0))
    elif name.startswith(_REFUSED):
        raise NotSupported(f"{name}")
    elif name.startswith("llvm.") and not name.startswith(_IGNORED):
        arguments = [context.value(each) for each in call.arguments]
        function = context.unit.function(name, llvm_type(call.type), [each.type for each in arguments])
        context.define(call.result, context.code.at.call(function, arguments))
    elif not name.startswith(_IGNORED):
        raise NotSupported(f"a call of {name}, which has no body")


def _lifetime(context: Context, call: Call, begins: bool) -> None:
    name = marked_object(call)
    found = context.frame_layout.objects.get(name) if name else None
    if found is None or found.mark is None:
        return
    code, at = context.code, context.code.at
    word, bit = divmod(found.mark, 64)
    before = load_word(code, context.frame, word)
    mark = constant(I64, 1 << bit)
    store_word(code, context.frame, word, at.or_(before, mark) if begins else at.and_(before, at.not_(mark)))
    clear(context.unit, code, word_at(code, context.frame, found.offset // 8), -(-found.size // 8))


def _wide(context: Context, operand: Operand) -> Value:
    value = context.value(operand)
    return value if value.type == I64 else context.code.at.sext(value, I64)


def _narrow(context: Context, call: Call, value: Value) -> Value:
    kind = llvm_type(call.type)
    return value if kind == I64 else context.code.at.trunc(value, kind)


def _take_outcome(context: Context) -> Value:
    """The outcome that is wanted; what is chosen later in the step has none of its own."""
    outcome = load_word(context.code, context.record, OUTCOME)
    store_word(context.code, context.record, OUTCOME, 0)
    return outcome


def _begin(context: Context, call: Call) -> None:
    code, at = context.code, context.code.at
    count = call.arguments[0]
    if not (isinstance(count, IntegerConstant) and count.value <= 1):
        _offer(context, _wide(context, count))
    depth = load_word(code, context.record, DEPTH)
    store_word(code, context.record, DEPTH, at.add(depth, constant(I64, 1)))
    store_word(code, context.record, NOTICED, 1)
    context.define(call.result, _narrow(context, call, _take_outcome(context)))


def _offer(context: Context, count: Value) -> None:
    """So many outcomes there are of this step; with none it is not made."""
    code, at = context.code, context.code.at
    context.require(at.icmp_signed("<=", count, constant(I64, MOST_OUTCOMES)), WIDE_CHOICE)
    some, none = code.block(), code.block()
    at.cbranch(at.icmp_signed(">=", count, constant(I64, 1)), some, none)
    code.enter(none)
    status(code, DISABLED)
    code.enter(some)
    store_word(code, context.record, OUTCOMES, count)


def _end(context: Context, call: Call) -> None:
    code, at = context.code, context.code.at
    depth = load_word(code, context.record, DEPTH)
    less = at.sub(depth, constant(I64, 1))
    outside = at.icmp_unsigned("==", depth, constant(I64, 0))
    store_word(code, context.record, DEPTH, at.select(outside, depth, less))


def _choose(context: Context, call: Call) -> None:
    at = context.code.at
    low, high = _wide(context, call.arguments[0]), _wide(context, call.arguments[1])
    some, none = context.code.block(), context.code.block()
    at.cbranch(at.icmp_signed("<=", low, high), some, none)
    context.code.enter(none)
    status(context.code, DISABLED)
    context.code.enter(some)
    apart = at.sub(high, low)
    context.require(at.icmp_unsigned("<", apart, constant(I64, MOST_OUTCOMES)), WIDE_CHOICE)
    _offer(context, at.add(apart, constant(I64, 1)))
    context.define(call.result, _narrow(context, call, at.add(low, _take_outcome(context))))


def _sample(context: Context, call: Call) -> None:
    """So many outcomes, and one more for all that is left out."""
    code, at = context.code, context.code.at
    count = _wide(context, call.arguments[0])
    _offer(context, at.add(count, constant(I64, 1)))
    outcome = _take_outcome(context)
    some, others = code.block(), code.block()
    at.cbranch(at.icmp_unsigned("<", outcome, count), some, others)
    code.enter(others)
    status(code, OMITTED)
    code.enter(some)
    context.define(call.result, outcome)


def _unreached(context: Context) -> None:
    context.code.enter(context.code.block())


def _blocked(context: Context, call: Call) -> None:
    status(context.code, DISABLED)
    _unreached(context)


def _drop(context: Context, call: Call) -> None:
    status(context.code, DROPPED)
    _unreached(context)


def _fail(context: Context, call: Call) -> None:
    kind = call.arguments[0]
    if isinstance(kind, IntegerConstant) and kind.value in MESSAGES:
        context.fail(kind.value, text_of(context.layout.module, call.arguments[1]))
    else:
        at = context.code.at
        value = context.value(kind)
        for each in sorted(MESSAGES):
            context.require(at.icmp_unsigned("!=", value, constant(I32, each)), each)
        context.fail(UNSUPPORTED, "a failure of no known kind")


def _self(context: Context, call: Call) -> None:
    context.define(call.result, _narrow(context, call, load_word(context.code, context.record, SLOT)))


def _create(context: Context, call: Call) -> None:
    code, at = context.code, context.code.at
    values = [_wide(context, call.arguments[0]), *(context.value(each) for each in call.arguments[1:])]
    found = at.call(create_function(context.unit), [context.state, context.record, *values])
    fine, wrong = code.block(), code.block()
    at.cbranch(at.icmp_unsigned("==", found, constant(I32, DONE)), fine, wrong)
    code.enter(wrong)
    at.ret(found)
    code.enter(fine)
    context.define(call.result, constant(llvm_type(call.type), 0) if call.result else constant(I32, 0))


def _leave(context: Context, call: Call) -> None:
    clear(context.unit, context.code, context.thread, length_of_thread(context))
    store_word(context.code, context.record, DEPTH, 0)
    status(context.code, DONE)
    _unreached(context)


def _exit(context: Context, call: Call) -> None:
    code, at = context.code, context.code.at
    layout, state = context.layout, context.state
    shown = at.zext(at.add(at.and_(context.value(call.arguments[0]), constant(I32, 255)), constant(I32, 1)), I64)
    if layout.leaks:
        # What threads still point to is no leak, although they are gone in a moment.
        at.call(canonical_function(context.unit), [state])
    clear(context.unit, code, word_at(code, state, layout.thread_base), layout.heap_entries - layout.thread_base)
    for name in layout.of_library:
        place, size = layout.globals[name]
        clear_bytes(context.unit, code, byte_at(code, state, place), size)
    leaked = at.and_(load_word(code, state, 0), constant(I64, LEAKED))
    store_word(code, state, 0, at.or_(shown, leaked))
    store_word(code, context.record, DEPTH, 0)
    status(code, DONE)
    _unreached(context)


def _allocated(context: Context, call: Call) -> Value:
    at = context.code.at
    pointer = at.call(allocate_function(context.unit), [context.state, _wide(context, call.arguments[0])])
    context.require(at.icmp_unsigned("!=", pointer, constant(I64, 0)), HEAP_ROOM)
    context.define(call.result, pointer)
    return pointer


def _allocate(context: Context, call: Call) -> None:
    _allocated(context, call)


def _scratch(context: Context, call: Call) -> None:
    mark_scratch(context.unit, context.code, context.state, _allocated(context, call))


def _free(context: Context, call: Call) -> None:
    kind = context.code.at.call(free_function(context.unit), [context.state, context.value(call.arguments[0])])
    context.require_none(kind, (INVALID_FREE, DOUBLE_FREE))


def _size(context: Context, call: Call) -> None:
    size = context.code.at.call(size_function(context.unit), [context.state, context.value(call.arguments[0])])
    context.define(call.result, _narrow(context, call, size))


def _print(context: Context, call: Call) -> None:
    if call.result is not None:
        context.define(call.result, constant(llvm_type(call.type), 0))


_PRIMITIVES: dict[str, Callable[[Context, Call], None]] = {
    "__ouro_begin": _begin,
    "__ouro_end": _end,
    "__ouro_choose": _choose,
    "__ouro_sample": _sample,
    "__ouro_blocked": _blocked,
    "__ouro_drop": _drop,
    "__ouro_fail": _fail,
    "__ouro_self": _self,
    "__ouro_create": _create,
    "__ouro_leave": _leave,
    "__ouro_exit": _exit,
    "__ouro_allocate": _allocate,
    "__ouro_scratch": _scratch,
    "__ouro_free": _free,
    "__ouro_size": _size,
    "__ouro_print": _print,
}
