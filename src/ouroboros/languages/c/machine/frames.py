"""Frames of a state: registers come from them and go to them; calls put one on top, returns take it away."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from ouroboros.languages.c.machine.constants import scalars
from ouroboros.languages.c.machine.context import Context
from ouroboros.languages.c.machine.failures import STACK, UNSUPPORTED
from ouroboros.languages.c.machine.layout import Site
from ouroboros.languages.c.machine.unit import (
    CONTINUE,
    DEPTH,
    DONE,
    RESULT,
    RESULT_WORDS,
    SLOT,
    NotSupported,
    bits,
    byte_at,
    clear,
    llvm_type,
    load_word,
    status,
    store_word,
    thread_length,
    word_at,
)
from ouroboros.languages.c.pointers import MOST_DEPTH
from ouroboros.languages.c.read.types import Type, Void
from ouroboros.languages.c.read.values import Local
from ouroboros.native.types import I64, Value, constant


def restore(context: Context, site: Site) -> None:
    """The registers of a frame that stands here; in the state they are zero from now on."""
    code, at = context.code, context.code.at
    whole: dict[Local, Value] = {}
    for register in site.registers:
        value = context.read_scalar(byte_at(code, context.frame, register.offset), register.kind)
        if register.way:
            before = whole.get(register.local)
            if before is None:
                before = ir.Constant(llvm_type(register.local.type), None)
            value = at.insert_value(before, value, list(register.way))
        whole[register.local] = value
    for local, value in whole.items():
        context.define(local.name, value)
    first = context.frame_layout.registers
    clear(context.unit, code, word_at(code, context.frame, first), site.words - first)


def save(context: Context, site: Site) -> None:
    """The registers that are alive here, to the frame."""
    require_words(context, site.words)
    for register in site.registers:
        value = context.part(context.value(register.local), register.way)
        context.write_scalar(byte_at(context.code, context.frame, register.offset), register.kind, value)


def stop(context: Context, site: Site) -> None:
    """The step ends here."""
    save(context, site)
    at = context.code.at
    kept = at.and_(context.about, constant(I64, 0x0000FFFFFFFF0000))
    depth = at.shl(load_word(context.code, context.record, DEPTH), constant(I64, 48))
    store_word(context.code, context.thread, 0, at.or_(at.or_(kept, depth), constant(I64, site.number)))
    status(context.code, DONE)


def length_of_thread(context: Context) -> Value:
    """How many words this thread has."""
    slot = load_word(context.code, context.record, SLOT)
    return thread_length(context.code, context.layout, slot)


def require_words(context: Context, words: int | Value) -> None:
    """The frame must have room for so many words."""
    at = context.code.at
    count = constant(I64, words) if isinstance(words, int) else words
    end = at.ptrtoint(word_at(context.code, context.thread, length_of_thread(context)), I64)
    needed = at.ptrtoint(word_at(context.code, context.frame, count), I64)
    context.require(at.icmp_unsigned("<=", needed, end), STACK)


def call(context: Context, here: Site, callee: str, arguments: Sequence[Value]) -> None:
    """Put a frame of a function on top of this one, which waits; the function ends here."""
    code, at = context.code, context.code.at
    entry = context.layout.entries[callee]
    save(context, here)
    require_words(context, here.words + 1 + max(entry.words, context.layout.frames[callee].registers))
    depth = at.add(bits(code, context.about, 16, 16), constant(I64, 1))
    context.require(at.icmp_unsigned("<", depth, constant(I64, MOST_DEPTH)), STACK)
    below = at.or_(at.shl(context.frame_word, constant(I64, 16)), constant(I64, here.number))
    store_word(code, context.frame, here.words, below)
    begin = at.add(context.frame_word, constant(I64, here.words + 1))
    frame = word_at(code, context.state, begin)
    values = dict(zip(context.layout.module.functions[callee].parameters, arguments, strict=True))
    for register in entry.registers:
        value = context.part(values[register.local], register.way)
        context.write_scalar(byte_at(code, frame, register.offset), register.kind, value)
    about = at.or_(at.shl(depth, constant(I64, 16)), at.shl(begin, constant(I64, 32)))
    store_word(code, context.thread, 0, at.or_(about, constant(I64, entry.number)))
    status(code, CONTINUE)


def give_back(context: Context, value: Value | None, kind: Type) -> None:
    """Return from a function: its frame goes, and the one below goes on."""
    code, at = context.code, context.code.at
    if value is not None:
        parts = scalars(kind)
        if len(parts) > RESULT_WORDS:
            raise NotSupported(f"a result of type {kind}")
        for word, (way, scalar) in enumerate(parts):
            context.write_scalar(word_at(code, context.record, RESULT + word), scalar, context.part(value, way))
    above, bottom = code.block(), code.block()
    depth = bits(code, context.about, 16, 16)
    at.cbranch(at.icmp_unsigned("==", depth, constant(I64, 0)), bottom, above)
    code.enter(bottom)
    context.fail(UNSUPPORTED, "the end of a thread's first function")
    at.unreachable()
    code.enter(above)
    below = load_word(code, context.frame, -1)
    begin = bits(code, below, 16, 16)
    about = at.or_(at.shl(at.sub(depth, constant(I64, 1)), constant(I64, 16)), at.shl(begin, constant(I64, 32)))
    store_word(code, context.thread, 0, at.or_(about, bits(code, below, 0, 16)))
    clear(context.unit, code, word_at(code, context.frame, -1), context.frame_layout.registers + 1)
    status(code, CONTINUE)


def result_of_call(context: Context, kind: Type) -> Value | None:
    """What the function that was called has given back."""
    if isinstance(kind, Void):
        return None
    code, at = context.code, context.code.at
    parts = scalars(kind)
    values = [
        context.read_scalar(word_at(code, context.record, RESULT + word), scalar)
        for word, (_, scalar) in enumerate(parts)
    ]
    if parts[0][0] == ():
        return values[0]
    whole: Value = ir.Constant(llvm_type(kind), None)
    for (way, _), value in zip(parts, values, strict=True):
        whole = at.insert_value(whole, value, list(way))
    return whole
