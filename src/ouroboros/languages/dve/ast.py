"""The syntax of DVE as written: names are still names.

Named tuples, because they are built by the hundred thousand and never change.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from ouroboros.source import Span

Type = Literal["byte", "int"]
UnaryOperator = Literal["-", "~", "not"]
BinaryOperator = Literal[
    "imply", "or", "and", "|", "&", "^", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"
]


class Identifier(NamedTuple):
    span: Span
    text: str


class Number(NamedTuple):
    span: Span
    value: int


class Name(NamedTuple):
    """`x`, or an element of it: `x[index]`."""

    span: Span
    name: str
    at: Expression | None


class Member(NamedTuple):
    """`process.name`: whether the process is in that state."""

    span: Span
    process: str
    name: str


class Foreign(NamedTuple):
    """`process->name` or `process->name[index]`: a variable of another process."""

    span: Span
    process: str
    name: str
    at: Expression | None


class Unary(NamedTuple):
    span: Span
    operator: UnaryOperator
    operand: Expression


class Binary(NamedTuple):
    span: Span
    operator: BinaryOperator
    left: Expression
    right: Expression


Expression: TypeAlias = Number | Name | Member | Foreign | Unary | Binary


class Values(NamedTuple):
    """`{a, b, c}`: an initialiser of an array, or a message."""

    items: tuple[Expression, ...]


class VariableDeclaration(NamedTuple):
    identifier: Identifier
    type: Type
    constant: bool
    size: Expression | None
    initial: Expression | Values | None


class ChannelDeclaration(NamedTuple):
    identifier: Identifier
    message: tuple[Type, ...] | None
    """The types of a message's values; None for an untyped channel."""
    capacity: Expression | None


class ChannelName(NamedTuple):
    span: Span
    process: str | None
    name: str


class Send(NamedTuple):
    span: Span
    channel: ChannelName
    values: tuple[Expression, ...]


class Receive(NamedTuple):
    span: Span
    channel: ChannelName
    places: tuple[Name, ...]


class Assignment(NamedTuple):
    place: Name
    value: Expression


class Transition(NamedTuple):
    span: Span
    origin: Identifier | None
    """None in the short form `-> target {…}`: the origin of the transition before."""
    target: Identifier
    guard: Expression | None
    synchronisation: Send | Receive | None
    effects: tuple[Assignment, ...]


class Assertion(NamedTuple):
    state: Identifier
    condition: Expression


class Process(NamedTuple):
    identifier: Identifier
    variables: tuple[VariableDeclaration, ...]
    channels: tuple[ChannelDeclaration, ...]
    states: tuple[Identifier, ...]
    initial: tuple[Identifier, ...]
    accepting: tuple[Identifier, ...]
    committed: tuple[Identifier, ...]
    assertions: tuple[Assertion, ...]
    transitions: tuple[Transition, ...]


class Model(NamedTuple):
    variables: tuple[VariableDeclaration, ...]
    channels: tuple[ChannelDeclaration, ...]
    processes: tuple[Process, ...]
    synchronous: bool
    system: Span
    """Where `sync` or `async` was written."""
    property: Identifier | None
