"""Statements to the intermediate language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import Code, add, compare, joined, multisets_of
from ouroboros.languages.murphi.folding import negated
from ouroboros.languages.murphi.lower_expressions import MOST_ROUNDS, MOST_UNROLLED
from ouroboros.languages.murphi.lower_multisets import MultisetLowering
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.marks import alike, clears_to_alike, groups_of
from ouroboros.languages.murphi.places import Leaf, MultisetNode, Place, RecordNode
from ouroboros.languages.murphi.scope import FunctionName, Scope, TypeName, Value
from ouroboros.languages.murphi.types import Range, compatible, is_simple
from ouroboros.source import Span
from ouroboros.system.blocks import Block, If, Leave, Require, SetLocal, While
from ouroboros.system.expressions import FALSE, Check, Conditional, Constant, Expression, Procedure
from ouroboros.system.intervals import interval


class StatementLowering(MultisetLowering):
    covering: ast.PropertyStatement | None = None
    """The statement `cover` that fails where its condition is true, for a search that asks whether it ever is."""

    def __init__(self, code: Code, procedures: dict[tuple[object, ...], Procedure]) -> None:
        super().__init__(code, procedures)
        self.covers: dict[ast.PropertyStatement, str] = {}
        """The statements `cover` that were met, and what each says."""

    # Declarations

    def declarations(self, declarations: Sequence[ast.Declaration], scope: Scope) -> None:
        """Local constants, types and variables."""
        for declaration in declarations:
            match declaration:
                case ast.VariableDeclaration(span, name, kind):
                    resolved = self.type(kind, scope)
                    scope.declare(name, Value(resolved, self.code.local(resolved, name)), span)
                case ast.TypeDeclaration(span, name, kind):
                    scope.declare(name, TypeName(self.type(kind, scope, name)), span)
                case ast.ConstantDeclaration(span, name, value):
                    scope.declare(name, self.constant_value(value, scope), span)
                case ast.Function(span, name):
                    scope.declare(name, self.function_name(declaration, scope), span)

    def constant_value(self, expression: ast.Expression, scope: Scope) -> Value:
        kind, number = self.simple(expression, scope)
        if not isinstance(number, Constant):
            raise InputError("the value of a constant must be constant", expression.span)
        return Value(kind, number=number)

    def function_name(self, function: ast.Function, scope: Scope) -> FunctionName:
        parameters = tuple(self.type(parameter.type, scope) for parameter in function.parameters)
        result = self.type(function.result, scope) if function.result else None
        names = [parameter.name for parameter in function.parameters]
        for parameter in function.parameters:
            if names.count(parameter.name) > 1:
                raise InputError(f"`{function.name}` has two parameters `{parameter.name}`", parameter.span)
        return FunctionName(function, scope, parameters, result)

    # Statements

    def body(self, statements: Sequence[ast.Statement], scope: Scope) -> None:
        """Statements at the end of which the body of a rule or function ends."""
        self._block(statements, scope, last=True)

    def _block(self, statements: Sequence[ast.Statement], scope: Scope, last: bool) -> None:
        for number, statement in enumerate(statements):
            self._statement(statement, scope, last and number == len(statements) - 1)

    def _captured(self, statements: Sequence[ast.Statement], scope: Scope, last: bool) -> Block:
        return self.code.captured(lambda: self._block(statements, scope, last))[1]

    def _statement(self, statement: ast.Statement, scope: Scope, last: bool) -> None:
        """`last` says that nothing of the body comes after it."""
        match statement:
            case ast.Assignment():
                self._assign(statement, scope)
            case ast.If(_, branches, otherwise):
                self._if(branches, otherwise, scope, last)
            case ast.Switch():
                self._switch(statement, scope, last)
            case ast.For(span, binding, body):
                self._for(span, binding, body, scope)
            case ast.While():
                self._while(statement, scope)
            case ast.CallStatement(_, call):
                self.call(call, scope, wants_value=False)
            case ast.Return():
                self._return(statement, scope, last)
            case ast.PropertyStatement():
                self._property(statement, scope)
            case ast.Error(span, message):
                self.code.emit(Require(FALSE, self.code.site("error", message, span)))
            case ast.Put(_, value):
                if value is not None:
                    self.code.captured(lambda: self.value(value, scope))
            case ast.Reset(span, kind, target):
                place = self.target(target, scope)
                if kind == "clear" and self.code.marks and clears_to_alike(place.node):
                    message = f"`{text_of(span)}` gives a variable the first element of a scalarset"
                    self.code.marks.object(message, span)
                self._reset(kind, place)
            case ast.AliasStatement(_, aliases, body):
                self._block(body, self.aliased(aliases, scope), last)
            case ast.MultisetAdd():
                self.multiset_add(statement, scope)
            case ast.MultisetRemove():
                self.multiset_remove(statement, scope)
            case ast.MultisetRemoveWhere():
                self.multiset_remove_where(statement, scope)

    def aliased(self, aliases: Sequence[ast.Alias], scope: Scope) -> Scope:
        for alias in aliases:
            value = self.value(alias.value, scope)
            inner = Scope(scope)
            if value.place is not None:
                inner.names[alias.name] = Value(value.type, self.fixed(value.place))
            else:
                assert value.number is not None
                number = value.number
                kind = value.type
                saved = self.code.saved(number)
                if isinstance(kind, Range) and not isinstance(saved, Constant):
                    known = interval(number, 64)
                    kind = Range(known.low, known.high)
                inner.names[alias.name] = Value(kind, number=saved)
            scope = inner
        return scope

    def target(self, expression: ast.Expression, scope: Scope) -> Place:
        place = self.place(expression, scope, "what is assigned to")
        if not place.writable:
            raise InputError(f"`{text_of(expression.span)}` is read-only here", expression.span)
        if place.in_state and self.code.pure:
            raise InputError(
                "a function that is called in a guard or a property cannot change the state", expression.span
            )
        return place

    def _assign(self, statement: ast.Assignment, scope: Scope) -> None:
        target = self.target(statement.target, scope)
        if isinstance(statement.value, ast.Undefined):
            self._reset("undefine", target)
            return
        before = len(self.code.statements)
        value = self.value(statement.value, scope)
        if len(self.code.statements) > before:
            target = target._replace(at=self._saved_before(before, target.at))
        if not compatible(target.type, value.type):
            raise InputError(
                f"a value of type {value.type} cannot be assigned to a variable of type {target.type}", statement.span
            )
        if value.place is not None and (not is_simple(value.type) or value.place.passed):
            self.copy(target, value.place, statement.span)
            return
        assert isinstance(target.node, Leaf)
        kind, number = self.number(value, statement.value.span)
        number = self.converted(kind, number, target.node.type, statement.value.span)
        self.code.emit(target.set_raw(add(number, 1 - target.node.type.low)))

    def copy(self, target: Place, source: Place, span: Span) -> None:
        """Copy every leaf, undefined ones as well. Both may be parts of the same variable."""
        if self.code.marks and multisets_of(target.node):
            # Which place it is may be found by elements of multisets, and is no part of the copying.
            target, source = self.fixed(target), self.fixed(source)
            _, block = self.code.captured(lambda: self._copy_leaves(target, source, span))
            self.code.emit(self.code.marks.overwriting(target, source, block))
        else:
            self._copy_leaves(target, source, span)

    def _copy_leaves(self, target: Place, source: Place, span: Span) -> None:
        pairs = list(zip(target.leaves(), source.leaves(), strict=True))
        values = [self._copied(into, from_, span) for into, from_ in pairs]
        if len(values) > 1 and target.node in _nodes(source):
            values = [self.code.saved(value) for value in values]
        for (into, _), value in zip(pairs, values, strict=True):
            self.code.emit(into.set_raw(value))

    def _copied(self, target: Place, source: Place, span: Span) -> Expression:
        """What must be stored in one leaf to have the value of another."""
        assert isinstance(target.node, Leaf)
        assert isinstance(source.node, Leaf)
        kind, other = target.node.type, source.node.type
        raw = source.raw()
        if kind is other or (isinstance(kind, Range) and isinstance(other, Range) and _same(kind, other)):
            return raw
        site = self.code.site("range", f"`{text_of(span)}`: the value is out of the range of its target", span)
        number = add(Check(raw, 1, other.size, site), other.low - 1)
        number = self.converted(other, number, kind, span)
        return Conditional(compare("=", raw, Constant(0)), Constant(0), add(number, 1 - kind.low))

    def _reset(self, kind: str, place: Place) -> None:
        """Every leaf undefined, or at its smallest value; no element of a multiset is present then."""
        match place.node:
            case Leaf():
                self.code.emit(place.set_raw(Constant(int(kind == "clear"))))
            case RecordNode(_, members):
                for name in members:
                    self._reset(kind, place.member(name))
            case MultisetNode():
                place = self.fixed(place) if self.code.marks else place
                emptied = [leaf.set_raw(Constant(0)) for leaf in place.leaves()]
                marks = self.code.marks
                for statement in [marks.overwriting(place, None, tuple(emptied))] if marks else emptied:
                    self.code.emit(statement)
            case node:
                for number in range(node.length):
                    self._reset(kind, place.element(Constant(number)))

    def _if(
        self,
        branches: Sequence[tuple[ast.Expression, tuple[ast.Statement, ...]]],
        otherwise: Sequence[ast.Statement],
        scope: Scope,
        last: bool,
    ) -> None:
        if not branches:
            self._block(otherwise, scope, last)
            return
        (condition, body), *others = branches
        holds = self.truth(condition, scope, "the condition of `if`")
        then = self._captured(body, scope, last)
        _, rest = self.code.captured(lambda: self._if(others, otherwise, scope, last))
        self._emit_if(holds, then, rest)

    def _emit_if(self, condition: Expression, then: Block, otherwise: Block) -> None:
        if isinstance(condition, Constant):
            for statement in then if condition.value else otherwise:
                self.code.emit(statement)
        else:
            self.code.emit(If(condition, then, otherwise))

    def _switch(self, statement: ast.Switch, scope: Scope, last: bool) -> None:
        kind, number = self.simple(statement.value, scope)
        value = Value(kind, number=self.code.saved(number))
        inner = Scope(scope)
        inner.names["switch"] = value  # No name of the model: it is a keyword.
        subject = ast.Name(statement.value.span, "switch")
        branches = [
            (
                [ast.Binary(label.span, "=", subject, label) for label in labels],
                body,
            )
            for labels, body in statement.cases
        ]
        self._cases(branches, statement.otherwise, inner, last)

    def _cases(
        self,
        branches: Sequence[tuple[list[ast.Binary], tuple[ast.Statement, ...]]],
        otherwise: Sequence[ast.Statement],
        scope: Scope,
        last: bool,
    ) -> None:
        if not branches:
            self._block(otherwise, scope, last)
            return
        (labels, body), *others = branches
        tests = [self.code.expression(partial(self.truth, label, scope, "a case")) for label in labels]
        then = self._captured(body, scope, last)
        _, rest = self.code.captured(lambda: self._cases(others, otherwise, scope, last))
        self._emit_if(joined("or", tests), then, rest)

    def _for(self, span: Span, binding: ast.Binding, body: Sequence[ast.Statement], scope: Scope) -> None:
        found = self.values_of(binding, scope)
        if found and len(found[1]) <= MOST_UNROLLED:
            kind, values = found
            marks = self.code.marks if binding.type is not None and alike(kind) else None
            rounds: list[Block] = []
            for value in values:
                inner = self.bound(scope, binding, kind, Constant(value))
                if marks:
                    rounds.append(self._captured(body, inner, last=False))
                else:
                    self._block(body, inner, last=False)
            if marks:
                self.code.emit(marks.loop(span, "this loop", groups_of(kind), rounds))
            return
        self.confirm_unrolled(binding, found)
        self.loop(binding, scope, lambda inner: self._block(body, inner, last=False))

    def _while(self, statement: ast.While, scope: Scope) -> None:
        condition = self.code.expression(lambda: self.truth(statement.condition, scope, "the condition of `while`"))
        self.code.loops += 1
        body = self._captured(statement.body, scope, last=False)
        self.code.loops -= 1
        site = self.code.site("loop", "the loop does not end", statement.span)
        self.code.emit(While(condition, body, MOST_ROUNDS, site))

    def _return(self, statement: ast.Return, scope: Scope, last: bool) -> None:
        frame = self.code.frames[-1]
        if frame.result is None and statement.value is not None:
            raise InputError("nothing can be returned from here: this is no function", statement.span)
        if frame.result is not None:
            if statement.value is None:
                raise InputError("a function must return a value", statement.span)
            value = self.value(statement.value, scope)
            if not compatible(frame.result.type, value.type):
                raise InputError(f"the result is of type {frame.result.type}, not {value.type}", statement.value.span)
            if isinstance(frame.result.node, Leaf):
                kind, number = self.number(value, statement.value.span)
                number = self.converted(kind, number, frame.result.node.type, statement.value.span)
                self.code.emit(frame.result.set_raw(add(number, 1 - frame.result.node.type.low)))
            else:
                assert value.place is not None
                self.copy(frame.result, value.place, statement.span)
        if not last:
            frame.left_early = True
            self.code.emit(Leave(frame.label))

    def _property(self, statement: ast.PropertyStatement, scope: Scope) -> None:
        condition = self.truth(statement.condition, scope, f"what `{statement.kind}` says")
        text = statement.message or text_of(statement.condition.span)
        match statement.kind:
            case "assert":
                site = self.code.site("assertion", f"assertion failed: {text}", statement.span)
                self.code.emit(Require(condition, site))
            case "assume":
                self.code.emit(Require(condition, self.code.site("disabled", text, statement.span)))
            case "cover":
                self.covers[statement] = text
                if statement is self.covering:
                    self.code.emit(Require(negated(condition), self.code.site("covered", text, statement.span)))
                else:
                    # Evaluated for what may go wrong with it.
                    self.code.emit(SetLocal(self.code.slot(), condition))


def _same(left: Range, right: Range) -> bool:
    return (left.low, left.high) == (right.low, right.high)


def _nodes(place: Place) -> list[object]:
    return [place.node]
