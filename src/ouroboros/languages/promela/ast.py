"""Promela after reading: macros and inlines are expanded, and every name of a variable is the variable it means.

A node is a named tuple with the place that it was read from, `span`: that of the user's own text. Inside an inline this
is the line of its body, inside a macro the line that uses it. What is declared (variables, structures, processes) is
known by identity: the same object stands in its declaration and wherever it is used.

What looks different and is the same has one form: `skip`, `true` and `'A'` are numbers; `x++` is an assignment;
`eval(e)` and a constant in a receive are both a `Match`; a structure in a message or in the arguments of `run` is the
list of its basic fields, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.source import Source, Span

BasicName = Literal["bit", "bool", "byte", "pid", "short", "int", "unsigned", "mtype", "chan"]
Visibility = Literal["", "hidden", "local", "show"]
UnaryOperator = Literal["-", "~", "!"]
BinaryOperator = Literal[
    "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%"
]
PredefinedName = Literal["_pid", "_nr_pr", "_last", "_priority", "np_", "timeout"]
ChannelQuestion = Literal["len", "empty", "full", "nempty", "nfull"]
ProcessQuestion = Literal["enabled", "pc_value", "get_priority"]
ProcessKind = Literal["proctype", "init", "never", "trace", "notrace"]


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


# ── Statements ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Label(NamedTuple):
    """The target of gotos; a goto has the very label that is meant, equal to the one at its target."""

    name: str
    scope: str
    """The block that it stands in, as in a `Variable`: each use of an inline is a block, and has labels of its own."""


class Declaration(NamedTuple):
    """Variables declared in a body."""

    span: Span
    variables: tuple[Variable, ...]
    steps: Sequence
    """What is executed here, if a statement precedes the declaration: one step for each variable, which assigns the
    value that is written, or 0, to a scalar or to element 0 of an array, and nothing to a structure. The variable then
    has no `initial`. Empty if variables get their initial values when the process is created."""


class Exclusive(NamedTuple):
    """`xr channels` or `xs channels`: no other process receives (sends) here."""

    span: Span
    operation: Literal["xr", "xs"]
    channels: tuple[Access, ...]


class Condition(NamedTuple):
    """An expression as a statement: it waits until the value is not 0."""

    span: Span
    expression: Expression


class Assignment(NamedTuple):
    span: Span
    place: Place
    value: Expression


class Send(NamedTuple):
    """`channel!arguments`, or `channel!!arguments`."""

    span: Span
    channel: Access
    sorted: bool
    arguments: tuple[Expression, ...]


class Receive(NamedTuple):
    """`channel?arguments`; `??` is random, `?<arguments>` copies and leaves the message where it is."""

    span: Span
    channel: Access
    random: bool
    copy: bool
    arguments: tuple[ReceiveArgument, ...]


class Event(NamedTuple):
    """`channel!arguments` or `channel?arguments` in a trace or notrace assertion, where it is not done, but seen."""

    span: Span
    channel: Access
    sends: bool
    arguments: tuple[Match | Scratch, ...]


class Assert(NamedTuple):
    span: Span
    condition: Expression


class Printf(NamedTuple):
    span: Span
    format: str
    """With the escapes as characters; `%d` and the like as written."""
    arguments: tuple[Expression, ...]


class Printm(NamedTuple):
    span: Span
    value: Expression


class SetPriority(NamedTuple):
    span: Span
    process: Expression
    priority: Expression


class Goto(NamedTuple):
    span: Span
    label: Label


class Break(NamedTuple):
    """Leaves the innermost `do` or `for`."""

    span: Span


class Else(NamedTuple):
    span: Span


class Option(NamedTuple):
    """`:: body`; the span is that of the two colons."""

    span: Span
    body: Sequence


class If(NamedTuple):
    span: Span
    options: tuple[Option, ...]


class Do(NamedTuple):
    span: Span
    options: tuple[Option, ...]


class ForRange(NamedTuple):
    """`for (place : first .. last) { body }`."""

    span: Span
    place: Access
    first: Expression
    last: Expression
    body: Sequence


class ForArray(NamedTuple):
    """`for (place in array) { body }`: the place runs over the indices."""

    span: Span
    place: Access
    array: Access
    body: Sequence


class ForChannel(NamedTuple):
    """`for (place in channel) { body }`: a place of the type that the channel carries takes each message in turn."""

    span: Span
    place: Access
    channel: Access
    body: Sequence


class Select(NamedTuple):
    """`select (place : first .. last)`."""

    span: Span
    place: Access
    first: Expression
    last: Expression
    single: bool
    """Whether Spin makes it an `if` with an option for each value, which is one step. Otherwise it counts up from the
    first value and stops anywhere: one step to begin, two for each increment, one to stop."""


class Atomic(NamedTuple):
    span: Span
    body: Sequence


class DStep(NamedTuple):
    span: Span
    body: Sequence


class Block(NamedTuple):
    """`{ body }`, or the body of an inline in the place of its call."""

    span: Span
    body: Sequence
    inline: str | None
    """The inline that was called; the span is then that of the call."""


class Unless(NamedTuple):
    """`main unless escape`."""

    span: Span
    main: Statement
    escape: Statement


class Labelled(NamedTuple):
    """`label: statement`; a label before a closing brace stands before a `skip`."""

    span: Span
    label: Label
    statement: Statement


Statement: TypeAlias = (
    Declaration
    | Exclusive
    | Condition
    | Assignment
    | Send
    | Receive
    | Event
    | Assert
    | Printf
    | Printm
    | SetPriority
    | Goto
    | Break
    | Else
    | If
    | Do
    | ForRange
    | ForArray
    | ForChannel
    | Select
    | Atomic
    | DStep
    | Block
    | Unless
    | Labelled
)

Sequence: TypeAlias = tuple[Statement, ...]


# ── The whole ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class Process:
    """A proctype, `init`, a never claim, or a `trace` or `notrace` assertion."""

    span: Span
    """Its name, or the word that begins it."""
    kind: ProcessKind
    name: str
    """`init` for init; `never_0` and so on for a claim without a name; the keyword for event assertions."""
    parameters: tuple[Variable, ...]
    active: int
    """How many instances the initial state has: 1 for init; 0 for a proctype that is only run."""
    deterministic: bool
    """`D_proctype`."""
    priority: int | None
    provided: Expression | None
    body: Sequence
    end: Span
    """The closing brace."""
    variables: tuple[Variable, ...]
    """All that is local to it, in any block, in the order of declaration; parameters first."""
    order: int
    """How many processes, claims and event assertions stand before it in the text."""


class Formula(NamedTuple):
    """`ltl name { formula }`."""

    span: Span
    name: str
    """`ltl_0` and so on where none is written."""
    formula: Span
    """The text between the braces, macros expanded."""


@dataclass(frozen=True, eq=False)
class Model:
    globals: tuple[Variable, ...]
    """In the order of declaration, which is the order in which channels are made and initial values computed."""
    structures: tuple[Structure, ...]
    symbols: dict[str | None, tuple[str, ...]]
    """The names of each subtype of mtype, that of value 1 first; None is the plain mtype."""
    processes: tuple[Process, ...]
    """Proctypes and init in the order of the text, which is the order of the pids of what is active."""
    claims: tuple[Process, ...]
    events: Process | None
    """The trace or notrace assertion."""
    formulas: tuple[Formula, ...]
    included: tuple[Source, ...] = ()
    """Other files that the text takes in."""

    def process(self, name: str) -> Process:
        return next(process for process in self.processes if process.name == name)


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
