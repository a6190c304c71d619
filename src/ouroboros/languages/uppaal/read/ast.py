"""The tree of a model as it was written, before names mean anything."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from ouroboros.errors import InputError
from ouroboros.source import Source, Span

# Expressions


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    span: Span
    value: int
    truth: bool = False
    """Whether it was written `true` or `false`."""


@dataclass(frozen=True, eq=False, slots=True)
class Name:
    span: Span
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Index:
    span: Span
    base: Expression
    at: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Member:
    span: Span
    base: Expression
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Call:
    span: Span
    callee: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Unary:
    span: Span
    operator: Literal["-", "+", "!"]
    operand: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Binary:
    span: Span
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Conditional:
    span: Span
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Assignment:
    span: Span
    operator: str
    """Empty, or the operation that is made with the old value first."""
    target: Expression
    value: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Increment:
    span: Span
    change: Literal[1, -1]
    target: Expression
    before: bool
    """Whether the operator stands before its operand: then the value is the new one."""


@dataclass(frozen=True, eq=False, slots=True)
class Quantifier:
    span: Span
    kind: Literal["forall", "exists", "sum"]
    name: str
    type: Type
    body: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Deadlock:
    span: Span


@dataclass(frozen=True, eq=False, slots=True)
class Rate:
    span: Span
    clock: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Braces:
    """The initial values of an array or a struct."""

    span: Span
    items: tuple[tuple[str | None, Expression], ...]


Expression: TypeAlias = (
    Number
    | Name
    | Index
    | Member
    | Call
    | Unary
    | Binary
    | Conditional
    | Assignment
    | Increment
    | Quantifier
    | Deadlock
    | Rate
    | Braces
)

# Types


@dataclass(frozen=True, eq=False, slots=True)
class Basic:
    span: Span
    name: Literal["int", "bool", "clock", "chan", "void"]


@dataclass(frozen=True, eq=False, slots=True)
class Range:
    span: Span
    low: Expression
    high: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Scalar:
    span: Span
    size: Expression


@dataclass(frozen=True, eq=False, slots=True)
class Named:
    span: Span
    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Struct:
    span: Span
    fields: tuple[Variable, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Type:
    span: Span
    prefixes: frozenset[str]
    base: Basic | Range | Scalar | Named | Struct


# Declarations


@dataclass(frozen=True, eq=False, slots=True)
class Variable:
    span: Span
    type: Type
    name: str
    dimensions: tuple[Expression | Type, ...] = ()
    initial: Expression | None = None
    reference: bool = False
    """Of parameters: whether it is another name for the argument."""


@dataclass(frozen=True, eq=False, slots=True)
class Typedef:
    span: Span
    type: Type
    name: str
    dimensions: tuple[Expression | Type, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Function:
    span: Span
    result: Type
    name: str
    parameters: tuple[Variable, ...]
    body: Block


@dataclass(frozen=True, eq=False, slots=True)
class ChannelPriorities:
    """Groups of channels, the lowest first; `None` stands for steps without one and channels not named."""

    span: Span
    groups: tuple[tuple[Expression | None, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Instantiation:
    span: Span
    name: str
    parameters: tuple[Variable, ...]
    template: Name
    arguments: tuple[Expression, ...]


Declaration: TypeAlias = "Variable | Typedef | Function | ChannelPriorities | Instantiation | Template"

# Statements


@dataclass(frozen=True, eq=False, slots=True)
class Block:
    span: Span
    declarations: tuple[Variable | Typedef, ...]
    statements: tuple[Statement, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Evaluation:
    span: Span
    expression: Expression


@dataclass(frozen=True, eq=False, slots=True)
class If:
    span: Span
    condition: Expression
    then: Statement
    otherwise: Statement | None


@dataclass(frozen=True, eq=False, slots=True)
class While:
    span: Span
    condition: Expression
    body: Statement
    first: bool = False
    """Whether the body runs once before the condition is looked at."""


@dataclass(frozen=True, eq=False, slots=True)
class For:
    span: Span
    start: Expression | None
    condition: Expression | None
    step: Expression | None
    body: Statement


@dataclass(frozen=True, eq=False, slots=True)
class ForEach:
    span: Span
    name: str
    type: Type
    body: Statement


@dataclass(frozen=True, eq=False, slots=True)
class Return:
    span: Span
    value: Expression | None


Statement: TypeAlias = Block | Evaluation | If | While | For | ForEach | Return

# Templates


@dataclass(frozen=True, eq=False, slots=True)
class Location:
    span: Span
    name: str
    key: str
    """What transitions know it by: the identifier in XML, the name in text."""
    invariant: Expression | None = None
    urgent: bool = False
    committed: bool = False
    branchpoint: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Synchronisation:
    span: Span
    channel: Expression
    sends: bool | None
    """None where it is written without `!` or `?`."""


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    span: Span
    source: str
    target: str
    select: tuple[Variable, ...] = ()
    guard: Expression | None = None
    synchronisation: Synchronisation | None = None
    updates: tuple[Expression, ...] = ()
    text: str = ""
    """Its labels, as a trace prints them."""


@dataclass(frozen=True, eq=False, slots=True)
class Template:
    span: Span
    name: str
    parameters: tuple[Variable, ...]
    declarations: tuple[Declaration, ...]
    locations: tuple[Location, ...]
    initial: str | None
    edges: tuple[Edge, ...]


# Queries and the whole

QueryKind: TypeAlias = Literal["A[]", "E<>", "A<>", "E[]", "-->", "sup", "inf", "bounds"]


@dataclass(frozen=True, eq=False, slots=True)
class Query:
    span: Span
    kind: QueryKind
    first: Expression
    second: Expression | None
    """Of `-->`: what follows."""
    text: str
    comment: str = ""
    refusal: InputError | None = None
    """Why it cannot be answered, where that is known already."""
    measured: tuple[Expression, ...] = ()
    """Of `sup`, `inf` and `bounds`: whose values, in states where `first` holds."""


@dataclass(eq=False, slots=True)
class Model:
    source: Source
    declarations: list[Declaration] = field(default_factory=list)
    """Of all sections, in order: globals, templates, instantiations."""
    system: tuple[tuple[Name, ...], ...] = ()
    """The processes, in groups of growing priority."""
    joined: list[tuple[Name, tuple[Expression, ...]]] = field(default_factory=list)
    """For each process with a line `IO`, the channels that it is part of whenever a step is made on them."""
    queries: list[Query] = field(default_factory=list)
    places: list[tuple[int, int, str]] = field(default_factory=list)
    """Which characters of the file belong to what, for messages."""
