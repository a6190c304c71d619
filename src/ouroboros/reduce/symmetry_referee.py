"""The referee of symmetry reduction: on the states of a system it tries what the reduction takes for granted.

The reduction keeps one of all states that differ only by a permutation of alike values. That is sound if permuted
states have permuted successors, fail alike and satisfy the same properties (Ip and Dill, 1996). Here the interpreter
visits states and makes their steps and those of their permutations; the permutation of a state is written from the
description of the symmetry alone, and shares nothing with the kernel that chooses representatives.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations, product
from math import factorial, prod
from typing import Literal, NamedTuple

from ouroboros.source import Span
from ouroboros.system.arithmetic import ExecutionError
from ouroboros.system.choices import Part
from ouroboros.system.interpret import evaluate, successors
from ouroboros.system.layout import Layout, Vector
from ouroboros.system.model import ASSUMPTIONS, Proposition, System
from ouroboros.system.symmetry import PLAIN, SymmetricField, Symmetry

MOST_STATES = 2_000
_MOST_PERMUTATIONS = 24
"""Where there are more, exchanges of neighbours stand for them: they generate all others."""

Renaming = Mapping[int, int]
"""What each atom becomes; atoms that stay are left out."""
_Outcome = Vector | Literal["a failure", "an assumption that is false"]


@dataclass(frozen=True)
class SymmetryFault:
    """States that differ by a permutation, and something that is different in them beyond that."""

    message: str
    part: Part | None
    """The rule, or for a property its text and place."""
    permutation: str
    state: Vector
    permuted: Vector

    @property
    def span(self) -> Span | None:
        return self.part.span if self.part else None

    def __str__(self) -> str:
        where = f"{self.span}: " if self.span else ""
        what = f"{self.part.text}: " if self.part else ""
        return f"{where}{what}{self.message} ({self.permutation})"


@dataclass(frozen=True)
class SymmetryReview:
    states: int
    """How many were visited."""
    complete: bool
    """Whether these were all."""
    permutations: int
    """How many were tried in each."""
    initial_closed: bool
    """Whether permuted initial states are initial. The reduction does not need it: from a permuted state a run goes on
    as permuted."""
    fault: SymmetryFault | None


def check_symmetry(
    system: System, propositions: Sequence[Proposition] = (), most_states: int = MOST_STATES
) -> SymmetryReview:
    """Visit states in the order of their distance, and look for one that tells alike values apart.

    `propositions` must hold in every state, besides those that the model asserts.
    """
    symmetry = system.symmetry
    if symmetry is None:
        return SymmetryReview(0, True, 0, True, None)
    renamings = list(renamings_of(symmetry))
    referee = _Referee(system, symmetry, propositions)
    initial = set(system.initial)
    closed = all(
        permuted(system.layout, symmetry, state, renaming) in initial for state in initial for renaming in renamings
    )
    seen = dict.fromkeys(system.initial)
    waiting = deque(seen)
    visited = 0
    while waiting and visited < most_states:
        state = waiting.popleft()
        visited += 1
        for renaming in renamings:
            fault = referee.compare(state, renaming)
            if fault:
                return SymmetryReview(visited, False, len(renamings), closed, fault)
        for _, outcome in referee.steps(state):
            if not isinstance(outcome, str) and outcome not in seen:
                seen[outcome] = None
                waiting.append(outcome)
    return SymmetryReview(visited, not waiting, len(renamings), closed, None)


class _Referee:
    def __init__(self, system: System, symmetry: Symmetry, propositions: Sequence[Proposition]) -> None:
        self._system = system
        self._symmetry = symmetry
        self._required = (*system.assertions, *propositions)
        self.steps = lru_cache(maxsize=100_000)(self._steps)
        """The actions of a state, and what comes of them."""
        self._properties = lru_cache(maxsize=100_000)(self._truths)

    def compare(self, state: Vector, renaming: Renaming) -> SymmetryFault | None:
        """What is different in a state and its permutation, if anything is."""
        other = permuted(self._system.layout, self._symmetry, state, renaming)
        expected = Counter(
            (self._rule(action), outcome if isinstance(outcome, str) else self._renamed(outcome, renaming))
            for action, outcome in self.steps(state)
        )
        found = Counter((self._rule(action), outcome) for action, outcome in self.steps(other))
        name = self._named(renaming)
        for rule, outcome in (expected - found) + (found - expected):
            kind = outcome if isinstance(outcome, str) else "a state"
            missing = "only without" if expected[rule, outcome] > found[rule, outcome] else "only with"
            message = f"it leads to {kind} {missing} the permutation"
            return SymmetryFault(message, self._part(rule), name, state, other)
        before, after = self._properties(state), self._properties(other)
        for key in dict.fromkeys((*before, *after)):
            if before[key] != after[key]:
                _, text, span, _ = key
                message = "it has another value in the permuted state"
                return SymmetryFault(message, Part("", text, span), name, state, other)
        return None

    def _renamed(self, state: Vector, renaming: Renaming) -> Vector:
        return permuted(self._system.layout, self._symmetry, state, renaming)

    def _steps(self, state: Vector) -> tuple[tuple[int, _Outcome], ...]:
        found: list[tuple[int, _Outcome]] = []
        for step in successors(self._system, state):
            assert step.action is not None
            if step.failure is None:
                assert step.state is not None
                found.append((step.action, step.state))
            else:
                assumed = step.failure >= 0 and self._system.failures[step.failure].kind in ASSUMPTIONS
                found.append((step.action, "an assumption that is false" if assumed else "a failure"))
        return tuple(found)

    def _truths(self, state: Vector) -> Counter[tuple[str, str, Span | None, str]]:
        """Of each property how many instances have which value.

        A permutation may exchange the instances of one that is required. Whether one is false or fails is the same.
        """
        found: Counter[tuple[str, str, Span | None, str]] = Counter()
        for item in self._required:
            value = "true" if self._value(state, item) == "true" else "not true"
            found["required", item.name if item.span is None else item.span.text, item.span, value] += 1
        for item in self._system.covers:
            found["covered", item.name, item.span, self._value(state, item)] += 1
        return found

    def _value(self, state: Vector, item: Proposition) -> str:
        try:
            return "true" if evaluate(self._system, state, item.expression) else "false"
        except ExecutionError:
            return "a failure"

    def _rule(self, action: int) -> Span | str:
        """What the instances of a rule share."""
        (part,) = self._system.actions[action].parts
        return part.span or part.text

    def _part(self, rule: Span | str) -> Part:
        for number, action in enumerate(self._system.actions):
            if self._rule(number) == rule:
                # An instance would say too much: which one it is depends on the permutation.
                return action.parts[0]._replace(text=action.parts[0].text.split(", ")[0])
        raise AssertionError("a step by no rule")

    def _named(self, renaming: Renaming) -> str:
        names = [f"{name}_{number + 1}" for name, size in self._symmetry.sets for number in range(size)]
        return ", ".join(f"{names[old]} becomes {names[new]}" for old, new in renaming.items())


def renamings_of(symmetry: Symmetry) -> Iterator[Renaming]:
    """All permutations but the identity, or, where these are many, enough to generate them."""
    starts = [sum(size for _, size in symmetry.sets[:number]) for number in range(len(symmetry.sets))]
    groups = [range(start, start + size) for start, (_, size) in zip(starts, symmetry.sets, strict=True)]
    if prod(factorial(len(group)) for group in groups) > _MOST_PERMUTATIONS:
        for group in groups:
            for first, second in pairwise(group):
                yield {first: second, second: first}
        return
    for orders in product(*(permutations(group) for group in groups)):
        renaming = {
            old: new
            for group, order in zip(groups, orders, strict=True)
            for old, new in zip(group, order, strict=True)
            if old != new
        }
        if renaming:
            yield renaming


class _Contents(NamedTuple):
    field: SymmetricField
    values: list[int]

    def rows(self, dimension: int) -> tuple[int, int, int]:
        """Around a dimension: how many elements there are outside of it, in it, and in each of its own."""
        lengths = [len(each.atoms) for each in self.field.dimensions]
        return prod(lengths[:dimension]), lengths[dimension], prod(lengths[dimension + 1 :])


def permuted(layout: Layout, symmetry: Symmetry, state: Vector, renaming: Renaming) -> Vector:
    """The state where each atom became another one: as a value, and as an index."""
    contents = [_Contents(item, _moved(layout, item, state, renaming)) for item in symmetry.fields]
    numbers = {each.multiset for item in symmetry.fields for each in item.dimensions if each.multiset != PLAIN}
    # A multiset within another one has the greater number, and is sorted first.
    for number in sorted(numbers, reverse=True):
        _sort_slots(number, contents)
    words = list(state)
    for item, values in contents:
        for index, value in enumerate(values):
            layout.write(words, item.field, index, value)
    return tuple(words)


def _moved(layout: Layout, item: SymmetricField, state: Vector, renaming: Renaming) -> list[int]:
    old = [layout.read(state, item.field, index) for index in range(item.field.elements)]
    new = list(old)
    for number, index in enumerate(product(*(range(len(each.atoms)) for each in item.dimensions))):
        target = 0
        for at, dimension in zip(index, item.dimensions, strict=True):
            atom = dimension.atoms[at]
            place = dimension.atoms.index(renaming[atom]) if atom in renaming else at
            target = target * len(dimension.atoms) + place
        value = old[number]
        atom = item.atoms[value] if value < len(item.atoms) else PLAIN
        new[target] = item.atoms.index(renaming[atom]) if atom in renaming else value
    return new


def _sort_slots(multiset: int, contents: Sequence[_Contents]) -> None:
    """Slots that hold an element come first, and are sorted by its parts in the order of their declaration."""
    parts = [
        (each, dimension)
        for each in contents
        for dimension, slots in enumerate(each.field.dimensions)
        if slots.multiset == multiset
    ]
    outside, slots, _ = parts[0][0].rows(parts[0][1])
    for row in range(outside):
        bags: list[list[list[int]]] = []
        for slot in range(slots):
            bag: list[list[int]] = []
            for each, dimension in parts:
                inside = each.rows(dimension)[2]
                first = (row * slots + slot) * inside
                bag.append(each.values[first : first + inside])
            bags.append(bag)
        # The first part says whether there is an element at all.
        bags.sort(key=lambda bag: ([-value for value in bag[0]], bag[1:]))
        for slot, bag in enumerate(bags):
            for (each, dimension), values in zip(parts, bag, strict=True):
                inside = each.rows(dimension)[2]
                first = (row * slots + slot) * inside
                each.values[first : first + inside] = values
