"""Types, variables and expressions of Promela after reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.source import Span

BasicName = Literal["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"]
Visibility = Literal["", "hidden", "local", "show"]
UnaryOperator = Literal["-", "~", "!"]
BinaryOperator = Literal[
    "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"
]
PredefinedName = Literal["_pid", "_nr_pr", "_last", "_priority", "np_", "timeout"]
ChannelQuestion = Literal["len", "empty", "full", "nempty", "nfull"]
ProcessQuestion = Literal["enabled", "pc_value", "get_priority"]


# ── Types and what is declared ────────────────────────────────────────────────────────────────────────────────────────


class Basic(NamedTuple):
    """A type whose values are numbers."""

    name: BasicName
    width: int | None = None
    """The bits of `unsigned x : width`."""
    subtype: str | None = None
    """`fruit` of `mtype:fruit`."""


@dataclass(frozen=True, eq=False)
class Structure:
    """`typedef name { fields }`."""

    span: Span
    name: str
    fields: tuple[Variable, ...]


Type: TypeAlias = Basic | Structure


@dataclass(frozen=True, eq=False)
class Variable:
    """A variable, a parameter, or a field of a structure."""

    span: Span
    """The name in its declaration."""
    name: str
    type: Type
    size: int | None
    """The number of elements of an array."""
    initial: Initial | None
    visibility: Visibility
    process: str | None
    """The proctype (or `init`, or the claim) that it is local to; None for a global and for a field."""
    parameter: bool
    scope: str
    """The blocks that it stands in, as Spin writes them: `_` outside of all, `_1_2_` in the second block of the first.
    Names differ within a scope, and an inner one hides an outer one."""


class ArrayValues(NamedTuple):
    """`= { 1, 2, 3 }`. Elements after the last value have the last value."""

    span: Span
    values: tuple[Expression, ...]


class Channel(NamedTuple):
    """`= [capacity] of { types }`: a new channel, one for each element of an array."""

    span: Span
    capacity: int
    types: tuple[Type, ...]

    @property
    def fields(self) -> tuple[Basic, ...]:
        """The types of a message's values, structures taken apart."""
        return tuple(basic for kind in self.types for basic in basic_types(kind))


# ── Expressions ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Number(NamedTuple):
    span: Span
    value: int


class Symbol(NamedTuple):
    """A name that an `mtype` declaration brought."""

    span: Span
    name: str
    value: int
    subtype: str | None


class Member(NamedTuple):
    """`.field` or `.field[index]`."""

    span: Span
    field: Variable
    at: Expression | None


class Access(NamedTuple):
    """`x`, `x[index]`, `x.field`, `x[index].field[index].field`.

    An array without an index stands only where Spin takes one: `for (i in array)`, and as element 0 where it warns.
    """

    span: Span
    variable: Variable
    at: Expression | None
    members: tuple[Member, ...]

    @property
    def last(self) -> Variable:
        """The variable or field that is accessed in the end."""
        return self.members[-1].field if self.members else self.variable

    @property
    def last_at(self) -> Expression | None:
        return self.members[-1].at if self.members else self.at


class Predefined(NamedTuple):
    span: Span
    name: PredefinedName


class Unary(NamedTuple):
    span: Span
    operator: UnaryOperator
    operand: Expression


class Binary(NamedTuple):
    span: Span
    operator: BinaryOperator
    left: Expression
    right: Expression


class Conditional(NamedTuple):
    """`(condition -> yes : no)`."""

    span: Span
    condition: Expression
    yes: Expression
    no: Expression


class Run(NamedTuple):
    """`run process(arguments) priority n`."""

    span: Span
    process: str
    arguments: tuple[Expression, ...]
    priority: int | None


class AskChannel(NamedTuple):
    """`len(channel)`, `empty(channel)` and so on."""

    span: Span
    question: ChannelQuestion
    channel: Access


class Poll(NamedTuple):
    """`channel?[arguments]`, or `channel??[arguments]` which looks at all messages."""

    span: Span
    channel: Access
    random: bool
    arguments: tuple[ReceiveArgument, ...]


class AskProcess(NamedTuple):
    """`enabled(pid)`, `pc_value(pid)`, `get_priority(pid)`."""

    span: Span
    question: ProcessQuestion
    process: Expression


class RemoteLabel(NamedTuple):
    """`process[pid]@label`, or `process@label` where pid is None."""

    span: Span
    process: str
    pid: Expression | None
    label: str


class RemoteVariable(NamedTuple):
    """`process[pid]:variable[index]`, or `process:variable` where pid is None."""

    span: Span
    process: str
    pid: Expression | None
    variable: Variable
    at: Expression | None


Expression: TypeAlias = (
    Number
    | Symbol
    | Access
    | Predefined
    | Unary
    | Binary
    | Conditional
    | Run
    | AskChannel
    | Poll
    | AskProcess
    | RemoteLabel
    | RemoteVariable
)

Initial: TypeAlias = Number | Symbol | Expression | ArrayValues | Channel


class Scratch(NamedTuple):
    """`_`, which forgets what is written to it."""

    span: Span


class Match(NamedTuple):
    """A field of a message that must have this value: a constant, or `eval(value)`."""

    span: Span
    value: Expression


Place: TypeAlias = Access | Predefined | Scratch
"""What can be assigned to; the only predefined one is `_priority`."""

ReceiveArgument: TypeAlias = Match | Access | Scratch
"""What a field of a message is compared with or stored in; into `_` it is neither."""


def basic_types(kind: Type) -> Iterator[Basic]:
    """The basic types that values of this type consist of."""
    if isinstance(kind, Basic):
        yield kind
        return
    for field in kind.fields:
        for _ in range(field.size or 1):
            yield from basic_types(field.type)


def basic_accesses(access: Access) -> Iterator[Access]:
    """The access itself if it is basic; those of all basic fields if it is a structure."""
    kind = access.last.type
    if isinstance(kind, Basic):
        yield access
        return
    for field in kind.fields:
        indices = [None] if field.size is None else [Number(access.span, index) for index in range(field.size)]
        for index in indices:
            member = Member(access.span, field, index)
            yield from basic_accesses(access._replace(members=(*access.members, member)))
