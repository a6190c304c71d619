"""Basic statements: when they can be executed, and what they do.

As Spin has it: values are computed with 32 bits and cut to the type of the variable that they are assigned to; a
message's values are cut to the types of the channel when it is sent. A receive first compares all fields, and then
assigns from left to right. What is sorted is put before the first message that is larger, field by field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from ouroboros.errors import InputError
from ouroboros.languages.promela.flow.elements import Basic, Death, Jump
from ouroboros.languages.promela.lower.channels import ChannelRef, Messages, cell, length_of, messages_in, plus
from ouroboros.languages.promela.lower.events import Events
from ouroboros.languages.promela.lower.expressions import Meaning
from ouroboros.languages.promela.lower.fields import MOST_PROCESSES, Bank, Fields
from ouroboros.languages.promela.lower.printing import said
from ouroboros.languages.promela.lower.procedures import Temporaries
from ouroboros.languages.promela.lower.processes import Creation, death
from ouroboros.languages.promela.lower.rights import Rights
from ouroboros.languages.promela.lower.sites import Sites
from ouroboros.languages.promela.read import ast, terms
from ouroboros.languages.promela.read.trees import nodes
from ouroboros.system.blocks import Assert, Assign, Block, If, Require, SetLocal, Statement
from ouroboros.system.expressions import (
    FALSE,
    TRUE,
    Binary,
    Conditional,
    Constant,
    Expression,
    Local,
    Read,
    conjunction,
    disjunction,
    is_constant,
)

LONE = "a d_step cannot offer a rendezvous: whom it meets would have to move inside of it"


class Lowered(NamedTuple):
    """A statement: executable where the guard holds."""

    guard: Expression
    effect: Block


class StatementLowering:
    """Statements of a process in its slot."""

    def __init__(self, meaning: Meaning, creation: Creation, rights: Rights, events: Events | None) -> None:
        self.meaning = meaning
        self.rights = rights
        self.events = events
        self.creation = creation
        self.fields: Fields = meaning.fields
        self.sites: Sites = meaning.sites

    def lower(self, statement: Basic | Jump | Death, temporaries: Temporaries, divisible: bool = True) -> Lowered:
        """A statement, which may be part of what is not divisible: then nobody else can have a part in it."""
        runs = (
            [node for node in nodes(statement) if isinstance(node, terms.Run)] if isinstance(statement, tuple) else []
        )
        before: list[Statement] = []
        for run in runs:
            before += self._run(run, temporaries)
        lowered = self._lower(statement, temporaries, divisible)
        self.meaning.runs.clear()
        if not runs:
            return lowered
        room = Binary("<", Read(self.fields.alive), Constant(MOST_PROCESSES))
        if isinstance(statement, ast.Condition):
            if not isinstance(statement.expression, terms.Run):
                raise InputError("`run` must stand alone, or its value be assigned", statement.span)
            return Lowered(room, tuple(before))
        return Lowered(conjunction(room, lowered.guard), (*before, *lowered.effect))

    def _lower(self, statement: Basic | Jump | Death, temporaries: Temporaries, divisible: bool) -> Lowered:
        match statement:
            case ast.Condition(_, expression):
                return Lowered(self.meaning.lower(expression), ())
            case ast.Assignment(_, place, value):
                return Lowered(TRUE, self.assign(place, self.meaning.lower(value)))
            case ast.Send():
                guard, effect = self._send(statement, temporaries, divisible)
                return Lowered(guard, (*self.respect(statement), *effect))
            case ast.Receive():
                guard, effect = self._receive(statement, temporaries)
                return Lowered(guard, (*self.respect(statement), *effect))
            case ast.Assert(span, condition):
                text = " ".join(condition.span.text.split())
                site = self.sites.site("assertion", f"assertion violated: {text}", span)
                return Lowered(TRUE, (Assert(self.meaning.lower(condition), site),))
            case ast.Printf() | ast.Printm():
                return Lowered(TRUE, said(statement, self.meaning, temporaries))
            case Jump() | ast.Else():
                return Lowered(TRUE, ())
            case Death():
                assert self.meaning.instance
                return Lowered(*death(self.fields, self.meaning.instance))
            case ast.SetPriority(_, process, priority):
                return Lowered(TRUE, self._set_priority(self.meaning.lower(process), self.meaning.lower(priority)))
            case ast.Event(span):
                raise InputError("this stands outside of a trace assertion", span)

    def assign(self, place: terms.Place, value: Expression) -> Block:
        match place:
            case terms.Access():
                leaf = self.meaning.leaf(place)
                if leaf is None:
                    return ()
                item, at, site = self.meaning.element(leaf, place)
                return (Assign(item, at, value, site),)
            case terms.Scratch():
                return ()
            case terms.Predefined(span, name):
                instance = self.meaning.instance
                if name != "_priority" or instance is None or instance.priority is None:
                    raise InputError(f"`{name}` cannot be assigned to", span)
                return (Assign(instance.priority, None, value),)

    def _set_priority(self, process: Expression, priority: Expression) -> Block:
        """Of a process that exists, whichever it is."""
        return tuple(
            If(
                conjunction(Binary("==", process, Constant(instance.pid)), Read(instance.location)),
                (Assign(instance.priority, None, priority),),
            )
            for instance in self.fields.instances.values()
            if instance.priority
        )

    def _run(self, run: terms.Run, temporaries: Temporaries) -> Block:
        arguments = [temporaries.new() for _ in run.arguments]
        pid = temporaries.new()
        self.meaning.runs[run] = pid
        return (
            *(
                SetLocal(local.slot, self.meaning.lower(argument))
                for local, argument in zip(arguments, run.arguments, strict=True)
            ),
            *self.creation.create(run, arguments, pid),
        )

    def respect(self, statement: ast.Send | ast.Receive) -> Block:
        """What has to be right before a message is sent or received."""
        return self.rights.respected(self.meaning, statement)

    # ── Channels ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def _send(self, send: ast.Send, temporaries: Temporaries, divisible: bool) -> Lowered:
        """Into a buffer; a rendezvous is made by two processes together."""
        lone = () if divisible else (Require(FALSE, self.sites.site("block", LONE, send.span)),)
        channel = self.meaning.channel(send.channel)
        values = [self.meaning.lower(argument) for argument in send.arguments]

        def room(bank: Bank, index: Expression) -> Expression:
            if not bank.capacity:
                return FALSE if divisible else TRUE
            return Binary("<", length_of(bank, index), Constant(bank.capacity))

        def effect(values: Sequence[Expression], temporaries: Temporaries, bank: Bank, index: Expression) -> Block:
            if not bank.length:
                return lone
            put = _put_sorted if send.sorted else _put
            length = Read(bank.length, index)
            return (
                *put(bank, index, values, temporaries),
                Assign(bank.length, index, Binary("+", length, Constant(1))),
                *self.seen(True, bank, index, values),
            )

        guard = channel.value("room" if divisible else "room_or_none", room)
        if not self._is_shared(channel):
            return Lowered(guard, channel.block(partial(effect, values, temporaries)))

        def send_any(parameters: Sequence[Local], temporaries: Temporaries) -> tuple[Block, Expression]:
            number, *values = parameters
            return channel.numbered(number).block(partial(effect, values, temporaries)), FALSE

        call = self.fields.procedures.call(
            ("send", send.sorted, divisible, *channel.key), (channel.number, *values), send_any
        )
        return Lowered(guard, (SetLocal(temporaries.new().slot, call),))

    def _receive(self, receive: ast.Receive, temporaries: Temporaries) -> Lowered:
        channel = self.meaning.channel(receive.channel)

        def effect(bank: Bank, index: Expression) -> Block:
            if not bank.length:
                return ()

            def remove(at: Expression) -> Block:
                values = [Read(cells, plus(cell(bank, index, 0), at)) for cells in bank.cells]
                return (*self.seen(False, bank, index, values), *(() if receive.copy else _remove(bank, index, at)))

            return self._take(messages_in(bank, index), receive, temporaries, remove)

        guard = channel.over_messages(
            lambda messages: self.meaning.has_message(messages, receive.arguments, receive.random)
        )
        if not self._is_shared(channel):
            return Lowered(guard, channel.block(effect))

        def remove_from_any(at: Expression) -> Block:
            def body(parameters: Sequence[Local], _: Temporaries) -> tuple[Block, Expression]:
                number, *rest = parameters
                place = rest[0] if rest else Constant(0)
                return channel.numbered(number).block(lambda bank, index: _remove(bank, index, place)), FALSE

            arguments = (channel.number,) if is_constant(at, 0) else (channel.number, at)
            call = self.fields.procedures.call(("remove", len(arguments), *channel.key), arguments, body)
            return () if receive.copy else (SetLocal(temporaries.new().slot, call),)

        return Lowered(guard, self._take(channel.messages(), receive, temporaries, remove_from_any))

    def _is_shared(self, channel: ChannelRef) -> bool:
        """Whether a procedure can do it: one that makes no claim, as a trace assertion would."""
        return channel.is_shared and self.events is None

    def seen(self, sends: bool, bank: Bank, index: Expression, values: Sequence[Expression]) -> Block:
        """What a trace assertion does about a message."""
        if self.events is None:
            return ()
        return self.events.seen(sends, bank, index, [truncated(value, bank, n) for n, value in enumerate(values)])

    def _take(
        self,
        messages: Messages,
        receive: ast.Receive,
        temporaries: Temporaries,
        remove: Callable[[Expression], Block],
    ) -> Block:
        """Read the message that is wanted, do with it what else is to be done, and assign."""
        block: list[Statement] = []
        at: Expression = Constant(0)
        if receive.random:
            at = temporaries.new()
            which: Expression = Constant(messages.capacity - 1)
            for number in reversed(range(messages.capacity - 1)):
                matches = self.meaning.matches(messages, number, receive.arguments)
                which = Conditional(matches, Constant(number), which)
            block.append(SetLocal(at.slot, which))
        taken: list[tuple[terms.Access, Local]] = []
        for position, argument in zip(messages.values, receive.arguments, strict=False):
            if isinstance(argument, terms.Access):
                value = temporaries.new()
                taken.append((argument, value))
                block.append(SetLocal(value.slot, messages.value(position, at)))
        block += remove(at)
        for place, value in taken:
            block += self.assign(place, value)
        return tuple(block)


def truncated(value: Expression, bank: Bank, position: int) -> Expression:
    """A value as a message carries it."""
    kind = bank.types[position]
    match kind.name:
        case "bit" | "bool":
            return Binary("&", value, Constant(1))
        case "byte" | "pid" | "mtype" | "chan":
            return value if _is_byte(value) else Binary("&", value, Constant(255))
        case "short":
            return Binary(">>", Binary("<<", value, Constant(16)), Constant(16))
        case "unsigned":
            return Binary("&", value, Constant((1 << (kind.width or 1)) - 1))
        case _:
            return value


def _is_byte(value: Expression) -> bool:
    match value:
        case Constant(number):
            return 0 <= number < 256
        case Read(item):
            return not item.signed and item.bits <= 8
    return False


def _put(bank: Bank, index: Expression, values: Sequence[Expression], temporaries: Temporaries) -> Block:
    assert bank.length
    base = cell(bank, index, 0)
    at = plus(base, Read(bank.length, index))
    return tuple(Assign(cells, at, value) for cells, value in zip(bank.cells, values, strict=False))


def _put_sorted(bank: Bank, index: Expression, values: Sequence[Expression], temporaries: Temporaries) -> Block:
    assert bank.length
    locals_ = [temporaries.new() for _ in values]
    block: list[Statement] = [
        SetLocal(local.slot, truncated(value, bank, position))
        for position, (local, value) in enumerate(zip(locals_, values, strict=True))
    ]
    at = temporaries.new()
    where: Expression = Read(bank.length, index)
    for number in reversed(range(bank.capacity)):
        larger: Expression = FALSE
        for cells, local in reversed(list(zip(bank.cells, locals_, strict=False))):
            there = Read(cells, cell(bank, index, number))
            more, same = Binary(">", there, local), Binary("==", there, local)
            larger = disjunction(more, FALSE if is_constant(larger, 0) else conjunction(same, larger))
        in_use = Binary(">", Read(bank.length, index), Constant(number))
        where = Conditional(conjunction(in_use, larger), Constant(number), where)
    block.append(SetLocal(at.slot, where))
    for cells, local in zip(bank.cells, locals_, strict=False):
        for number in reversed(range(bank.capacity)):
            here = cell(bank, index, number)
            kept: Expression = Read(cells, here)
            if number > 0:
                before = Read(cells, cell(bank, index, number - 1))
                kept = Conditional(Binary(">", Constant(number), at), before, kept)
            value = Conditional(Binary("==", Constant(number), at), local, kept)
            block.append(Assign(cells, here, value))
    return tuple(block)


def _remove(bank: Bank, index: Expression, at: Expression) -> Block:
    """Move the messages behind one up, and a zero in behind them."""
    if not bank.length:
        return ()
    block: list[Statement] = []
    for cells in bank.cells:
        for number in range(bank.capacity):
            here = cell(bank, index, number)
            following: Expression = Constant(0)
            if number + 1 < bank.capacity:
                following = Read(cells, cell(bank, index, number + 1))
            if not is_constant(at, 0):
                following = Conditional(Binary(">=", Constant(number), at), following, Read(cells, here))
            block.append(Assign(cells, here, following))
    block.append(Assign(bank.length, index, Binary("-", Read(bank.length, index), Constant(1))))
    return tuple(block)
