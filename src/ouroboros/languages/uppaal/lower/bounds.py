"""With which numbers a clock will still be compared, by the location of each process.

What matters of a clock in a location are the guards that can be met from there before the clock is set again, and the
invariants on the way (Behrmann, Bouyer, Fleury, Larsen 2003). All processes together have the largest of these numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ouroboros.languages.uppaal.lower.context import BITS
from ouroboros.languages.uppaal.lower.differences import Bound, concerned, opposite
from ouroboros.languages.uppaal.lower.processes import Process, SetClock
from ouroboros.system.blocks import NO_BOUND
from ouroboros.system.expressions import Binary, Conditional, Constant, Difference, Expression, Read
from ouroboros.system.intervals import Ranges, interval


@dataclass
class Bounds:
    """For each clock the largest number that it is compared with: from below and from above."""

    lower: list[int]
    upper: list[int]

    def include(self, other: Bounds, without: frozenset[int] = frozenset()) -> bool:
        """Take over what is larger; says whether anything was."""
        changed = False
        for mine, theirs in ((self.lower, other.lower), (self.upper, other.upper)):
            for clock, bound in enumerate(theirs):
                if clock not in without and bound > mine[clock]:
                    mine[clock] = bound
                    changed = True
        return changed


def no_bounds(clocks: int) -> Bounds:
    return Bounds([NO_BOUND] * clocks, [NO_BOUND] * clocks)


@dataclass
class BoundsAnalysis:
    clocks: int
    ranges: Ranges
    differences: tuple[Bound, ...] = ()
    largest: int = 0
    """Of all numbers that clocks are compared with, or set to."""
    everywhere: Bounds = field(init=False)
    """What questions compare clocks with, in whatever location."""

    def __post_init__(self) -> None:
        self.everywhere = no_bounds(self.clocks)

    def note(self, bounds: Bounds, difference: Difference) -> None:
        """A comparison. Its bound may be an expression: then the largest value counts."""
        values = interval(difference.bound, BITS, self.ranges)
        for clock in self._numbers(difference.row):
            if clock:
                bounds.upper[clock] = max(bounds.upper[clock], values.high, 0)
        for clock in self._numbers(difference.column):
            if clock:
                bounds.lower[clock] = max(bounds.lower[clock], -values.low, 0)
        self.largest = max(self.largest, abs(values.low), abs(values.high))

    def _numbers(self, clock: Expression) -> range:
        values = interval(clock, BITS, self.ranges)
        return range(max(0, values.low), min(self.clocks - 1, values.high) + 1)

    def of_process(self, process: Process) -> list[Bounds]:
        """The bounds of each location."""
        found = [no_bounds(self.clocks) for _ in process.locations]
        for invariant in process.invariants:
            for timed in invariant.clocks:
                self.note(found[invariant.location], timed.difference)
        resets: list[frozenset[int]] = []
        for edge in process.edges:
            receives = edge.channel is not None and edge.channel.type.broadcast and not edge.channel.sends
            for timed in edge.clocks:
                self.note(found[edge.source], timed.difference)
                if receives:
                    # Who does not receive is as much of a question.
                    self.note(found[edge.source], opposite(timed.difference))
            sets = [update for update in edge.updates if isinstance(update, SetClock)]
            resets.append(frozenset(each.clock.value for each in sets if isinstance(each.clock, Constant)))
            for each in sets:
                for bound in concerned(self.differences, each.clock, edge.span):
                    assert isinstance(each.clock, Constant)
                    compared = bound.at_reset(each.clock.value, each.value)
                    self.note(found[edge.source], compared)
                    self.note(found[edge.source], opposite(compared))
                self.largest = max(self.largest, interval(each.value, BITS, self.ranges).high)
        changed = True
        while changed:
            changed = False
            for edge, reset in zip(process.edges, resets, strict=True):
                changed |= found[edge.source].include(found[edge.target], reset)
        return found


def tables(
    analysis: BoundsAnalysis, processes: Sequence[Process], alike: bool
) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """The lower and the upper bounds of each clock, as expressions over locations; if they are to be `alike`, both are
    the larger of the two (ExtraM+).
    """
    found = [(process, analysis.of_process(process)) for process in processes]
    if alike:
        for _, locations in found:
            for bounds in locations:
                bounds.lower = bounds.upper = [max(pair) for pair in zip(bounds.lower, bounds.upper, strict=True)]
        whole = analysis.everywhere
        whole.lower = whole.upper = [max(pair) for pair in zip(whole.lower, whole.upper, strict=True)]
    lower: list[Expression] = []
    upper: list[Expression] = []
    for clock in range(analysis.clocks):
        for side, kept in (("lower", lower), ("upper", upper)):
            start = getattr(analysis.everywhere, side)[clock] if clock else 0
            result: Expression = Constant(start)
            for process, locations in found:
                values = [getattr(bounds, side)[clock] for bounds in locations]
                if clock and max(values) > start:
                    result = _largest(result, _by_location(process, values))
            kept.append(result)
    return tuple(lower), tuple(upper)


def _by_location(process: Process, values: Sequence[int]) -> Expression:
    """A table, as a chain of comparisons with the locations of the rarer values."""
    common = max(set(values), key=lambda value: (list(values).count(value), value))
    result: Expression = Constant(common)
    for location, value in enumerate(values):
        if value != common:
            at = Binary("==", Read(process.location), Constant(location))
            result = Conditional(at, Constant(value), result)
    return result


def _largest(one: Expression, other: Expression) -> Expression:
    if isinstance(one, Constant) and isinstance(other, Constant):
        return Constant(max(one.value, other.value))
    if isinstance(one, Constant) and one.value == NO_BOUND:
        return other
    return Conditional(Binary(">", one, other), one, other)
