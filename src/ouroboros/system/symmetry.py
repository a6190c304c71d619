"""What is symmetric in a state: sets of values that are all alike, and where they are in it.

The members of all sets are numbered together, as *atoms*. A permutation of the atoms within their sets changes a state:
a value that is an atom becomes another, and so does the index of an array that is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ouroboros.source import Span
from ouroboros.system.layout import Field

if TYPE_CHECKING:
    from ouroboros.system.model import System

PLAIN = -1
"""In place of an atom: a value that no permutation touches."""


class Dimension(NamedTuple):
    """An index of an array, or the slots of a multiset."""

    atoms: tuple[int, ...]
    """The atom of each index from zero on, or PLAIN."""
    multiset: int = PLAIN
    """The number of the multiset whose slots these are. They are sorted, and have no order of their own."""


class SymmetricField(NamedTuple):
    field: Field
    dimensions: tuple[Dimension, ...]
    """From the outermost on; the elements of the field are those of all of them together."""
    atoms: tuple[int, ...]
    """The atom of each value from zero on, or PLAIN; values beyond are plain."""


class Asymmetry(NamedTuple):
    """What a system may do that tells alike values apart, so that it is not symmetric after all."""

    message: str
    span: Span | None


@dataclass(frozen=True, eq=False)
class Symmetry:
    sets: tuple[tuple[str, int], ...]
    """The name and size of each set, in the order in which their atoms are numbered."""
    fields: tuple[SymmetricField, ...]
    asymmetry: Callable[[], Asymmetry | None] = lambda: None
    """Finds out, which takes a while, whether the system can be proven to tell no alike values apart."""
    complete: Callable[[System], System] = lambda system: system
    """The system with assertions that also fail where they do so only in a permuted state, since they are evaluated in
    an order of alike values. Others that they require are as in the given system."""
