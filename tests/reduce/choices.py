"""Where a random model takes its choices from: a seed, for many models, or Hypothesis, which shrinks what fails."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Choices(ABC):
    """Every choice is a number, and the simplest thing has the smallest: it is what shrinking leads to."""

    @abstractmethod
    def integer(self, low: int, high: int) -> int:
        """Between the two, both included."""

    def one_of(self, *options: T) -> T:
        return options[self.integer(0, len(options) - 1)]

    def chance(self, one_in: int) -> bool:
        return self.integer(1, one_in) == one_in

    def some(self, options: Sequence[T], low: int, high: int) -> list[T]:
        """A few of them, in any order, perhaps one of them twice."""
        return [self.one_of(*options) for _ in range(self.integer(low, high))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        rest = list(items)
        return [rest.pop(self.integer(0, len(rest) - 1)) for _ in items]


class Seeded(Choices):
    def __init__(self, seed: int | str) -> None:
        self._random = Random(seed)

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class Drawn(Choices):
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))


def drawn(make: Callable[[Choices], T]) -> st.SearchStrategy[T]:
    """A strategy for what can be made from choices."""
    return st.composite(lambda draw: make(Drawn(draw)))()
