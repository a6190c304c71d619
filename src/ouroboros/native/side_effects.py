"""What evaluating an expression may do besides giving a value. If nothing, it may be done at any time, or never."""

from __future__ import annotations

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
    Read,
    Stuck,
    Unary,
    Unlimited,
)


def can_fail(expression: Expression) -> bool:
    """Whether evaluating it may fail, or run a block: then it matters whether and when it is evaluated."""
    match expression:
        case Constant() | Local():
            return False
        case Element(array, at):
            return not (isinstance(at, Constant) and 0 <= at.value < array.length)
        case Check() | Evaluate() | Call() | Meets() | Observed() | Stuck() | Unlimited():
            return True
        case Read(item, at):
            return at is not None and not (isinstance(at, Constant) and 0 <= at.value < item.elements)
        case Unary(_, operand):
            return can_fail(operand)
        case Binary(operator, left, right):
            # A constant of more than 32 bits may still wrap to zero.
            safe = isinstance(right, Constant) and 0 < abs(right.value) < 1 << 31
            return (operator in {"/", "%"} and not safe) or can_fail(left) or can_fail(right)
        case Conditional(condition, then, otherwise):
            return can_fail(condition) or can_fail(then) or can_fail(otherwise)


def runs_block(expression: Expression) -> bool:
    """Whether evaluating it may set temporaries, or call a procedure."""
    match expression:
        case Evaluate() | Call() | Meets() | Stuck() | Unlimited():
            return True
        case Constant() | Local() | Observed():
            return False
        case Read(_, at):
            return at is not None and runs_block(at)
        case Element(_, at):
            return runs_block(at)
        case Check(operand) | Unary(_, operand):
            return runs_block(operand)
        case Binary(_, left, right):
            return runs_block(left) or runs_block(right)
        case Conditional(condition, then, otherwise):
            return runs_block(condition) or runs_block(then) or runs_block(otherwise)
