"""Binary decision diagrams: sets of letters, and the symbolic successors of a formula.

A diagram is an integer; equal functions have equal diagrams (Bryant 1986), so that guards and whole successor functions
compare at the cost of two integers. They are small here, and the code is as plain as it can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

FALSE = 0
TRUE = 1


class Cube(NamedTuple):
    """A conjunction of literals: the variables of `mask`, with the values that `value` gives them."""

    mask: int
    value: int


class Diagrams:
    """A family of reduced ordered diagrams that share their nodes; variables are tested in numerical order."""

    def __init__(self) -> None:
        # The variable of a constant is larger than any other.
        self._variable = [1 << 60, 1 << 60]
        self._low = [FALSE, TRUE]
        self._high = [FALSE, TRUE]
        self._unique: dict[tuple[int, int, int], int] = {}
        self._conjunctions: dict[tuple[int, int], int] = {}
        self._negations: dict[int, int] = {FALSE: TRUE, TRUE: FALSE}
        self._covers: dict[tuple[int, int], tuple[int, tuple[Cube, ...]]] = {}

    def _node(self, variable: int, low: int, high: int) -> int:
        if low == high:
            return low
        key = (variable, low, high)
        node = self._unique.get(key)
        if node is None:
            node = self._unique[key] = len(self._variable)
            self._variable.append(variable)
            self._low.append(low)
            self._high.append(high)
        return node

    def variable(self, variable: int) -> int:
        return self._node(variable, FALSE, TRUE)

    def conjunction(self, left: int, right: int) -> int:
        if left == right or right == TRUE:
            return left
        if left == TRUE:
            return right
        if left == FALSE or right == FALSE:
            return FALSE
        key = (left, right) if left < right else (right, left)
        result = self._conjunctions.get(key)
        if result is None:
            top = min(self._variable[left], self._variable[right])
            left_low, left_high = self._cofactors(left, top)
            right_low, right_high = self._cofactors(right, top)
            result = self._node(top, self.conjunction(left_low, right_low), self.conjunction(left_high, right_high))
            self._conjunctions[key] = result
        return result

    def negation(self, diagram: int) -> int:
        result = self._negations.get(diagram)
        if result is None:
            result = self._node(
                self._variable[diagram], self.negation(self._low[diagram]), self.negation(self._high[diagram])
            )
            self._negations[diagram] = result
            self._negations[result] = diagram
        return result

    def disjunction(self, left: int, right: int) -> int:
        if left == right or right == FALSE:
            return left
        if left == FALSE:
            return right
        return self.negation(self.conjunction(self.negation(left), self.negation(right)))

    def difference(self, left: int, right: int) -> int:
        return self.conjunction(left, self.negation(right))

    def implies(self, left: int, right: int) -> bool:
        return self.difference(left, right) == FALSE

    def all_of(self, diagrams: Iterable[int]) -> int:
        result = TRUE
        for diagram in diagrams:
            result = self.conjunction(result, diagram)
        return result

    def any_of(self, diagrams: Iterable[int]) -> int:
        result = FALSE
        for diagram in diagrams:
            result = self.disjunction(result, diagram)
        return result

    def _cofactors(self, diagram: int, variable: int) -> tuple[int, int]:
        if self._variable[diagram] == variable:
            return self._low[diagram], self._high[diagram]
        return diagram, diagram

    def cube(self, mask: int, value: int) -> int:
        result = TRUE
        for variable in reversed(range(mask.bit_length())):
            if mask >> variable & 1:
                positive = value >> variable & 1
                result = self._node(variable, FALSE if positive else result, result if positive else FALSE)
        return result

    def pick(self, diagram: int) -> int:
        """Some valuation (bit i: the truth of variable i) that satisfies the diagram, which must not be false."""
        valuation = 0
        while diagram != TRUE:
            if self._low[diagram] != FALSE:
                diagram = self._low[diagram]
            else:
                valuation |= 1 << self._variable[diagram]
                diagram = self._high[diagram]
        return valuation

    def evaluate(self, diagram: int, valuation: int) -> bool:
        while diagram > TRUE:
            positive = valuation >> self._variable[diagram] & 1
            diagram = self._high[diagram] if positive else self._low[diagram]
        return diagram == TRUE

    def split(self, diagram: int, border: int) -> Iterator[tuple[int, int]]:
        """The function as a disjunction of `above and below`: `above` tests variables before the border, pairwise
        disjoint, and `below`, each different, the others."""
        above: dict[int, int] = {}
        # Nodes are taken in the order of their variables, so that all paths to a node are known when its turn comes.
        paths = {diagram: TRUE}
        queue = [(self._variable[diagram], diagram)]
        while queue:
            variable, node = heappop(queue)
            path = paths[node]
            if variable >= border:
                above[node] = path
                continue
            here = self.variable(variable)
            for child, literal in ((self._low[node], self.negation(here)), (self._high[node], here)):
                if child not in paths:
                    paths[child] = FALSE
                    heappush(queue, (self._variable[child], child))
                paths[child] = self.disjunction(paths[child], self.conjunction(path, literal))
        return ((guard, below) for below, guard in above.items() if below != FALSE)

    def cover(self, diagram: int) -> tuple[Cube, ...]:
        """An irredundant sum of prime cubes (Minato and Morreale's algorithm)."""
        return self._cover(diagram, diagram)[1]

    def disjoint_cover(self, diagram: int) -> list[Cube]:
        """Cubes no two of which overlap, with few literals first; whatever is left of the others is covered again."""
        chosen = []
        while diagram != FALSE:
            for cube in sorted(self.cover(diagram), key=lambda cube: cube.mask.bit_count()):
                function = self.cube(cube.mask, cube.value)
                if self.implies(function, diagram):
                    chosen.append(cube)
                    diagram = self.difference(diagram, function)
        return chosen

    def _cover(self, lower: int, upper: int) -> tuple[int, tuple[Cube, ...]]:
        """A function between two bounds, and its cubes: few, because what lies between is free."""
        if lower == FALSE:
            return FALSE, ()
        if upper == TRUE:
            return TRUE, (Cube(0, 0),)
        key = (lower, upper)
        if key not in self._covers:
            top = min(self._variable[lower], self._variable[upper])
            bit = 1 << top
            lower_low, lower_high = self._cofactors(lower, top)
            upper_low, upper_high = self._cofactors(upper, top)
            # What cannot do without the negative literal, then without the positive one, then the rest.
            low, low_cubes = self._cover(self.difference(lower_low, upper_high), upper_low)
            high, high_cubes = self._cover(self.difference(lower_high, upper_low), upper_high)
            rest = self.disjunction(self.difference(lower_low, low), self.difference(lower_high, high))
            free, free_cubes = self._cover(rest, self.conjunction(upper_low, upper_high))
            cubes = (
                *(Cube(cube.mask | bit, cube.value) for cube in low_cubes),
                *(Cube(cube.mask | bit, cube.value | bit) for cube in high_cubes),
                *free_cubes,
            )
            function = self._node(top, self.disjunction(low, free), self.disjunction(high, free))
            self._covers[key] = (function, cubes)
        return self._covers[key]
