"""Formulas that say no more than a response `p ~> q` does, and that of the model's own runs."""

from __future__ import annotations

from collections.abc import Mapping

from ouroboros.ltl import Formula, Not
from ouroboros.ltl.formula import TRUE, And, Atom, Constant, Equivalent, Finally, Globally, Implies, Or, Xor
from ouroboros.properties.formulas.watched import Response
from ouroboros.system import expressions
from ouroboros.system.expressions import Binary, Expression, Unary
from ouroboros.system.model import Proposition


def from_formula(name: str, formula: Formula, atoms: Mapping[str, Proposition]) -> Response | None:
    """What a formula says, if it is `G (p -> F q)` or `G F q` with formulas p and q that speak of one state."""
    match formula:
        case Globally(Implies(p, Finally(q))):
            pass
        case Globally(Or(parts)) if len(answers := [part for part in parts if isinstance(part, Finally)]) == 1:
            p, q = Not(Or(*(part for part in parts if part is not answers[0]))), answers[0].operand
        case Globally(Finally(q)):
            p = TRUE
        case _:
            return None
    condition, answer = _expression(p, atoms), _expression(q, atoms)
    if condition is None or answer is None:
        return None
    return Response(name, Proposition(str(p), condition), Proposition(str(q), answer), False, formula)


def _expression(formula: Formula, atoms: Mapping[str, Proposition]) -> Expression | None:
    """A formula without temporal operators as an expression; None where it has some."""
    if isinstance(formula, Atom):
        return atoms[formula.name].expression
    if isinstance(formula, Constant):
        return expressions.TRUE if formula is TRUE else expressions.FALSE
    operands = [_expression(operand, atoms) for operand in formula.operands]
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands):
        return None
    match formula:
        case Not():
            return _not(known[0])
        case And():
            return _joined("and", known)
        case Or():
            return _joined("or", known)
        case Implies():
            return Binary("or", _not(known[0]), known[1])
        case Equivalent():
            return Binary("==", _not(known[0]), _not(known[1]))
        case Xor():
            return Binary("!=", _not(known[0]), _not(known[1]))
        case _:
            return None


def _joined(operator: expressions.BinaryOperator, operands: list[Expression]) -> Expression:
    joined: Expression = expressions.TRUE if operator == "and" else expressions.FALSE
    for operand in operands:
        joined = Binary(operator, joined, operand)
    return joined


def _not(operand: Expression) -> Expression:
    return Unary("not", operand)
