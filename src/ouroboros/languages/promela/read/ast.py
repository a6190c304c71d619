"""Promela after reading: macros and inlines are expanded, and every name of a variable is the variable it means.

A node is a named tuple with the place that it was read from, `span`: that of the user's own text. Inside an inline this
is the line of its body, inside a macro the line that uses it. What is declared (variables, structures, processes) is
known by identity: the same object stands in its declaration and wherever it is used.

What looks different and is the same has one form: `skip`, `true` and `'A'` are numbers; `x++` is an assignment;
`eval(e)` and a constant in a receive are both a `Match`; a structure in a message or in the arguments of `run` is the
list of its basic fields, in order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ouroboros.languages.promela.read import terms
from ouroboros.source import Source, Span

ProcessKind = Literal["proctype", "init", "never", "trace", "notrace"]


# ── Statements ────────────────────────────────────────────────────────────────────────────────────────────────────────


class Label(NamedTuple):
    """The target of gotos; a goto has the very label that is meant, equal to the one at its target."""

    name: str
    scope: str
    """The block that it stands in, as in a `Variable`: each use of an inline is a block, and has labels of its own."""


class Declaration(NamedTuple):
    """Variables declared in a body."""

    span: Span
    variables: tuple[terms.Variable, ...]
    steps: Sequence
    """What is executed here, if a statement precedes the declaration: one step for each variable, which assigns the
    value that is written, or 0, to a scalar or to element 0 of an array, and nothing to a structure. The variable then
    has no `initial`. Empty if variables get their initial values when the process is created."""


class Exclusive(NamedTuple):
    """`xr channels` or `xs channels`: no other process receives (sends) here."""

    span: Span
    operation: Literal["xr", "xs"]
    channels: tuple[terms.Access, ...]


class Condition(NamedTuple):
    """An expression as a statement: it waits until the value is not 0."""

    span: Span
    expression: terms.Expression


class Assignment(NamedTuple):
    span: Span
    place: terms.Place
    value: terms.Expression


class Send(NamedTuple):
    """`channel!arguments`, or `channel!!arguments`."""

    span: Span
    channel: terms.Access
    sorted: bool
    arguments: tuple[terms.Expression, ...]


class Receive(NamedTuple):
    """`channel?arguments`; `??` is random, `?<arguments>` copies and leaves the message where it is."""

    span: Span
    channel: terms.Access
    random: bool
    copy: bool
    arguments: tuple[terms.ReceiveArgument, ...]


class Event(NamedTuple):
    """`channel!arguments` or `channel?arguments` in a trace or notrace assertion, where it is not done, but seen."""

    span: Span
    channel: terms.Access
    sends: bool
    arguments: tuple[terms.Match | terms.Scratch, ...]


class Assert(NamedTuple):
    span: Span
    condition: terms.Expression


class Printf(NamedTuple):
    span: Span
    format: str
    """With the escapes as characters; `%d` and the like as written."""
    arguments: tuple[terms.Expression, ...]


class Printm(NamedTuple):
    span: Span
    value: terms.Expression


class SetPriority(NamedTuple):
    span: Span
    process: terms.Expression
    priority: terms.Expression


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
    place: terms.Access
    first: terms.Expression
    last: terms.Expression
    body: Sequence


class ForArray(NamedTuple):
    """`for (place in array) { body }`: the place runs over the indices."""

    span: Span
    place: terms.Access
    array: terms.Access
    body: Sequence


class ForChannel(NamedTuple):
    """`for (place in channel) { body }`: a place of the type that the channel carries takes each message in turn."""

    span: Span
    place: terms.Access
    channel: terms.Access
    body: Sequence


class Select(NamedTuple):
    """`select (place : first .. last)`."""

    span: Span
    place: terms.Access
    first: terms.Expression
    last: terms.Expression
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
    parameters: tuple[terms.Variable, ...]
    active: int
    """How many instances the initial state has: 1 for init; 0 for a proctype that is only run."""
    deterministic: bool
    """`D_proctype`."""
    priority: int | None
    provided: terms.Expression | None
    body: Sequence
    end: Span
    """The closing brace."""
    variables: tuple[terms.Variable, ...]
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
    globals: tuple[terms.Variable, ...]
    """In the order of declaration, which is the order in which channels are made and initial values computed."""
    structures: tuple[terms.Structure, ...]
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
    warnings: tuple[str, ...] = ()
    """What Spin reads otherwise than it looks; each begins with its place."""

    def process(self, name: str) -> Process:
        return next(process for process in self.processes if process.name == name)
