"""The patterns of `match`."""

from __future__ import annotations

import ast

from ouroboros.languages.python.branches import Branches
from ouroboros.languages.python.storage import Place, RecordNode
from ouroboros.languages.python.values import Known, Listed, Made, Value
from ouroboros.system.expressions import TRUE, Binary, Expression, conjunction


class Patterns(Branches):
    def _match(self, node: ast.Match) -> None:
        subject = self.held(self.value(node.subject), node.subject)

        def case(number: int) -> None:
            if number == len(node.cases):
                return
            each = node.cases[number]
            condition = self.pattern(each.pattern, subject)
            if each.guard is not None:
                condition = conjunction(condition, self.condition(each.guard))
            self.branches(condition, lambda: self.body(each.body), lambda: case(number + 1), node)

        case(0)

    def pattern(self, pattern: ast.pattern, subject: Value) -> Expression:
        """Whether a value has a form; names in it are bound."""
        match pattern:
            case ast.MatchValue(value):
                return self.equal(subject, self.value(value), pattern)
            case ast.MatchSingleton(value):
                return self.equal(subject, Known(value), pattern)
            case ast.MatchOr(patterns):
                found = [self.pattern(each, subject) for each in patterns]
                result = found[0]
                for each in found[1:]:
                    result = Binary("or", result, each)
                return result
            case ast.MatchAs(inner, name):
                condition = TRUE if inner is None else self.pattern(inner, subject)
                if name is not None:
                    self.assign_name(name, subject, pattern)
                return condition
            case ast.MatchSequence(patterns):
                match subject:
                    case Listed("tuple", items) if len(items) == len(patterns):
                        return conjunction(*(map(self.pattern, patterns, items)))
                    case Place(RecordNode(kind)) if kind.cls is tuple and len(kind.fields) == len(patterns):
                        parts = [self.load(subject.member(name)) for name in kind.fields]
                        return conjunction(*(map(self.pattern, patterns, parts)))
            case ast.MatchClass(_, positional, names, patterns) if isinstance(subject, Place | Made) and not positional:
                parts = [self.load(self.attribute(subject, name, pattern)) for name in names]
                return conjunction(*(map(self.pattern, patterns, parts)))
        raise self.frame.places.refusal(pattern, "this pattern cannot be compiled", "compare in an `if`")
