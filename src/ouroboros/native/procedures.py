"""Procedures: functions of machine code that work on the words of a state where their caller has them in memory.

    kind procedure(i64* words, i64* failure, i64 depth, kind argument, …)

Where the procedure fails, it stores the site plus one in the failure's cell, and its result means nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from llvmlite import ir

from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.types import I64, POINTER, Value, constant
from ouroboros.native.words import FrameWords
from ouroboros.system.expressions import Call, Local, Procedure

if TYPE_CHECKING:
    from ouroboros.native.blocks import BlockEmitter


def call_procedure(emitter: ExpressionEmitter, call: Call, blocks: type[BlockEmitter]) -> Value:
    """Emit a call; `blocks` emits the body, where the procedure has none yet."""
    function = emitter.function
    arguments = [emitter.value(argument) for argument in call.arguments]
    emitter.failure.leave_unless(function.at.icmp_signed("<", emitter.depth, constant(I64, call.limit)), call.site)
    emitter.words.fork()
    cell = function.variable(I64, constant(I64, 0))
    function.at.store(constant(I64, 0), cell)
    depth = function.at.add(emitter.depth, constant(I64, 1))
    callee = _function(emitter, call.procedure, blocks)
    result = function.at.call(callee, [emitter.words.memory, cell, depth, *arguments])
    emitter.words.forget()
    failure = function.at.load(cell, typ=I64)
    site = function.at.sub(failure, constant(I64, 1))
    emitter.failure.leave_unless(function.at.icmp_signed("==", failure, constant(I64, 0)), site)
    return result


def _function(emitter: ExpressionEmitter, procedure: Procedure, blocks: type[BlockEmitter]) -> Value:
    """The procedure's function in the module that is being built."""
    module = emitter.function.function.module
    name = f"procedure_{procedure.name}"
    known = module.globals.get(name)
    if known is not None:
        return known
    kind = emitter.kind
    signature = ir.FunctionType(kind, [POINTER, POINTER, I64, *[kind] * procedure.parameters])
    definition = ir.Function(module, signature, name)
    definition.linkage = "internal"
    definition.attributes.add("nounwind")
    memory, failure_cell, depth, *arguments = definition.args

    function = FunctionBuilder(definition)
    failure = FailureExit(function)
    words = FrameWords(function, memory, emitter.layout.words)
    inner = ExpressionEmitter(function, emitter.layout, emitter.width, words, failure)
    inner.depth = depth
    body = blocks(inner, words)
    for slot, argument in enumerate(arguments):
        function.at.store(argument, inner.local(slot))
        words.known[Local(slot)] = argument
    body.emit(procedure.body)
    result = inner.value(procedure.result)
    words.settle()
    function.at.ret(result)
    site = failure.enter()
    if site is not None:
        function.at.store(function.at.add(site, constant(I64, 1)), failure_cell)
        function.at.ret(constant(kind, 0))
    function.finish()
    return definition
