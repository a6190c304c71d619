"""Random timed automata, and their regions: what is reachable, and where runs end, with no zones at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias

from hypothesis import strategies

MOST = 2
"""The largest number that clocks, or their difference, are compared with, or set to."""
TOP = 2 * MOST
"""Clocks are told apart up to here: where one is set, the other one may have to be compared with a larger number."""


class Constraint(NamedTuple):
    clock: int
    """Or `BETWEEN`."""
    operator: str
    bound: int

    def __str__(self) -> str:
        name = "x0 - x1" if self.clock == BETWEEN else f"x{self.clock}"
        return f"{name} {self.operator} {self.bound}"


BETWEEN = 2
"""Stands for how far the first clock is ahead of the second."""


class Edge(NamedTuple):
    source: int
    target: int
    guard: tuple[Constraint, ...]
    resets: tuple[tuple[int, int], ...]


class Automaton(NamedTuple):
    locations: int
    clocks: int
    invariants: tuple[tuple[Constraint, ...], ...]
    edges: tuple[Edge, ...]

    @property
    def text(self) -> str:
        names = [f"x{clock}" for clock in range(self.clocks)]
        states = [
            f"s{number}" + (f" {{ {' && '.join(map(str, invariant))} }}" if invariant else "")
            for number, invariant in enumerate(self.invariants)
        ]
        edges = []
        for edge in self.edges:
            guard = f"guard {' && '.join(map(str, edge.guard))}; " if edge.guard else ""
            assign = (
                f"assign {', '.join(f'x{clock} = {value}' for clock, value in edge.resets)}; " if edge.resets else ""
            )
            edges.append(f"s{edge.source} -> s{edge.target} {{ {guard}{assign}}}")
        trans = f"trans {', '.join(edges)};" if edges else ""
        body = f"state {', '.join(states)}; init s0; {trans}"
        return f"clock {', '.join(names)};\nprocess P() {{ {body} }}\nsystem P;\n"


@strategies.composite
def automata(draw: strategies.DrawFn) -> Automaton:
    locations = draw(strategies.integers(1, 3))
    clocks = draw(strategies.integers(1, 2))
    clock = strategies.integers(0, clocks - 1)
    bound = strategies.integers(0, MOST)
    above = strategies.builds(Constraint, clock, strategies.sampled_from(["<", "<="]), bound)
    invariants = tuple(tuple(draw(strategies.lists(above, max_size=1))) for _ in range(locations))
    # The initial state must satisfy its invariant.
    first = tuple(each for each in invariants[0] if not (each.operator == "<" and each.bound == 0))
    # Now and then a difference of the clocks is compared.
    any_clock = strategies.sampled_from([*range(clocks)] * 2 + [BETWEEN] * (clocks == 2))
    compared = strategies.builds(Constraint, any_clock, strategies.sampled_from(["<", "<=", ">", ">=", "=="]), bound)
    place = strategies.integers(0, locations - 1)
    edge = strategies.builds(
        Edge,
        place,
        place,
        strategies.lists(compared, max_size=2).map(tuple),
        strategies.dictionaries(clock, bound, max_size=2).map(lambda found: tuple(found.items())),
    )
    return Automaton(locations, clocks, (first, *invariants[1:]), tuple(draw(strategies.lists(edge, max_size=5))))


class Region(NamedTuple):
    """Of each clock the whole part, and the rank of its fraction; rank zero is no fraction. Clocks beyond all numbers
    have the whole part `TOP + 1` and no rank.
    """

    wholes: tuple[int, ...]
    ranks: tuple[int, ...]
    ahead: int = 0
    """How far the first clock is ahead of the second, as `value` has it, and no farther than matters."""

    def value(self, clock: int) -> int:
        """Twice the value, rounded to an odd number where it lies between two numbers."""
        whole, fraction = self.wholes[clock], self.ranks[clock] > 0
        return 2 * TOP + 1 if whole > TOP else 2 * whole + fraction

    def holds(self, constraint: Constraint) -> bool:
        value = self.ahead if constraint.clock == BETWEEN else self.value(constraint.clock)
        bound = 2 * constraint.bound
        return {
            "<": value < bound,
            "<=": value <= bound,
            ">": value > bound,
            ">=": value >= bound,
            "==": value == bound,
            "!=": value != bound,
        }[constraint.operator]

    def reset(self, resets: tuple[tuple[int, int], ...]) -> Region:
        wholes, ranks = list(self.wholes), list(self.ranks)
        for clock, value in resets:
            wholes[clock], ranks[clock] = value, 0
        after = _ordered(wholes, ranks, self.ahead)
        if not resets or len(wholes) < 2:
            return after
        ahead = after.value(0) - after.value(1)
        return after._replace(ahead=max(-2 * MOST - 1, min(ahead, 2 * MOST + 1)))

    def later(self) -> Region:
        """The region that comes next when time passes; the same where none does."""
        wholes, ranks = list(self.wholes), list(self.ranks)
        bounded = [clock for clock, whole in enumerate(wholes) if whole <= TOP]
        if not bounded:
            return self
        resting = [clock for clock in bounded if ranks[clock] == 0]
        if resting:
            ranks = [rank + 1 if rank else 0 for rank in ranks]
            for clock in resting:
                ranks[clock] = 1
        else:
            last = max(ranks[clock] for clock in bounded)
            for clock in bounded:
                if ranks[clock] == last:
                    wholes[clock], ranks[clock] = wholes[clock] + 1, 0
        return _ordered(wholes, ranks, self.ahead)


def _ordered(wholes: list[int], ranks: list[int], ahead: int) -> Region:
    for clock, whole in enumerate(wholes):
        # At the largest number itself a clock still counts; any fraction above it does not.
        if whole > TOP or (whole == TOP and ranks[clock]):
            wholes[clock], ranks[clock] = TOP + 1, 0
    used = sorted({rank for rank in ranks if rank})
    return Region(tuple(wholes), tuple(used.index(rank) + 1 if rank else 0 for rank in ranks), ahead)


class State(NamedTuple):
    location: int
    region: Region


class Regions:
    """The region graph of an automaton."""

    def __init__(self, automaton: Automaton) -> None:
        self.automaton = automaton
        zeros = (0,) * automaton.clocks
        self.initial = State(0, Region(zeros, zeros))

    def actions(self, state: State) -> Iterator[State]:
        for edge in self.automaton.edges:
            if edge.source == state.location and all(map(state.region.holds, edge.guard)):
                after = state.region.reset(edge.resets)
                if all(map(after.holds, self.automaton.invariants[edge.target])):
                    yield State(edge.target, after)

    def delay(self, state: State) -> State | None:
        later = state.region.later()
        return (
            State(state.location, later) if all(map(later.holds, self.automaton.invariants[state.location])) else None
        )

    def stuck(self, state: State) -> bool:
        """Whether no action is possible, now or later."""
        while True:
            if any(True for _ in self.actions(state)):
                return False
            later = self.delay(state)
            if later is None or later == state:
                return True
            state = later

    def reachable(self) -> set[State]:
        return self._from({self.initial}, lambda _: True)

    def reachable_within(self, starts: set[State], within: set[State]) -> set[State]:
        return self._from(starts, within.__contains__)

    def _from(self, starts: set[State], stays: Test) -> set[State]:
        found, waiting = set(starts), list(starts)
        while waiting:
            for after in self.successors(waiting.pop()):
                if after not in found and stays(after):
                    found.add(after)
                    waiting.append(after)
        return found

    def successors(self, state: State) -> list[State]:
        later = self.delay(state)
        return [*self.actions(state), *([later] if later and later != state else [])]

    def some_run_stays(self, starts: set[State], stays: Test) -> bool:
        """Whether some run that cannot be made longer begins in one of these states, and stays where it should."""
        states = self._from({state for state in starts if stays(state)}, stays)
        if any(self.delay(state) == state or not (self.delay(state) or any(self.actions(state))) for state in states):
            return True
        # What is left when states without a successor are taken away, again and again, has a cycle.
        left = set(states)
        while True:
            ends = {state for state in left if not any(after in left for after in self.successors(state))}
            if not ends:
                return bool(left)
            left -= ends


Test: TypeAlias = Callable[[State], bool]


class Predicate(NamedTuple):
    """What a query asks of a state."""

    text: str
    holds: Test


def predicates(automaton: Automaton, timed: bool = True) -> strategies.SearchStrategy[Predicate]:
    atoms = [
        Predicate(f"P.s{number}", lambda state, number=number: state.location == number)
        for number in range(automaton.locations)
    ]
    simple: strategies.SearchStrategy[Predicate] = strategies.sampled_from(atoms)
    if timed:
        clocks = [*range(automaton.clocks), *([BETWEEN] if automaton.clocks == 2 else [])]
        constraints = strategies.builds(
            Constraint,
            strategies.sampled_from(clocks),
            strategies.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
            strategies.integers(0, MOST),
        )
        simple |= constraints.map(lambda each: Predicate(str(each), lambda state: state.region.holds(each)))
    return strategies.recursive(
        simple,
        lambda inner: (
            inner.map(lambda one: Predicate(f"!({one.text})", lambda state: not one.holds(state)))
            | strategies.tuples(inner, inner).map(
                lambda two: Predicate(
                    f"({two[0].text} && {two[1].text})", lambda state: two[0].holds(state) and two[1].holds(state)
                )
            )
            | strategies.tuples(inner, inner).map(
                lambda two: Predicate(
                    f"({two[0].text} || {two[1].text})", lambda state: two[0].holds(state) or two[1].holds(state)
                )
            )
        ),
        max_leaves=4,
    )
