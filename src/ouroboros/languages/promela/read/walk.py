"""Statements inside of statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ouroboros.languages.promela.read.ast import (
    Atomic,
    Block,
    Declaration,
    Do,
    DStep,
    ForArray,
    ForChannel,
    ForRange,
    If,
    Labelled,
    Sequence,
    Statement,
    Unless,
)


def inner(statement: Statement) -> tuple[Sequence, ...]:
    """The sequences that a statement consists of."""
    match statement:
        case If(options=options) | Do(options=options):
            return tuple(option.body for option in options)
        case Atomic() | DStep() | Block() | ForRange() | ForArray() | ForChannel():
            return (statement.body,)
        case Unless(main=main, escape=escape):
            return ((main,), (escape,))
        case Labelled(statement=labelled):
            return ((labelled,),)
        case Declaration(steps=steps) if steps:
            return (steps,)
    return ()


def with_inner(statement: Statement, sequences: tuple[Sequence, ...]) -> Statement:
    """The statement with other sequences in the place of those that it consists of."""
    match statement:
        case If(options=options) | Do(options=options):
            replaced = (option._replace(body=body) for option, body in zip(options, sequences, strict=True))
            return statement._replace(options=tuple(replaced))
        case Atomic() | DStep() | Block() | ForRange() | ForArray() | ForChannel():
            return statement._replace(body=sequences[0])
        case Unless():
            return statement._replace(main=sequences[0][0], escape=sequences[1][0])
        case Labelled():
            return statement._replace(statement=sequences[0][0])
        case Declaration():
            return statement._replace(steps=sequences[0])
    return statement


def statements(sequence: Sequence) -> Iterator[Statement]:
    """All statements at any depth, each before those inside of it."""
    for statement in sequence:
        yield statement
        for body in inner(statement):
            yield from statements(body)


def rewritten(sequence: Sequence, change: Callable[[Statement], Statement]) -> Sequence:
    """The sequence with each statement at any depth changed."""

    def within(statement: Statement) -> Statement:
        bodies = inner(statement)
        return with_inner(statement, tuple(rewritten(body, change) for body in bodies)) if bodies else statement

    return tuple(change(within(statement)) for statement in sequence)
