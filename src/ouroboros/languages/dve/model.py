"""A checked DVE model: every name is resolved to what it names, every constant has its value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ouroboros.languages.dve.ast import BinaryOperator, Type, UnaryOperator
from ouroboros.source import Source, Span


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    name: str
    type: Type
    constant: bool
    size: int | None
    """Number of elements of an array; None for a scalar."""
    initial: tuple[int, ...]
    """One value for each element, as written: a variable wraps it to its type, a constant does not."""
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Channel:
    name: str
    message: tuple[Type, ...] | None
    """The types of a message's values; None for an untyped channel."""
    capacity: int
    """How many messages the buffer holds; 0 for a handshake."""
    span: Span


class Number(NamedTuple):
    span: Span
    value: int


class Read(NamedTuple):
    span: Span
    variable: Variable
    at: Expression | None


class InState(NamedTuple):
    span: Span
    process: Process
    state: int


class Unary(NamedTuple):
    span: Span
    operator: UnaryOperator
    operand: Expression


class Binary(NamedTuple):
    span: Span
    operator: BinaryOperator
    left: Expression
    right: Expression


Expression: TypeAlias = Number | Read | InState | Unary | Binary


class Send(NamedTuple):
    channel: Channel
    values: tuple[Expression, ...]


class Receive(NamedTuple):
    channel: Channel
    places: tuple[Read, ...]


class Assignment(NamedTuple):
    place: Read
    value: Expression


class Transition(NamedTuple):
    span: Span
    origin: int
    target: int
    guard: Expression | None
    synchronisation: Send | Receive | None
    effects: tuple[Assignment, ...]


class Assertion(NamedTuple):
    state: int
    condition: Expression


@dataclass(eq=False, slots=True)
class Process:
    """A process; its behaviour is filled in when all processes are known, since expressions may name any of them."""

    name: str
    span: Span
    variables: dict[str, Variable]
    channels: dict[str, Channel]
    states: dict[str, int]
    initial: int
    accepting: frozenset[int]
    committed: frozenset[int]
    assertions: tuple[Assertion, ...] = ()
    transitions: tuple[Transition, ...] = ()


@dataclass(eq=False, slots=True)
class Model:
    source: Source
    variables: dict[str, Variable]
    channels: dict[str, Channel]
    processes: dict[str, Process] = field(default_factory=dict)
    """In the order of the text, without the property process."""
    property: Process | None = None
    synchronous: bool = False
    """Whether all processes move in every step."""
    warnings: dict[Variable, str] = field(default_factory=dict)
    """What is read as DiVinE reads it, and is likely to be a slip: one for each variable."""
