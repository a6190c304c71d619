"""Checks that code is certain to make before anything else can happen, and that may fail.

If every part of a quantifier makes the same one, it fails in the first part, whichever that is, or in none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ouroboros.languages.murphi.facts import Bound, Facts
from ouroboros.languages.murphi.marks import Marks
from ouroboros.system.blocks import Block, If, Require, Scope, SetLocal, While
from ouroboros.system.expressions import Binary, Check, Conditional, Element, Evaluate, Expression, Read, Unary
from ouroboros.system.intervals import Ranges


class CertainChecks:
    def __init__(self, marks: Marks, ranges: Ranges) -> None:
        self._marks = marks
        self._ranges = ranges

    def in_all(self, parts: Iterable[Expression], facts: Facts) -> list[Bound]:
        """What is checked in all of them, and not known to hold."""
        return _common([self._of(part, facts) for part in parts])

    def in_all_blocks(self, blocks: Iterable[Block], facts: Facts) -> list[Bound]:
        return _common([self._run(block, facts)[0] for block in blocks])

    def _of(self, part: Expression, facts: Facts) -> list[Bound]:
        match part:
            case Check(operand, low, high, site):
                found = self._of(operand, facts)
                known = site < 0 or facts.implies(operand, low, high, self._ranges)
                return found if known else [*found, facts.bound(operand, low, high)]
            case Binary("and" | "or", left):
                return self._of(left, facts)
            case Binary(_, left, right):
                return self._of(left, facts) + self._of(right, facts)
            case Unary(_, operand):
                return self._of(operand, facts)
            case Conditional(condition):
                return self._of(condition, facts)
            case Read(_, at) | Element(_, at):
                return [] if at is None else self._of(at, facts)
            case Evaluate((Scope(label, ()),), _) if label in self._marks.quantifiers:
                return self.in_all(self._marks.quantifiers[label].parts, facts)
            case Evaluate(block, result):
                found, after = self._run(block, facts)
                return found if after is None else found + self._of(result, after)
        return []

    def _run(self, block: Block, facts: Facts) -> tuple[list[Bound], Facts | None]:
        """The checks of statements up to the first that does more than set a temporary; then no facts."""
        found: list[Bound] = []
        for statement in block:
            if not isinstance(statement, SetLocal):
                if isinstance(statement, If | While | Require):
                    found += self._of(statement.condition, facts)
                return found, None
            found += self._of(statement.value, facts)
            facts = facts.assign(statement.slot, statement.value)
        return found, facts


def _common(lists: Sequence[list[Bound]]) -> list[Bound]:
    if not lists:
        return []
    first, *others = lists
    keys = [{(bound.shape.structure, bound.interval) for bound in bounds} for bounds in others]
    return [bound for bound in first if all((bound.shape.structure, bound.interval) in each for each in keys)]
