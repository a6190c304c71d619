"""Where evaluating an expression may fail, given what is known before, and what is known after it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal

from ouroboros.languages.murphi.effects import EffectsReader
from ouroboros.languages.murphi.facts import Facts, either
from ouroboros.languages.murphi.folding import BITS
from ouroboros.languages.murphi.marks import Marks, Quantifier
from ouroboros.system.blocks import Block, Scope
from ouroboros.system.building import Storage
from ouroboros.system.expressions import (
    Binary,
    Call,
    Check,
    Conditional,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    Meets,
    Observed,
    Procedure,
    Read,
    Stuck,
    Unary,
    Unlimited,
)
from ouroboros.system.intervals import interval
from ouroboros.system.model import System

SameAsFailing = Literal["neither", "true", "false"]
"""Which truth of an expression is as bad as if it failed: where an invariant is false or fails, it is violated."""

_OTHER: dict[SameAsFailing, SameAsFailing] = {"neither": "neither", "true": "false", "false": "true"}
_LARGEST = (1 << (BITS - 1)) - 1


class Evaluation(ABC):
    def __init__(self, system: System, marks: Marks) -> None:
        self.system = system
        self.marks = marks
        self.reader = EffectsReader(marks, system.ranges)
        self.fails = False
        """Whether what was looked at can fail, and ..."""
        self.assumes = False
        """... whether it can be undone by an assumption."""

    @abstractmethod
    def evaluate(
        self, block: Block, result: Expression, facts: Facts, same: SameAsFailing
    ) -> tuple[Facts | None, Facts | None]: ...

    @abstractmethod
    def quantifier(self, label: int, found: Quantifier, facts: Facts, same_as_failing: SameAsFailing) -> None: ...

    @abstractmethod
    def procedure(self, procedure: Procedure, facts: Facts) -> None: ...

    @abstractmethod
    def confirm_slot(self, storage: Storage, at: Expression | None, facts: Facts) -> None:
        """That what is in a slot of a multiset does not depend on the order of alike values, if it is one."""

    def value(self, expression: Expression, facts: Facts) -> Facts:
        after = either(*self.expression(expression, facts))
        return facts if after is None else after

    def expression(
        self, expression: Expression, facts: Facts, same: SameAsFailing = "neither"
    ) -> tuple[Facts | None, Facts | None]:
        """What is known where it is true, and where it is false."""
        match expression:
            case Constant(value):
                return (facts, None) if value else (None, facts)
            case Local():
                return facts, facts
            case Read(item, at):
                self.confirm_slot(item, at, facts)
                facts = facts if at is None else self.value(at, facts)
                return facts, facts
            case Element(array, at):
                self.confirm_slot(array, at, facts)
                facts = self.value(at, facts)
                return facts, facts
            case Check():
                facts = self._check(expression, facts)
                return facts, facts
            case Evaluate((Scope(label, ()),), result) if label in self.marks.quantifiers:
                self.quantifier(label, self.marks.quantifiers[label], facts, same)
                return facts, facts
            case Evaluate(block, result):
                return self.evaluate(block, result, facts, same)
            case Call(procedure, arguments):
                for argument in arguments:
                    facts = self.value(argument, facts)
                self.procedure(procedure, facts)
                written = {write.where.storage for write in self.reader.of_expression(expression).writes}
                # Whatever it did with multisets, elements may have been removed and added.
                multisets = {node for storage in written for node in self.marks.elements.get(storage, ())}
                facts = facts.forget(written).shuffle(multisets)
                return facts, facts
            case Unary("not", operand):
                holds, fails = self.expression(operand, facts, _OTHER[same])
                return fails, holds
            case Unary(_, operand):
                facts = self.value(operand, facts)
                return facts, facts
            case Binary("and" | "or"):
                return self._logic(expression, facts, same)
            case Binary():
                return self._binary(expression, facts)
            case Meets() | Observed() | Stuck() | Unlimited():
                raise AssertionError("Murphi has no clocks, and makes its steps itself")
            case Conditional(condition, then, otherwise):
                holds, fails = self.expression(condition, facts)
                nowhere: tuple[Facts | None, Facts | None] = (None, None)
                first = nowhere if holds is None else self.expression(then, holds, same)
                second = nowhere if fails is None else self.expression(otherwise, fails, same)
                return either(first[0], second[0]), either(first[1], second[1])

    def _check(self, check: Check, facts: Facts) -> Facts:
        facts = self.value(check.operand, facts)
        if check.site >= 0 and not facts.implies(check.operand, check.low, check.high, self.system.ranges):
            self.fails = True
        return facts.learn([facts.bound(check.operand, check.low, check.high)])

    def _logic(self, both: Binary, facts: Facts, same: SameAsFailing) -> tuple[Facts | None, Facts | None]:
        """What decides at once is the truth of the whole; else that of the right side is."""
        decides: SameAsFailing = "false" if both.operator == "and" else "true"
        holds, fails = self.expression(both.left, facts, same if same == decides else "neither")
        goes_on = holds if both.operator == "and" else fails
        if goes_on is None:
            return holds, fails
        right_holds, right_fails = self.expression(both.right, goes_on, same)
        if both.operator == "and":
            return right_holds, either(fails, right_fails)
        return either(holds, right_holds), right_fails

    def _binary(self, both: Binary, facts: Facts) -> tuple[Facts, Facts]:
        facts = self.value(both.right, self.value(both.left, facts))
        if both.operator in ("/", "%") and both.site >= 0:
            found = interval(both.right, BITS, self.system.ranges)
            self.fails |= found.low <= 0 <= found.high
        if not isinstance(both.right, Constant):
            return facts, facts
        number = both.right.value
        match both.operator:
            case "==" | "!=":
                equal = facts.learn([facts.bound(both.left, number, number)])
                other = facts
                if isinstance(both.left, Read | Element) and number == 0:
                    # Numbers are stored from zero on, so that what is not undefined is more.
                    other = facts.learn([facts.bound(both.left, 1, _LARGEST)])
                return (equal, other) if both.operator == "==" else (other, equal)
            case ">=" | "<":
                above = facts.learn([facts.bound(both.left, number, _LARGEST)])
                below = facts.learn([facts.bound(both.left, -_LARGEST, number - 1)])
                return (above, below) if both.operator == ">=" else (below, above)
            case ">" | "<=":
                above = facts.learn([facts.bound(both.left, number + 1, _LARGEST)])
                below = facts.learn([facts.bound(both.left, -_LARGEST, number)])
                return (above, below) if both.operator == ">" else (below, above)
        return facts, facts
