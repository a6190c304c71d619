"""Zones: sets of clock valuations, as matrices of bounds on differences (Dill 1989), on Python integers.

Entry (i, j) bounds how far clock i is ahead of clock j: `2 c + 1` for at most c, `2 c` for less than c, `INFINITY` for
no bound. Clock zero is always zero. A matrix is closed if no bound follows from two others more tightly than it says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

INFINITY = 1 << 40
AT_MOST_ZERO = 1

Matrix: TypeAlias = list[list[int]]


def encoded(bound: int, strict: bool) -> int:
    return 2 * bound + (not strict)


def added(one: int, other: int) -> int:
    if one >= INFINITY or other >= INFINITY:
        return INFINITY
    return one + other - ((one | other) & 1)


def close(matrix: Matrix) -> bool:
    """Tighten all bounds; False if no valuation is left."""
    size = range(len(matrix))
    for through in size:
        for row in size:
            for column in size:
                around = added(matrix[row][through], matrix[through][column])
                if around < matrix[row][column]:
                    matrix[row][column] = around
    return all(matrix[clock][clock] >= AT_MOST_ZERO for clock in size)


def constrain(matrix: Matrix, row: int, column: int, bound: int) -> bool:
    """Add a bound; False if no valuation is left."""
    if bound < matrix[row][column]:
        if added(matrix[column][row], bound) < AT_MOST_ZERO:
            return False
        matrix[row][column] = bound
        return close(matrix)
    return True


def reset(matrix: Matrix, clock: int, value: int) -> None:
    for other in range(len(matrix)):
        matrix[clock][other] = added(encoded(value, False), matrix[0][other])
        matrix[other][clock] = added(matrix[other][0], encoded(-value, False))
    matrix[clock][clock] = AT_MOST_ZERO


def elapse(matrix: Matrix) -> None:
    for row in matrix[1:]:
        row[0] = INFINITY


def extrapolate(matrix: Matrix, lower: Sequence[int], upper: Sequence[int]) -> None:
    """ExtraLU+ (Behrmann, Bouyer, Larsen, Pelanek 2004); the result is closed."""
    size = len(matrix)
    least = [-(bound >> 1) for bound in matrix[0]]
    for row in range(1, size):
        for column in range(size):
            bound = matrix[row][column]
            if row != column and (bound >> 1 > lower[row] or least[row] > lower[row] or least[column] > upper[column]):
                matrix[row][column] = INFINITY
    for column in range(1, size):
        if least[column] > upper[column]:
            matrix[0][column] = encoded(-upper[column], True) if upper[column] >= 0 else AT_MOST_ZERO
    close(matrix)


def without(matrix: Matrix, box: Box, waiting: bool) -> Iterator[Matrix]:
    """The valuations that are not in a box, and do not come into it by waiting either, as zones that share none."""
    rest = [list(row) for row in matrix]
    for row, column, bound in box.faces(waiting):
        outside = [list(each) for each in rest]
        # The opposite of at most c is more than c, that of less than c is at least c.
        if constrain(outside, column, row, 1 - bound):
            yield outside
        if not constrain(rest, row, column, bound):
            return


def meets(matrix: Matrix, box: Box, waiting: bool) -> bool:
    """Whether some valuation is in a box, or comes into it by waiting."""
    rest = [list(row) for row in matrix]
    return all(constrain(rest, *face) for face in box.faces(waiting))


class Box:
    """Bounds on single clocks: above them as differences from zero, below them as differences of zero."""

    def __init__(self, size: int) -> None:
        self.above = [INFINITY] * size
        self.below = [AT_MOST_ZERO] * size

    def bound(self, row: int, column: int, bound: int) -> None:
        if column == 0:
            self.above[row] = min(self.above[row], bound)
        else:
            self.below[column] = min(self.below[column], bound)

    @property
    def is_empty(self) -> bool:
        return any(added(*pair) < AT_MOST_ZERO for pair in zip(self.above, self.below, strict=True))

    def faces(self, waiting: bool) -> Iterator[tuple[int, int, int]]:
        """What bounds the box; or, with waiting, all valuations that come into it: a clock that may not yet be late
        must not be too far ahead of one that has to grow.
        """
        size = range(1, len(self.above))
        for row in size:
            if self.above[row] < INFINITY:
                yield row, 0, self.above[row]
                if waiting:
                    for column in size:
                        if column != row and self.below[column] < AT_MOST_ZERO:
                            yield row, column, added(self.above[row], self.below[column])
        if not waiting:
            for column in size:
                if self.below[column] < AT_MOST_ZERO:
                    yield 0, column, self.below[column]
