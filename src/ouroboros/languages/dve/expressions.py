"""Names of an expression resolved, constants folded away, and the limits of the language enforced."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.dve import ast
from ouroboros.languages.dve.constants import binary_value, unary_value
from ouroboros.languages.dve.model import Binary, Expression, InState, Number, Process, Read, Unary, Variable
from ouroboros.languages.dve.scope import Scope, unknown
from ouroboros.source import Span

# All later passes recurse on expressions, and so does Python on them: well below its limit.
DEEPEST_NESTING = 150


class Resolver:
    """Resolves expressions in a scope. With `dots_to_variables`, `P.x` may also mean `P->x`."""

    def __init__(self, scope: Scope, dots_to_variables: bool = False) -> None:
        self.scope = scope
        self.dots_to_variables = dots_to_variables

    def expression(self, tree: ast.Expression, depth: int = 0) -> Expression:
        if depth > DEEPEST_NESTING:
            raise InputError(
                "this expression is nested too deeply", tree.span, f"at most {DEEPEST_NESTING} levels are supported"
            )
        match tree:
            case ast.Name(span, name, at):
                return self._read(span, self.scope.variable(name, span), at, depth)
            case ast.Number(span, value):
                return Number(span, value)
            case ast.Binary(span, operator, left, right):
                return _binary(span, operator, self.expression(left, depth + 1), self.expression(right, depth + 1))
            case ast.Unary(span, operator, operand):
                resolved = self.expression(operand, depth + 1)
                if isinstance(resolved, Number):
                    return Number(span, unary_value(operator, resolved.value))
                return Unary(span, operator, resolved)
            case ast.Member(span, process, name):
                return self._member(span, self.scope.process(process, span), name)
            case ast.Foreign(span, process, name, at):
                owner = self.scope.process(process, span)
                if name not in owner.variables:
                    raise unknown(f"variable of process `{process}`", name, span, owner.variables)
                return self._read(span, owner.variables[name], at, depth)

    def place(self, tree: ast.Name) -> Read:
        """What an assignment or a message can be stored in."""
        variable = self.scope.variable(tree.name, tree.span)
        if variable.constant:
            raise InputError(f"`{tree.name}` is a constant and cannot be assigned", tree.span)
        place = self._read(tree.span, variable, tree.at, 0)
        assert isinstance(place, Read)
        return place

    def constant(self, tree: ast.Expression, what: str) -> int:
        resolved = self.expression(tree)
        if not isinstance(resolved, Number):
            raise InputError(f"{what} must be a constant", tree.span)
        return resolved.value

    def _read(self, span: Span, variable: Variable, at: ast.Expression | None, depth: int) -> Expression:
        if at is None:
            if variable.constant:
                self._warn_of_array(span, variable)
                return Number(span, variable.initial[0])
            if variable.size is None:
                return Read(span, variable, None)
            self._warn_of_array(span, variable)
            return Read(span, variable, Number(span, 0))
        if variable.size is None:
            raise InputError(f"`{variable.name}` is no array and takes no index", span)
        index = self.expression(at, depth + 1)
        if isinstance(index, Number):
            if not 0 <= index.value < variable.size:
                raise InputError(
                    f"index {index.value} is out of range", at.span, f"`{variable.name}` has {variable.size} elements"
                )
            if variable.constant:
                return Number(span, variable.initial[index.value])
        return Read(span, variable, index)

    def _warn_of_array(self, span: Span, variable: Variable) -> None:
        """The first version of DiVinE takes an array without an index for its first element, and models rely on it."""
        if variable.size is not None:
            self.scope.model.warnings.setdefault(
                variable,
                f"{span}: the array `{variable.name}` is named without an index, here and wherever else it is: its"
                f" element 0 is meant, as in DiVinE; write `{variable.name}[0]`",
            )

    def _member(self, span: Span, process: Process, name: str) -> Expression:
        if name in process.states:
            return InState(span, process, process.states[name])
        if name in process.variables:
            if self.dots_to_variables:
                return self._read(span, process.variables[name], None, 0)
            hint = f"`{name}` is a variable: write `{process.name}->{name}`"
        else:
            hint = None
        raise unknown(f"state of process `{process.name}`", name, span, process.states, hint)


def _binary(span: Span, operator: ast.BinaryOperator, left: Expression, right: Expression) -> Expression:
    if isinstance(left, Number) and isinstance(right, Number):
        value = binary_value(operator, left.value, right.value)
        if value is None:
            raise InputError("division by zero", span)
        return Number(span, value)
    return Binary(span, operator, left, right)
