"""Simple values: numbers as Python has them, truth, comparisons.

A number never leaves the range that machine code calculates with: where it could, that is checked.
"""

from __future__ import annotations

import ast
import operator as python_operator
from collections.abc import Callable, Sequence
from typing import Any, cast

from ouroboros.errors import InputError
from ouroboros.languages.python.frames import Code, Frame
from ouroboros.languages.python.storage import Leaf, OptionNode, Place, SequenceNode, SetNode
from ouroboros.languages.python.types import LARGEST, TRUTH, Integer, Named, Truth, type_of
from ouroboros.languages.python.values import Known, Listed, Scalar, Value
from ouroboros.system.expressions import (
    FALSE,
    NO_SITE,
    TRUE,
    Binary,
    BinaryOperator,
    Check,
    Conditional,
    Constant,
    Expression,
    Unary,
    conjunction,
    disjunction,
)

_FACTOR = 1 << 31

BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", python_operator.add),
    ast.Sub: ("-", python_operator.sub),
    ast.Mult: ("*", python_operator.mul),
    ast.FloorDiv: ("//", python_operator.floordiv),
    ast.Mod: ("%", python_operator.mod),
    ast.BitAnd: ("&", python_operator.and_),
    ast.BitOr: ("|", python_operator.or_),
    ast.BitXor: ("^", python_operator.xor),
    ast.LShift: ("<<", python_operator.lshift),
    ast.RShift: (">>", python_operator.rshift),
    ast.Pow: ("**", python_operator.pow),
    ast.Div: ("/", python_operator.truediv),
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": python_operator.lt,
    "<=": python_operator.le,
    ">": python_operator.gt,
    ">=": python_operator.ge,
}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class Arithmetic:
    """Simple values of the step that is under construction."""

    def __init__(self, code: Code, frame: Frame) -> None:
        self.code = code
        self.frame = frame

    def refusal(self, node: ast.AST, message: str, hint: str | None = None) -> InputError:
        return self.frame.places.refusal(node, message, hint)

    def load(self, value: Value) -> Value:
        """A simple variable is its value."""
        if isinstance(value, Place) and isinstance(value.node, Leaf):
            return Scalar(value.node.type, value.read())
        return value

    def scalar(self, value: Value, node: ast.AST) -> Scalar:
        value = self.load(value)
        match value:
            case Scalar():
                return value
            case Known(known):
                kind = type_of(known)
                if isinstance(kind, Named):
                    index = kind.index(known)
                    if index is None:
                        raise self.refusal(node, f"{known!r} is no member of its enumeration")
                    return Scalar(kind, Constant(index))
                if kind is not None:
                    if abs(int(known)) > LARGEST:
                        raise self.refusal(node, "this number is too large", "numbers have at most 62 bits")
                    return Scalar(kind, Constant(int(known)))
        raise self.refusal(node, "a simple value is expected here: a number, truth, member of an enumeration")

    def number(self, value: Value, node: ast.AST) -> tuple[Integer, Expression]:
        """A number and its bounds."""
        found = self.scalar(value, node)
        match found.type:
            case Integer():
                return found.type, found.number
            case Truth():
                return Integer(0, 1), found.number
            case Named(values):
                numbers = [each for each in values if isinstance(each, int)]
                if not numbers:
                    raise self.refusal(node, f"a number is expected here, not {found.type}")
                bounds = Integer(min(numbers), max(numbers))
                site = self.site("error", f"{_others(values)} is no number", node) if len(numbers) < len(values) else -1
                if values == (None, *range(bounds.low, bounds.high + 1)):
                    code = Check(found.number, 1, found.type.size - 1, site)
                    return bounds, Binary("+", code, Constant(bounds.low - 1))
                none = Check(Constant(-1), 0, 0, site)
                parts = [Constant(int(each)) if isinstance(each, int) else none for each in values]
                return bounds, self.table(found.number, parts)

    def table(self, index: Expression, parts: Sequence[Expression]) -> Expression:
        """One of several by an index that is in range."""
        index = self.code.saved(index)

        def part(low: int, high: int) -> Expression:
            if high - low == 1:
                return parts[low]
            middle = (low + high) // 2
            return Conditional(Binary("<", index, Constant(middle)), part(low, middle), part(middle, high))

        return part(0, len(parts))

    def truth(self, value: Value, node: ast.AST) -> Expression:
        """Whether Python takes a value for true."""
        value = self.load(value)
        match value:
            case Known(known):
                return TRUE if known else FALSE
            case Scalar(Truth(), number):
                return number
            case Scalar(Integer(), number):
                return Binary("!=", number, Constant(0))
            case Scalar(Named(values), number):
                return disjunction(*(Binary("==", number, Constant(at)) for at, each in enumerate(values) if each))
            case Place(SequenceNode()):
                return Binary(">", value.length().read(), Constant(0))
            case Place(SetNode(_, _, rows)):
                return disjunction(*(value.presence(Constant(number)).read() for number in range(rows)))
            case Place(OptionNode()):
                return value.presence().read()
            case Listed(_, items):
                return Constant(int(bool(items)))
        raise self.refusal(node, "this is neither true nor false", "write a comparison")

    # Calculating

    def unary(self, operator: ast.unaryop, value: Value, node: ast.AST) -> Value:
        if isinstance(operator, ast.Not):
            truth = self.truth(value, node)
            return Known(not truth.value) if isinstance(truth, Constant) else Scalar(TRUTH, Unary("not", truth))
        value = self.load(value)
        if isinstance(value, Known) and isinstance(value.value, int):
            known = int(value.value)
            return Known({ast.USub: -known, ast.UAdd: known, ast.Invert: ~known}[type(operator)])
        kind, number = self.number(value, node)
        match operator:
            case ast.USub():
                return Scalar(Integer(-kind.high, -kind.low), Unary("-", number))
            case ast.Invert():
                return Scalar(*self._bounded(~kind.high, ~kind.low, Unary("~", number), node))
        return Scalar(kind, number)

    def binary(self, operator: ast.operator, left: Value, right: Value, node: ast.AST) -> Value:
        sign, calculate = BINARY.get(type(operator), ("", None))
        if calculate is None or sign == "/":
            raise self.refusal(node, f"`{sign or '@'}` makes no integer", "write // for a division")
        left, right = self.load(left), self.load(right)
        if isinstance(left, Known) and isinstance(right, Known):
            try:
                return Known(calculate(left.value, right.value))
            except (ArithmeticError, TypeError, ValueError) as error:
                raise self.refusal(node, f"Python cannot calculate this: {error}") from None
        truths = sign in ("&", "|", "^") and all(self.scalar(each, node).type == TRUTH for each in (left, right))
        kind, first = self.number(left, node)
        other, second = self.number(right, node)
        found = self._calculated(sign, kind, first, other, second, node)
        return Scalar(TRUTH, found[1]) if truths else Scalar(*found)

    def _calculated(
        self, sign: str, kind: Integer, first: Expression, other: Integer, second: Expression, node: ast.AST
    ) -> tuple[Integer, Expression]:
        match sign:
            case "+":
                return self._bounded(kind.low + other.low, kind.high + other.high, Binary("+", first, second), node)
            case "-":
                return self._bounded(kind.low - other.high, kind.high - other.low, Binary("-", first, second), node)
            case "*":
                return self._product(kind, first, other, second, node)
            case "//" | "%":
                return self._division(sign, kind, first, other, second, node)
            case "&" | "|" | "^":
                most = max(abs(kind.low), abs(kind.high), abs(other.low), abs(other.high)).bit_length()
                negative = kind.low < 0 or other.low < 0
                low, high = -(1 << most) if negative else 0, (1 << most) - 1
                if sign == "&" and not negative:
                    high = min(kind.high, other.high)
                return self._bounded(low, high, Binary(cast(BinaryOperator, sign), first, second), node)
            case "<<" | ">>":
                return self._shift(sign, kind, first, other, second, node)
        if isinstance(second, Constant) and 0 <= second.value <= 16:
            result: tuple[Integer, Expression] = Integer(1, 1), Constant(1)
            first = self.code.saved(first)
            for _ in range(second.value):
                result = self._product(*result, kind, first, node)
            return result
        raise self.refusal(node, "the exponent of ** must be a constant from 0 to 16")

    def _bounded(self, low: int, high: int, number: Expression, node: ast.AST) -> tuple[Integer, Expression]:
        """A result that machine code has right, and that must not be too large to go on with."""
        if low >= -LARGEST and high <= LARGEST:
            return Integer(low, high), number
        site = self.site("range", "this number is too large to calculate with", node)
        return Integer(max(low, -LARGEST), min(high, LARGEST)), Check(number, -LARGEST, LARGEST, site)

    def _product(
        self, kind: Integer, first: Expression, other: Integer, second: Expression, node: ast.AST
    ) -> tuple[Integer, Expression]:
        corners = [a * b for a in (kind.low, kind.high) for b in (other.low, other.high)]
        if min(corners) >= -LARGEST and max(corners) <= LARGEST:
            return Integer(min(corners), max(corners)), Binary("*", first, second)
        kind, first = self._factor(kind, first, node)
        other, second = self._factor(other, second, node)
        corners = [a * b for a in (kind.low, kind.high) for b in (other.low, other.high)]
        return Integer(min(corners), max(corners)), Binary("*", first, second)

    def _factor(self, kind: Integer, number: Expression, node: ast.AST) -> tuple[Integer, Expression]:
        if kind.low >= -_FACTOR and kind.high <= _FACTOR:
            return kind, number
        site = self.site("range", "this number is too large to be multiplied", node)
        bounds = Integer(max(kind.low, -_FACTOR), min(kind.high, _FACTOR))
        return bounds, Check(number, -_FACTOR, _FACTOR, site)

    def _shift(
        self, sign: str, kind: Integer, first: Expression, other: Integer, second: Expression, node: ast.AST
    ) -> tuple[Integer, Expression]:
        if other.low < 0:
            second = Check(second, 0, LARGEST, self.site("error", "a shift by a negative number", node))
            other = Integer(0, max(0, other.high))
        if sign == ">>" and other.high > 63:
            second = self.code.saved(second)
            second = Conditional(Binary("<", second, Constant(63)), second, Constant(63))
            other = Integer(min(other.low, 63), 63)
        if sign == "<<" and other.high > 62:
            site = self.site("range", "a shift to the left is by 62 bits at most", node)
            second = Check(second, 0, 62, site)
            other = Integer(min(other.low, 62), 62)
        if sign == ">>":
            corners = [a >> b for a in (kind.low, kind.high) for b in (other.low, other.high)]
            return Integer(min(corners), max(corners)), Binary(">>", first, second)
        corners = [a << b for a in (kind.low, kind.high) for b in (other.low, other.high)]
        if min(corners) < -LARGEST or max(corners) > LARGEST:
            raise self.refusal(node, "this number may become too large", "shift by less, or a smaller number")
        return Integer(min(corners), max(corners)), Binary("<<", first, second)

    def _division(
        self, sign: str, kind: Integer, first: Expression, other: Integer, second: Expression, node: ast.AST
    ) -> tuple[Integer, Expression]:
        """Python rounds down, machine code towards zero."""
        site = self.site("division", "division by zero", node) if other.low <= 0 <= other.high else NO_SITE
        if kind.low >= 0 and other.low >= 0:
            if sign == "//":
                bounds = Integer(kind.low // max(other.high, 1), kind.high // max(other.low, 1))
                return bounds, Binary("/", first, second, site)
            return Integer(0, min(kind.high, max(other.high - 1, 0))), Binary("%", first, second, site)
        first, second = self.code.saved(first), self.code.saved(second)
        rest = self.code.saved(Binary("%", first, second, site))
        apart = conjunction(
            Binary("!=", rest, Constant(0)),
            Binary("!=", Binary("<", rest, Constant(0)), Binary("<", second, Constant(0))),
        )
        if sign == "//":
            most = max(abs(kind.low), abs(kind.high))
            return Integer(-most, most), Binary("-", Binary("/", first, second, site), apart)
        low, high = min(0, other.low + 1), max(0, other.high - 1)
        return Integer(low, high), Conditional(apart, Binary("+", rest, second), rest)

    # Comparing

    def ordered(self, sign: str, left: Value, right: Value, node: ast.AST) -> Expression:
        left, right = self.load(left), self.load(right)
        if isinstance(left, Known) and isinstance(right, Known):
            try:
                return Constant(int(_COMPARE[sign](left.value, right.value)))
            except TypeError as error:
                raise self.refusal(node, f"Python cannot compare this: {error}") from None
        kind, first = self.number(left, node)
        other, second = self.number(right, node)
        if isinstance(first, Constant):
            sign, kind, first, other, second = _MIRRORED[sign], other, second, kind, first
        return Binary(cast(BinaryOperator, sign), first, second)

    def same_scalar(self, left: Scalar, right: Scalar) -> Expression:
        match left.type, right.type:
            case Named(values), Named(others):
                if left.type == right.type and len(set(values)) == len(values):
                    return _equal(left.number, right.number)
                first, second = self.code.saved(left.number), self.code.saved(right.number)
                pairs = [
                    (at, other) for at, each in enumerate(values) for other, known in enumerate(others) if each == known
                ]
                return disjunction(
                    *(conjunction(_equal(first, Constant(at)), _equal(second, Constant(other))) for at, other in pairs)
                )
            case Named((None, int() as low, *rest)), Integer(least) if _follow(low, rest) and least >= low:
                return _equal(left.number, Binary("+", right.number, Constant(1 - low)))
            case Named(values), _:
                first, second = self.code.saved(left.number), self.code.saved(right.number)
                return disjunction(
                    *(
                        conjunction(_equal(first, Constant(at)), _equal(second, Constant(int(each))))
                        for at, each in enumerate(values)
                        if isinstance(each, int)
                    )
                )
            case _, Named():
                return self.same_scalar(right, left)
        return _equal(left.number, right.number)

    def site(self, kind: Any, message: str, node: ast.AST) -> int:
        return self.code.site(kind, message, self.frame.places.span(node))


def _equal(left: Expression, right: Expression) -> Expression:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return Constant(int(left.value == right.value))
    return Binary("==", right, left) if isinstance(left, Constant) else Binary("==", left, right)


def _others(values: Sequence[Any]) -> str:
    return ", ".join(str(value) for value in values if not isinstance(value, int))


def _follow(low: int, rest: Sequence[Any]) -> bool:
    """Whether these are the numbers after a first one."""
    return [low, *rest] == list(range(low, low + 1 + len(rest))) and not any(isinstance(each, bool) for each in rest)
