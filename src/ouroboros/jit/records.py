"""Records: named tuples of numbers and arrays, which kernels take as one argument instead of many."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

Record = TypeVar("Record", bound=type[tuple[Any, ...]])

records: dict[str, tuple[Any, str]] = {}
"""By the name that stands for them in the signatures of kernels: each with the types of its fields."""


def record(types: str) -> Callable[[Record], Record]:
    """Let signatures of kernels speak of a named tuple whose fields have these types, by its name."""

    def decorate(kind: Record) -> Record:
        assert kind.__name__ not in records, f"there are two records {kind.__name__}"
        records[kind.__name__] = kind, types
        return kind

    return decorate


def parts(types: str) -> Iterator[str]:
    """Types that stand one after the other, without the commas inside of brackets."""
    depth, start = 0, 0
    for at, character in enumerate(types):
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            yield types[start:at].strip()
            start = at + 1
    if types[start:].strip():
        yield types[start:].strip()
