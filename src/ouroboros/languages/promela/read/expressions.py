"""Tokens to expressions, by precedence climbing."""

from __future__ import annotations

from typing import Final, cast

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.constants import constant
from ouroboros.languages.promela.read.cursor import DEEPEST_NESTING, Cursor, joined
from ouroboros.languages.promela.read.embedded import refuse_embedded_c
from ouroboros.languages.promela.read.names import Names
from ouroboros.languages.promela.read.terms import (
    Access,
    AskChannel,
    AskProcess,
    Binary,
    BinaryOperator,
    ChannelQuestion,
    Conditional,
    Expression,
    Match,
    Member,
    Number,
    Poll,
    Predefined,
    PredefinedName,
    ProcessQuestion,
    ReceiveArgument,
    RemoteLabel,
    RemoteVariable,
    Run,
    Scratch,
    Structure,
    Symbol,
    Unary,
    UnaryOperator,
    Variable,
    basic_accesses,
)
from ouroboros.languages.promela.read.tokens import Token

_LEVELS: Final[tuple[tuple[BinaryOperator, ...], ...]] = (
    ("||",),
    ("&&",),
    ("|",),
    ("^",),
    ("&",),
    ("==", "!="),
    ("<", "<=", ">", ">="),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "%"),
)
_LEVEL: Final[dict[str, int]] = {operator: level for level, operators in enumerate(_LEVELS) for operator in operators}
_BALANCED: Final = frozenset({"||", "&&", "|", "^", "&"})
_UNARY: Final = frozenset({"-", "~", "!"})
_ASK_CHANNEL: Final = frozenset({"len", "empty", "full", "nempty", "nfull"})
_ASK_PROCESS: Final = frozenset({"enabled", "pc_value", "get_priority"})
_PREDEFINED: Final = frozenset({"_pid", "_nr_pr", "_last", "_priority"})


class ExpressionReader:
    """Reads expressions, and the places and arguments that statements share with them."""

    def __init__(self, cursor: Cursor, names: Names) -> None:
        self._cursor = cursor
        self._names = names

    def expression(self) -> Expression:
        return self._binary(0)

    def constant(self, purpose: str) -> int:
        """A value that is known now: a constant expression, or a variable that begins with a constant."""
        first = self._cursor.next
        expression = self.expression()
        value = constant(expression)
        if value is None and isinstance(expression, Access) and not expression.members:
            initial = expression.variable.initial
            value = initial.value if isinstance(initial, Number | Symbol) else None
        if value is None:
            raise InputError(f"{purpose} must be a constant", self._cursor.since(first))
        return value

    def _binary(self, lowest: int) -> Expression:
        """An expression whose operators are of the lowest level or bind tighter; all associate to the left."""
        with self._cursor.nested():
            left = self._unary()
            length = 0
            while (level := _LEVEL.get(self._cursor.next.kind, -1)) >= lowest:
                operator = cast(BinaryOperator, self._cursor.next.kind)
                if operator in _BALANCED:
                    left = self._chain(left, operator, level)
                    continue
                self._cursor.advance()
                left = _combined(operator, left, self._binary(level + 1))
                length += 1
                if length > DEEPEST_NESTING:
                    raise InputError("this expression is too long", left.span, "write parts of it in parentheses")
            return left

    def _chain(self, first: Expression, operator: BinaryOperator, level: int) -> Expression:
        """Many operands of one operator as a shallow tree: a generated model may have thousands in one guard."""
        operands = [first]
        while self._cursor.accept(operator):
            operands.append(self._binary(level + 1))
        return _balanced(operator, operands)

    def _unary(self) -> Expression:
        first = self._cursor.next
        if first.kind not in _UNARY:
            return self._operand()
        self._cursor.advance()
        with self._cursor.nested():
            operand = self._unary()
        return Unary(self._cursor.since(first), cast(UnaryOperator, first.kind), operand)

    def _operand(self) -> Expression:
        cursor = self._cursor
        first = cursor.next
        kind = first.kind
        if kind == "name":
            return self._named()
        if kind == "number":
            cursor.advance()
            return Number(first.place, first.number)
        if kind == "(":
            return self._parenthesised()
        if kind in _ASK_CHANNEL:
            cursor.advance()
            cursor.expect("(", f"after {kind}")
            channel = self.channel()
            cursor.expect(")", f"after the channel of {kind}")
            return AskChannel(cursor.since(first), cast(ChannelQuestion, kind), channel)
        if kind in _ASK_PROCESS:
            cursor.advance()
            cursor.expect("(", f"after {kind}")
            process = self.expression()
            cursor.expect(")", f"after the process of {kind}")
            return AskProcess(cursor.since(first), cast(ProcessQuestion, kind), process)
        if kind in ("timeout", "np_"):
            cursor.advance()
            return Predefined(first.place, cast(PredefinedName, kind))
        if kind == "run":
            return self._run()
        refuse_embedded_c(first)
        if kind == "!!":
            raise InputError("!! sends in order", first.span, "write ! ! with a space to negate twice")
        if kind == "else":
            raise InputError("else is no expression", first.span, "it stands alone, as the guard of an option")
        raise cursor.unexpected("an expression")

    def _parenthesised(self) -> Expression:
        cursor = self._cursor
        first = cursor.advance()
        condition = self.expression()
        if cursor.accept("->"):
            yes = self.expression()
            cursor.expect(":", "and the value otherwise", "a conditional expression is (condition -> yes : no)")
            no = self.expression()
            cursor.expect(")", "after the conditional expression")
            return Conditional(cursor.since(first), condition, yes, no)
        hint = cursor.operator_hint()
        cursor.expect(")", "to close the parenthesis", hint)
        return condition

    def _named(self) -> Expression:
        cursor = self._cursor
        token = cursor.next
        if token.text in self._names.symbols:
            cursor.advance()
            value, subtype = self._names.symbols[token.text]
            return Symbol(token.place, token.text, value, subtype)
        if token.text in _PREDEFINED:
            cursor.advance()
            return Predefined(token.place, cast(PredefinedName, token.text))
        if token.text == "_":
            raise InputError("_ has no value", token.span, "it can only be written to")
        if token.text in self._names.processes and cursor.following().kind in ("@", ":", "["):
            return self._remote()
        access = self.access()
        asked = cursor.next.kind
        if asked in ("?", "??") and cursor.following().kind == "[":
            cursor.advance()
            cursor.advance()
            arguments = self.receive_arguments()
            cursor.expect("]", "after the message that is asked for")
            return Poll(cursor.since(token), as_channel(access), asked == "??", arguments)
        _confirm_scalar(access)
        return access

    def _remote(self) -> Expression:
        """`process[pid]@label`, `process[pid]:variable[index]`, and both without a pid."""
        cursor = self._cursor
        first = cursor.advance()
        pid = None
        if cursor.accept("["):
            pid = self.expression()
            cursor.expect("]", "after the pid")
        if cursor.accept("@"):
            label = cursor.expect("name", "of a label")
            return RemoteLabel(cursor.since(first), first.text, pid, label.text)
        cursor.expect(":", "or `@`", f"write {first.text}@label or {first.text}:variable")
        name = cursor.expect("name", "of a variable")
        variable = self._names.remote_variable(first.text, name)
        at = self._index(variable, name, required=True)
        if isinstance(variable.type, Structure):
            raise InputError("a structure of another process cannot be looked into", name.span)
        return RemoteVariable(cursor.since(first), first.text, pid, variable, at)

    def _run(self) -> Expression:
        cursor = self._cursor
        first = cursor.advance()
        if self._names.process is None:
            raise InputError("run stands outside of a process", first.span)
        name = cursor.expect("name", "of a proctype")
        cursor.expect("(", "before the arguments of run", f"without arguments, write run {name.text}()")
        arguments = () if cursor.next.kind == ")" else self.message()
        cursor.expect(")", "after the arguments of run")
        return Run(cursor.since(first), name.text, arguments, self.priority())

    def priority(self) -> int | None:
        """`priority n`, where it may be written."""
        if not self._cursor.accept("priority"):
            return None
        token = self._cursor.expect("number", "as the priority")
        if not 1 <= token.number <= 255:
            raise InputError("a priority is between 1 and 255", token.span)
        return token.number

    # ── Places ────────────────────────────────────────────────────────────────────────────────────────────────────────

    def access(self, *, whole_array: bool = False) -> Access:
        """A variable, an element or a field; a structure or, if that is wanted, an array as a whole."""
        cursor = self._cursor
        first = cursor.expect("name", "of a variable")
        variable = self._names.variable(first.text)
        if variable is None:
            if first.text == "STDIN":
                raise InputError("STDIN exists in simulations of Spin only", first.span)
            raise self._names.unknown(first)
        at = self._index(variable, first, required=not whole_array)
        members: list[Member] = []
        last = variable
        while cursor.next.kind == ".":
            cursor.advance()
            name = cursor.expect("name", "of a field")
            if not isinstance(last.type, Structure):
                raise InputError(f"{last.name} is no structure, and has no fields", name.span)
            field = next((field for field in last.type.fields if field.name == name.text), None)
            if field is None:
                known = ", ".join(field.name for field in last.type.fields)
                raise InputError(f"{last.type.name} has no field {name.text}", name.span, f"it has {known}")
            members.append(Member(name.place, field, self._index(field, name, required=not whole_array)))
            last = field
        return Access(cursor.since(first), variable, at, tuple(members))

    def _index(self, variable: Variable, name: Token, *, required: bool) -> Expression | None:
        cursor = self._cursor
        if cursor.next.kind != "[":
            if variable.size is not None and required:
                raise InputError(f"{variable.name} is an array, and needs an index", name.span)
            return None
        opening = cursor.advance()
        if variable.size is None:
            raise InputError(f"{variable.name} is no array", opening.span)
        at = self.expression()
        cursor.expect("]", "after the index")
        return at

    def channel(self) -> Access:
        return as_channel(self.access())

    def place(self) -> Access:
        """A variable that a value can be stored in."""
        access = self.access()
        _confirm_scalar(access)
        return access

    # ── Messages and arguments ────────────────────────────────────────────────────────────────────────────────────────

    def message(self) -> tuple[Expression, ...]:
        """Values separated by commas, or `first(others)`; structures are taken apart."""
        cursor = self._cursor
        values = list(self._value())
        if cursor.accept("("):
            values.extend(self.message())
            cursor.expect(")", "after the rest of the message")
            return tuple(values)
        while cursor.accept(","):
            values.extend(self._value())
        return tuple(values)

    def _value(self) -> tuple[Expression, ...]:
        token = self._cursor.next
        if token.kind == "name" and token.text not in self._names.processes:
            variable = self._names.variable(token.text)
            if variable is not None and isinstance(variable.type, Structure):
                position = self._cursor.position
                access = self.access()
                if isinstance(access.last.type, Structure):
                    return self._taken_apart(access)
                self._cursor.position = position
        return (self.expression(),)

    def _taken_apart(self, access: Access) -> tuple[Access, ...]:
        for part in basic_accesses(access):
            for member in part.members:
                if isinstance(member.field.type, Structure) and member.field.size is not None:
                    raise InputError(
                        f"an array of structures, {member.field.name}, cannot be part of a message", access.span
                    )
        return tuple(basic_accesses(access))

    def receive_arguments(self) -> tuple[ReceiveArgument, ...]:
        """What the fields of a message are stored in or compared with."""
        cursor = self._cursor
        if cursor.accept("("):
            with cursor.nested():
                arguments = self.receive_arguments()
            cursor.expect(")", "after the arguments")
            return arguments
        arguments = self._receive_argument()
        if cursor.accept("("):
            with cursor.nested():
                arguments = (*arguments, *self.receive_arguments())
            cursor.expect(")", "after the arguments")
            return arguments
        while cursor.accept(","):
            arguments = (*arguments, *self._receive_argument())
            if cursor.accept("("):
                with cursor.nested():
                    arguments = (*arguments, *self.receive_arguments())
                cursor.expect(")", "after the arguments")
                break
        return arguments

    def _receive_argument(self) -> tuple[ReceiveArgument, ...]:
        cursor = self._cursor
        first = cursor.next
        if cursor.accept("eval"):
            cursor.expect("(", "after eval")
            value = self.expression()
            cursor.expect(")", "after the value of eval")
            return (Match(cursor.since(first), value),)
        if cursor.accept("-"):
            number = cursor.expect("number", "after the sign")
            return (Match(cursor.since(first), Number(number.place, -number.number)),)
        if first.kind == "number":
            cursor.advance()
            return (Match(first.place, Number(first.place, first.number)),)
        if first.kind == "name" and first.text in self._names.symbols:
            return (Match(first.place, self._named()),)
        if first.kind == "name" and first.text == "_":
            cursor.advance()
            return (Scratch(first.place),)
        if first.kind == "name" and first.text in _PREDEFINED:
            raise InputError(f"{first.text} cannot be assigned", first.span, f"to compare, write eval({first.text})")
        if first.kind != "name":
            raise cursor.unexpected("a variable, a constant or eval(…)")
        return self._taken_apart(self.access())


def _combined(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    return Binary(joined(left.span, right.span), operator, left, right)


def _balanced(operator: BinaryOperator, operands: list[Expression]) -> Expression:
    if len(operands) == 1:
        return operands[0]
    middle = (len(operands) + 1) // 2
    return _combined(operator, _balanced(operator, operands[:middle]), _balanced(operator, operands[middle:]))


def as_channel(access: Access) -> Access:
    """The access, which must be one to a channel."""
    kind = access.last.type
    if isinstance(kind, Structure) or kind.name != "chan":
        raise InputError(f"{access.last.name} is no channel", access.span)
    return access


def _confirm_scalar(access: Access) -> None:
    if isinstance(access.last.type, Structure):
        known = ", ".join(f"{access.last.name}.{field.name}" for field in access.last.type.fields)
        raise InputError(f"{access.last.name} is a structure, and has no value itself", access.span, f"it has {known}")
