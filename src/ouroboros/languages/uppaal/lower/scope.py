"""What names mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

from ouroboros.errors import InputError
from ouroboros.languages.uppaal.lower.storage import Place, Scalar, Variable
from ouroboros.languages.uppaal.lower.types import DataType
from ouroboros.languages.uppaal.read import ast
from ouroboros.source import Span

if TYPE_CHECKING:
    from ouroboros.languages.uppaal.lower.processes import Process


@dataclass(frozen=True, eq=False)
class TypeName:
    type: DataType
    prefixes: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class FunctionName:
    tree: ast.Function
    scope: Scope
    """Where it was declared."""


@dataclass(frozen=True, eq=False)
class TemplateName:
    tree: ast.Template | ast.Instantiation
    scope: Scope


@dataclass(frozen=True, eq=False)
class ProcessName:
    """Of queries: the processes that one name on the system line stands for, by their arguments."""

    processes: dict[tuple[int, ...], Process]


Meaning: TypeAlias = Variable | Place | Scalar | TypeName | FunctionName | TemplateName | ProcessName


@dataclass(eq=False)
class Scope:
    outer: Scope | None = None
    names: dict[str, Meaning] = field(default_factory=dict)

    def declare(self, name: str, meaning: Meaning, span: Span) -> None:
        if name in self.names:
            raise InputError(f"{name} is declared twice", span)
        self.names[name] = meaning

    def find(self, name: str) -> Meaning | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def resolve(self, name: str, span: Span) -> Meaning:
        meaning = self.find(name)
        if meaning is None:
            raise InputError(f"{name} is not declared", span, self._near(name))
        return meaning

    def _near(self, name: str) -> str | None:
        known: list[str] = []
        scope: Scope | None = self
        while scope is not None:
            known += scope.names
            scope = scope.outer
        meant = get_close_matches(name, known, n=1)
        return f"did you mean {meant[0]}?" if meant else None
