"""Expressions to the intermediate language, with their types checked on the way.

The parameters of rulesets are constants by now, and so are most indices: what can be calculated here is. A value is a
number in the numbering of its type. Reading a place that is undefined fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, add, compare, joined
from ouroboros.languages.murphi.lower_types import constant, resolve, simple
from ouroboros.languages.murphi.places import ArrayNode, Leaf, MultisetNode, Place, RecordNode
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
from ouroboros.source import Span
from ouroboros.system.blocks import If, SetLocal, Statement, While
from ouroboros.system.expressions import (
    TRUE,
    Binary,
    BinaryOperator,
    Check,
    Conditional,
    Constant,
    Expression,
    Local,
    Unary,
)
from ouroboros.system.intervals import Interval, interval

BITS: Literal[32, 64] = 64
MOST_UNROLLED = 64
"""Quantifiers and loops over more values than this are run as loops."""
MOST_ROUNDS = 1 << 20
"""A loop that runs longer than this is taken to run for ever."""

_ARITHMETIC: dict[str, BinaryOperator] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "&": "&", "|": "|", "^": "^", "<<": "<<", ">>": ">>",
}  # fmt: skip
_LOGIC = {"&": "and", "&&": "and", "|": "or", "||": "or"}
_ORDER = ("<", "<=", ">", ">=")


def text_of(span: Span) -> str:
    return " ".join(span.text.split())


class ExpressionLowering:
    """Reads expressions; the code that must run before a value can be used goes to `code`."""

    def __init__(self, code: Code) -> None:
        self.code = code

    def call(self, call: ast.Call, scope: Scope, wants_value: bool) -> Value | None:
        raise NotImplementedError

    # Values and places

    def value(self, expression: ast.Expression, scope: Scope) -> Value:
        match expression:
            case ast.Number(_, value):
                return Value(Range(value, value), number=Constant(value))
            case ast.Truth(_, value):
                return Value(BOOLEAN, number=Constant(int(value)))
            case ast.Name(span, name):
                entity = scope.look_up(name, span)
                if not isinstance(entity, Value):
                    raise InputError(f"`{name}` is not a value", span)
                return entity
            case ast.Member():
                return self._member(expression, scope)
            case ast.Index():
                return self._index(expression, scope)
            case ast.Unary():
                return self._unary(expression, scope)
            case ast.Binary():
                return self._binary(expression, scope)
            case ast.Conditional():
                return self._conditional(expression, scope)
            case ast.Quantified():
                return Value(BOOLEAN, number=self._quantified(expression, scope))
            case ast.Call(span):
                result = self.call(expression, scope, wants_value=True)
                if result is None:
                    raise InputError(f"`{expression.function}` is a procedure, and has no value", span)
                return result
            case ast.IsUndefined(_, ast.Name() as operand) if self.value(operand, scope).number is not None:
                # A parameter that was given a value.
                return Value(BOOLEAN, number=Constant(0))
            case ast.IsUndefined(span, operand):
                place = self.place(operand, scope, "what `isundefined` asks for")
                if not isinstance(place.node, Leaf):
                    raise InputError("`isundefined` asks for a value of a simple type", operand.span)
                return Value(BOOLEAN, number=compare("=", place.raw(), Constant(0)))
            case ast.IsMember():
                return self._is_member(expression, scope)
            case ast.MultisetCount():
                return self._multiset_count(expression, scope)
            case ast.Undefined(span):
                raise InputError("`undefined` has no value that could be used here", span)

    def place(self, expression: ast.Expression, scope: Scope, what: str) -> Place:
        value = self.value(expression, scope)
        if value.place is None:
            raise InputError(f"{what} must be a variable, or a part of one", expression.span)
        return value.place

    def simple(self, expression: ast.Expression, scope: Scope) -> tuple[Simple, Expression]:
        """The type and number of a simple value; reading it fails where it is undefined."""
        value = self.value(expression, scope)
        return self.number(value, expression.span)

    def number(self, value: Value, span: Span) -> tuple[Simple, Expression]:
        kind = value.type
        if not isinstance(kind, Range | Enumeration | Scalarset | Union):
            raise InputError(f"expected a simple value, but this is of type {kind}", span)
        if value.number is not None:
            return kind, value.number
        assert value.place is not None
        site = self.code.site("undefined", f"`{text_of(span)}` is undefined", span)
        return kind, add(Check(value.place.raw(), 1, kind.size, site), kind.low - 1)

    def truth(self, expression: ast.Expression, scope: Scope, what: str) -> Expression:
        kind, number = self.simple(expression, scope)
        if kind is not BOOLEAN:
            raise InputError(f"{what} must be a boolean, not of type {kind}", expression.span)
        return compare("!=", number, Constant(0)) if isinstance(number, Binary) and number.operator == "+" else number

    def integer(self, expression: ast.Expression, scope: Scope) -> Expression:
        kind, number = self.simple(expression, scope)
        if not isinstance(kind, Range):
            raise InputError(f"expected a number, but this is of type {kind}", expression.span)
        return number

    def converted(self, kind: Simple, number: Expression, to: Simple, span: Span) -> Expression:
        """The number of the same value in another type; fails where that has none."""
        if kind is to:
            return number
        if not compatible(kind, to):
            raise InputError(f"a value of type {kind} is no value of type {to}", span)
        match kind, to:
            case Range(), Range(low, high):
                return self._within(number, low, high, f"`{text_of(span)}` is out of the range {to}", span)
            case Union(), Union():
                return self._between_unions(kind, number, to, span)
            case Union(), _:
                first = kind.first(to)
                assert first is not None
                message = f"`{text_of(span)}` is no value of type {to}"
                return add(self._within(number, first, first + to.size - 1, message, span), -first)
            case _, Union():
                first = to.first(kind)
                assert first is not None
                return add(number, first)
        raise AssertionError("compatible types that cannot be converted")

    def _between_unions(self, kind: Union, number: Expression, to: Union, span: Span) -> Expression:
        saved = self.code.saved(number)
        site = self.code.site("range", f"`{text_of(span)}` is no value of type {to}", span)
        result: Expression = Check(Constant(0), 1, 1, site)
        for member in kind.members:
            target = to.first(member)
            if target is not None:
                first = kind.first(member)
                assert first is not None
                inside = Binary(
                    "and",
                    compare(">=", saved, Constant(first)),
                    compare("<", saved, Constant(first + member.size)),
                )
                result = Conditional(inside, add(saved, target - first), result)
        return result

    def _within(self, number: Expression, low: int, high: int, message: str, span: Span) -> Expression:
        if interval(number, BITS).within(Interval(low, high)):
            return number
        return Check(number, low, high, self.code.site("range", message, span))

    # Parts of variables

    def _member(self, expression: ast.Member, scope: Scope) -> Value:
        record = self.place(expression.record, scope, "what has fields")
        if not isinstance(record.node, RecordNode):
            raise InputError(f"this is no record, but of type {record.type}", expression.record.span)
        if expression.name not in record.node.members:
            known = ", ".join(record.node.members)
            raise InputError(f"this record has no field `{expression.name}`", expression.span, f"it has: {known}")
        member = record.member(expression.name)
        return Value(member.type, member)

    def _index(self, expression: ast.Index, scope: Scope) -> Value:
        array = self.place(expression.array, scope, "what is indexed")
        node = array.node
        if isinstance(node, MultisetNode):
            number = self._within(
                self.integer(expression.index, scope),
                0,
                node.length - 1,
                f"`{text_of(expression.index.span)}` is no slot of the multiset",
                expression.index.span,
            )
            element = array.element(number)
            return Value(element.type, element)
        if not isinstance(node, ArrayNode):
            raise InputError(f"this is no array, but of type {array.type}", expression.array.span)
        before = len(self.code.statements)
        kind, number = self.simple(expression.index, scope)
        if len(self.code.statements) > before and not isinstance(array.at, Constant):
            array = array._replace(at=self._saved_before(before, array.at))
        index = node.type.index
        if not compatible(kind, index):
            raise InputError(f"the index is of type {kind}, the array's is {index}", expression.index.span)
        if isinstance(kind, Range) and isinstance(index, Range):
            message = f"index `{text_of(expression.index.span)}` is out of the range {index}"
            if not interval(number, BITS).within(Interval(index.low, index.high)):
                site = self.code.site("index", message, expression.index.span)
                number = Check(number, index.low, index.high, site)
        else:
            number = self.converted(kind, number, index, expression.index.span)
        element = array.element(add(number, -index.low))
        return Value(element.type, element)

    def _saved_before(self, position: int, value: Expression) -> Expression:
        """Evaluate a value before the statements from a position on, which were emitted after it."""
        if isinstance(value, Constant):
            return value
        slot = self.code.slot()
        self.code.statements.insert(position, SetLocal(slot, value))
        return Local(slot)

    # Operators

    def _unary(self, expression: ast.Unary, scope: Scope) -> Value:
        if expression.operator == "!":
            return Value(BOOLEAN, number=negated(self.truth(expression.operand, scope, "what `!` negates")))
        operand = self.integer(expression.operand, scope)
        if expression.operator == "~":
            return Value(INTEGER, number=_folded(Unary("~", operand)))
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

    def simple_or_place(self, expression: ast.Expression, scope: Scope) -> tuple[Type, Expression]:
        """As `simple`; a structured value is only given its type."""
        value = self.value(expression, scope)
        return (value.type, TRUE) if not is_simple(value.type) else self.number(value, expression.span)

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
        same: list[Expression] = []
        for first, second in zip(left.leaves(), right.leaves(), strict=True):
            assert isinstance(first.node, Leaf)
            assert isinstance(second.node, Leaf)
            # Numbers of both sides start at the same value, or are brought to that.
            offset = second.node.type.low - first.node.type.low
            shifted = second.raw() if offset == 0 else _shifted(second.raw(), offset)
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
        result = _folded(Binary(_ARITHMETIC[operator], left, right, site))
        if operator not in ("+", "-", "*") or _fits(operator, left, right):
            return result
        # Beyond these the result might not fit into 64 bits.
        most = 1 << (30 if operator == "*" else 61)
        message = f"`{text_of(span)}` is beyond what can be calculated with"
        left, right = (self._within(side, -most, most, message, span) for side in (left, right))
        return Binary(_ARITHMETIC[operator], left, right)

    def _shift(self, operator: str, left: Expression, right: Expression) -> Expression:
        """By a negative number a shift goes the other way; by 64 or more nothing is left but the sign."""
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(_shift_numbers(operator, left.value, right.value))
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
            self.code.expression(lambda part=part: side(part))  # type: ignore[misc]
            for part in (expression.then, expression.otherwise)
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

    # Quantifiers

    def values_of(self, binding: ast.Binding, scope: Scope) -> tuple[Simple, Sequence[int]] | None:
        """The type and the values that a binding ranges over; None if they are not constant."""
        if binding.type is not None:
            kind = simple(binding.type, scope, self, "what is quantified over")
            return kind, range(kind.low, kind.low + kind.size)
        assert binding.first is not None
        assert binding.last is not None
        step_expression = binding.step
        bounds = [self.integer(bound, scope) for bound in (binding.first, binding.last)]
        step = self.integer(step_expression, scope) if step_expression else Constant(1)
        if step == Constant(0):
            raise InputError("a step of zero never ends", binding.span)
        if not all(isinstance(number, Constant) for number in (*bounds, step)):
            return None
        first, last = (bound.value for bound in bounds)  # type: ignore[union-attr]
        assert isinstance(step, Constant)
        if step_expression is not None and first != last and (first < last) != (step.value > 0):
            raise InputError("the step leads away from the last value", binding.span)
        return Range(min(first, last), max(first, last)), range(first, last + (1 if step.value > 0 else -1), step.value)

    def _quantified(self, expression: ast.Quantified, scope: Scope) -> Expression:
        forall = expression.quantifier == "forall"
        what = f"what `{expression.quantifier}` asks for"
        found = self.values_of(expression.binding, scope)
        if found and len(found[1]) <= MOST_UNROLLED:
            kind, values = found

            def part(value: int) -> Expression:
                inner = self.bound(scope, expression.binding, kind, Constant(value))
                return self.code.expression(lambda: self.truth(expression.body, inner, what))

            parts = [part(value) for value in values]
            return joined("and" if forall else "or", parts)
        result = self.code.slot()
        self.code.emit(SetLocal(result, Constant(int(forall))))
        wanted = Local(result) if forall else negated(Local(result))

        def body(inner: Scope) -> None:
            self.code.emit(SetLocal(result, self.truth(expression.body, inner, what)))

        self.loop(expression.binding, scope, body, wanted)
        return Local(result)

    def bound(self, scope: Scope, binding: ast.Binding, kind: Simple, number: Expression) -> Scope:
        inner = Scope(scope)
        inner.names[binding.name] = Value(kind, number=number)
        return inner

    def loop(
        self, binding: ast.Binding, scope: Scope, body: Callable[[Scope], None], unless: Expression = TRUE
    ) -> None:
        """A loop that is run: its bounds are evaluated once, and it goes on while `unless` holds."""
        site = self.code.site("loop", "the loop does not end", binding.span)
        kind: Simple = INTEGER
        if binding.type is not None:
            kind = simple(binding.type, scope, self, "what a loop ranges over")
            first: Expression = Constant(kind.low)
            last: Expression = Constant(kind.low + kind.size - 1)
            step: Expression = Constant(1)
        else:
            assert binding.first is not None
            assert binding.last is not None
            first = self.integer(binding.first, scope)
            last = self.code.saved(self.integer(binding.last, scope))
            step = self.code.saved(self.integer(binding.step, scope)) if binding.step else Constant(1)
        counter = self.code.slot()
        self.code.emit(SetLocal(counter, first))
        upwards = compare("<=", Local(counter), last)
        downwards = compare(">=", Local(counter), last)
        within = _chosen(compare(">", step, Constant(0)), upwards, downwards)
        self.code.loops += 1
        _, block = self.code.captured(lambda: body(self.bound(scope, binding, kind, Local(counter))))
        self.code.loops -= 1
        following: Statement = SetLocal(counter, Binary("+", Local(counter), step))
        self.code.emit(While(joined("and", [within, unless]), (*block, following), MOST_ROUNDS, site))

    def _multiset_count(self, expression: ast.MultisetCount, scope: Scope) -> Value:
        multiset = self.multiset(expression.multiset, scope)
        node = multiset.node
        assert isinstance(node, MultisetNode)
        counter = self.code.slot()
        self.code.emit(SetLocal(counter, Constant(0)))
        for number in range(node.length):
            inner = Scope(scope)
            inner.names[expression.name] = Value(Range(0, node.length - 1), number=Constant(number))
            condition, block = self.code.captured(
                lambda inner=inner: self.truth(expression.condition, inner, "what is counted")  # type: ignore[misc]
            )
            counted = If(condition, (SetLocal(counter, Binary("+", Local(counter), Constant(1))),))
            present = compare("=", multiset.presence(Constant(number)).raw(), Constant(1))
            self.code.emit(If(present, (*block, counted)))
        return Value(Range(0, node.length), number=Check(Local(counter), 0, node.length, -1))

    def multiset(self, expression: ast.Expression, scope: Scope) -> Place:
        place = self.place(expression, scope, "the multiset")
        if not isinstance(place.node, MultisetNode):
            raise InputError(f"this is no multiset, but of type {place.type}", expression.span)
        return place

    def type(self, kind: ast.Type, scope: Scope, name: str = "") -> Type:
        return resolve(kind, scope, self, name)

    def constant(self, expression: ast.Expression, scope: Scope, what: str) -> int:
        return constant(expression, scope, self, what)


def negated(expression: Expression) -> Expression:
    match expression:
        case Constant(value):
            return Constant(int(value == 0))
        case Unary("not", Binary("==" | "!=" | "<" | "<=" | ">" | ">=" | "and" | "or") as inner):
            return inner
        case Binary("==", left, right):
            return Binary("!=", left, right)
        case Binary("!=", left, right):
            return Binary("==", left, right)
    return Unary("not", expression)


def _chosen(condition: Expression, then: Expression, otherwise: Expression) -> Expression:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return Conditional(condition, then, otherwise)


def _fits(operator: str, left: Expression, right: Expression) -> bool:
    """Whether a result cannot leave 64 bits."""
    first, second = interval(left, BITS), interval(right, BITS)
    most = max(abs(first.low), abs(first.high)), max(abs(second.low), abs(second.high))
    return (most[0] * most[1] if operator == "*" else sum(most)) < 1 << 62


def _shifted(raw: Expression, offset: int) -> Expression:
    """A stored number counted from another first value; zero stays undefined."""
    return Conditional(compare("=", raw, Constant(0)), Constant(0), add(raw, offset))


def _shift_numbers(operator: str, value: int, distance: int) -> int:
    if distance < 0:
        operator, distance = (">>" if operator == "<<" else "<<"), -distance
    if operator == ">>":
        return value >> min(distance, BITS - 1)
    return 0 if distance >= BITS else _wrapped(value << distance)


def _wrapped(value: int) -> int:
    half = 1 << (BITS - 1)
    return (value + half & (1 << BITS) - 1) - half


def _folded(expression: Binary | Unary) -> Expression:
    """The value of an operation on constants."""
    match expression:
        case Unary("~", Constant(value)):
            return Constant(~value)
        case Binary(operator, Constant(left), Constant(right)):
            match operator:
                case "+":
                    return Constant(left + right)
                case "-":
                    return Constant(left - right)
                case "*":
                    return Constant(left * right)
                case "&":
                    return Constant(left & right)
                case "|":
                    return Constant(left | right)
                case "^":
                    return Constant(left ^ right)
                case "/" | "%" if right != 0:
                    quotient = abs(left) // abs(right)
                    quotient = quotient if (left < 0) == (right < 0) else -quotient
                    return Constant(quotient if operator == "/" else left - quotient * right)
    return expression
