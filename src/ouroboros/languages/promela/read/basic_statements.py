"""Tokens to statements that hold no others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Literal, cast

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import (
    Assignment,
    Block,
    Condition,
    Event,
    Exclusive,
    Goto,
    Label,
    Printf,
    Printm,
    Receive,
    Send,
    SetPriority,
    Statement,
)
from ouroboros.languages.promela.read.cursor import Cursor
from ouroboros.languages.promela.read.expressions import ExpressionReader, as_channel
from ouroboros.languages.promela.read.names import Names
from ouroboros.languages.promela.read.strings import unescaped
from ouroboros.languages.promela.read.terms import (
    Access,
    Binary,
    Expression,
    Match,
    Number,
    Place,
    Predefined,
    Scratch,
    Structure,
)
from ouroboros.languages.promela.read.tokens import Token


class BasicReader(ABC):
    """Reads one statement; what holds others is read by its heir."""

    def __init__(self, cursor: Cursor, names: Names, expressions: ExpressionReader) -> None:
        self._cursor = cursor
        self._names = names
        self._expressions = expressions
        self._events = False
        """Whether messages are not exchanged here, but seen."""

    @abstractmethod
    def _use(self, result: Place | None) -> Block:
        """The body of an inline in the place of its call; `result` takes what it returns."""

    def _exclusive(self) -> Exclusive:
        cursor = self._cursor
        first = cursor.advance()
        channels = [self._expressions.channel()]
        while cursor.accept(","):
            channels.append(self._expressions.channel())
        return Exclusive(cursor.since(first), cast(Literal["xr", "xs"], first.kind), tuple(channels))

    def _named(self) -> Statement:
        """What begins with a name: an assignment, a message, the use of an inline, or a condition."""
        cursor = self._cursor
        first = cursor.next
        if first.text in self._names.inlines:
            return self._use(None)
        beginning = cursor.position
        place = self._maybe_place()
        if place is not None:
            after = cursor.next.kind
            if after == "=":
                return self._assignment(first, place)
            if after in ("++", "--"):
                return self._step_by_one(first, place)
            if isinstance(place, Access):
                if self._events and after in ("!", "!!", "?", "??"):
                    return self._event(first, as_channel(place))
                if after in ("!", "!!"):
                    return self._send(first, as_channel(place))
                if after in ("?", "??") and cursor.following().kind != "[":
                    return self._receive(first, as_channel(place))
        cursor.position = beginning
        expression = self._expressions.expression()
        return Condition(cursor.since(first), expression)

    def _maybe_place(self) -> Place | None:
        """A place, if one stands here and is more than a part of an expression."""
        cursor = self._cursor
        first = cursor.next
        if first.text in self._names.symbols or first.text in self._names.processes:
            return None
        if first.text == "_":
            cursor.advance()
            return Scratch(first.place)
        if first.text == "_priority":
            cursor.advance()
            return Predefined(first.place, "_priority")
        if first.text in ("_pid", "_nr_pr", "_last"):
            if cursor.following().kind in ("=", "++", "--"):
                raise InputError(f"{first.text} cannot be assigned", first.span)
            return None
        return self._expressions.access()

    def _assignment(self, first: Token, place: Place) -> Statement:
        cursor = self._cursor
        _confirm_assignable(place)
        cursor.advance()
        if cursor.next.kind == "name" and cursor.next.text in self._names.inlines:
            return self._use(place)
        value = self._expressions.expression()
        return Assignment(cursor.since(first), place, value)

    def _step_by_one(self, first: Token, place: Place) -> Assignment:
        _confirm_assignable(place)
        if isinstance(place, Access) and getattr(place.last.type, "name", "") == "chan":
            raise InputError("a channel is no number", place.span)
        operator = self._cursor.advance()
        span = self._cursor.since(first)
        if isinstance(place, Scratch):
            raise InputError("_ has no value", first.span, "it can only be written to")
        one = Number(operator.place, 1)
        return Assignment(span, place, Binary(span, "+" if operator.kind == "++" else "-", place, one))

    def _send(self, first: Token, channel: Access) -> Send:
        cursor = self._cursor
        operator = cursor.advance()
        arguments = self._expressions.message()
        return Send(cursor.since(first), channel, operator.kind == "!!", arguments)

    def _receive(self, first: Token, channel: Access) -> Receive:
        cursor = self._cursor
        operator = cursor.advance()
        copy = cursor.accept("<") is not None
        arguments = self._expressions.receive_arguments()
        if copy:
            cursor.expect(">", "after the message that is copied")
        return Receive(cursor.since(first), channel, operator.kind == "??", copy, arguments)

    def _event(self, first: Token, channel: Access) -> Event:
        cursor = self._cursor
        operator = cursor.advance()
        arguments = self._expressions.receive_arguments()
        # Nothing is received here: a variable says as little of the message as `_`.
        fields = tuple(argument if isinstance(argument, Match) else Scratch(argument.span) for argument in arguments)
        return Event(cursor.since(first), channel, operator.kind in ("!", "!!"), fields)

    def _goto(self) -> Goto:
        cursor = self._cursor
        first = cursor.advance()
        name = cursor.expect("name", "of a label")
        return Goto(cursor.since(first), Label(name.text, self._names.scope))

    def _printf(self) -> Printf:
        cursor = self._cursor
        first = cursor.advance()
        cursor.expect("(", "after printf")
        text = cursor.expect("string", "to print")
        arguments: list[Expression] = []
        while cursor.accept(","):
            arguments.append(self._expressions.expression())
        cursor.expect(")", "after what is printed")
        return Printf(cursor.since(first), unescaped(text.text), tuple(arguments))

    def _printm(self) -> Printm:
        cursor = self._cursor
        first = cursor.advance()
        cursor.expect("(", "after printm")
        value = self._expressions.expression()
        cursor.expect(")", "after what is printed")
        return Printm(cursor.since(first), value)

    def _set_priority(self) -> SetPriority:
        cursor = self._cursor
        first = cursor.advance()
        cursor.expect("(", "after set_priority")
        process = self._expressions.expression()
        cursor.expect(",", "and the priority", "write set_priority(pid, priority)")
        priority = self._expressions.expression()
        cursor.expect(")", "after the priority")
        return SetPriority(cursor.since(first), process, priority)


def _confirm_assignable(place: Place) -> None:
    if isinstance(place, Access) and isinstance(place.last.type, Structure):
        raise InputError(
            f"{place.last.name} is a structure, and is not assigned as a whole", place.span, "assign its fields"
        )
