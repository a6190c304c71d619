"""Operators: logic, comparison, arithmetic and conditionals."""

from __future__ import annotations

from functools import partial

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import add, compare, joined
from ouroboros.languages.murphi.folding import BITS, counted_from, fits, folded, negated, shift_numbers
from ouroboros.languages.murphi.lower_types import simple
from ouroboros.languages.murphi.lower_values import ValueLowering, text_of
from ouroboros.languages.murphi.marks import has_multiset_of_alike
from ouroboros.languages.murphi.places import Leaf
from ouroboros.languages.murphi.scope import Scope, Value
from ouroboros.languages.murphi.types import (
    BOOLEAN,
    INTEGER,
    Enumeration,
    Range,
    Scalarset,
    Simple,
    Type,
    Union,
    compatible,
    is_simple,
)
from ouroboros.system.expressions import (
    Binary,
    BinaryOperator,
    Conditional,
    Constant,
    Expression,
    Unary,
)
from ouroboros.system.intervals import interval

_ARITHMETIC: dict[str, BinaryOperator] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "&": "&", "|": "|", "^": "^", "<<": "<<", ">>": ">>",
}  # fmt: skip
_LOGIC = {"&": "and", "&&": "and", "|": "or", "||": "or"}
_ORDER = ("<", "<=", ">", ">=")


class OperatorLowering(ValueLowering):
    def _unary(self, expression: ast.Unary, scope: Scope) -> Value:
        if expression.operator == "!":
            return Value(BOOLEAN, number=negated(self.truth(expression.operand, scope, "what `!` negates")))
        operand = self.integer(expression.operand, scope)
        if expression.operator == "~":
            return Value(INTEGER, number=folded(Unary("~", operand)))
        if isinstance(operand, Constant):
            return Value(Range(-operand.value, -operand.value), number=Constant(-operand.value))
        return Value(INTEGER, number=Unary("-", operand))

    def _binary(self, expression: ast.Binary, scope: Scope) -> Value:
        operator = expression.operator
        kind, left = self.simple_or_place(expression.left, scope)
        if operator in ("&", "|", "&&", "||", "->") and kind is BOOLEAN:
            return Value(BOOLEAN, number=self._logic(expression, left, scope))
        if operator in ("&&", "||", "->"):
            raise InputError(f"`{operator}` joins booleans, not a value of type {kind}", expression.left.span)
        middle = len(self.code.statements)
        if not is_simple(kind):
            return Value(BOOLEAN, number=self._equal_structures(expression, scope))
        other, right = self.simple(expression.right, scope)
        if len(self.code.statements) > middle:
            left = self._saved_before(middle, left)
        if operator in ("=", "!="):
            return Value(BOOLEAN, number=self._equal(expression, kind, left, other, right))
        if not isinstance(kind, Range) or not isinstance(other, Range):
            wrong, span = (other, expression.right.span) if isinstance(kind, Range) else (kind, expression.left.span)
            raise InputError(f"`{operator}` takes numbers, not a value of type {wrong}", span)
        if operator in _ORDER:
            return Value(BOOLEAN, number=compare(operator, left, right))
        number = self._calculated(expression, left, right)
        return Value(Range(number.value, number.value) if isinstance(number, Constant) else INTEGER, number=number)

    def _logic(self, expression: ast.Binary, left: Expression, scope: Scope) -> Expression:
        """The right side is only evaluated where the left one does not decide."""
        if isinstance(left, Binary) and left.operator == "+":
            left = compare("!=", left, Constant(0))
        if expression.operator == "->":
            left, operator = negated(left), "or"
        else:
            operator = _LOGIC[expression.operator]
        what = f"what `{expression.operator}` joins"
        if isinstance(left, Constant) and left.value == (operator == "or"):
            self.code.captured(lambda: self.truth(expression.right, scope, what))
            return left
        right = self.code.expression(lambda: self.truth(expression.right, scope, what))
        return joined(operator, [left, right])

    def _equal(
        self, expression: ast.Binary, kind: Type, left: Expression, other: Simple, right: Expression
    ) -> Expression:
        if not compatible(kind, other):
            raise InputError(f"values of type {kind} and {other} cannot be compared", expression.span)
        assert isinstance(kind, Range | Enumeration | Scalarset | Union)
        if isinstance(kind, Union) and not isinstance(other, Union):
            right = self.converted(other, right, kind, expression.right.span)
        elif isinstance(other, Union) and not isinstance(kind, Union):
            left = self.converted(kind, left, other, expression.left.span)
        elif kind is not other and isinstance(kind, Union) and isinstance(other, Union):
            raise InputError("values of different unions cannot be compared", expression.span)
        return compare(expression.operator, left, right)

    def _equal_structures(self, expression: ast.Binary, scope: Scope) -> Expression:
        if expression.operator not in ("=", "!="):
            raise InputError(f"`{expression.operator}` takes simple values", expression.left.span)
        left = self.place(expression.left, scope, "what is compared")
        right = self.place(expression.right, scope, "what is compared")
        if not compatible(left.type, right.type):
            raise InputError(f"values of type {left.type} and {right.type} cannot be compared", expression.span)
        # Those of the state are sorted where it cannot be changed; local ones never are.
        in_order = self.code.pure and left.in_state and right.in_state
        if self.code.marks and not in_order and has_multiset_of_alike(left.node):
            self.code.marks.object(
                "multisets are compared slot by slot where they are not sorted, which depends on the order of the"
                " elements of a scalarset",
                expression.span,
            )
        same: list[Expression] = []
        for first, second in zip(left.leaves(), right.leaves(), strict=True):
            assert isinstance(first.node, Leaf)
            assert isinstance(second.node, Leaf)
            # Numbers of both sides start at the same value, or are brought to that.
            offset = second.node.type.low - first.node.type.low
            shifted = second.raw() if offset == 0 else counted_from(second.raw(), offset)
            same.append(compare("=", first.raw(), shifted))
        equal = joined("and", same)
        return equal if expression.operator == "=" else negated(equal)

    def _calculated(self, expression: ast.Binary, left: Expression, right: Expression) -> Expression:
        operator = expression.operator
        span = expression.span
        if operator in ("<<", ">>"):
            return self._shift(operator, left, right)
        site = -1
        if operator in ("/", "%"):
            if right == Constant(0):
                site = self.code.site("division", "division by zero", span)
                return Binary(_ARITHMETIC[operator], left, right, site)
            if not isinstance(right, Constant):
                site = self.code.site("division", f"`{text_of(expression.right.span)}` is zero", span)
        elif operator == "+" and isinstance(right, Constant):
            return add(left, right.value)
        elif operator == "-" and isinstance(right, Constant):
            return add(left, -right.value)
        elif operator == "+" and isinstance(left, Constant):
            return add(right, left.value)
        result = folded(Binary(_ARITHMETIC[operator], left, right, site))
        if operator not in ("+", "-", "*") or fits(operator, left, right):
            return result
        # Beyond these the result might not fit into 64 bits.
        most = 1 << (30 if operator == "*" else 61)
        message = f"`{text_of(span)}` is beyond what can be calculated with"
        left, right = (self._within(side, -most, most, message, span) for side in (left, right))
        return Binary(_ARITHMETIC[operator], left, right)

    def _shift(self, operator: str, left: Expression, right: Expression) -> Expression:
        """By a negative number a shift goes the other way; by 64 or more nothing is left but the sign."""
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(shift_numbers(operator, left.value, right.value))
        other = ">>" if operator == "<<" else "<<"
        left, right = self.code.saved(left), self.code.saved(right)

        def by(direction: str, distance: Expression) -> Expression:
            too_far = Constant(0) if direction == "<<" else Binary(">>", left, Constant(BITS - 1))
            shifted = Binary("<<" if direction == "<<" else ">>", left, distance)
            return Conditional(Binary(">=", distance, Constant(BITS)), too_far, shifted)

        forward = by(operator, right)
        if interval(right, BITS).low >= 0:
            return forward
        return Conditional(Binary("<", right, Constant(0)), by(other, Unary("-", right)), forward)

    def _conditional(self, expression: ast.Conditional, scope: Scope) -> Value:
        condition = self.truth(expression.condition, scope, "the condition")
        kinds: list[Simple] = []

        def side(part: ast.Expression) -> Expression:
            kind, number = self.simple(part, scope)
            kinds.append(kind)
            return number

        then, otherwise = (
            self.code.expression(partial(side, part)) for part in (expression.then, expression.otherwise)
        )
        first, second = kinds
        if not compatible(first, second):
            raise InputError(f"the two values are of types {first} and {second}", expression.span)
        if isinstance(condition, Constant):
            chosen = 0 if condition.value else 1
            return Value(kinds[chosen], number=(then, otherwise)[chosen])
        if isinstance(first, Range):
            return Value(INTEGER, number=Conditional(condition, then, otherwise))
        common = second if isinstance(second, Union) else first
        then = self.converted(first, then, common, expression.then.span)
        otherwise = self.converted(second, otherwise, common, expression.otherwise.span)
        return Value(common, number=Conditional(condition, then, otherwise))

    def _is_member(self, expression: ast.IsMember, scope: Scope) -> Value:
        kind, number = self.simple(expression.operand, scope)
        wanted = simple(expression.type, scope, self, "what `ismember` asks for")
        if not compatible(kind, wanted):
            return Value(BOOLEAN, number=Constant(0))
        if not isinstance(kind, Union):
            return Value(BOOLEAN, number=Constant(1))
        members = wanted.members if isinstance(wanted, Union) else (wanted,)
        saved = self.code.saved(number)
        inside: list[Expression] = []
        for member in members:
            first = kind.first(member)
            if first is not None:
                above = compare(">=", saved, Constant(first))
                inside.append(joined("and", [above, compare("<", saved, Constant(first + member.size))]))
        return Value(BOOLEAN, number=joined("or", inside))
