"""Type expressions to types, and constant expressions to numbers."""

from __future__ import annotations

from typing import Protocol

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.scope import Scope, TypeName, Value
from ouroboros.languages.murphi.types import (
    Array,
    Enumeration,
    Multiset,
    Range,
    Record,
    Scalarset,
    Simple,
    Type,
    Union,
    is_simple,
)
from ouroboros.source import Span
from ouroboros.system.expressions import Constant

MOST_ELEMENTS = 1 << 16
"""Of an array, and of an enumeration of any kind."""


class Evaluator(Protocol):
    """Who can read an expression."""

    def value(self, expression: ast.Expression, scope: Scope) -> Value: ...


def resolve(kind: ast.Type, scope: Scope, evaluator: Evaluator, name: str = "") -> Type:
    """The type that a type expression describes; `name` is what it is declared as."""
    match kind:
        case ast.NamedType(span, wanted):
            # The word `boolean` is known in any case, though it is no keyword.
            entity = scope.look_up("boolean" if wanted.lower() == "boolean" else wanted, span)
            if not isinstance(entity, TypeName):
                raise InputError(f"`{wanted}` is not a type", span)
            return entity.type
        case ast.RangeType(span, low, high):
            first, last = (constant(bound, scope, evaluator, "a bound of a range") for bound in (low, high))
            if last < first:
                raise InputError("the upper bound of this range is less than its lower bound", span)
            return Range(first, last)
        case ast.EnumType(span, names):
            enumeration = Enumeration(name or "enum", tuple(item.name for item in names))
            for number, item in enumerate(names):
                scope.declare(item.name, Value(enumeration, number=Constant(number)), item.span)
            return enumeration
        case ast.ScalarsetType(span, size):
            count = _count(size, scope, evaluator, "the size of a scalarset")
            return Scalarset(name or "scalarset", count, bool(name))
        case ast.UnionType(span, members):
            return _union(kind, members, scope, evaluator, name)
        case ast.RecordType(_, fields):
            resolved: dict[str, Type] = {}
            for field, inner in fields:
                if field.name in resolved:
                    raise InputError(f"this record has a field `{field.name}` already", field.span)
                resolved[field.name] = resolve(inner, scope, evaluator)
            return Record(resolved)
        case ast.ArrayType(span, index, element):
            index_type = simple(index, scope, evaluator, "the index of an array")
            if index_type.size > MOST_ELEMENTS:
                raise InputError(f"an array of {index_type.size:,} elements is too large", span)
            return Array(index_type, resolve(element, scope, evaluator))
        case ast.MultisetType(span, size, element):
            return Multiset(
                _count(size, scope, evaluator, "the size of a multiset"), resolve(element, scope, evaluator)
            )


def simple(kind: ast.Type, scope: Scope, evaluator: Evaluator, what: str) -> Simple:
    """The type, which must be simple."""
    resolved = resolve(kind, scope, evaluator)
    if isinstance(resolved, Record | Array | Multiset):
        raise InputError(f"{what} must be of a simple type, not {resolved}", kind.span)
    return resolved


def constant(expression: ast.Expression, scope: Scope, evaluator: Evaluator, what: str) -> int:
    """The number that a constant expression stands for."""
    value = evaluator.value(expression, scope)
    if not isinstance(value.type, Range):
        raise InputError(f"{what} must be a number", expression.span)
    if not isinstance(value.number, Constant):
        raise InputError(f"{what} must be constant", expression.span)
    return value.number.value


def _count(expression: ast.Expression, scope: Scope, evaluator: Evaluator, what: str) -> int:
    count = constant(expression, scope, evaluator, what)
    if not 1 <= count <= MOST_ELEMENTS:
        raise InputError(f"{what} must be between 1 and {MOST_ELEMENTS}, not {count}", expression.span)
    return count


def _union(kind: ast.Type, members: tuple[ast.Type, ...], scope: Scope, evaluator: Evaluator, name: str) -> Union:
    found: list[Enumeration | Scalarset] = []
    for member in members:
        resolved = resolve(member, scope, evaluator)
        parts: tuple[Type, ...] = resolved.members if isinstance(resolved, Union) else (resolved,)
        for part in parts:
            if not isinstance(part, Enumeration | Scalarset):
                raise InputError("the members of a union must be scalarsets and enumerations", member.span)
            if part in found:
                raise InputError("this type is a member of the union already", member.span)
            found.append(part)
    return Union(name or "union", tuple(found))


def bits_of(kind: Type, span: Span) -> int:
    """About how many bits a variable needs."""
    match kind:
        case Record(fields):
            return sum(bits_of(inner, span) for inner in fields.values())
        case Array(index, element):
            return index.size * bits_of(element, span)
        case Multiset(size, element):
            return size * (1 + bits_of(element, span))
    assert is_simple(kind)
    return (kind.size + 1).bit_length()
