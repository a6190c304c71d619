"""What all of lowering shares: sites of failure, temporaries, clocks, and arithmetic on what is known already."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.arithmetic import Arithmetic
from ouroboros.system.expressions import (
    NO_SITE,
    Binary,
    BinaryOperator,
    Conditional,
    Constant,
    Expression,
    Unary,
)
from ouroboros.system.intervals import interval
from ouroboros.system.layout import Field
from ouroboros.system.model import Failure, FailureKind

BITS = 32
_ARITHMETIC = Arithmetic(BITS)
OPERATORS = frozenset(get_args(BinaryOperator))
MOST_ROUNDS = 1_000_000
"""Of all loops in one step, before the last one is taken to be endless."""
ROUNDS = 0
"""The temporary that counts them."""
MOST_COMBINATIONS = 10_000
"""Of the values of selected variables, and of a quantified one."""
MOST_UNFOLDED = 20_000
"""Values of quantified variables, and calls of functions, in one action or expression."""
MOST_ELEMENTS = 1 << 20
"""Of an array."""
MOST_CLOCKS = 200


@dataclass(eq=False)
class Context:
    failures: list[Failure] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    clocks: list[str] = field(default_factory=lambda: ["0"])
    """Their names by number; number zero is always zero."""
    meta_slots: int = 1
    """Temporaries that are the same in all actions: the rounds of loops, then meta variables."""
    slots: int = 1
    """The next temporary that is free."""
    most_slots: int = 1
    spent: int = 0
    """How often something was lowered once more in this action, for another value or call."""
    labels: int = 0
    priorities: list[ast.ChannelPriorities] = field(default_factory=list)
    scalars: int = 0

    def site(self, kind: FailureKind, message: str, span: Span | None) -> int:
        self.failures.append(Failure(kind, message, span))
        return len(self.failures) - 1

    def slot(self) -> int:
        self.slots += 1
        self.most_slots = max(self.most_slots, self.slots)
        return self.slots - 1

    def label(self) -> int:
        self.labels += 1
        return self.labels

    def begin(self) -> None:
        """An action, or an expression of its own, has all temporaries for itself."""
        self.slots = self.meta_slots
        self.spent = 0

    def spend(self, span: Span) -> None:
        """Count what is lowered once more; raises InputError where that would not end."""
        self.spent += 1
        if self.spent > MOST_UNFOLDED:
            message = f"quantifiers and calls of functions unfold to more than {MOST_UNFOLDED:,} expressions here"
            raise InputError(message, span, "write a loop in a function")


def binary(operator: BinaryOperator, left: Expression, right: Expression, site: int = NO_SITE) -> Expression:
    """The operation, or its value where both sides are known."""
    if operator in ("and", "or"):
        return _logical(operator, left, right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        if not (operator in ("/", "%") and right.value == 0):
            return Constant(_ARITHMETIC.binary(operator, left.value, right.value, site))
    elif isinstance(right, Constant) and right.value == 0 and operator in ("+", "-"):
        return left
    return Binary(operator, left, right, site)


def _logical(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    decides = 0 if operator == "and" else 1
    if isinstance(left, Constant):
        return Constant(decides) if bool(left.value) == bool(decides) else truth(right)
    if isinstance(right, Constant) and bool(right.value) != bool(decides):
        return truth(left)
    return Binary(operator, left, right)


def truth(expression: Expression) -> Expression:
    """One or zero."""
    if isinstance(expression, Constant):
        return Constant(int(expression.value != 0))
    if interval(expression, BITS).low >= 0 and interval(expression, BITS).high <= 1:
        return expression
    return Binary("!=", expression, Constant(0))


def negated(expression: Expression) -> Expression:
    if isinstance(expression, Constant):
        return Constant(int(expression.value == 0))
    return Unary("not", expression)


def minus(expression: Expression) -> Expression:
    if isinstance(expression, Constant):
        return Constant(_ARITHMETIC.unary("-", expression.value))
    return Unary("-", expression)


def choose(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return Conditional(condition, then, otherwise)


def constant(expression: Expression, span: Span, what: str) -> int:
    if not isinstance(expression, Constant):
        raise InputError(f"{what} must be known before the system runs", span)
    return expression.value
