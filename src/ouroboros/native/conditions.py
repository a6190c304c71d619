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

_MOST_IN_ONE = 192
"""Conditions in one function: LLVM takes long for large ones. Those of whole words."""


def emit_conditions(module: ir.Module, system: System, conditions: Sequence[Expression]) -> Value:
    """Define `void conditions(state*, bits*)`: bit k says whether condition k holds, or its evaluation fails; the rest
    of the last word is zero.
    """
    kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    whole = ir.Function(module, kind, "conditions")
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
        bit = function.at.zext(_condition(function, system, words, conditions[number]), I64)
        word, shift = divmod(number, 64)
        shifted = function.at.shl(bit, constant(I64, shift))
        results[word] = function.at.or_(results[word], shifted) if word in results else shifted
    for word, value in results.items():
        function.at.store(value, function.at.gep(bits, [constant(I64, word)], inbounds=True, source_etype=I64))
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
