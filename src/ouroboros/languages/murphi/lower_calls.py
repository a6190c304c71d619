"""Calls. A function is written out where it is called; one that calls itself becomes a procedure of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, Frame, add
from ouroboros.languages.murphi.lower_expressions import ExpressionLowering
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.places import Leaf, Node, Place
from ouroboros.languages.murphi.scope import FunctionName, Scope, Value
from ouroboros.languages.murphi.types import Range, Type, compatible, is_simple
from ouroboros.source import Span
from ouroboros.system.blocks import Block, Require, SetLocal
from ouroboros.system.blocks import Scope as ScopeStatement
from ouroboros.system.expressions import FALSE, Call, Check, Constant, Expression, Local, Procedure

MOST_CALLS = 1000
"""Calls within each other that a procedure may make of itself."""


class CallLowering(ExpressionLowering):
    def __init__(self, code: Code, procedures: dict[tuple[object, ...], Procedure]) -> None:
        super().__init__(code)
        self.procedures = procedures
        """Those that the model has so far, by function and by the variables that it works on."""
        self.called: set[ast.Function] = set()

    @abstractmethod
    def declarations(self, declarations: Sequence[ast.Declaration], scope: Scope) -> None: ...

    @abstractmethod
    def body(self, statements: Sequence[ast.Statement], scope: Scope) -> None: ...

    @abstractmethod
    def copy(self, target: Place, source: Place, span: Span) -> None: ...

    def call(self, call: ast.Call, scope: Scope, wants_value: bool) -> Value | None:
        callee = scope.function(call.function, call.span)
        function = callee.function
        self.called.add(function)
        if len(call.arguments) != len(function.parameters):
            raise InputError(
                f"`{function.name}` takes {len(function.parameters)} arguments, not {len(call.arguments)}", call.span
            )
        if any(frame.name == _frame_name(function) for frame in self.code.frames):
            return self._recursive_call(call, callee, scope)
        inner = Scope(callee.scope)
        for parameter, kind, argument in zip(function.parameters, callee.parameters, call.arguments, strict=True):
            inner.names[parameter.name] = self._passed(parameter, kind, argument, scope)
        return self._written_out(callee, inner)

    def _written_out(self, callee: FunctionName, scope: Scope) -> Value | None:
        """The body of a function, whose parameters the scope has."""
        function = callee.function
        result = self.code.local(callee.result, "result") if callee.result else None
        frame = Frame(_frame_name(function), self.code.label(), result)
        self.code.frames.append(frame)
        _, block = self.code.captured(lambda: self._function_body(callee, Scope(scope)))
        self.code.frames.pop()
        self.emit_scope(frame, block)
        if callee.result is None or result is None:
            return None
        if isinstance(result.node, Leaf):
            # What is returned is defined: a return gives it a value, and without one the body fails.
            kind = result.node.type
            number = add(Check(result.raw(), 1, kind.size, -1), kind.low - 1)
            return Value(callee.result, number=number)
        return Value(callee.result, result._replace(writable=False))

    def emit_scope(self, frame: Frame, block: Block) -> None:
        for statement in (ScopeStatement(frame.label, block),) if frame.left_early else block:
            self.code.emit(statement)

    def _function_body(self, callee: FunctionName, scope: Scope) -> None:
        function = callee.function
        self.declarations(function.declarations, scope)
        self.body(function.body, scope)
        if callee.result is not None and not always_returns(function.body):
            message = f"`{function.name}` ends without returning a value"
            self.code.emit(Require(FALSE, self.code.site("error", message, function.span)))

    def check_function(self, callee: FunctionName) -> None:
        """Read a function that nothing calls, only to find what is wrong with it."""
        scope = Scope(callee.scope)
        for parameter, kind in zip(callee.function.parameters, callee.parameters, strict=True):
            place = self.code.local(kind, parameter.name)._replace(writable=parameter.by_reference)
            scope.names[parameter.name] = Value(kind, place)
        self._written_out(callee, scope)

    def _passed(self, parameter: ast.Parameter, kind: Type, argument: ast.Expression, scope: Scope) -> Value:
        """What a parameter stands for in the body."""
        if parameter.by_reference:
            value = self.value(argument, scope)
            self._confirm_reference(parameter, kind, value, argument.span)
            assert value.place is not None
            return Value(value.type, self.fixed(value.place))
        copy = self.code.local(kind, parameter.name)._replace(writable=False, passed=True)
        if isinstance(argument, ast.Undefined):
            return Value(kind, copy)
        value = self.value(argument, scope)
        self._confirm_value(parameter, kind, value, argument.span)
        if value.place is not None:
            self.copy(copy, value.place, argument.span)
            return Value(kind, copy)
        assert isinstance(copy.node, Leaf)
        given, number = self.number(value, argument.span)
        number = self.converted(given, number, copy.node.type, argument.span)
        if isinstance(number, Constant):
            return Value(kind, number=number)
        self.code.emit(copy.set_raw(add(number, 1 - copy.node.type.low)))
        return Value(kind, copy)

    def _confirm_reference(self, parameter: ast.Parameter, kind: Type, value: Value, span: Span) -> None:
        if value.place is None or not value.place.writable:
            raise InputError(f"`{parameter.name}` is a `var` parameter: it takes a variable, or a part of one", span)
        self._confirm_value(parameter, kind, value, span)
        if isinstance(kind, Range) and isinstance(value.type, Range):
            return
        if is_simple(kind) and kind is not value.type:
            raise InputError(f"`{parameter.name}` is of type {kind}, the variable of type {value.type}", span)

    def _confirm_value(self, parameter: ast.Parameter, kind: Type, value: Value, span: Span) -> None:
        if not compatible(kind, value.type):
            raise InputError(f"`{parameter.name}` is of type {kind}, the argument of type {value.type}", span)

    def fixed(self, place: Place) -> Place:
        """The same place, also if its indices change later."""
        return place._replace(at=self.code.saved(place.at))

    # Recursion

    def _recursive_call(self, call: ast.Call, callee: FunctionName, scope: Scope) -> Value | None:
        function = callee.function
        arguments: list[Expression] = []
        nodes: list[Node | None] = []
        for parameter, kind, argument in zip(function.parameters, callee.parameters, call.arguments, strict=True):
            value = self.value(argument, scope)
            if parameter.by_reference:
                self._confirm_reference(parameter, kind, value, argument.span)
                assert value.place is not None
                if not value.place.in_state:
                    raise InputError("a local variable cannot be a `var` argument of a recursive call", argument.span)
                nodes.append(value.place.node)
                arguments.append(self.code.saved(value.place.at))
            else:
                self._confirm_value(parameter, kind, value, argument.span)
                if not is_simple(kind):
                    raise InputError("a recursive call takes simple values only", argument.span)
                nodes.append(None)
                arguments.append(self.code.saved(self._stored(value, kind, argument.span)))
        if callee.result is not None and not is_simple(callee.result):
            raise InputError("a recursive function can only return a simple value", call.span)
        procedure = self._procedure(callee, nodes)
        site = self.code.site("recursion", f"`{function.name}` calls itself too often", call.span)
        result = self.code.slot()
        self.code.emit(SetLocal(result, Call(procedure, tuple(arguments), MOST_CALLS, site)))
        return None if callee.result is None else Value(callee.result, number=Local(result))

    def _stored(self, value: Value, kind: Type, span: Span) -> Expression:
        """A simple value as it is stored in a variable of a type; undefined stays undefined."""
        place = self.code.local(kind, "argument")
        assert isinstance(place.node, Leaf)
        if value.place is not None:
            self.copy(place, value.place, span)
            return place.raw()
        given, number = self.number(value, span)
        return add(self.converted(given, number, place.node.type, span), 1 - place.node.type.low)

    def _procedure(self, callee: FunctionName, nodes: list[Node | None]) -> Procedure:
        function = callee.function
        key = (function, self.code.pure, *nodes)
        if key in self.procedures:
            return self.procedures[key]
        name = f"{function.name}_{len(self.procedures)}"
        procedure = self.procedures[key] = Procedure(name, len(nodes))
        outside = self.code
        self.code = Code(outside.failures, slots=len(nodes), pure=outside.pure, marks=outside.marks)
        scope = Scope(callee.scope)
        for slot, (parameter, kind, node) in enumerate(zip(function.parameters, callee.parameters, nodes, strict=True)):
            if node is not None:
                scope.names[parameter.name] = Value(node.type, Place(node, Local(slot)))
            else:
                assert is_simple(kind)
                leaf = Leaf(kind, slot)
                scope.names[parameter.name] = Value(kind, Place(leaf, writable=False, in_state=False, passed=True))
        result = self._written_out(callee, scope)
        procedure.body = tuple(self.code.statements)
        if result is not None:
            assert result.number is not None
            procedure.result = result.number
        procedure.locals = self.code.slots
        self.code = outside
        return procedure


def _frame_name(function: ast.Function) -> str:
    return f"{function.name} at {function.span.start}"


def always_returns(statements: Sequence[ast.Statement]) -> bool:
    """Whether every way through the statements ends in a return or an error."""
    for statement in statements:
        match statement:
            case ast.Return() | ast.Error():
                return True
            case ast.If(_, branches, otherwise):
                if otherwise and all(always_returns(body) for _, body in branches) and always_returns(otherwise):
                    return True
            case ast.Switch(_, _, cases, otherwise):
                if otherwise and all(always_returns(body) for _, body in cases) and always_returns(otherwise):
                    return True
            case ast.AliasStatement(_, _, body) if always_returns(body):
                return True
    return False


__all__ = ["CallLowering", "always_returns", "text_of"]
