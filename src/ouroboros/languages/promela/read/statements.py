"""Tokens to statements: sequences, and what holds statements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ouroboros.errors import InputError
from ouroboros.languages.promela.read.ast import (
    Assert,
    Assignment,
    Atomic,
    Block,
    Break,
    Condition,
    Declaration,
    Do,
    DStep,
    Else,
    ForArray,
    ForChannel,
    ForRange,
    If,
    Label,
    Labelled,
    Option,
    Select,
    Sequence,
    Statement,
    Unless,
)
from ouroboros.languages.promela.read.basic_statements import BasicReader
from ouroboros.languages.promela.read.constants import constant
from ouroboros.languages.promela.read.cursor import Cursor
from ouroboros.languages.promela.read.declarations import DeclarationReader
from ouroboros.languages.promela.read.embedded import refuse_embedded_c
from ouroboros.languages.promela.read.expressions import ExpressionReader
from ouroboros.languages.promela.read.inlines import InlineUse, use_of
from ouroboros.languages.promela.read.names import Names
from ouroboros.languages.promela.read.terms import (
    Access,
    ArrayValues,
    Channel,
    Expression,
    Initial,
    Number,
    Place,
    Structure,
    Variable,
)
from ouroboros.languages.promela.read.tokens import Token

_ENDS = frozenset({"}", "::", "fi", "od", "end"})
"""What ends a sequence."""

MOST_SELECTED = 32
"""The widest range that `select` turns into an `if`."""


class StatementReader(BasicReader):
    """Reads the body of a process."""

    def __init__(
        self, cursor: Cursor, names: Names, expressions: ExpressionReader, declarations: DeclarationReader
    ) -> None:
        super().__init__(cursor, names, expressions)
        self._declarations = declarations
        self._creating = False
        """Whether a declaration here belongs to the creation of the process: no statement precedes it."""
        self._loops = 0
        self._uses: list[InlineUse] = []
        self._call_end: Token | None = None
        """The last token of the last call of an inline: its body has ended with a brace."""

    def body(self, *, events: bool = False) -> Sequence:
        """`{ sequence }` of a process, or of an assertion about events."""
        self._creating, self._loops, self._events = True, 0, events
        self._cursor.expect("{", "before the body")
        body = self._sequence()
        self._cursor.expect("}", "after the last statement")
        return body

    def _sequence(self) -> Sequence:
        """Steps and what separates them."""
        cursor = self._cursor
        steps: list[Statement] = []
        while True:
            while cursor.accept(";", "->"):
                pass
            if cursor.next.kind in _ENDS:
                break
            steps.append(self._step())
            ended = cursor.previous.kind in ("}", "else") or cursor.previous is self._call_end
            if not ended and cursor.next.kind not in (";", "->", *_ENDS):
                raise cursor.unexpected("`;` or `->`", "statements are separated by ;, -> or the end of a line")
        if not steps:
            raise cursor.unexpected("a statement")
        return tuple(steps)

    def _step(self) -> Statement:
        """A declaration, or a statement with perhaps an escape."""
        cursor = self._cursor
        first = cursor.next
        if self._declarations.begins():
            return self._declaration()
        if first.kind in ("xr", "xs"):
            return self._exclusive()
        with cursor.nested():
            main = self._statement()
            if cursor.next.kind == ";" and not cursor.next.text and cursor.following().kind == "unless":
                cursor.advance()
            if not cursor.accept("unless"):
                return main
            escape = self._statement()
        span = cursor.since(first)
        if isinstance(main, Labelled) and isinstance(main.statement, Block | Atomic | DStep):
            # The label of a block that has an escape is a label of both.
            return Labelled(span, main.label, Unless(span, main.statement, escape))
        return Unless(span, main, escape)

    def _declaration(self) -> Declaration:
        first = self._cursor.next
        if self._creating:
            variables = self._declarations.variables()
            return Declaration(self._cursor.since(first), variables, ())
        declared = self._declarations.executed()
        steps = tuple(_initialisation(variable, initial) for variable, initial in declared)
        return Declaration(self._cursor.since(first), tuple(variable for variable, _ in declared), steps)

    # ── One statement ─────────────────────────────────────────────────────────────────────────────────────────────────

    def _statement(self) -> Statement:
        cursor = self._cursor
        first = cursor.next
        if first.kind == "name" and cursor.following().kind == ":" and first.text not in self._names.processes:
            return self._labelled()
        self._creating = False
        match first.kind:
            case "name":
                return self._named()
            case "if" | "do":
                return self._choice()
            case "for":
                return self._for()
            case "select":
                return self._select()
            case "atomic" | "d_step" | "{":
                return self._block()
            case "goto":
                return self._goto()
            case "break":
                cursor.advance()
                if not self._loops:
                    raise InputError("break stands outside of a loop", first.span, "it leaves the innermost do or for")
                return Break(first.place)
            case "else":
                cursor.advance()
                return Else(first.place)
            case "assert":
                cursor.advance()
                condition = self._expressions.expression()
                return Assert(cursor.since(first), condition)
            case "printf":
                return self._printf()
            case "printm":
                return self._printm()
            case "set_priority":
                return self._set_priority()
            case "return":
                return self._return()
        refuse_embedded_c(first)
        expression = self._expressions.expression()
        return Condition(cursor.since(first), expression)

    def _labelled(self) -> Labelled:
        cursor = self._cursor
        name = cursor.advance()
        cursor.advance()
        variable = self._names.variable(name.text)
        # A label is never mistaken for a global variable; in its own process a name means one thing.
        if (variable and variable.process is not None) or name.text in self._names.symbols:
            raise InputError(f"{name.text} is already declared, and cannot be a label", name.span)
        label = Label(name.text, self._names.scope)
        if label in self._names.labels:
            raise InputError(
                f"a second label {name.text}", name.span, f"the first is in line {self._names.labels[label].line}"
            )
        self._names.labels[label] = name.place
        while cursor.next.kind == ";" and not cursor.next.text:
            cursor.advance()
        if self._declarations.begins() or cursor.next.kind in ("xr", "xs"):
            raise InputError("a label stands before a declaration", name.span, "put the declaration first")
        if cursor.next.kind in ("}", ";", "->", "::", "fi", "od"):
            self._creating = False
            statement: Statement = Condition(name.place, Number(name.place, 1))
        else:
            with cursor.nested():
                statement = self._statement()
        return Labelled(cursor.since(name), label, statement)

    # ── Statements that hold statements ───────────────────────────────────────────────────────────────────────────────

    def _choice(self) -> If | Do:
        cursor = self._cursor
        first = cursor.advance()
        loop = first.kind == "do"
        closing = "od" if loop else "fi"
        if cursor.next.kind != "::":
            raise cursor.unexpected(f"`::` after {first.kind}", f"write {first.kind} :: condition -> steps {closing}")
        self._loops += loop
        options: list[Option] = []
        while separator := cursor.accept("::"):
            with cursor.nested():
                options.append(Option(separator.place, self._sequence()))
        self._loops -= loop
        if cursor.next.kind != closing:
            raise cursor.unexpected(
                f"`::` or `{closing}`", f"the {first.kind} of line {first.span.line} is not closed by {closing}"
            )
        cursor.advance()
        return (Do if loop else If)(cursor.since(first), tuple(options))

    def _block(self) -> Atomic | DStep | Block:
        cursor = self._cursor
        first = cursor.advance()
        if first.kind != "{":
            cursor.expect("{", f"after {first.kind}")
        body = self._rest_of_block(f"to close the block of line {first.span.line}")
        span = cursor.since(first)
        match first.kind:
            case "atomic":
                return Atomic(span, body)
            case "d_step":
                return DStep(span, body)
        return Block(span, body, None)

    def _rest_of_block(self, purpose: str) -> Sequence:
        """The sequence after a `{`, and the `}`."""
        with self._names.inside_block(), self._cursor.nested():
            body = self._sequence()
        self._cursor.expect("}", purpose)
        return body

    def _for(self) -> Statement:
        cursor = self._cursor
        first = cursor.advance()
        cursor.expect("(", "after for")
        place = self._expressions.access()
        if cursor.next.kind == "name" and cursor.next.text == "in":
            cursor.advance()
            over = self._expressions.access(whole_array=True)
            cursor.expect(")", "before the body of for")
            return self._for_in(first, place, over)
        _confirm_counter(place)
        cursor.expect(":", "or in", "write for (i : 1 .. n) { … } or for (i in array) { … }")
        lowest, highest = self._range("for", place)
        body = self._for_body()
        return ForRange(cursor.since(first), place, lowest, highest, body)

    def _range(self, word: str, place: Access) -> tuple[Expression, Expression]:
        """`first .. last )`."""
        first = self._expressions.expression()
        self._cursor.expect("..", "between the first and the last value")
        last = self._expressions.expression()
        self._cursor.expect(")", f"after the range of {word}")
        lowest, highest = constant(first), constant(last)
        if lowest is not None and highest is not None and lowest > highest:
            raise InputError(f"{place.last.name} begins at {lowest}, after its end at {highest}", first.span)
        return first, last

    def _for_in(self, first: Token, place: Access, over: Access) -> ForArray | ForChannel:
        if over.members:
            raise InputError("for takes an array or a channel by its name", over.span)
        if isinstance(place.last.type, Structure):
            _confirm_carries(over, place.last.type)
            body = self._for_body()
            return ForChannel(self._cursor.since(first), place, over, body)
        if over.variable.size is None or over.at is not None:
            raise InputError(f"{over.variable.name} is no array", over.span, "for (i in a) takes an array by its name")
        _confirm_counter(place)
        body = self._for_body()
        return ForArray(self._cursor.since(first), place, over, body)

    def _for_body(self) -> Sequence:
        cursor = self._cursor
        while cursor.accept(";"):
            pass
        cursor.expect("{", "before the body of for")
        self._loops += 1
        body = self._rest_of_block("after the body of for")
        self._loops -= 1
        return body

    def _select(self) -> Select:
        cursor = self._cursor
        first = cursor.advance()
        cursor.expect("(", "after select")
        opening = cursor.position
        place = self._expressions.access()
        _confirm_counter(place)
        cursor.expect(":", "after the variable", "write select (i : 1 .. n)")
        plain = cursor.position == opening + 2 and place.variable.name.isalnum()
        low, high, after = cursor.next, cursor.following(2), cursor.position + 4
        lowest, highest = self._range("select", place)
        literal = cursor.position == after and low.text.isdigit() and high.text.isdigit()
        # Spin looks at the text for this: two literal numbers, a name without an underscore, outside of inlines.
        single = plain and literal and not self._uses and high.number - low.number <= MOST_SELECTED
        return Select(cursor.since(first), place, lowest, highest, single)

    # ── Inlines ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _use(self, result: Place | None) -> Block:
        """The body of an inline in the place of its call; `result` takes what it returns."""
        cursor = self._cursor
        call = cursor.next
        use = use_of(self._names.inlines[call.text], cursor, result, self._uses)
        span = cursor.since(call)
        with self._using(use, call), cursor.inside(use.tokens), cursor.nested():
            cursor.advance()
            body = self._rest_of_block(f"after the body of {call.text}")
        self._call_end = cursor.previous
        return Block(span, body, call.text)

    @contextmanager
    def _using(self, use: InlineUse, call: Token) -> Iterator[None]:
        self._uses.append(use)
        try:
            yield
        except InputError as error:
            if error.hint is None:
                error.hint = f"this is in the use of {call.text} in line {call.span.line}"
            raise
        finally:
            self._uses.pop()

    def _return(self) -> Assignment:
        cursor = self._cursor
        first = cursor.advance()
        if not self._uses or self._uses[-1].result is None:
            raise InputError(
                "return has nowhere to put its value", first.span, "it is for an inline that is used as x = f(…)"
            )
        place = self._uses[-1].result
        value = self._expressions.expression()
        return Assignment(cursor.since(first), place, value)


def _initialisation(variable: Variable, initial: Initial | None) -> Statement:
    """The step that a declaration after a statement is."""
    if isinstance(initial, Channel | ArrayValues):
        raise InputError(
            f"{variable.name} is declared after a statement, where only a plain value can be given",
            variable.span,
            "move the declaration to the beginning of the process",
        )
    if isinstance(variable.type, Structure):
        return Condition(variable.span, Number(variable.span, 1))
    at = Number(variable.span, 0) if variable.size is not None else None
    value = initial if initial is not None else Number(variable.span, 0)
    return Assignment(variable.span, Access(variable.span, variable, at, ()), value)


def _confirm_carries(channel: Access, structure: Structure) -> None:
    """Whether for can run over the messages of this channel."""
    name = channel.variable.name
    initial = channel.variable.initial
    if not isinstance(initial, Channel) or initial.types != (structure,):
        raise InputError(
            f"{name} is no channel that carries {structure.name} alone",
            channel.span,
            f"declare chan {name} = [n] of {{ {structure.name} }}",
        )
    if initial.capacity == 0:
        raise InputError("a rendezvous channel holds no messages to run over", channel.span)


def _confirm_counter(place: Access) -> None:
    kind = place.last.type
    if place.members or place.at is not None or isinstance(kind, Structure) or kind.name == "chan":
        raise InputError("a variable that counts is expected here, by its name alone", place.span)
