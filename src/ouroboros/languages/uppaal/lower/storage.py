"""Where the values of variables live: each leaf of a type is a field, temporaries, clocks or known numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ouroboros.languages.uppaal.lower.types import ArrayType, DataType, IntType, StructType
from ouroboros.source import Span
from ouroboros.system.expressions import Constant, Expression, LocalArray
from ouroboros.system.layout import Field

Path: TypeAlias = tuple[str, ...]


class Slot(NamedTuple):
    """A temporary."""

    number: int


class Clocks(NamedTuple):
    """Clocks with consecutive numbers."""

    first: int


class Known(NamedTuple):
    """Values that never change."""

    values: tuple[int, ...]


Storage: TypeAlias = Field | Slot | LocalArray | Clocks | Known


class Leaf(NamedTuple):
    """A path through structs that leads to numbers: one for each combination of the indices on the way."""

    path: Path
    type: DataType
    dimensions: tuple[IntType, ...]

    @property
    def elements(self) -> int:
        total = 1
        for dimension in self.dimensions:
            total *= dimension.size
        return total


def leaves(kind: DataType, path: Path = (), dimensions: tuple[IntType, ...] = ()) -> Iterator[Leaf]:
    match kind:
        case ArrayType(index, element):
            yield from leaves(element, path, (*dimensions, index))
        case StructType(fields):
            for name, inner in fields:
                yield from leaves(inner, (*path, name), dimensions)
        case _:
            yield Leaf(path, kind, dimensions)


@dataclass(eq=False)
class Variable:
    name: str
    type: DataType
    span: Span
    storage: dict[Path, Storage] = field(default_factory=dict)
    constant: bool = False
    meta: bool = False


@dataclass(frozen=True, eq=False)
class Place:
    """A variable, or a part of it; indices count from zero, and are checked."""

    variable: Variable
    path: Path
    indices: tuple[Expression, ...]
    type: DataType

    def inside(self, leaf: Leaf) -> tuple[Storage, list[IntType]]:
        """The storage of one of its leaves, and the dimensions that are left to choose."""
        return self.variable.storage[(*self.path, *leaf.path)], list(leaf.dimensions)


@dataclass(frozen=True, eq=False)
class Scalar:
    """A number."""

    expression: Expression
    type: IntType

    @property
    def known(self) -> int | None:
        return self.expression.value if isinstance(self.expression, Constant) else None
