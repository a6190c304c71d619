"""Expressions to the intermediate language, with their types checked on the way.

The parameters of rulesets are constants by now, and so are most indices: what can be calculated here is.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import partial

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.code import add, compare, joined
from ouroboros.languages.murphi.folding import BITS, chosen, negated
from ouroboros.languages.murphi.lower_operators import OperatorLowering
from ouroboros.languages.murphi.lower_types import simple
from ouroboros.languages.murphi.lower_values import text_of
from ouroboros.languages.murphi.marks import alike, groups_of, holds_alike
from ouroboros.languages.murphi.places import ArrayNode, Leaf, MultisetNode, Place, RecordNode
from ouroboros.languages.murphi.scope import Scope, Value
from ouroboros.languages.murphi.types import (
    BOOLEAN,
    INTEGER,
    Range,
    Simple,
    compatible,
)
from ouroboros.source import Span
from ouroboros.system.blocks import Block, If, Require, SetLocal, Statement, While
from ouroboros.system.expressions import (
    TRUE,
    Binary,
    Check,
    Constant,
    Expression,
    Local,
)
from ouroboros.system.intervals import Interval, interval

MOST_UNROLLED = 64
"""Quantifiers and loops over more values than this are run as loops."""
MOST_ROUNDS = 1 << 20
"""A loop that runs longer than this is taken to run for ever."""


class ExpressionLowering(OperatorLowering):
    """Reads expressions of every kind, and runs loops."""

    @abstractmethod
    def call(self, call: ast.Call, scope: Scope, wants_value: bool) -> Value | None: ...

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
                if entity.slot_of is not None and self.code.marks:
                    self.code.marks.numbered.append(entity.slot_of)
                    self._confirm_no_slot(entity.slot_of, span)
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
                self.slot_number(expression.index, array, scope),
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

    def slot_number(self, expression: ast.Expression, multiset: Place, scope: Scope) -> Expression:
        """The number of a slot, which should be the name of one that was chosen from the same multiset."""
        if isinstance(expression, ast.Name):
            entity = scope.look_up(expression.name, expression.span)
            if isinstance(entity, Value) and entity.slot_of is not None and entity.number is not None:
                chosen_from = entity.slot_of
                if chosen_from.node is multiset.node and _same_constant(chosen_from.at, multiset.at):
                    return entity.number
        self._confirm_no_slot(multiset, expression.span)
        return self.integer(expression, scope)

    def _confirm_no_slot(self, multiset: Place, span: Span) -> None:
        """Slots are sorted by what is in them: their numbers are another order of alike values."""
        if self.code.marks and holds_alike(multiset.node):
            self.code.marks.object(
                f"`{text_of(span)}` is used as the number of a slot: slots are sorted, which depends on the order of"
                " the elements of a scalarset",
                span,
            )

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
        numbers = [number.value for number in (*bounds, step) if isinstance(number, Constant)]
        if len(numbers) < 3:
            return None
        first, last, stride = numbers
        if step_expression is not None and first != last and (first < last) != (stride > 0):
            raise InputError("the step leads away from the last value", binding.span)
        return Range(min(first, last), max(first, last)), range(first, last + (1 if stride > 0 else -1), stride)

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
            whole = joined("and" if forall else "or", parts)
            if self.code.marks and expression.binding.type is not None and alike(kind):
                return self.code.marks.quantifier(expression.span, forall, parts, groups_of(kind), whole)
            return whole
        self.confirm_unrolled(expression.binding, found)
        result = self.code.slot()
        self.code.emit(SetLocal(result, Constant(int(forall))))
        wanted = Local(result) if forall else negated(Local(result))

        def body(inner: Scope) -> None:
            self.code.emit(SetLocal(result, self.truth(expression.body, inner, what)))

        self.loop(expression.binding, scope, body, wanted)
        return Local(result)

    def confirm_unrolled(self, binding: ast.Binding, found: tuple[Simple, Sequence[int]] | None) -> None:
        if self.code.marks and found and binding.type is not None and alike(found[0]):
            self.code.marks.object(
                f"a loop over {found[0].size} values is not checked for whether their order matters", binding.span
            )

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
            if binding.step and not isinstance(step, Constant):
                zero = self.code.site("loop", f"the step `{binding.step.span.text}` is zero", binding.step.span)
                self.code.emit(Require(compare("!=", step, Constant(0)), zero))
        counter = self.code.slot()
        self.code.emit(SetLocal(counter, first))
        upwards = compare("<=", Local(counter), last)
        downwards = compare(">=", Local(counter), last)
        within = chosen(compare(">", step, Constant(0)), upwards, downwards)
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
        rounds: list[Block] = []
        for number in range(node.length):
            inner = self.slot_bound(scope, expression.name, multiset, number)
            condition, block = self.code.captured(partial(self.truth, expression.condition, inner, "what is counted"))
            counted = If(condition, (SetLocal(counter, Binary("+", Local(counter), Constant(1))),))
            present = compare("=", multiset.presence(Constant(number)).raw(), Constant(1))
            rounds.append((If(present, (*block, counted)),))
        self.emit_slots(expression.span, "this count", multiset, rounds)
        return Value(Range(0, node.length), number=Check(Local(counter), 0, node.length, -1))

    def slot_bound(self, scope: Scope, name: str, multiset: Place, number: int) -> Scope:
        assert isinstance(multiset.node, MultisetNode)
        kind = Range(0, multiset.node.length - 1)
        return Scope(scope, {name: Value(kind, number=Constant(number), slot_of=multiset)})

    def emit_slots(self, span: Span, what: str, multiset: Place, rounds: Sequence[Block]) -> None:
        """What is done for each slot of a multiset."""
        if self.code.marks:
            self.code.emit(self.code.marks.slot_loop(span, what, multiset, rounds))
            return
        for block in rounds:
            for statement in block:
                self.code.emit(statement)

    def multiset(self, expression: ast.Expression, scope: Scope) -> Place:
        place = self.place(expression, scope, "the multiset")
        if not isinstance(place.node, MultisetNode):
            raise InputError(f"this is no multiset, but of type {place.type}", expression.span)
        return place


def _same_constant(left: Expression, right: Expression) -> bool:
    return isinstance(left, Constant) and isinstance(right, Constant) and left.value == right.value
