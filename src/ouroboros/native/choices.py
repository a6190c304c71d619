"""The choice tree: one function that collects the steps of a state, with others for parts of a large tree.

Every node takes the number of steps found so far and gives the number after it, as a value in a register.
"""

from __future__ import annotations

from collections import deque

from llvmlite import ir

from ouroboros.native.blocks import BlockEmitter
from ouroboros.native.expressions import ExpressionEmitter
from ouroboros.native.functions import FailureExit, FunctionBuilder
from ouroboros.native.labels import ASSERTED, FAILURE, TRANSIENT
from ouroboros.native.partition import Call, partition
from ouroboros.native.side_effects import can_fail
from ouroboros.native.types import I32, I64, POINTER, Block, Value, constant
from ouroboros.native.words import StateWords, SuccessorWords
from ouroboros.system.choices import All, Choice, Do, First, Switch, When
from ouroboros.system.expressions import Binary, Constant, Expression, Read
from ouroboros.system.layout import Field
from ouroboros.system.model import System

LARGEST_FUNCTION = 600
"""Statements in one function, about."""


def emit_successors(module: ir.Module, system: System) -> Value:
    """Define `i32 whole_successors(state*, out*, labels*)` in the module."""
    return _SuccessorsEmitter(module, system).emit()


def vector_argument(argument: Value, words: int) -> None:
    """Tell LLVM what the caller guarantees of a pointer to a state."""
    argument.add_attribute("noalias")
    argument.attributes.align = 8
    argument.attributes.dereferenceable = 8 * words


class _SuccessorsEmitter:
    def __init__(self, module: ir.Module, system: System) -> None:
        self.module = module
        self.system = system
        self.waiting: deque[tuple[Value, Choice]] = deque()
        """Functions that are called already, but still have no code."""

    def emit(self) -> Value:
        tree = self.declare(partition(self.system.choices, self.system.actions, LARGEST_FUNCTION))
        entry = ir.Function(self.module, ir.FunctionType(I32, [POINTER] * 3), "whole_successors")
        builder = ir.IRBuilder(entry.append_basic_block("entry"))
        builder.ret(builder.trunc(builder.call(tree, [*entry.args, constant(I64, 0)]), I32))
        while self.waiting:
            function, choice = self.waiting.popleft()
            _TreeEmitter(self, function).emit(choice)
        return entry

    def declare(self, choice: Choice) -> Value:
        """A function for a subtree: like `successors`, with the number of steps before it as one more argument."""
        kind = ir.FunctionType(I64, [POINTER, POINTER, POINTER, I64])
        function = ir.Function(self.module, kind, self.module.get_unique_name("tree"))
        function.linkage = "internal"
        function.attributes.add("nounwind")
        function.attributes.add("noinline")
        state, out, labels, _ = function.args
        vector_argument(state, self.system.layout.words)
        out.add_attribute("noalias")
        out.attributes.align = 8
        labels.add_attribute("noalias")
        self.waiting.append((function, choice))
        return function


class _TreeEmitter:
    """Emits the code of one function."""

    def __init__(self, owner: _SuccessorsEmitter, function: Value) -> None:
        self.owner = owner
        self.system = owner.system
        self.state, self.out, self.labels, self.start = function.args
        self.function = FunctionBuilder(function)
        self.words = StateWords(self.function, self.state)

    def emit(self, choice: Choice) -> None:
        self.function.at.ret(self.node(choice, self.start))
        self.function.finish()

    def node(self, choice: Choice | Call, count: Value) -> Value:
        match choice:
            case Do(action):
                return self._do(action, count)
            case All(children):
                for child in children:
                    count = self.node(child, count)
                return count
            case First(children):
                return self._first(children, count)
            case Switch(item, cases):
                return self._switch(item, cases, count)
            case When(guard, child):
                return self._when(guard, child, count)
            case Call(child):
                tree = self.owner.declare(child)
                return self.function.at.call(tree, [self.state, self.out, self.labels, count])

    def _do(self, index: int, count: Value) -> Value:
        action = self.system.actions[index]
        known = dict(self.words.known)
        emitter, failure = self._evaluation(self.words)
        join = _Join(self.function)
        self._continue_if(emitter, action.guard, join, count)

        after = self.function.at.add(count, constant(I64, 1))
        successor = SuccessorWords(self.words, self.out, count, self.system.layout.words)
        effects = ExpressionEmitter(
            self.function,
            self.system.layout,
            self.system.evaluation_bits,
            successor,
            failure,
            self.system.ranges,
            emitter.temporaries,
        )
        block = BlockEmitter(effects, successor)
        block.emit(action.effect)
        successor.settle()
        self._store_label(count, self._flagged(index, effects, block.asserted()))
        join.arrive(after)
        self._report(failure, index, count, join)
        self.words.known = known
        return join.enter()

    def _when(self, guard: Expression, child: Choice, count: Value) -> Value:
        known = dict(self.words.known)
        emitter, failure = self._evaluation(self.words)
        join = _Join(self.function)
        self._continue_if(emitter, guard, join, count)
        join.arrive(self.node(child, count))
        self._report(failure, len(self.system.actions), count, join)
        self.words.known = known
        return join.enter()

    def _first(self, children: tuple[Choice, ...], count: Value) -> Value:
        join = _Join(self.function)
        known = dict(self.words.known)
        for child in children[:-1]:
            after = self.node(child, count)
            found = self.function.at.icmp_unsigned("!=", after, count)
            join.arrive_if(found, after)
        join.arrive(self.node(children[-1], count) if children else count)
        self.words.known = known
        return join.enter()

    def _switch(self, item: Field, cases: tuple[tuple[int, Choice], ...], count: Value) -> Value:
        at = self.function.at
        word, shift, _ = self.system.layout.placements[item]
        mask = (1 << item.bits) - 1
        bits = at.and_(at.lshr(self.words.load(word), constant(I64, shift)), constant(I64, mask))
        known = dict(self.words.known)
        join = _Join(self.function)
        switch = join.arrive_by_switch(bits, count)
        blocks: list[tuple[Block, Choice]] = []
        labels: set[int] = set()
        for label, child in cases:
            # A label that the field cannot hold is never met, and of two equal labels the first one counts.
            if item.wrap(label) != label or label in labels:
                continue
            labels.add(label)
            if not blocks or blocks[-1][1] is not child:
                blocks.append((self.function.block(), child))
            switch.add_case(constant(I64, label & mask), blocks[-1][0])
        for block, child in blocks:
            self.function.enter(block)
            self.words.known = dict(known)
            join.arrive(self.node(child, count))
        self.words.known = known
        return join.enter()

    def _evaluation(self, words: StateWords) -> tuple[ExpressionEmitter, FailureExit]:
        failure = FailureExit(self.function)
        words.forget_locals()
        system = self.system
        emitter = ExpressionEmitter(self.function, system.layout, system.evaluation_bits, words, failure, system.ranges)
        BlockEmitter(emitter, words)
        return emitter, failure

    def _continue_if(self, emitter: ExpressionEmitter, guard: Expression, join: _Join, count: Value) -> None:
        """Go on where the guard holds, else to the join with nothing found."""
        match guard:
            case Constant(value) if constant(emitter.kind, value).constant != 0:
                return
            case Binary("and", left, right) if can_fail(right):
                self._continue_if(emitter, left, join, count)
                self._continue_if(emitter, right, join, count)
            case _:
                join.arrive_unless(emitter.condition(guard), count)

    def _report(self, failure: FailureExit, label: int, count: Value, join: _Join) -> None:
        """Where something failed, the entry holds the site instead of a state."""
        site = failure.enter()
        if site is None:
            return
        at = self.function.at
        slot = at.gep(self.out, [count], inbounds=True, source_etype=ir.ArrayType(I64, self.system.layout.words))
        at.store(site, slot)
        self._store_label(count, constant(I32, FAILURE | label))
        join.arrive(at.add(count, constant(I64, 1)))

    def _flagged(self, index: int, successor: ExpressionEmitter, asserted: Value | None) -> Value:
        """The label of an action that has led to a successor."""
        at = self.function.at
        label = constant(I32, index)
        if asserted is not None:
            label = at.or_(label, at.mul(asserted, constant(I32, ASSERTED)))
        if self.system.exclusive:
            transient = at.zext(successor.condition(Read(self.system.exclusive.field)), I32)
            label = at.or_(label, at.mul(transient, constant(I32, TRANSIENT)))
        return label

    def _store_label(self, count: Value, label: Value) -> None:
        address = self.function.at.gep(self.labels, [count], inbounds=True, source_etype=I32)
        self.function.at.store(label, address)


class _Join:
    """A block where several paths meet, each with its own number of steps found."""

    def __init__(self, function: FunctionBuilder) -> None:
        self.function = function
        self.block = function.block()
        self.arrivals: list[tuple[Value, Block]] = []

    def arrive(self, count: Value) -> None:
        self.arrivals.append((count, self.function.at.block))
        self.function.at.branch(self.block)

    def arrive_if(self, condition: Value, count: Value) -> None:
        proceed = self.function.block()
        self.arrivals.append((count, self.function.at.block))
        self.function.at.cbranch(condition, self.block, proceed)
        self.function.enter(proceed)

    def arrive_unless(self, condition: Value, count: Value) -> None:
        proceed = self.function.block()
        self.arrivals.append((count, self.function.at.block))
        self.function.at.cbranch(condition, proceed, self.block)
        self.function.enter(proceed)

    def arrive_by_switch(self, value: Value, count: Value) -> Value:
        """A switch whose default comes here."""
        self.arrivals.append((count, self.function.at.block))
        return self.function.at.switch(value, self.block)

    def enter(self) -> Value:
        """Go on after the join, with the number that the path brought."""
        self.function.enter(self.block)
        if all(count is self.arrivals[0][0] for count, _ in self.arrivals):
            return self.arrivals[0][0]
        merged = self.function.at.phi(I64)
        for count, block in self.arrivals:
            merged.add_incoming(count, block)
        return merged
