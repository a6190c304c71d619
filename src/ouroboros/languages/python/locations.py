"""The places of a process: its `yield`s; and what the compiler knows of a process."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ouroboros.languages.python.storage import Place
from ouroboros.languages.python.values import Value
from ouroboros.python.declare import Process, until
from ouroboros.python.run import END
from ouroboros.system.expressions import Expression, disjunction, equal
from ouroboros.system.layout import Field

Path = tuple[tuple[str, int], ...]
"""The way to a statement: the name of a list of statements, and the number in it, again and again."""


@dataclass(eq=False)
class Location:
    """A `yield`."""

    statement: ast.Expr
    path: Path
    label: str
    condition: ast.expr | None


@dataclass(eq=False)
class ProcessParts:
    """A process with its member, its places, and its variables that are part of the state."""

    name: str
    declared: Process
    definition: ast.FunctionDef
    member: Any
    owner: Place
    locations: list[Location]
    place: Field | None = None
    kept: dict[str, Place] = field(default_factory=dict)
    fixed: dict[str, Value] = field(default_factory=dict)
    counters: dict[ast.For, Place] = field(default_factory=dict)
    ends: bool = False

    def at(self, label: str) -> Expression:
        assert self.place is not None
        numbers = [number for number, location in enumerate(self.locations) if location.label == label]
        if label == END:
            numbers.append(len(self.locations))
        return disjunction(*(equal(self.place, number) for number in numbers))


def locations_of(definition: ast.FunctionDef, places: Any, namespace: Mapping[str, Any]) -> list[Location]:
    """The places of a process, in the order of the text; `namespace` has the names that it finds outside of itself."""
    found: list[Location] = []

    def search(statements: Sequence[ast.stmt], within: Path, name: str) -> None:
        for number, statement in enumerate(statements):
            path = (*within, (name, number))
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Yield):
                label, condition = _yielded(statement.value, places, namespace)
                found.append(Location(statement, path, label, condition))
            for inner in ("body", "orelse"):
                search(getattr(statement, inner, []), path, inner)
            for number_of_case, case in enumerate(getattr(statement, "cases", [])):
                search(case.body, path, f"cases {number_of_case}")

    search(definition.body, (), "body")
    if not found:
        raise places.refusal(
            definition, f"the process `{definition.name}` has no `yield`", "others can run at a `yield` only"
        )
    return found


def _yielded(node: ast.Yield, places: Any, namespace: Mapping[str, Any]) -> tuple[str, ast.expr | None]:
    label, condition = f"line {node.lineno}", None
    parts = [] if node.value is None else node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for part in parts:
        match part:
            case ast.Constant(str() as name):
                label = name
            case ast.Call(ast.Name("until"), [argument]) if namespace.get("until") is until:
                condition = argument
            case _:
                raise places.refusal(
                    part, "this cannot be yielded", 'write yield, yield "name", yield until(condition)'
                )
    return label, condition
