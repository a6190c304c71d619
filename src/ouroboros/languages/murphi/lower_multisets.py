"""Statements on multisets: bags, whose slots are sorted again at the end of each step."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import add, compare
from ouroboros.languages.murphi.lower_calls import CallLowering
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.places import Leaf, MultisetNode, Place
from ouroboros.languages.murphi.scope import Scope
from ouroboros.languages.murphi.types import compatible
from ouroboros.system.blocks import Block, If, SetLocal
from ouroboros.system.expressions import Check, Constant, Expression, Local
from ouroboros.system.intervals import Interval, interval


class MultisetLowering(CallLowering):
    @abstractmethod
    def target(self, expression: ast.Expression, scope: Scope) -> Place: ...

    def multiset_add(self, statement: ast.MultisetAdd, scope: Scope) -> None:
        multiset = self.multiset(statement.multiset, scope)
        self.target(statement.multiset, scope)
        node = multiset.node
        assert isinstance(node, MultisetNode)
        value = self.value(statement.value, scope)
        if not compatible(node.type.element, value.type):
            raise InputError(f"this is no element of {node.type}, but of type {value.type}", statement.value.span)
        # The elements stand at the front: the first slot that holds none is found from the end.
        slot = self.code.slot()

        def search() -> None:
            self.code.emit(SetLocal(slot, Constant(node.length)))
            for number in reversed(range(node.length)):
                free = compare("=", multiset.presence(Constant(number)).raw(), Constant(0))
                self.code.emit(If(free, (SetLocal(slot, Constant(number)),)))
            site = self.code.site("full", f"`{text_of(statement.multiset.span)}` is full", statement.span)
            self.code.emit(SetLocal(slot, Check(Local(slot), 0, node.length - 1, site)))
            self.code.emit(multiset.presence(Local(slot)).set_raw(Constant(1)))

        def store() -> None:
            target = multiset.element(Local(slot))
            if value.place is not None:
                self.copy(target, value.place, statement.value.span)
            else:
                assert isinstance(target.node, Leaf)
                kind, given = self.number(value, statement.value.span)
                given = self.converted(kind, given, target.node.type, statement.value.span)
                self.code.emit(target.set_raw(add(given, 1 - target.node.type.low)))

        for stores, part in ((False, search), (True, store)):
            if self.code.marks:
                self.code.emit(self.code.marks.addition(multiset, stores, self.code.captured(part)[1]))
            else:
                part()

    def multiset_remove(self, statement: ast.MultisetRemove, scope: Scope) -> None:
        multiset = self.multiset(statement.multiset, scope)
        self.target(statement.multiset, scope)
        node = multiset.node
        assert isinstance(node, MultisetNode)
        number = self.slot_number(statement.index, multiset, scope)
        if not interval(number, 64).within(Interval(0, node.length - 1)):
            site = self.code.site("index", "this is no slot of the multiset", statement.index.span)
            number = self.code.saved(Check(number, 0, node.length - 1, site))
        self._remove(multiset, number)

    def multiset_remove_where(self, statement: ast.MultisetRemoveWhere, scope: Scope) -> None:
        multiset = self.multiset(statement.multiset, scope)
        self.target(statement.multiset, scope)
        node = multiset.node
        assert isinstance(node, MultisetNode)
        rounds: list[Block] = []
        for number in range(node.length):
            inner = self.slot_bound(scope, statement.name, multiset, number)
            condition, block = self.code.captured(partial(self.truth, statement.condition, inner, "what is removed"))
            _, removal = self.code.captured(partial(self._remove, multiset, Constant(number)))
            present = compare("=", multiset.presence(Constant(number)).raw(), Constant(1))
            rounds.append((If(present, (*block, If(condition, removal))),))
        self.emit_slots(statement.span, "this removal", multiset, rounds)

    def _remove(self, multiset: Place, number: Expression) -> None:
        leaves = [multiset.presence(number), *multiset.element(number).leaves()]
        removal = [leaf.set_raw(Constant(0)) for leaf in leaves]
        for statement in [self.code.marks.removal(multiset, tuple(removal))] if self.code.marks else removal:
            self.code.emit(statement)
