"""Propositions: one function that evaluates them all in a state, a bit for each."""

from __future__ import annotations

from collections.abc import Sequence

from llvmlite import ir

from ouroboros.native.blocks import BlockEmitter
from ouroboros.native.choices import vector_argument
from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.foreign import foreign_valuation
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.types import I64, POINTER, constant
from ouroboros.native.words import StateWords
from ouroboros.system.model import Proposition, System

EVALUATION_FAILED = 1 << 63
"""Valuation bit: evaluating a proposition failed."""

MOST_PROPOSITIONS = 62


def emit_valuation(module: ir.Module, system: System, propositions: Sequence[Proposition], foreign: int = 0) -> None:
    """Define `i64 valuation(state*)` in the module; `foreign` is the address of what answers where it is observed."""
    if len(propositions) > MOST_PROPOSITIONS:
        raise ValueError(f"{len(propositions)} propositions, but a valuation has bits for {MOST_PROPOSITIONS}")
    definition = ir.Function(module, ir.FunctionType(I64, [POINTER]), "valuation")
    definition.attributes.add("nounwind")
    vector_argument(definition.args[0], system.layout.words)
    function = FunctionBuilder(definition)
    failure = FailureExit(function)
    words = StateWords(function, definition.args[0])
    result = constant(I64, 0)
    observed = foreign_valuation(function, definition.args[0], foreign) if foreign else result
    for bit, proposition in enumerate(propositions):
        words.forget_locals()
        emitter = ExpressionEmitter(function, system.layout, system.evaluation_bits, words, failure, system.ranges)
        emitter.observed = observed
        BlockEmitter(emitter, words)
        holds = function.at.zext(emitter.condition(proposition.expression), I64)
        result = function.at.or_(result, function.at.shl(holds, constant(I64, bit)))
    function.at.ret(result)
    if failure.enter() is not None:
        function.at.ret(constant(I64, EVALUATION_FAILED))
    function.finish()
