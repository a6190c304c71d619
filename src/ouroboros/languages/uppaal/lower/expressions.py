"""Expressions of numbers over the fields of a state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Self, cast

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import (
    BITS,
    MOST_COMBINATIONS,
    Context,
    binary,
    choose,
    minus,
    negated,
    truth,
)
from ouroboros.languages.uppaal.lower.scope import FunctionName, ProcessName, Scope, TypeName
from ouroboros.languages.uppaal.lower.storage import Clocks, Known, Leaf, Place, Scalar, Slot, Variable, leaves
from ouroboros.languages.uppaal.lower.types import (
    BOOL,
    INT,
    ArrayType,
    ClockType,
    DataType,
    IntType,
    StructType,
    described,
    innermost,
)
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.blocks import SetLocal, Statement
from ouroboros.system.expressions import (
    NO_SITE,
    BinaryOperator,
    Check,
    Constant,
    Element,
    Evaluate,
    Expression,
    Local,
    LocalArray,
    Read,
    equal,
)
from ouroboros.system.intervals import Interval, interval
from ouroboros.system.layout import Field

if TYPE_CHECKING:
    from ouroboros.languages.uppaal.lower.processes import Process

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


class ExpressionLowering(ABC):
    """Lowers expressions in a scope. With `pure`, whatever would change the state is refused."""

    def __init__(self, context: Context, scope: Scope, pure: str = "") -> None:
        self.context = context
        self.scope = scope
        self.pure = pure
        """What the expression is, where it may change nothing: a guard, an invariant, …"""

    def number(self, tree: ast.Expression) -> Scalar:
        value = self.value(tree)
        if isinstance(value, Scalar):
            return value
        if isinstance(value.type, IntType):
            return Scalar(self.read(value, tree.span), value.type)
        if isinstance(value.type, ClockType):
            raise InputError("the value of a clock is no number: it can be compared, and set", tree.span)
        raise InputError(f"a number is expected here, and not {described(value.type)}", tree.span)

    def truth(self, tree: ast.Expression) -> Expression:
        return truth(self.number(tree).expression)

    def value(self, tree: ast.Expression) -> Scalar | Place:
        match tree:
            case ast.Number(_, value, is_truth):
                return Scalar(Constant(value), BOOL if is_truth else IntType(value, value))
            case ast.Name(span, name):
                return self._name(name, span)
            case ast.Index(span, base, at):
                return self._element(self.place(base), at, span)
            case ast.Member():
                return self._member(tree)
            case ast.Call():
                return self._call(tree)
            case ast.Unary(_, operator, operand):
                number = self.number(operand)
                if operator == "!":
                    return Scalar(negated(number.expression), BOOL)
                self._arithmetic_only(number, operand.span)
                return Scalar(minus(number.expression) if operator == "-" else number.expression, INT)
            case ast.Binary():
                return self._binary(tree)
            case ast.Conditional(_, condition, then, otherwise):
                test = self.truth(condition)
                one, other = self.number(then), self.number(otherwise)
                kind = one.type if one.type == other.type else INT
                return Scalar(choose(test, one.expression, other.expression), kind)
            case ast.Assignment() | ast.Increment():
                return self.assigned(tree)
            case ast.Quantifier():
                return self._quantifier(tree)
            case ast.Deadlock(span):
                raise InputError("`deadlock` is for queries, on its own or in `and`, `or` and `not`", span)
            case ast.Rate(span):
                raise InputError("rates of clocks are not supported: stop-watches and hybrid automata", span)
            case ast.Braces(span):
                raise InputError("values in braces can only stand where a variable is declared", span)

    def place(self, tree: ast.Expression) -> Place:
        value = self.value(tree)
        if isinstance(value, Scalar):
            raise InputError("the name of a variable is expected here", tree.span)
        return value

    # Names and parts

    def _name(self, name: str, span: Span) -> Scalar | Place:
        meaning = self.scope.resolve(name, span)
        match meaning:
            case Variable():
                if meaning.meta and self.pure:
                    raise InputError(f"{name} is a meta variable: it has no value in {self.pure}", span)
                return Place(meaning, (), (), meaning.type)
            case Place() | Scalar():
                return meaning
            case FunctionName():
                raise InputError(f"{name} is a function: its arguments are missing", span)
            case TypeName():
                raise InputError(f"{name} is a type", span)
        raise InputError(f"{name} is no variable", span)

    def _element(self, base: Place, at: ast.Expression, span: Span) -> Place:
        if not isinstance(base.type, ArrayType):
            raise InputError(f"{described(base.type)} has no elements", span)
        index = base.type.index
        number = self.number(at)
        self.same_scalars(number.type, index, at.span)
        message = f"index out of range: {base.variable.name} is indexed from {index.low} to {index.high}"
        position = number.expression
        if isinstance(position, Constant):
            if not index.low <= position.value <= index.high:
                raise InputError(f"{message}, and not by {position.value}", at.span)
        elif not interval(position, BITS).within(Interval(index.low, index.high)):
            position = Check(position, index.low, index.high, self.context.site("index", message, at.span))
        position = binary("-", position, Constant(index.low))
        return Place(base.variable, base.path, (*base.indices, position), base.type.element)

    def _member(self, tree: ast.Member) -> Scalar | Place:
        process = self._process(tree.base)
        if process is not None:
            return self._of_process(process, tree)
        base = self.place(tree.base)
        if not isinstance(base.type, StructType):
            raise InputError(f"{described(base.type)} has no fields", tree.span)
        for name, kind in base.type.fields:
            if name == tree.name:
                return Place(base.variable, (*base.path, name), base.indices, kind)
        raise InputError(f"the struct has no field {tree.name}", tree.span)

    def names_process(self, tree: ast.Expression) -> ProcessName | None:
        callee = tree.callee if isinstance(tree, ast.Call) else tree
        meaning = self.scope.find(callee.name) if isinstance(callee, ast.Name) else None
        return meaning if isinstance(meaning, ProcessName) else None

    def _process(self, tree: ast.Expression) -> Process | None:
        """The process that an expression of a query names."""
        meaning = self.names_process(tree)
        if meaning is None:
            return None
        arguments: list[int] = []
        for argument in tree.arguments if isinstance(tree, ast.Call) else ():
            known = self.number(argument).known
            if known is None:
                raise InputError("which process is meant must be known before the system runs", argument.span)
            arguments.append(known)
        process = meaning.processes.get(tuple(arguments))
        if process is None:
            some = next(iter(meaning.processes.values())).name
            raise InputError("there is no such process", tree.span, f"one is called {some}")
        return process

    def _of_process(self, process: Process, tree: ast.Member) -> Scalar | Place:
        if tree.name in process.locations:
            return Scalar(equal(process.location, process.locations[tree.name]), BOOL)
        if tree.name in process.scope.names:
            return self.within(process.scope)._name(tree.name, tree.span)
        raise InputError(f"process {process.name} has neither a location nor a variable {tree.name}", tree.span)

    def read(self, place: Place, span: Span) -> Expression:
        """The value of a place that is a number."""
        storage = place.variable.storage[place.path]
        _, position = self.flat(place)
        match storage:
            case Field():
                return Read(storage, position)
            case Slot(number):
                return Local(number)
            case LocalArray():
                assert position is not None
                return Element(storage, position)
            case Known(values):
                return self._table(values, position)
            case Clocks():
                raise InputError("the value of a clock is no number: it can be compared, and set", span)

    def flat(self, place: Place) -> tuple[Leaf, Expression | None]:
        """The leaf of a place without parts, and its number among the leaf's elements."""
        leaf = next(leaf for leaf in leaves(place.variable.type) if leaf.path == place.path)
        position: Expression | None = None
        for index, dimension in zip(place.indices, leaf.dimensions, strict=True):
            if position is None:
                position = index
            else:
                position = binary("+", binary("*", position, Constant(dimension.size)), index)
        return leaf, position

    def _table(self, values: tuple[int, ...], position: Expression | None) -> Expression:
        if position is None:
            return Constant(values[0])
        if isinstance(position, Constant):
            return Constant(values[position.value])
        before: list[Statement] = []
        if not isinstance(position, Local | Read):
            slot = self.context.slot()
            before.append(SetLocal(slot, position))
            position = Local(slot)
        at = position

        def element(low: int, high: int) -> Expression:
            if len(set(values[low:high])) == 1:
                return Constant(values[low])
            middle = (low + high) // 2
            return choose(binary("<", at, Constant(middle)), element(low, middle), element(middle, high))

        found = element(0, len(values))
        return Evaluate(tuple(before), found) if before else found

    # Operators

    def _binary(self, tree: ast.Binary) -> Scalar:
        operator = tree.operator
        if operator in ("==", "!=") and (whole := self._compared_whole(tree)):
            return whole
        left, right = self.number(tree.left), self.number(tree.right)
        if operator in ("&&", "||"):
            return Scalar(binary("and" if operator == "&&" else "or", left.expression, right.expression), BOOL)
        if operator == "imply":
            return Scalar(binary("or", negated(left.expression), right.expression), BOOL)
        if operator in _COMPARISONS:
            if operator in ("==", "!="):
                self.same_scalars(left.type, right.type, tree.span)
            else:
                self._arithmetic_only(left, tree.left.span)
                self._arithmetic_only(right, tree.right.span)
            return Scalar(binary(cast(BinaryOperator, operator), left.expression, right.expression), BOOL)
        self._arithmetic_only(left, tree.left.span)
        self._arithmetic_only(right, tree.right.span)
        if operator in ("<?", ">?"):
            return Scalar(self._extreme(operator == "<?", left.expression, right.expression), INT)
        return Scalar(self.operation(operator, left.expression, right.expression, tree.span), INT)

    def operation(self, operator: str, left: Expression, right: Expression, span: Span) -> Expression:
        site = NO_SITE
        if operator in ("/", "%") and not (isinstance(right, Constant) and right.value != 0):
            site = self.context.site("division", "division by zero", span)
        if operator in ("<<", ">>") and not interval(right, BITS).within(Interval(0, BITS - 1)):
            shift = self.context.site("range", "a shift by less than 0 or more than 31", span)
            right = Check(right, 0, BITS - 1, shift)
        return binary(cast(BinaryOperator, operator), left, right, site)

    def _extreme(self, least: bool, left: Expression, right: Expression) -> Expression:
        if isinstance(left, Constant) and isinstance(right, Constant):
            return Constant(min(left.value, right.value) if least else max(left.value, right.value))
        one, other = self.context.slot(), self.context.slot()
        test = binary("<" if least else ">", Local(one), Local(other))
        return Evaluate((SetLocal(one, left), SetLocal(other, right)), choose(test, Local(one), Local(other)))

    def _compared_whole(self, tree: ast.Binary) -> Scalar | None:
        """The comparison of two arrays or structs, element by element."""
        left, right = self.value(tree.left), self.value(tree.right)
        if isinstance(left, Scalar) or isinstance(right, Scalar) or isinstance(left.type, IntType):
            return None
        if not isinstance(innermost(left.type), IntType | StructType):
            return None
        if left.type != right.type:
            raise InputError(f"{described(left.type)} and {described(right.type)} cannot be compared", tree.span)
        same: Expression = Constant(1)
        for one, other in zip(self.elements(left), self.elements(right), strict=True):
            same = binary("and", same, binary("==", self.read(one, tree.span), self.read(other, tree.span)))
        return Scalar(same if tree.operator == "==" else negated(same), BOOL)

    def elements(self, place: Place) -> Iterator[Place]:
        """All numbers that a place is made of."""
        match place.type:
            case ArrayType(index, element):
                for position in range(index.size):
                    yield from self.elements(
                        Place(place.variable, place.path, (*place.indices, Constant(position)), element)
                    )
            case StructType(fields):
                for name, kind in fields:
                    yield from self.elements(Place(place.variable, (*place.path, name), place.indices, kind))
            case _:
                yield place

    def _quantifier(self, tree: ast.Quantifier) -> Scalar:
        result: Expression = Constant({"forall": 1, "exists": 0, "sum": 0}[tree.kind])
        for value in self.quantified(tree):
            if tree.kind == "sum":
                result = binary("+", result, value.number(tree.body).expression)
            else:
                result = binary("and" if tree.kind == "forall" else "or", result, value.truth(tree.body))
        return Scalar(result, INT if tree.kind == "sum" else BOOL)

    def quantified(self, tree: ast.Quantifier) -> Iterator[Self]:
        """For each value of the variable, who lowers the body."""
        kind = self.type_of(tree.type)
        if not isinstance(kind, IntType) or kind.size > MOST_COMBINATIONS:
            raise InputError("a quantified variable needs a range of numbers, or a scalar type", tree.type.span)
        for value in range(kind.low, kind.high + 1):
            self.context.spend(tree.span)
            yield self.within(Scope(self.scope, {tree.name: Scalar(Constant(value), kind)}))

    @abstractmethod
    def type_of(self, tree: ast.Type) -> DataType: ...

    @abstractmethod
    def called(self, function: FunctionName, tree: ast.Call) -> Scalar | list[Statement]:
        """The result of a call, or its statements where there is none."""

    def within(self, scope: Scope, pure: str | None = None) -> Self:
        """The same in another scope."""
        return type(self)(self.context, scope, self.pure if pure is None else pure)

    @abstractmethod
    def assigned(self, tree: ast.Assignment | ast.Increment) -> Scalar:
        """The value of an assignment."""

    # Calls

    def _call(self, tree: ast.Call) -> Scalar:
        if not isinstance(tree.callee, ast.Name):
            raise InputError("only functions can be called", tree.span)
        meaning = self.scope.resolve(tree.callee.name, tree.callee.span)
        if isinstance(meaning, ProcessName):
            raise InputError("a process has no value: name one of its locations or variables", tree.span)
        if not isinstance(meaning, FunctionName):
            raise InputError(f"{tree.callee.name} is no function", tree.callee.span)
        result = self.called(meaning, tree)
        if not isinstance(result, Scalar):
            raise InputError(f"{tree.callee.name} returns nothing", tree.span)
        return result

    # Scalars are values that can only be compared.

    @staticmethod
    def _arithmetic_only(number: Scalar, span: Span) -> None:
        if number.type.kind == "scalar":
            raise InputError("scalars have no order and no arithmetic", span)

    @staticmethod
    def same_scalars(one: IntType, other: IntType, span: Span) -> None:
        if one.scalar != other.scalar:
            raise InputError("scalars can only be used with scalars of the same type", span)


def is_data(kind: DataType) -> bool:
    return all(isinstance(leaf.type, IntType) for leaf in leaves(kind))
