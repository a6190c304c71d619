"""Steps that other code makes, for states with more words than it knows of; and what it observes in a state."""

from __future__ import annotations

from llvmlite import ir

from ouroboros.native.functions import FunctionBuilder
from ouroboros.native.known_steps import emit_known_successors
from ouroboros.native.types import I32, I64, POINTER, Value, constant
from ouroboros.system.foreign import Beside, Foreign, Machine
from ouroboros.system.model import System


def foreign_valuation(function: FunctionBuilder, state: Value, address: int) -> Value:
    """What the valuation at an address says of the state, all of its bits."""
    called = ir.FunctionType(I64, [POINTER])
    return function.at.call(_at(address, called), [state])


def emit_widened_successors(module: ir.Module, system: System, machine: Machine) -> None:
    """Define `i32 whole_successors(state*, out*, labels*)` by other machine code; `system` says how wide it is."""
    kind = ir.FunctionType(I32, [POINTER] * 3)
    entry = ir.Function(module, kind, "whole_successors")
    state, out, labels = entry.args
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    made = _at(machine.successors, kind)
    if machine.known:
        made = emit_known_successors(module, machine.known, made)
    count = builder.call(made, [state, out, labels])
    words = system.layout.words
    own = _words_known(system.foreign, words)
    if own < words:
        _spread(builder, count, state, out, own, words)
    builder.ret(count)


def _words_known(foreign: Foreign | None, words: int) -> int:
    """The words of the states that the machine code knows of: the innermost of those that are beside each other."""
    while isinstance(foreign, Beside):
        words, foreign = foreign.words, foreign.inner
    return words


def _spread(builder: ir.IRBuilder, count: Value, state: Value, out: Value, own: int, words: int) -> None:
    """Move the successors apart, the last one first, and give each the rest of the state's words."""
    begin, check, body, done = builder.block, *(builder.append_basic_block() for _ in range(3))
    wide = builder.sext(count, I64)
    builder.branch(check)
    builder.position_at_end(check)
    left = builder.phi(I64)
    left.add_incoming(wide, begin)
    builder.cbranch(builder.icmp_signed(">", left, constant(I64, 0)), body, done)
    builder.position_at_end(body)
    at = builder.sub(left, constant(I64, 1))
    left.add_incoming(at, body)

    def word(base: Value, index: Value) -> Value:
        return builder.gep(base, [index], source_etype=I64)

    source, target = (builder.mul(at, constant(I64, each)) for each in (own, words))
    for w in reversed(range(own)):
        moved = builder.load(word(out, builder.add(source, constant(I64, w))), typ=I64)
        builder.store(moved, word(out, builder.add(target, constant(I64, w))))
    for w in range(own, words):
        rest = builder.load(word(state, constant(I64, w)), typ=I64)
        builder.store(rest, word(out, builder.add(target, constant(I64, w))))
    builder.branch(check)
    builder.position_at_end(done)


def _at(address: int, kind: ir.FunctionType) -> Value:
    function = ir.FormattedConstant(POINTER, f"inttoptr (i64 {address} to ptr)")
    function.function_type = kind
    return function
