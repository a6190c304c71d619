"""Conditions of a state, for whoever chooses among its steps: one function that writes a bit for each."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from ouroboros.native.blocks import BlockEmitter
from ouroboros.native.choices import vector_argument
from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.types import I1, I64, POINTER, Value, constant
from ouroboros.native.words import StateWords
from ouroboros.system.expressions import Expression
from ouroboros.system.model import System

_MOST_IN_ONE = 200
"""Conditions in one function: LLVM takes long for large ones."""


def emit_conditions(module: ir.Module, system: System, conditions: Sequence[Expression]) -> Value:
    """Define `void conditions(state*, bits*)`: bit k says that condition k does not hold, and bit n + k of n conditions
    that it does. One whose evaluation fails counts as one that holds.
    """
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    whole = ir.Function(module, kind, "conditions")
    whole.linkage = "internal"
    builder = ir.IRBuilder(whole.append_basic_block("entry"))
    for start in range(0, len(conditions), _MOST_IN_ONE):
        part = ir.Function(module, kind, f"conditions.{start}")
        part.linkage = "internal"
        part.attributes.add("nounwind")
        _emit_some(part, system, conditions, range(start, min(start + _MOST_IN_ONE, len(conditions))))
        builder.call(part, whole.args)
    builder.ret_void()
    return whole


def _emit_some(definition: Value, system: System, conditions: Sequence[Expression], numbers: range) -> None:
    state, bits = definition.args
    vector_argument(state, system.layout.words)
    bits.add_attribute("noalias")
    function = FunctionBuilder(definition)
    words = StateWords(function, state)
    results: dict[int, Value] = {}
    for number in numbers:
        holds = function.at.zext(_condition(function, system, words, conditions[number]), I64)
        for place, bit in ((number, function.at.xor(holds, constant(I64, 1))), (len(conditions) + number, holds)):
            word, shift = divmod(place, 64)
            shifted = function.at.shl(bit, constant(I64, shift))
            results[word] = function.at.or_(results[word], shifted) if word in results else shifted
    for word, value in results.items():
        address = function.at.gep(bits, [constant(I64, word)], inbounds=True, source_etype=I64)
        before = function.at.load(address, typ=I64)
        function.at.store(function.at.or_(before, value), address)
    function.at.ret_void()
    function.finish()


def _condition(function: FunctionBuilder, system: System, words: StateWords, condition: Expression) -> Value:
    words.forget_locals()
    known = dict(words.known)
    failure = FailureExit(function)
    emitter = ExpressionEmitter(function, system.layout, system.evaluation_bits, words, failure, system.ranges)
    BlockEmitter(emitter, words)
    holds = emitter.condition(condition)
    held_in = function.at.block
    join = function.block()
    function.at.branch(join)
    if failure.enter() is None:
        function.enter(join)
        return holds
    failed_in = function.at.block
    function.at.branch(join)
    function.enter(join)
    # What was computed on one of the two ways is of no use behind them.
    words.known = known
    merged = function.at.phi(I1)
    merged.add_incoming(holds, held_in)
    merged.add_incoming(constant(I1, 1), failed_in)
    return merged
