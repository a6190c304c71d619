"""The patterns of `match`."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Sequence
from functools import partial

from ouroboros.languages.python.branches import Branches
from ouroboros.languages.python.storage import OptionNode, Place, RecordNode
from ouroboros.languages.python.types import Named, Truth
from ouroboros.languages.python.values import Known, Listed, Made, Scalar, Value
from ouroboros.system.blocks import SetLocal
from ouroboros.system.expressions import FALSE, TRUE, Binary, Constant, Expression, Local, disjunction

Captures = list[tuple[str, Value]]


class Patterns(Branches):
    def match(self, node: ast.Match) -> None:
        subject = self.held(self.value(node.subject), node.subject)

        def case(number: int) -> None:
            if number == len(node.cases):
                return
            each = node.cases[number]
            captures: Captures = []
            condition = self.pattern(each.pattern, subject, captures)
            if each.guard is not None and condition != FALSE:
                condition = self._guarded(condition, captures, each.guard, node)
                captures = []

            def body() -> None:
                self._capture(captures, each.pattern)
                self.body(each.body)

            self.branches(condition, body, lambda: case(number + 1), node)

        case(0)

    def _capture(self, captures: Captures, node: ast.AST) -> None:
        for name, value in captures:
            self.assign_name(name, value, node)

    def _guarded(self, condition: Expression, captures: Captures, guard: ast.expr, node: ast.Match) -> Expression:
        """Names are bound before the guard is evaluated, and stay so where it is false."""
        slot = self.code.slot()
        self.code.emit(SetLocal(slot, Constant(0)))

        def tested() -> None:
            self._capture(captures, guard)
            self.code.emit(SetLocal(slot, self.condition(guard)))

        self.branches(condition, tested, lambda: None, node)
        return Local(slot)

    def pattern(self, pattern: ast.pattern, subject: Value, captures: Captures) -> Expression:
        """Whether a value has a form; `captures` gets the names in it."""
        match pattern:
            case ast.MatchValue(value):
                return self.equal(subject, self.value(value), pattern)
            case ast.MatchSingleton(None):
                return self.equal(subject, Known(None), pattern)
            case ast.MatchSingleton(value):
                return self._singleton(subject, value, pattern)
            case ast.MatchOr(patterns):
                before = len(captures)
                found = disjunction(*(self.pattern(each, subject, captures) for each in patterns))
                if len(captures) > before:
                    raise self.refusal(pattern, "names in alternatives cannot be compiled", "write two cases")
                return found
            case ast.MatchAs(inner, name):
                condition = TRUE if inner is None else self.pattern(inner, subject, captures)
                if name is not None:
                    captures.append((name, subject))
                return condition
            case ast.MatchSequence(patterns) if not any(isinstance(each, ast.MatchStar) for each in patterns):
                return self._sequence(pattern, patterns, subject, captures)
            case ast.MatchClass():
                return self._class(pattern, subject, captures)
        raise self.refusal(pattern, "this pattern cannot be compiled", "compare in an `if`")

    def _singleton(self, subject: Value, value: object, pattern: ast.pattern) -> Expression:
        match subject:
            case Known(known):
                return Constant(int(known is value))
            case Scalar(Truth()):
                return self.equal(subject, Known(value), pattern)
            case Scalar(Named(values), number):
                same = [at for at, each in enumerate(values) if each is value]
                return disjunction(*(Binary("==", number, Constant(at)) for at in same))
        return FALSE

    def _parts(self, patterns: Sequence[ast.pattern], parts: Sequence[Value], captures: Captures) -> Expression:
        """Whether all parts have their forms; the later ones are only looked at where the first have."""
        result: Expression = TRUE
        for pattern, part in zip(patterns, parts, strict=True):
            result = self.then_if(True, result, partial(self.pattern, pattern, part, captures))
        return result

    def _sequence(
        self, pattern: ast.pattern, patterns: Sequence[ast.pattern], subject: Value, captures: Captures
    ) -> Expression:
        match subject:
            case Listed("tuple" | "list", items):
                parts: Sequence[Value] = items
            case Known(tuple() | list() as items):
                parts = [Known(item) for item in items]
            case Place(RecordNode(kind)) if kind.cls is tuple:
                parts = [self.load(subject.member(name)) for name in kind.fields]
            case Scalar() | Known():
                return FALSE
            case _:
                raise self.refusal(pattern, "this pattern cannot be compiled", "compare in an `if`")
        return self._parts(patterns, parts, captures) if len(parts) == len(patterns) else FALSE

    def _class(self, pattern: ast.MatchClass, subject: Value, captures: Captures) -> Expression:
        cls = self.value(pattern.cls)
        if not (isinstance(cls, Known) and dataclasses.is_dataclass(cls.value) and isinstance(cls.value, type)):
            raise self.refusal(pattern, "only dataclasses can be matched by their class")
        wanted: type = cls.value
        if isinstance(subject, Place) and isinstance(subject.node, OptionNode):
            present, inner = subject.presence().read(), subject.inner()
            return self.then_if(True, present, lambda: self._class(pattern, inner, captures))
        match subject:
            case Place(RecordNode(kind)) | Made(kind) if issubclass(kind.cls, wanted):
                given = getattr(wanted, "__match_args__", ())[: len(pattern.patterns)]
                names = (*given, *pattern.kwd_attrs)
                parts = [self.load(self.attribute(subject, name, pattern)) for name in names]
                return self._parts((*pattern.patterns, *pattern.kwd_patterns), parts, captures)
        return FALSE
