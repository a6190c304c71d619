"""What names mean, scope within scope."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.murphi import ast
from ouroboros.languages.murphi.places import Place
from ouroboros.languages.murphi.types import Type
from ouroboros.source import Span
from ouroboros.system.expressions import Expression


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """What an expression or a name stands for: a place, or the number of a value."""

    type: Type
    place: Place | None = None
    number: Expression | None = None
    """A value in the numbering of its type. None for a place; for neither, the word `undefined`."""
    slot_of: Place | None = None
    """The multiset whose slots the name ranges over."""


@dataclass(frozen=True, eq=False, slots=True)
class TypeName:
    type: Type


@dataclass(frozen=True, eq=False, slots=True)
class FunctionName:
    function: ast.Function
    scope: Scope
    parameters: tuple[Type, ...]
    result: Type | None


Entity: TypeAlias = Value | TypeName | FunctionName


@dataclass(eq=False, slots=True)
class Scope:
    parent: Scope | None = None
    names: dict[str, Entity] = field(default_factory=dict)
    _declared: dict[str, Span] = field(default_factory=dict)

    def declare(self, name: str, entity: Entity, span: Span) -> None:
        if name in self.names:
            raise InputError(f"`{name}` is declared already", span)
        self.names[name] = entity
        self._declared[name] = span

    def look_up(self, name: str, span: Span) -> Entity:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                declared = scope._declared.get(name)
                if declared and declared.source is span.source and declared.start > span.start:
                    raise InputError(f"`{name}` is used before it is declared", span, f"it is, in line {declared.line}")
                return scope.names[name]
            scope = scope.parent
        known = self._known()
        meant = get_close_matches(name, known, n=1)
        raise InputError(f"`{name}` is not declared", span, f"did you mean `{meant[0]}`?" if meant else None)

    def function(self, name: str, span: Span) -> FunctionName:
        """Functions may have the name of a variable: a call finds the nearest function."""
        scope: Scope | None = self
        while scope is not None:
            entity = scope.names.get(name)
            if isinstance(entity, FunctionName):
                return entity
            scope = scope.parent
        self.look_up(name, span)
        raise InputError(f"`{name}` is no function or procedure", span)

    def _known(self) -> list[str]:
        names: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            names += scope.names
            scope = scope.parent
        return names
