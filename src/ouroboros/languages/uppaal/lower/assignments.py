"""Assignments to numbers, and to whole arrays and structs."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.context import (
    BITS,
    binary,
    truth,
)
from ouroboros.languages.uppaal.lower.expressions import ExpressionLowering, is_data
from ouroboros.languages.uppaal.lower.storage import Place, Scalar, Slot
from ouroboros.languages.uppaal.lower.types import (
    IntType,
    described,
)
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.blocks import Assign, SetElement, SetLocal, Statement
from ouroboros.system.expressions import (
    Check,
    Constant,
    Evaluate,
    Expression,
    Local,
    LocalArray,
)
from ouroboros.system.intervals import Interval, interval
from ouroboros.system.layout import Field


class AssignmentLowering(ExpressionLowering):
    def assigned(self, tree: ast.Assignment | ast.Increment) -> Scalar:
        statements, place = self.assignment(tree, again=True)
        if not isinstance(place.type, IntType):
            raise InputError("this assignment has no value", tree.span)
        after = self.read(place, tree.span)
        if isinstance(tree, ast.Increment) and not tree.before:
            after = binary("-", after, Constant(tree.change))
        slot = self.context.slot()
        return Scalar(Evaluate((*statements, SetLocal(slot, after)), Local(slot)), place.type)

    def assignment(self, tree: ast.Assignment | ast.Increment, again: bool = False) -> tuple[list[Statement], Place]:
        """The statements of an assignment, and the place that it changes, which may be used `again`."""
        place = self.place(tree.target)
        statements: list[Statement] = []
        if isinstance(tree, ast.Assignment) and not tree.operator:
            if not isinstance(place.type, IntType):
                return self._copied(place, tree), place
            kind = place.type
            if again:
                place = self._held(place, statements)
            value = self.number(tree.value)
            self.same_scalars(kind, value.type, tree.span)
            return [*statements, *self.store(place, value.expression, tree.span)], place
        if not isinstance(place.type, IntType) or place.type.kind == "scalar":
            raise InputError(f"there is no arithmetic on {described(place.type)}", tree.span)
        place = self._held(place, statements)
        old = self.read(place, tree.span)
        if isinstance(tree, ast.Increment):
            new = binary("+", old, Constant(tree.change))
        else:
            new = self.operation(tree.operator, old, self.number(tree.value).expression, tree.span)
        return [*statements, *self.store(place, new, tree.span)], place

    def _held(self, place: Place, statements: list[Statement]) -> Place:
        """The same place, with indices that are evaluated only once."""
        indices: list[Expression] = []
        for index in place.indices:
            if isinstance(index, Constant):
                indices.append(index)
            else:
                slot = self.context.slot()
                statements.append(SetLocal(slot, index))
                indices.append(Local(slot))
        return Place(place.variable, place.path, tuple(indices), place.type)

    def _copied(self, place: Place, tree: ast.Assignment) -> list[Statement]:
        """An array or a struct, element by element; what is copied may overlap nothing, for it is another variable."""
        value = self.value(tree.value)
        if isinstance(value, Scalar) or value.type != place.type or not is_data(place.type):
            raise InputError(f"{described(place.type)} cannot be set to this", tree.span)
        statements: list[Statement] = []
        place, value = self._held(place, statements), self._held(value, statements)
        slots: list[int] = []
        for element in self.elements(value):
            slots.append(self.context.slot())
            statements.append(SetLocal(slots[-1], self.read(element, tree.span)))
        for slot, element in zip(slots, self.elements(place), strict=True):
            statements += self.store(element, Local(slot), tree.span, checked=False)
        return statements

    def store(self, place: Place, value: Expression, span: Span, checked: bool = True) -> list[Statement]:
        """Set a place that is a number."""
        variable = place.variable
        if variable.constant:
            raise InputError(f"{variable.name} is a constant", span)
        kind = place.type
        assert isinstance(kind, IntType)
        value = self.fitting(value, kind, variable.name, span) if checked else value
        _, position = self.flat(place)
        match variable.storage[place.path]:
            case Field() as item:
                if self.pure:
                    raise InputError(f"{self.pure} must not change {variable.name}", span)
                return [Assign(item, position, value)]
            case Slot(number):
                return [SetLocal(number, value)]
            case LocalArray() as array:
                assert position is not None
                return [SetElement(array, position, value)]
        raise InputError(f"{variable.name} cannot be set", span)

    def fitting(self, value: Expression, kind: IntType, name: str, span: Span) -> Expression:
        if kind.kind == "bool":
            return truth(value)
        if interval(value, BITS).within(Interval(kind.low, kind.high)):
            return value
        message = f"the value does not fit {name}, which holds {kind.low} to {kind.high}"
        if isinstance(value, Constant):
            raise InputError(f"{message}: it is {value.value}", span)
        return Check(value, kind.low, kind.high, self.context.site("range", message, span))
