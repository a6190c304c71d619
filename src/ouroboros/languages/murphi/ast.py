"""The syntax tree of a Murphi model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ouroboros.source import Span


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    span: Span


# Expressions


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Truth(Node):
    value: bool


@dataclass(frozen=True, slots=True, eq=False)
class Undefined(Node):
    """The word `undefined` in place of a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Member(Node):
    record: Expression
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    array: Expression
    index: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Unary(Node):
    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binary(Node):
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Conditional(Node):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binding(Node):
    """What a quantifier, a loop or a ruleset ranges over: a type, or from one number to another."""

    name: str
    type: Type | None
    first: Expression | None = None
    last: Expression | None = None
    step: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Quantified(Node):
    quantifier: Literal["forall", "exists"]
    binding: Binding
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    function: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class IsUndefined(Node):
    operand: Expression


@dataclass(frozen=True, slots=True, eq=False)
class IsMember(Node):
    operand: Expression
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class MultisetCount(Node):
    name: str
    multiset: Expression
    condition: Expression


Expression: TypeAlias = (
    Number | Truth | Undefined | Name | Member | Index | Unary | Binary | Conditional | Quantified | Call | IsUndefined
    | IsMember | MultisetCount
)  # fmt: skip


# Types


@dataclass(frozen=True, slots=True, eq=False)
class NamedType(Node):
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class RangeType(Node):
    low: Expression
    high: Expression


@dataclass(frozen=True, slots=True, eq=False)
class EnumType(Node):
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ScalarsetType(Node):
    size: Expression


@dataclass(frozen=True, slots=True, eq=False)
class UnionType(Node):
    members: tuple[Type, ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordType(Node):
    fields: tuple[tuple[Name, Type], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType(Node):
    index: Type
    element: Type


@dataclass(frozen=True, slots=True, eq=False)
class MultisetType(Node):
    size: Expression
    element: Type


Type: TypeAlias = (
    NamedType | RangeType | EnumType | ScalarsetType | UnionType | RecordType | ArrayType | MultisetType
)  # fmt: skip


# Declarations


@dataclass(frozen=True, slots=True, eq=False)
class ConstantDeclaration(Node):
    name: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class TypeDeclaration(Node):
    name: str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class VariableDeclaration(Node):
    name: str
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Node):
    name: str
    type: Type
    by_reference: bool


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """A function, or, without a result, a procedure."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


Declaration: TypeAlias = ConstantDeclaration | TypeDeclaration | VariableDeclaration | Function


# Statements


@dataclass(frozen=True, slots=True, eq=False)
class Assignment(Node):
    target: Expression
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class If(Node):
    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Switch(Node):
    value: Expression
    cases: tuple[tuple[tuple[Expression, ...], tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class For(Node):
    binding: Binding
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class While(Node):
    condition: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CallStatement(Node):
    call: Call


@dataclass(frozen=True, slots=True, eq=False)
class Return(Node):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class PropertyStatement(Node):
    kind: Literal["assert", "assume", "cover"]
    condition: Expression
    message: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Error(Node):
    message: str


@dataclass(frozen=True, slots=True, eq=False)
class Put(Node):
    value: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Reset(Node):
    """`clear` and `undefine`."""

    kind: Literal["clear", "undefine"]
    target: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Alias(Node):
    name: str
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class AliasStatement(Node):
    aliases: tuple[Alias, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class MultisetAdd(Node):
    value: Expression
    multiset: Expression


@dataclass(frozen=True, slots=True, eq=False)
class MultisetRemove(Node):
    index: Expression
    multiset: Expression


@dataclass(frozen=True, slots=True, eq=False)
class MultisetRemoveWhere(Node):
    name: str
    multiset: Expression
    condition: Expression


Statement: TypeAlias = (
    Assignment | If | Switch | For | While | CallStatement | Return | PropertyStatement | Error | Put | Reset
    | AliasStatement | MultisetAdd | MultisetRemove | MultisetRemoveWhere
)  # fmt: skip


# Rules


@dataclass(frozen=True, slots=True, eq=False)
class Rule(Node):
    name: str | None
    guard: Expression | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]
    fairness: str
    """What a pragma before the rule says, `weak` or `strong`, or nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class StartState(Node):
    name: str | None
    declarations: tuple[Declaration, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Property(Node):
    kind: Literal["invariant", "assume", "cover", "liveness"]
    name: str | None
    condition: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Response(Node):
    """`liveness "name" always p -> eventually q`."""

    name: str | None
    request: Expression
    answer: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Ruleset(Node):
    bindings: tuple[Binding, ...]
    rules: tuple[AnyRule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AliasRule(Node):
    aliases: tuple[Alias, ...]
    rules: tuple[AnyRule, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choose(Node):
    name: str
    multiset: Expression
    rules: tuple[AnyRule, ...]


AnyRule: TypeAlias = Rule | StartState | Property | Response | Ruleset | AliasRule | Choose


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    declarations: tuple[Declaration, ...]
    rules: tuple[AnyRule, ...]
