"""Channels, as statements and expressions name them: which ones it may be, and what is in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ouroboros.languages.promela.lower.fields import Bank
from ouroboros.languages.promela.lower.procedures import MANY, Procedures, chosen_block, chosen_value
from ouroboros.languages.promela.lower.sites import failing
from ouroboros.system.blocks import Block, If, Require
from ouroboros.system.expressions import FALSE, Binary, Conditional, Constant, Expression, Read, conjunction


class Messages(NamedTuple):
    """What is in a channel with a buffer, oldest first."""

    capacity: int
    """There are no more than these."""
    length: Expression
    values: range
    """The numbers of the values that each has."""
    value: Callable[[int, Expression], Expression]
    """Value number so much of the message at a place."""


class ChannelRef(NamedTuple):
    """A channel as an expression names it."""

    options: tuple[tuple[Bank, Expression], ...]
    """The banks that it may be in, and which of their channels it is."""
    variable: Expression | None
    """The number of the channel, which says which bank it is in; None where there is only one."""
    site: int
    """Where it fails if it is no channel at all."""
    procedures: Procedures

    @property
    def number(self) -> Expression:
        if self.variable is not None:
            return self.variable
        bank, index = self.options[0]
        return plus(Constant(bank.first), index)

    @property
    def is_shared(self) -> bool:
        """Whether there are so many channels that procedures handle them; all messages must be of the same kind."""
        kinds = {tuple((kind.name, kind.width) for kind in bank.types) for bank, _ in self.options}
        return len(self.options) > MANY and len(kinds) == 1

    def value(self, name: str, make: Callable[[Bank, Expression], Expression]) -> Expression:
        """An expression that depends on which channel it is and on nothing else."""
        if not self.is_shared:
            return self._chosen(make)
        return self.procedures.call(
            (name, *self.key), (self.number,), lambda parameters, _: ((), self.numbered(parameters[0])._chosen(make))
        )

    def over_messages(self, make: Callable[[Messages], Expression], none: Expression = FALSE) -> Expression:
        """An expression that depends on what is in the channel; another one for a rendezvous, which holds nothing.

        Where there is no message `make` must give `none`, if that does not fail.
        """
        if self.is_shared:
            return make(self.messages(none))
        return self._chosen(lambda bank, index: make(messages_in(bank, index)) if bank.length else none)

    def messages(self, none: Expression = FALSE) -> Messages:
        """What is in one of many channels."""

        def value(position: int, at: Expression) -> Expression:
            return self.procedures.call(
                ("value", position, *self.key),
                (self.number, at),
                lambda parameters, _: (
                    (),
                    self.numbered(parameters[0])._chosen(
                        lambda bank, index: (
                            messages_in(bank, index).value(position, parameters[1]) if bank.length else FALSE
                        )
                    ),
                ),
            )

        length = self.procedures.call(
            ("length", none, *self.key),
            (self.number,),
            lambda parameters, _: (
                (),
                self.numbered(parameters[0])._chosen(
                    lambda bank, index: messages_in(bank, index).length if bank.length else none
                ),
            ),
        )
        values = range(len(self.options[0][0].types))
        return Messages(max(bank.capacity for bank, _ in self.options), length, values, value)

    def block(self, make: Callable[[Bank, Expression], Block]) -> Block:
        """What is done, depending on which channel it is."""
        if self.variable is None:
            return make(*self.options[0])
        block: Block = (Require(FALSE, self.site),)
        if self.is_shared:
            return chosen_block(
                self.variable,
                [(bank.first, (If(self.is_in(bank), make(bank, index), block),)) for bank, index in self._sorted()],
            )
        for bank, index in reversed(self.options):
            block = (If(self.is_in(bank), make(bank, index), block),)
        return block

    def is_in(self, bank: Bank) -> Expression:
        assert self.variable is not None
        if bank.count == 1:
            return Binary("==", self.variable, Constant(bank.first))
        return conjunction(
            Binary(">=", self.variable, Constant(bank.first)),
            Binary("<", self.variable, Constant(bank.first + bank.count)),
        )

    @property
    def key(self) -> tuple[int, ...]:
        """What a procedure depends on."""
        return (self.site, *(bank.first for bank, _ in self.options))

    def numbered(self, number: Expression) -> ChannelRef:
        """The same, with another expression for the number of the channel."""
        options = tuple((bank, minus(number, bank.first)) for bank, _ in self.options)
        return self._replace(options=options, variable=number)

    def _sorted(self) -> list[tuple[Bank, Expression]]:
        return sorted(self.options, key=lambda option: option[0].first)

    def _chosen(self, make: Callable[[Bank, Expression], Expression]) -> Expression:
        if self.variable is None:
            return make(*self.options[0])
        result = failing(self.site)
        if self.is_shared:
            return chosen_value(
                self.variable,
                [
                    (bank.first, Conditional(self.is_in(bank), make(bank, index), result))
                    for bank, index in self._sorted()
                ],
            )
        for bank, index in reversed(self.options):
            result = Conditional(self.is_in(bank), make(bank, index), result)
        return result


def messages_in(bank: Bank, index: Expression) -> Messages:
    return Messages(
        bank.capacity,
        length_of(bank, index),
        range(len(bank.cells)),
        lambda position, at: Read(bank.cells[position], plus(cell(bank, index, 0), at)),
    )


def length_of(bank: Bank, index: Expression) -> Expression:
    return Constant(0) if bank.length is None else Read(bank.length, index)


def cell(bank: Bank, index: Expression, at: int) -> Expression:
    """Where message number `at` of a channel is in the cells of its bank."""
    return plus(times(index, bank.capacity), Constant(at))


def plus(left: Expression, right: Expression) -> Expression:
    match left, right:
        case Constant(first), Constant(second):
            return Constant(first + second)
        case Constant(0), _:
            return right
        case _, Constant(0):
            return left
    return Binary("+", left, right)


def minus(left: Expression, right: int) -> Expression:
    return plus(left, Constant(-right))


def times(left: Expression, right: int) -> Expression:
    if right == 1:
        return left
    return Constant(left.value * right) if isinstance(left, Constant) else Binary("*", left, Constant(right))
