"""Code that is the same for all processes and channels, as procedures, where there are many of them.

What is done with the channel that a variable holds depends on which channel that is, and how a process is made depends
on the slot that is free. In a model with n slots such code is n cases long. With few slots it stands where it is used;
with many it would stand there for each of the n processes, and compiling it would take a time quadratic in n.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

from ouroboros.system.blocks import Block, If
from ouroboros.system.expressions import (
    NO_SITE,
    Binary,
    Call,
    Conditional,
    Constant,
    Expression,
    Local,
    Procedure,
)

MANY = 8
"""More cases than this are many."""


class Temporaries:
    """The temporaries of one action or procedure."""

    def __init__(self) -> None:
        self.count = 0

    def new(self) -> Local:
        self.count += 1
        return Local(self.count - 1)


class Procedures:
    """The procedures of a lowered model, each made when it is first asked for."""

    def __init__(self) -> None:
        self._known: dict[tuple[Hashable, ...], Procedure] = {}

    def call(
        self,
        key: tuple[Hashable, ...],
        arguments: Sequence[Expression],
        make: Callable[[Sequence[Local], Temporaries], tuple[Block, Expression]],
    ) -> Call:
        """Call the procedure with this key; what it does and its result are made from its parameters."""
        procedure = self._known.get(key)
        if procedure is None:
            temporaries = Temporaries()
            body, result = make([temporaries.new() for _ in arguments], temporaries)
            name = f"{key[0]}_{len(self._known)}"
            procedure = self._known[key] = Procedure(name, len(arguments), body, result, temporaries.count)
        # None of them calls another one.
        return Call(procedure, tuple(arguments), 1, NO_SITE)


def chosen_value(number: Expression, cases: Sequence[tuple[int, Expression]]) -> Expression:
    """The value for a number: that of the last case, by ascending numbers, that begins with it or before."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    below = Binary("<", number, Constant(cases[middle][0]))
    return Conditional(below, chosen_value(number, cases[:middle]), chosen_value(number, cases[middle:]))


def chosen_block(number: Expression, cases: Sequence[tuple[int, Block]]) -> Block:
    """As `chosen_value`, for what is done."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    below = Binary("<", number, Constant(cases[middle][0]))
    return (If(below, chosen_block(number, cases[:middle]), chosen_block(number, cases[middle:])),)
