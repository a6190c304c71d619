"""Rules and properties to actions and propositions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Literal

from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, Frame, compare, joined, leaves_of
from ouroboros.languages.murphi.expand import Instance
from ouroboros.languages.murphi.lower_statements import StatementLowering
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.marks import Marks, alike
from ouroboros.languages.murphi.multisets import sorted_block
from ouroboros.languages.murphi.places import MultisetNode
from ouroboros.languages.murphi.scope import Scope
from ouroboros.system.blocks import Require, fields_written
from ouroboros.system.choices import Action, Part
from ouroboros.system.expressions import TRUE, Constant, Expression, Procedure
from ouroboros.system.model import Failure, Proposition, ResponseProperty


class RuleLowering:
    """With `marks`, what is lowered is only to be looked at: it is marked where it ranges over alike values."""

    def __init__(
        self, failures: list[Failure], covering: ast.PropertyStatement | None = None, marks: Marks | None = None
    ) -> None:
        self.failures = failures
        self.procedures: dict[tuple[object, ...], Procedure] = {}
        self.called: set[ast.Function] = set()
        self.covers: dict[ast.PropertyStatement, str] = {}
        self.slots = 0
        self.multisets: list[MultisetNode] = []
        """Those of the state, each after those in its elements."""
        self.covering = covering
        self.marks = marks

    def reader(self, pure: bool) -> StatementLowering:
        reader = StatementLowering(Code(self.failures, pure=pure, marks=self.marks), self.procedures)
        reader.called = self.called
        reader.covers = self.covers
        reader.covering = self.covering
        return reader

    def action(self, instance: Instance, assumptions: Sequence[Instance]) -> Action:
        rule = instance.rule
        assert isinstance(rule, ast.Rule | ast.StartState)
        reader = self.reader(pure=True)
        code = reader.code
        guard: Expression = TRUE
        if isinstance(rule, ast.Rule):
            guard = code.expression(lambda: self._guard(instance, reader))
        code.pure = False
        frame = Frame("", code.label(), None)
        code.frames.append(frame)

        def body() -> None:
            scope = Scope(_entered(instance, reader))
            reader.declarations(rule.declarations, scope)
            reader.body(rule.body, scope)

        _, block = code.captured(body)
        code.frames.pop()
        reader.emit_scope(frame, block)
        if self.marks and assumptions:
            code.emit(self.marks.sorting())
        self._sort(code)
        code.pure = True
        for assumption in assumptions:
            condition = code.expression(partial(self._condition, assumption, reader))
            code.emit(Require(condition, code.site("dropped", text_of(assumption.rule.span), assumption.rule.span)))
        self.slots = max(self.slots, code.slots)
        return Action(
            parts=(Part("", instance.named(_title(rule)), rule.span),),
            effect=tuple(code.statements),
            guard=guard,
            name=rule.name or "",
            fairness=_fairness(rule),
        )

    def _sort(self, code: Code) -> None:
        """The multisets that code may have changed, in whatever way: one within another is sorted before that one."""
        if self.marks or not self.multisets:
            return
        written = set(fields_written(tuple(code.statements)))
        for node in self.multisets:
            if any(leaf.storage in written for leaf in leaves_of(node)):
                for statement in sorted_block(node, code):
                    code.emit(statement)

    def _guard(self, instance: Instance, reader: StatementLowering) -> Expression:
        rule = instance.rule
        assert isinstance(rule, ast.Rule)
        parts: list[Expression] = []
        scope = instance.scope
        for around, chosen in instance.around:
            if isinstance(around, ast.Choose):
                assert chosen is not None
                multiset = reader.multiset(around.multiset, scope)
                parts.append(compare("=", multiset.presence(Constant(chosen.value)).raw(), Constant(1)))
        if rule.guard is not None:
            guard = rule.guard
            parts.append(reader.code.expression(lambda: reader.truth(guard, _entered(instance, reader), "a guard")))
        return joined("and", parts)

    def _condition(self, instance: Instance, reader: StatementLowering) -> Expression:
        rule = instance.rule
        assert isinstance(rule, ast.Property)
        return reader.truth(rule.condition, _entered(instance, reader), f"`{rule.kind}`")

    def _proposition(self, instance: Instance, name: str, condition: ast.Expression) -> Proposition:
        reader = self.reader(pure=True)
        expression = reader.code.expression(lambda: reader.truth(condition, _entered(instance, reader), "a property"))
        self.slots = max(self.slots, reader.code.slots)
        return Proposition(name, expression, instance.rule.span)

    def propositions(self, expanded: Iterable[Instance], kind: str) -> tuple[Proposition, ...]:
        found: list[Proposition] = []
        for instance in expanded:
            if is_property(instance, kind):
                rule = instance.rule
                assert isinstance(rule, ast.Property)
                name = instance.named(rule.name or text_of(rule.condition.span))
                if kind == "cover" and self.marks and _names_elements(instance):
                    self.marks.object("this asks for each element of a scalarset by itself", rule.span)
                found.append(self._proposition(instance, name, rule.condition)._replace(title=rule.name))
        return tuple(found)

    def response(self, instance: Instance) -> ResponseProperty:
        rule = instance.rule
        assert isinstance(rule, ast.Response)
        request, answer = (self._proposition(instance, "", side).expression for side in (rule.request, rule.answer))
        return ResponseProperty(instance.named(rule.name or text_of(rule.span)), request, answer, rule.span)


def is_property(instance: Instance, kind: str) -> bool:
    return isinstance(instance.rule, ast.Property) and instance.rule.kind == kind


def _names_elements(instance: Instance) -> bool:
    """Whether an instance is about particular elements of scalarsets, or of a multiset."""
    chosen = any(isinstance(around, ast.Choose) for around, _ in instance.around)
    return chosen or any(alike(parameter.type) for parameter in instance.parameters)


def _fairness(rule: ast.Rule | ast.StartState) -> Literal["none", "weak", "strong"]:
    """What the pragma before a rule, or a ruleset around it, says."""
    match rule.fairness if isinstance(rule, ast.Rule) else "":
        case "weak" | "strong" as strength:
            return strength
        case _:
            return "none"


def _title(rule: ast.Rule | ast.StartState) -> str:
    keyword = "rule" if isinstance(rule, ast.Rule) else "startstate"
    return keyword if rule.name is None else f'{keyword} "{rule.name}"'


def _entered(instance: Instance, reader: StatementLowering) -> Scope:
    """The scope of an instance, with the aliases around it bound by the code of the reader."""
    scope = instance.scope
    for around, _ in instance.around:
        if isinstance(around, ast.AliasRule):
            scope = reader.aliased(around.aliases, scope)
    return scope
