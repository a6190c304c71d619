"""Functions and their statements; a call is the function's body in its place, for no function calls itself."""

from __future__ import annotations

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.assignments import AssignmentLowering
from ouroboros.languages.uppaal.lower.context import MOST_ELEMENTS, MOST_ROUNDS, ROUNDS, Context, binary, constant
from ouroboros.languages.uppaal.lower.scope import FunctionName, Scope, TypeName
from ouroboros.languages.uppaal.lower.storage import Place, Scalar, Slot, Variable, leaves
from ouroboros.languages.uppaal.lower.types import (
    BOOL,
    INT,
    ArrayType,
    ChannelType,
    ClockType,
    DataType,
    IntType,
    StructType,
    VoidType,
    described,
)
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span
from ouroboros.system.blocks import If, Leave, Require, SetLocal, Statement, While
from ouroboros.system.blocks import Scope as Leavable
from ouroboros.system.expressions import Constant, Evaluate, Expression, Local, LocalArray

_DEEPEST = 200


class Lowering(AssignmentLowering):
    """Expressions with calls, types, and the statements of functions."""

    def __init__(self, context: Context, scope: Scope, pure: str = "", calls: tuple[FunctionName, ...] = ()) -> None:
        super().__init__(context, scope, pure)
        self.calls = calls
        """The functions whose bodies this is in."""
        self.result: tuple[int, IntType | None, int] | None = None
        """Of the innermost function: the temporary for its result, its type, and the label of its end."""

    # Types

    def type_of(self, tree: ast.Type) -> DataType:
        prefixes = tree.prefixes
        match tree.base:
            case ast.Basic(_, "int"):
                kind: DataType = INT
            case ast.Basic(_, "bool"):
                kind = BOOL
            case ast.Basic(_, "clock"):
                kind = ClockType()
            case ast.Basic(_, "chan"):
                return ChannelType("urgent" in prefixes, "broadcast" in prefixes)
            case ast.Basic():
                kind = VoidType()
            case ast.Range(span, low, high):
                least, most = (constant(self.number(each).expression, each.span, "a limit") for each in (low, high))
                if least > most:
                    raise InputError(f"the range from {least} to {most} is empty", span)
                kind = IntType(least, most)
            case ast.Scalar(span, size):
                count = constant(self.number(size).expression, size.span, "the size of a scalar type")
                if count < 1:
                    raise InputError("a scalar type needs at least one value", span)
                self.context.scalars += 1
                kind = IntType(0, count - 1, "scalar", f"scalar {self.context.scalars}")
            case ast.Named(span, name):
                meaning = self.scope.resolve(name, span)
                if not isinstance(meaning, TypeName):
                    raise InputError(f"{name} is no type", span)
                kind = meaning.type
                if isinstance(kind, ChannelType):
                    return ChannelType(kind.urgent or "urgent" in prefixes, kind.broadcast or "broadcast" in prefixes)
            case ast.Struct(span, fields):
                named = tuple(
                    (each.name, self.dimensioned(self.type_of(each.type), each.dimensions)) for each in fields
                )
                kind = StructType(named)
                for leaf in leaves(kind):
                    if not isinstance(leaf.type, IntType):
                        raise InputError(f"a struct cannot hold {described(leaf.type)}", span)
        for prefix in ("urgent", "broadcast"):
            if prefix in prefixes:
                raise InputError(f"`{prefix}` is for channels", tree.span)
        return kind

    def dimensioned(self, kind: DataType, dimensions: tuple[ast.Expression | ast.Type, ...]) -> DataType:
        for dimension in reversed(dimensions):
            kind = ArrayType(self._index_type(dimension), kind)
            for leaf in leaves(kind):
                if leaf.elements > MOST_ELEMENTS:
                    message = f"an array with {leaf.elements:,} elements is too large"
                    raise InputError(message, dimension.span, f"at most {MOST_ELEMENTS:,} are supported")
        return kind

    def _index_type(self, dimension: ast.Expression | ast.Type) -> IntType:
        if isinstance(dimension, ast.Name) and isinstance(self.scope.find(dimension.name), TypeName):
            dimension = ast.Type(dimension.span, frozenset(), ast.Named(dimension.span, dimension.name))
        if isinstance(dimension, ast.Type):
            kind = self.type_of(dimension)
            if not isinstance(kind, IntType):
                raise InputError("an array is indexed by a range of numbers", dimension.span)
            return kind
        size = constant(self.number(dimension).expression, dimension.span, "the size of an array")
        if size < 1:
            raise InputError("an array needs at least one element", dimension.span)
        return IntType(0, size - 1)

    # Calls

    def called(self, function: FunctionName, tree: ast.Call) -> Scalar | list[Statement]:
        declared = function.tree
        if function in self.calls:
            raise InputError(f"{declared.name} calls itself, which is not allowed", tree.span)
        self.context.spend(tree.span)
        if len(self.calls) > _DEEPEST:
            raise InputError("functions call each other too deeply", tree.span)
        if len(tree.arguments) != len(declared.parameters):
            raise InputError(
                f"{declared.name} has {len(declared.parameters)} parameters, and not {len(tree.arguments)}", tree.span
            )
        inner = Lowering(self.context, Scope(function.scope), self.pure, (*self.calls, function))
        kind = inner.type_of(declared.result)
        if not isinstance(kind, IntType | VoidType):
            raise InputError(f"a function cannot return {described(kind)}", declared.result.span)
        statements: list[Statement] = []
        for parameter, argument in zip(declared.parameters, tree.arguments, strict=True):
            statements += self._passed(inner, parameter, argument)
        label = self.context.label()
        slot = self.context.slot()
        inner.result = slot, kind if isinstance(kind, IntType) else None, label
        body = inner.block(declared.body, Scope(inner.scope))
        if isinstance(kind, VoidType):
            return [*statements, Leavable(label, tuple(body))]
        missing = self.context.site("error", f"{declared.name} ends without a result", declared.span)
        body.append(SetLocal(slot, _failing(missing)))
        return Scalar(Evaluate((*statements, Leavable(label, tuple(body))), Local(slot)), kind)

    def _passed(self, inner: Lowering, parameter: ast.Variable, argument: ast.Expression) -> list[Statement]:
        kind = inner.dimensioned(inner.type_of(parameter.type), parameter.dimensions)
        if parameter.reference:
            statements: list[Statement] = []
            place = self._held(self.place(argument), statements)
            if place.type != kind and not (isinstance(kind, IntType) and isinstance(place.type, IntType)):
                raise InputError(f"{described(kind)} is expected here, and not {described(place.type)}", argument.span)
            inner.scope.declare(parameter.name, place, parameter.span)
            return statements
        variable = Variable(parameter.name, kind, parameter.span)
        self._temporaries(variable)
        inner.scope.declare(parameter.name, variable, parameter.span)
        target = Place(variable, (), (), kind)
        if isinstance(kind, IntType):
            value = self.number(argument)
            self.same_scalars(kind, value.type, argument.span)
            return self.store(target, value.expression, argument.span)
        value_place = self.place(argument)
        if value_place.type != kind:
            raise InputError(
                f"{described(kind)} is expected here, and not {described(value_place.type)}", argument.span
            )
        statements = []
        for one, other in zip(self.elements(target), self.elements(value_place), strict=True):
            statements += self.store(one, self.read(other, argument.span), argument.span, checked=False)
        return statements

    def _temporaries(self, variable: Variable) -> None:
        for leaf in leaves(variable.type):
            if not isinstance(leaf.type, IntType):
                raise InputError(f"a function cannot have {described(leaf.type)} of its own", variable.span)
            if leaf.dimensions:
                variable.storage[leaf.path] = LocalArray(variable.name, leaf.elements)
            else:
                variable.storage[leaf.path] = Slot(self.context.slot())

    # Statements

    def block(self, tree: ast.Block, scope: Scope) -> list[Statement]:
        inner = self.within(scope)
        statements: list[Statement] = []
        for declaration in tree.declarations:
            if isinstance(declaration, ast.Typedef):
                kind = inner.dimensioned(inner.type_of(declaration.type), declaration.dimensions)
                scope.declare(declaration.name, TypeName(kind, declaration.type.prefixes), declaration.span)
            else:
                statements += inner._local(declaration)
        for statement in tree.statements:
            statements += inner.statement(statement)
        return statements

    def within(self, scope: Scope, pure: str | None = None) -> Lowering:
        other = Lowering(self.context, scope, self.pure if pure is None else pure, self.calls)
        other.result = self.result
        return other

    def _local(self, tree: ast.Variable) -> list[Statement]:
        kind = self.dimensioned(self.type_of(tree.type), tree.dimensions)
        variable = Variable(tree.name, kind, tree.span)
        self._temporaries(variable)
        statements = self._initialised(Place(variable, (), (), kind), tree.initial, tree.span)
        self.scope.declare(tree.name, variable, tree.span)
        variable.constant = "const" in tree.type.prefixes
        return statements

    def _initialised(self, place: Place, initial: ast.Expression | None, span: Span) -> list[Statement]:
        """Set what was declared: a loop may come here again."""
        match place.type:
            case ArrayType(index, element) if isinstance(initial, ast.Braces) or initial is None:
                items = [value for _, value in initial.items] if initial else [None] * index.size
                if len(items) != index.size:
                    raise InputError(f"{index.size} values are expected here, and not {len(items)}", span)
                statements: list[Statement] = []
                for position, item in enumerate(items):
                    part = Place(place.variable, place.path, (*place.indices, Constant(position)), element)
                    statements += self._initialised(part, item, span)
                return statements
            case StructType(fields) if isinstance(initial, ast.Braces) or initial is None:
                given = by_field(fields, initial) if initial else {}
                statements = []
                for name, kind in fields:
                    part = Place(place.variable, (*place.path, name), place.indices, kind)
                    statements += self._initialised(part, given.get(name), span)
                return statements
            case IntType(low, high):
                value = self.number(initial).expression if initial else Constant(min(max(0, low), high))
                return self.store(place, value, span)
        assert initial is not None
        return self._copied(place, ast.Assignment(span, "", initial, initial))

    def statement(self, tree: ast.Statement) -> list[Statement]:
        match tree:
            case ast.Block():
                return self.block(tree, Scope(self.scope))
            case ast.Evaluation(_, expression):
                return self.effect(expression)
            case ast.If(_, condition, then, otherwise):
                test = self.truth(condition)
                other = self.statement(otherwise) if otherwise else []
                return [If(test, tuple(self.statement(then)), tuple(other))]
            case ast.While(span, condition, body, first):
                loop = self._loop(condition, tuple(self.statement(body)), span)
                return [*self.statement(body), loop] if first else [loop]
            case ast.For(span, start, condition, step, body):
                before = self.effect(start) if start else []
                inside = [*self.statement(body), *(self.effect(step) if step else [])]
                return [*before, self._loop(condition, tuple(inside), span)]
            case ast.ForEach():
                return self._for_each(tree)
            case ast.Return():
                return self._return(tree)

    def _loop(self, condition: ast.Expression | None, body: tuple[Statement, ...], span: Span) -> Statement:
        test = self.truth(condition) if condition else Constant(1)
        return self._counted(test, body, span)

    def _counted(self, test: Expression, body: tuple[Statement, ...], span: Span) -> Statement:
        """A loop that fails where it makes one round too many, together with those around it and before it."""
        site = self.context.site("loop", f"this loop runs more than {MOST_ROUNDS} times", span)
        round_more = SetLocal(ROUNDS, binary("+", Local(ROUNDS), Constant(1)))
        in_time = Require(binary("<=", Local(ROUNDS), Constant(MOST_ROUNDS)), site)
        return While(test, (round_more, in_time, *body), MOST_ROUNDS, site)

    def _for_each(self, tree: ast.ForEach) -> list[Statement]:
        kind = self.type_of(tree.type)
        if not isinstance(kind, IntType):
            raise InputError("a range of numbers is expected here", tree.type.span)
        slot = self.context.slot()
        variable = Variable(tree.name, kind, tree.span, {(): Slot(slot)}, constant=True)
        inner = self.within(Scope(self.scope, {tree.name: variable}))
        body = inner.statement(tree.body)
        step = SetLocal(slot, binary("+", Local(slot), Constant(1)))
        test = binary("<=", Local(slot), Constant(kind.high))
        return [SetLocal(slot, Constant(kind.low)), self._counted(test, (*body, step), tree.span)]

    def _return(self, tree: ast.Return) -> list[Statement]:
        assert self.result is not None, "statements are those of functions"
        slot, kind, label = self.result
        if (tree.value is None) != (kind is None):
            raise InputError("a result is missing" if kind else "a void function returns nothing", tree.span)
        if tree.value is None or kind is None:
            return [Leave(label)]
        value = self.fitting(self.number(tree.value).expression, kind, "the result", tree.span)
        return [SetLocal(slot, value), Leave(label)]

    def effect(self, tree: ast.Expression) -> list[Statement]:
        """What evaluating an expression does, without its value."""
        match tree:
            case ast.Assignment() | ast.Increment():
                return self.assignment(tree)[0]
            case ast.Call(_, ast.Name(span, name)):
                meaning = self.scope.resolve(name, span)
                if isinstance(meaning, FunctionName):
                    result = self.called(meaning, tree)
                    if not isinstance(result, Scalar):
                        return result
                    return [SetLocal(self.context.slot(), result.expression)]
            case ast.Conditional(_, condition, then, otherwise):
                return [If(self.truth(condition), tuple(self.effect(then)), tuple(self.effect(otherwise)))]
        return [SetLocal(self.context.slot(), self.number(tree).expression)]


def _failing(site: int) -> Evaluate:
    """Nothing else fails by itself; the site has it reported as what it is."""
    return Evaluate((Require(Constant(0), site),), Constant(0))


def by_field(fields: tuple[tuple[str, DataType], ...], braces: ast.Braces) -> dict[str, ast.Expression]:
    """The values of a struct's fields, which may be named."""
    if len(braces.items) != len(fields):
        raise InputError(f"{len(fields)} values are expected here, and not {len(braces.items)}", braces.span)
    given: dict[str, ast.Expression] = {}
    for (field, _), (name, value) in zip(fields, braces.items, strict=True):
        key = name or field
        if key not in dict(fields) or key in given:
            raise InputError(f"the struct has no field {key}, or it has a value already", value.span)
        given[key] = value
    return given
