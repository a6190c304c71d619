"""Transitions to actions: a transition alone, with a buffer, or two of them in a handshake.

As DiVinE 3 has it:

* Effects are done one after the other, each sees those before it; the process changes its state at the end.
* Handshake: both guards hold before the step. The sender's values are evaluated, the receiver stores them, does its
  effects and changes its state, and then the sender does the same.
* Overflow: a value that does not fit the variable that it is assigned to is a failure, unless wrapping is asked for.
* Buffer: a send waits while it is full, a receive while it is empty. The message is put or taken before the effects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ouroboros.languages.dve import model as dve
from ouroboros.languages.dve.ast import Type
from ouroboros.languages.dve.fields import Buffer, Fields
from ouroboros.languages.dve.lower_expressions import ExpressionLowering
from ouroboros.system.blocks import Assign, Block, Require, SetLocal, Statement
from ouroboros.system.choices import Action, Part
from ouroboros.system.expressions import TRUE, Binary, Constant, Expression, Local, Read, conjunction
from ouroboros.system.intervals import field_interval, interval
from ouroboros.system.model import Overflow

_EVALUATION_BITS = 32
_COMMENTS_AND_SPACE = re.compile(r"(?:\s|//[^\n]*|/\*(?s:.)*?\*/|\\[ \t]*\r?\n)+")


@dataclass(frozen=True, eq=False, slots=True)
class LoweredTransition:
    """A transition, but for its synchronisation."""

    process: dve.Process
    origin: int
    part: Part
    guard: Expression
    synchronisation: dve.Send | dve.Receive | None
    values: tuple[Expression, ...]
    """What it sends."""
    effect: Block
    """The effects and the change of state."""

    def handshake(self, kind: type[dve.Send] | type[dve.Receive]) -> dve.Channel | None:
        """The channel that this transition needs a partner on, if it is of this kind."""
        synchronisation = self.synchronisation
        if isinstance(synchronisation, kind) and not synchronisation.channel.capacity:
            return synchronisation.channel
        return None


def statement_text(process: dve.Process, transition: dve.Transition) -> str:
    """The transition as written, in one line."""
    text = _COMMENTS_AND_SPACE.sub(" ", transition.span.text)
    return f"{list(process.states)[transition.origin]} {text}" if text.startswith("->") else text


class TransitionLowering:
    def __init__(self, fields: Fields, expressions: ExpressionLowering, overflow: Overflow) -> None:
        self.fields = fields
        self.expressions = expressions
        self.overflow = overflow
        self.locals = 0
        """The most temporaries that an action has used so far."""

    def lower(self, process: dve.Process, transition: dve.Transition) -> LoweredTransition:
        effect: list[Statement] = []
        for place, value in transition.effects:
            effect += self._assign(place, self.expressions.lower(value))
        if transition.origin != transition.target:
            effect.append(Assign(self.fields.locations[process], None, Constant(transition.target)))
        synchronisation = transition.synchronisation
        values = synchronisation.values if isinstance(synchronisation, dve.Send) else ()
        return LoweredTransition(
            process,
            transition.origin,
            Part(process.name, statement_text(process, transition), transition.span),
            TRUE if transition.guard is None else self.expressions.lower(transition.guard),
            synchronisation,
            tuple(map(self.expressions.lower, values)),
            tuple(effect),
        )

    def alone(self, transition: LoweredTransition) -> Action:
        """The action of a transition that needs no partner."""
        match transition.synchronisation:
            case dve.Send(channel):
                buffer = self.fields.buffers[channel]
                room = Binary("<", Read(buffer.length), Constant(channel.capacity))
                guard = conjunction(room, transition.guard)
                effect = _put(buffer, transition.values) + transition.effect
            case dve.Receive(channel, places):
                buffer = self.fields.buffers[channel]
                guard = conjunction(Binary(">", Read(buffer.length), Constant(0)), transition.guard)
                effect = self._take(buffer, places) + transition.effect
            case None:
                guard, effect = transition.guard, transition.effect
        return Action((transition.part,), effect, guard)

    def together(self, sender: LoweredTransition, receiver: LoweredTransition) -> Action:
        """The action of a handshake."""
        receiving = receiver.synchronisation
        assert isinstance(receiving, dve.Receive)
        return Action(
            (sender.part, receiver.part),
            self._transfer(sender.values, receiving) + receiver.effect + sender.effect,
            conjunction(sender.guard, receiver.guard),
        )

    def _take(self, buffer: Buffer, places: Sequence[dve.Read]) -> Block:
        self.locals = max(self.locals, len(places))
        statements: list[Statement] = []
        for slot, cells in enumerate(buffer.cells):
            statements.append(SetLocal(slot, Read(cells, Constant(0))))
            statements += [
                Assign(cells, Constant(to), Read(cells, Constant(origin)))
                for to, origin in pairwise(range(cells.elements))
            ]
            statements.append(Assign(cells, Constant(cells.elements - 1), Constant(0)))
        statements.append(Assign(buffer.length, None, Binary("-", Read(buffer.length), Constant(1))))
        for slot, place in enumerate(places):
            statements += self._assign(place, Local(slot))
        return tuple(statements)

    def _transfer(self, sent: Sequence[Expression], receiving: dve.Receive) -> Block:
        """The receiver stores a message; all its values are from before the step."""
        types: Sequence[Type | None] = receiving.channel.message or [None] * len(sent)
        values = [
            # A byte stays a byte on its way, like in a buffer.
            Binary("&", value, Constant(255)) if kind == "byte" and place.variable.type == "int" else value
            for value, kind, place in zip(sent, types, receiving.places, strict=True)
        ]
        if len(values) == 1:
            return self._assign(receiving.places[0], values[0])
        self.locals = max(self.locals, len(values))
        statements: list[Statement] = [SetLocal(slot, value) for slot, value in enumerate(values)]
        for slot, place in enumerate(receiving.places):
            statements += self._assign(place, Local(slot))
        return tuple(statements)

    def _assign(self, place: dve.Read, value: Expression) -> Block:
        field, index, site = self.expressions.place(place)
        range_ = field_interval(field)
        if self.overflow == "wrap" or interval(value, _EVALUATION_BITS).within(range_):
            return (Assign(field, index, value, site),)
        message = f"overflow: the value does not fit `{place.variable.name}`, which holds {range_.low} to {range_.high}"
        fits = self.expressions.site("overflow", message, place.span)
        keep: Block = ()
        if not isinstance(value, Local):
            # The values of a message are assigned from temporaries, so this one is free.
            self.locals = max(self.locals, 1)
            keep, value = (SetLocal(0, value),), Local(0)
        in_range = conjunction(
            Binary(">=", value, Constant(range_.low)),
            Binary("<=", value, Constant(range_.high)),
        )
        return (*keep, Require(in_range, fits), Assign(field, index, value, site))


def _put(buffer: Buffer, values: Sequence[Expression]) -> Block:
    # The cells wrap the values to the types of the channel.
    end = Read(buffer.length)
    stores = [Assign(cells, end, value) for cells, value in zip(buffer.cells, values, strict=True)]
    return (*stores, Assign(buffer.length, None, Binary("+", end, Constant(1))))
