"""Loops: run by the step, or written out round by round."""

from __future__ import annotations

import ast
from collections.abc import Callable

from ouroboros.languages.python.branches import assigned, merge
from ouroboros.languages.python.frames import Environment, Target
from ouroboros.languages.python.patterns import Patterns
from ouroboros.languages.python.types import LARGEST, Integer
from ouroboros.languages.python.values import Generated, Guarded, Indexed, Iteration, Scalar, Static, Value
from ouroboros.system.blocks import If, Scope, SetLocal, While
from ouroboros.system.expressions import TRUE, Binary, Constant, Expression, Local

MOST_ROUNDS = 1 << 20


class Loops(Patterns):
    def while_loop(self, node: ast.While, first: Callable[[], None] | None = None) -> None:
        self.loop(node, lambda: self.condition(node.test), lambda: self.body(node.body), lambda: None, first)

    def loop(
        self,
        node: ast.While | ast.For,
        condition: Callable[[], Expression],
        body: Callable[[], None],
        step: Callable[[], None],
        first: Callable[[], None] | None = None,
    ) -> None:
        """A loop; `step` is done between two rounds, `first` is the rest of a round that was interrupted."""
        end = Target(self.code.label())

        def whole() -> None:
            if first is not None:
                self._round(end, first, step)
            if self.code.reachable:
                self._rounds(node, end, condition, body, step)

        _, block = self.code.captured(whole)
        ends = [*end.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(end.label, block),) if end.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _round(self, end: Target, body: Callable[[], None], step: Callable[[], None]) -> None:
        again = Target(self.code.label())
        self.frame.loops.append((end, again))
        self.code.conditional += 1
        _, block = self.code.captured(body)
        self.code.conditional -= 1
        self.frame.loops.pop()
        ends = [*again.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(again.label, block),) if again.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)
            step()

    def _rounds(
        self,
        node: ast.While | ast.For,
        end: Target,
        condition: Callable[[], Expression],
        body: Callable[[], None],
        step: Callable[[], None],
    ) -> None:
        self._settle(assigned(node), node)
        known, jumps = len(self.code.failures), len(end.environments)
        self.code.repeated += 1
        while True:
            head = dict(self.frame.variables)
            test = self.code.expression(condition)
            _, block = self.code.captured(lambda: self._round(end, body, step))
            returns = self.code.reachable
            widened = self._widened(head, self.frame.variables) if returns else head
            self.code.reachable = True
            if widened == head:
                break
            self.frame.variables = widened
            del self.code.failures[known:], end.environments[jumps:]
        self.code.repeated -= 1
        self.frame.variables = dict(head)
        always = isinstance(test, Constant) and test.value != 0
        if not returns:
            self.code.emit(*(block if always else (If(test, block),)))
        else:
            site = self.site("loop", f"this loop makes more than {MOST_ROUNDS:,} rounds", node)
            self.code.emit(While(test, block, MOST_ROUNDS, site))
        self.code.reachable = not always
        if self.code.reachable:
            self.body(node.orelse)

    def _widened(self, head: Environment, after: Environment) -> Environment:
        found: Environment = {}
        for name, value in head.items():
            joined = merge(value, after.get(name))
            if joined is None:
                continue
            if joined != value and isinstance(joined, Scalar) and isinstance(joined.type, Integer):
                joined = Scalar(Integer(-LARGEST, LARGEST), joined.number)
            found[name] = joined
        return found

    def for_loop(self, node: ast.For) -> None:
        value = self.value(node.iter)
        moves = len(self.code.moves)
        if isinstance(value, Generated) and isinstance(value.node, ast.GeneratorExp):
            raise self.refusal(node.iter, "a generator is run while the loop is", "write a list: [… for …]")
        found = self.iteration(value, node.iter)
        if isinstance(value, Generated) and isinstance(found, Guarded):
            found = Guarded(tuple((self.code.saved(there), self.held(item, node.iter)) for there, item in found.items))
        self._go_through(node, found)
        self.unmoved(value, moves, node.iter)

    def _go_through(self, node: ast.For, found: Iteration) -> None:
        match found:
            case Static(items):
                self._written_out(node, [(TRUE, item) for item in items])
            case Guarded(items):
                self._written_out(node, list(items))
            case Indexed(length, _, item):
                slot = self.code.slot()
                self.code.emit(SetLocal(slot, Constant(0)))
                number = Local(slot)
                self.loop(
                    node,
                    lambda: Binary("<", number, length()),
                    lambda: self._indexed_round(node, item(number)),
                    lambda: self.code.emit(SetLocal(slot, Binary("+", number, Constant(1)))),
                )

    def _indexed_round(self, node: ast.For, item: Value) -> None:
        self.assign(node.target, item)
        self.body(node.body)

    def _written_out(self, node: ast.For, items: list[tuple[Expression, Value]]) -> None:
        end = Target(self.code.label())
        leaves = any(isinstance(part, ast.Break | ast.Continue | ast.Return) for part in ast.walk(node))
        if leaves:
            self._settle(assigned(node), node)
        self.code.conditional += leaves

        def rounds() -> None:
            for condition, item in items:
                if not self.code.reachable:
                    return

                def body(item: Value = item) -> None:
                    self.assign(node.target, item)
                    self.body(node.body)

                def one(body: Callable[[], None] = body) -> None:
                    self._plain_round(end, body)

                self.branches(condition, one, lambda: None, node)
            if self.code.reachable:
                self.body(node.orelse)

        _, block = self.code.captured(rounds)
        self.code.conditional -= leaves
        ends = [*end.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(end.label, block),) if end.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)

    def _plain_round(self, end: Target, body: Callable[[], None]) -> None:
        """A round of a loop that is written out: what is assigned in it is assigned."""
        again = Target(self.code.label())
        self.frame.loops.append((end, again))
        _, block = self.code.captured(body)
        self.frame.loops.pop()
        ends = [*again.environments, *([self.frame.variables] if self.code.reachable else [])]
        self.code.reachable = True
        self.code.emit(*((Scope(again.label, block),) if again.environments else block))
        self.code.reachable = bool(ends)
        if ends:
            self.frame.variables = self.merged(ends)
